"""Which model a store uses to compare meanings, and the state of its vectors; read without numpy.

The vector file is derived from the notes and can be deleted. Its first line is JSON: the model, and each
note's id, digest of its file and number of windows. The rows of all windows follow, as little-endian floats.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anamnesis.files import parse_object, read_object, write_object

FOLDER = "semantic"  # below the store root: the model, its record and the vectors
_RECORD = "installed.json"


@dataclass(frozen=True, slots=True)
class Installed:
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
    write_object(root / FOLDER / _RECORD, asdict(installed), indent=2)


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


def remove_meaning(root: Path) -> bool:
    """Remove a store's model and all its vectors; returns whether there were any."""
    existed = (root / FOLDER).is_dir()
    shutil.rmtree(root / FOLDER, ignore_errors=True)
    return existed


@dataclass(frozen=True, slots=True)
class Report:
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
    if not all(map(find_spec, ("numpy", "safetensors", "tokenizers"))):
        problem = "packages are missing; install Anamnesis with its extra: anamnesis-memory[semantic]"
    elif not (model_folder(root) / "model.safetensors").is_file():
        problem = "the model's files are gone; run `anamnesis semantic install` again"
    return Report(installed.name, language, len(digests), pending, problem)
