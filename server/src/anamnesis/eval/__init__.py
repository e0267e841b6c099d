"""Measuring recall: how often the right note is found, at which rank, how fast, and what reading it costs.

cases        a query with the notes that answer it, and files of them
recall       cases and the usual measures against a store, or against a copy before and after a change
candidates   cases written by a model, one paraphrase per note
bench        any corpus with queries, in a store of its own
"""

from anamnesis.eval.candidates import build_eval_candidates
from anamnesis.eval.cases import EvalCase
from anamnesis.eval.recall import RecallReport, recall_at_k

__all__ = ["EvalCase", "RecallReport", "build_eval_candidates", "recall_at_k"]
