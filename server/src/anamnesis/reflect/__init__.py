"""Reflection: what a project's session notes taught, distilled by a model into durable notes.

    question    which session notes are due, and what the model is asked, with the notes fenced off as data;
                what it may answer, checked to the letter
    proposals   answers kept until they are applied, so that nothing is paid for or written twice
    run         the whole of it, project by project

It never falls back: an answer that is not exactly what was asked for ends that project with nothing written.
"""

from anamnesis.reflect.run import Outcome, reflect

__all__ = ["Outcome", "reflect"]
