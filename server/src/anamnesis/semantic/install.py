"""Installing a model for a store."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

from anamnesis.errors import SemanticError
from anamnesis.files import make_folder
from anamnesis.semantic.encoder import EndpointEncoder, FolderEncoder
from anamnesis.semantic.folder import fingerprint, keep_small
from anamnesis.semantic.installed import FOLDER, Installed, model_folder, save_installed


def install_folder(root: Path, source: Path, *, name: str = "") -> Installed:
    """Keep a small copy of the model in a folder and use it from now on; the folder is no longer needed."""
    FolderEncoder(source)  # raises for a bad model before anything is replaced
    fresh = root / FOLDER / "new"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        make_folder(fresh.parent)
        keep_small(source, fresh)
        installed = Installed(name=name or source.resolve().name, fingerprint=fingerprint(fresh))
        shutil.rmtree(model_folder(root), ignore_errors=True)
        fresh.rename(model_folder(root))
    except OSError as exc:
        raise SemanticError(f"{fresh}: the model cannot be kept ({exc.strerror}); free some space") from exc
    save_installed(root, installed)
    return installed


def install_endpoint(root: Path, url: str, model: str) -> Installed:
    """Use a server's model from now on; it is asked once, to see that it answers."""
    installed = Installed(
        name=model, fingerprint=sha256(f"{url}\n{model}".encode()).hexdigest()[:16], url=url
    )
    EndpointEncoder(root, installed).encode(["a"])
    shutil.rmtree(model_folder(root), ignore_errors=True)
    save_installed(root, installed)
    return installed
