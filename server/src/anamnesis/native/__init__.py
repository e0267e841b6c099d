"""Imports Claude Code's own memory files: each becomes a note, which syncs to your other machines.

    memory_files    where the files are, which project a folder belongs to, parsing a file
    mirror          writes the files as notes, and records what was imported

The client's files are only read. When a file disappears its note stays: the client cleans up its folder, and
the facts are still true.
"""

from anamnesis.native.mirror import NativeImport, import_native

__all__ = ["NativeImport", "import_native"]
