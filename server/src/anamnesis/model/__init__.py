"""One small client for servers that speak the OpenAI protocols for chat and embeddings.

    endpoint    which server, which model, with which key: checked before anything is sent; one HTTP request
    client      asking for text or vectors: redaction, budget, one retry, the usage record
    usage       how much the model has been used so far

Nothing here knows what the text is about. Only code that was configured to ask a model imports the client.
"""
