"""Certificates for servers on loopback."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_certificate(path: Path, *, name: str) -> Path:
    """A self-signed certificate for `name` and its key, in one file."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=model"]
    extension = ["-addext", f"subjectAltName={name}", "-keyout", "-", "-out", "-"]
    path.write_bytes(subprocess.run([*command, *extension], check=True, capture_output=True).stdout)
    return path
