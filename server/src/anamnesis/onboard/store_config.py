"""The store's config.json as `init` writes it: this machine's name and its remote."""

from __future__ import annotations

from pathlib import Path

from anamnesis import settings
from anamnesis.layout import CONFIG_NAME


def write_store_config(home: Path, *, machine_id: str, remote: str | None = None) -> Path:
    """Keep machine id and remote in `<home>/config.json`; other keys stay, None removes the remote."""
    settings.save("machine_id", machine_id, home=home)
    settings.save("remote", remote, home=home)
    return home / CONFIG_NAME
