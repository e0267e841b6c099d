"""These tests need the extra `semantic`; without it they are skipped."""

from __future__ import annotations

from importlib.util import find_spec

if not all(map(find_spec, ("numpy", "safetensors", "tokenizers"))):
    collect_ignore_glob = ["test_*.py"]
