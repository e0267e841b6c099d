"""Which model a store uses to compare meanings: a small file, read without numpy, because `status` waits."""

from __future__ import annotations

from pathlib import Path

from anamnesis.files import read_object, write_object

FOLDER = "semantic"  # below the store root
_RECORD = "installed.json"
_MODEL = "model"


class Installed:
    """The model in use: a folder below the store root, or a server."""

    __slots__ = ("fingerprint", "name", "url")

    def __init__(self, *, name: str, fingerprint: str, url: str = "") -> None:
        self.name = name  # its usual name, or its name on the server
        self.fingerprint = fingerprint  # vectors of different models cannot be compared
        self.url = url  # "" for a model on this machine


def read_installed(root: Path) -> Installed | None:
    """The installed model; None if there is none, or its record cannot be read."""
    found = read_object(root / FOLDER / _RECORD)
    name, fingerprint, url = (str(found.get(key) or "") for key in ("name", "fingerprint", "url"))
    return Installed(name=name, fingerprint=fingerprint, url=url) if name and fingerprint else None


def is_installed(root: Path) -> bool:
    """Whether this store has a model installed."""
    return read_installed(root) is not None


def save_installed(root: Path, installed: Installed) -> None:
    """Record the model that this store uses from now on."""
    record = {key: getattr(installed, key) for key in Installed.__slots__}
    write_object(root / FOLDER / _RECORD, record, indent=2)


def model_folder(root: Path) -> Path:
    """The folder of the model itself."""
    return root / FOLDER / _MODEL
