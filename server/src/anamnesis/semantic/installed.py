"""Which model a store uses to compare meanings: a small file, read without numpy, because `status` waits."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from anamnesis.files import read_object, write_object

FOLDER = "semantic"  # below the store root: the model, its record and the vectors
_RECORD = "installed.json"
_MODEL = "model"


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
    return root / FOLDER / _MODEL


def remove_meaning(root: Path) -> bool:
    """Remove a store's model and all its vectors; returns whether there were any."""
    existed = (root / FOLDER).is_dir()
    shutil.rmtree(root / FOLDER, ignore_errors=True)
    return existed
