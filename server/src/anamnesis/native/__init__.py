"""Import of Claude Code's own memory files: each becomes a note that follows you to your other machines.

    memory_files    where the files are, which project a folder belongs to, what a file says
    mirror          files to notes, with a record of what was imported

The client's files are only read. When a file disappears its note stays: the client tidies its folder, and
what it learned is still true.
"""

from anamnesis.native.mirror import NativeImport, import_native

__all__ = ["NativeImport", "import_native"]
