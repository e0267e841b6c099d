"""The state of search by meaning: which model, how many notes have vectors, what is wrong. Needs no numpy."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from anamnesis.semantic.installed import Installed, model_folder, read_installed
from anamnesis.semantic.vectors import VectorFile

PACKAGES = ("numpy", "safetensors", "tokenizers")
MOST_MISSING = 0.1  # of the notes without vectors; with more, words alone give the fairer order


class Report:
    """The model of a store and its vectors; `problem` says why searches go by words alone, if they do."""

    __slots__ = ("name", "notes", "pending", "problem", "url")

    def __init__(self, *, name: str, url: str, notes: int, pending: int, problem: str) -> None:
        self.name = name
        self.url = url
        self.notes = notes
        self.pending = pending  # notes whose vectors are missing or outdated
        self.problem = problem

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return {key: getattr(self, key) for key in self.__slots__}


def report(root: Path, digests: Mapping[str, bytes]) -> Report | None:
    """The state of a store with these notes (id and digest of the file); None when no model is installed."""
    installed = read_installed(root)
    if installed is None:
        return None
    entries = VectorFile(root, installed.fingerprint).entries()
    missing = sum(name not in entries for name in digests)
    behind = sum(name in entries and entries[name].seen != seen for name, seen in digests.items())
    return Report(
        name=installed.name,
        url=installed.url,
        notes=len(digests),
        pending=missing + behind,
        problem=_problem(root, installed) or _half_built(len(digests), missing),
    )


def _problem(root: Path, installed: Installed) -> str:
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        return (
            f"{', '.join(absent)} not installed; install Anamnesis with its extra: anamnesis-memory[semantic]"
        )
    if not installed.url and not (model_folder(root) / "model.safetensors").is_file():
        return "the model's files are gone; run `anamnesis semantic install` again"
    return ""


def _half_built(notes: int, missing: int) -> str:
    if missing <= notes * MOST_MISSING:
        return ""
    return f"{notes - missing} of {notes} notes have vectors; `anamnesis reindex` makes the rest"
