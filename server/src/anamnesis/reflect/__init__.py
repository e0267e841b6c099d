"""Reflection: a model distills a project's session notes into durable notes.

    question    which session notes are due, the question to the model, and validating its answer
    proposals   answers saved until they are applied, so that nothing is paid for or written twice
    run         the whole reflection, project by project

There is no fallback: if an answer is invalid, nothing is written for that project.
"""

from anamnesis.reflect.run import Outcome, reflect

__all__ = ["Outcome", "reflect"]
