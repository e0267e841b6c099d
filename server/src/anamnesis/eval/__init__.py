"""Measuring recall: how often the right note is found, at which rank, how fast, and what reading it costs.

    cases        a case: a query with the notes that answer it; files of cases
    recall       measures cases on a store, or on a copy before and after a change
    candidates   cases written by a model, one paraphrase per note
    bench        measures any corpus with queries, in a temporary store

Nothing here changes the user's store.
"""

from anamnesis.eval.candidates import build_eval_candidates
from anamnesis.eval.cases import EvalCase
from anamnesis.eval.recall import RecallReport, recall_at_k

__all__ = ["EvalCase", "RecallReport", "build_eval_candidates", "recall_at_k"]
