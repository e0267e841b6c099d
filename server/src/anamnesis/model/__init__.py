"""A small client for servers with the OpenAI protocols for chat and embeddings.

    endpoint    the server, model and key, checked before anything is sent; one HTTP request
    client      asks for text or vectors: redaction, budget, one retry, the usage record
    usage       how much the model has been used

Nothing here knows what the text is about. The client is imported only if a model is configured.
"""
