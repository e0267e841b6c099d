"""One small client for servers that speak the OpenAI protocols for chat and embeddings.

    endpoint    which server, which model, with which key: checked before anything is sent
    exchange    one HTTP request and its answer, within a deadline
    client      asking: redaction, budget, one retry, the usage record
    embeddings  vectors of texts
    answers     JSON out of what a model says
    usage       what the model has cost so far

Nothing here knows what the text is about. Only code that was configured to ask a model imports the client.
"""
