"""Import of Claude Code's own memory files: each becomes a note that follows you to your other machines.

    memory_file     one file of the client's memory as a value: pure
    place           which project a folder of the client belongs to
    memory_folders  where the files are
    mirror          from files to notes, with the record of what was imported

The client's files are only read. A file that disappears leaves its note: the client tidies its own folder,
and what it learned is not less true for that.
"""

from anamnesis.native.mirror import NativeImport, import_native

__all__ = ["NativeImport", "import_native"]
