"""One small client for servers that speak the OpenAI protocols for chat and embeddings.

    endpoint    which server, which model, with which key: checked before anything is sent
    exchange    one HTTP request and its answer, within a deadline
    client      asking: redaction, budget, one retry, the usage record
    embeddings  vectors of texts
    answers     JSON out of what a model says

Nothing here knows what the text is about. Only code that was configured to ask a model imports this package.
"""

from anamnesis.model.answers import read_json
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import Endpoint, resolve_endpoint

__all__ = ["Endpoint", "ModelClient", "read_json", "resolve_endpoint"]
