"""Which model a store uses to compare meanings, and the state of its vectors; read without numpy.

The vector file is derived from the notes and can be deleted. Its first line is JSON: the model, and each
note's id, digest of its file and number of windows. The rows of all windows follow, as little-endian floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis.files import parse_object, read_object, write_object

FOLDER = "semantic"  # below the store root: the model, its record and the vectors
_RECORD = "installed.json"


class Installed(NamedTuple):
    """The model in use."""

    name: str
    fingerprint: str  # vectors of different models cannot be compared


def read_installed(root: Path) -> Installed | None:
    """The installed model; None if there is none, or its record cannot be read."""
    found = read_object(root / FOLDER / _RECORD)
    name, fingerprint = (str(found.get(key) or "") for key in ("name", "fingerprint"))
    return Installed(name, fingerprint) if name and fingerprint else None


def is_installed(root: Path) -> bool:
    """Whether this store has a model installed."""
    return read_installed(root) is not None


def save_installed(root: Path, installed: Installed) -> None:
    """Record the model that this store uses from now on."""
    write_object(root / FOLDER / _RECORD, installed._asdict(), indent=2)


def model_folder(root: Path) -> Path:
    """The folder of the model itself."""
    return root / FOLDER / "model"


def vector_file(root: Path) -> Path:
    """The file of the notes' vectors."""
    return root / FOLDER / "vectors.bin"


def notes_in(head: bytes, fingerprint: str) -> list[tuple[str, str, int]]:
    """Id, digest and windows of each note in the first line of a vector file; none if another model's."""
    found: dict[str, Any] = parse_object(head) or {}
    return found["notes"] if found.get("model") == fingerprint else []


class Report(NamedTuple):
    """The state of a store's model and vectors; `problem` says why searches use words alone, if they do."""

    name: str
    language: str  # that the model was trained on, as far as we know
    notes: int
    pending: int  # notes whose vectors are missing or outdated, found by their words
    problem: str


def report(root: Path, digests: Mapping[str, bytes]) -> Report | None:
    """The state for these notes (id and digest of the file); None if no model is installed."""
    installed = read_installed(root)
    if installed is None:
        return None
    try:
        with open(vector_file(root), "rb") as handle:
            seen = {name: digest for name, digest, _ in notes_in(handle.readline(), installed.fingerprint)}
    except OSError:
        seen = {}
    pending = sum(seen.get(name) != digest.hex() for name, digest in digests.items())
    language = "unknown language" if "multilingual" in installed.name else "English"
    problem = ""
    if not all(map(PathFinder.find_spec, ("numpy", "safetensors", "tokenizers"))):
        problem = "packages are missing; install Anamnesis with its extra: anamnesis-memory[semantic]"
    elif not (model_folder(root) / "model.safetensors").is_file():
        problem = "the model's files are gone; run `anamnesis semantic install` again"
    return Report(installed.name, language, len(digests), pending, problem)
