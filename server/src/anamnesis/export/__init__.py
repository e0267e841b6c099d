"""All notes out of a store and into another: one JSON file, or one folder of markdown. Nothing is lost.

exporting   a store into a file or a folder; a note as JSON and back
foreign     notes of other tools as ours, pure
importing   a file or a folder into notes, and those into a store, where newer ones are left alone
"""

from anamnesis.export.exporting import Exported, export_folder, export_json
from anamnesis.export.foreign import Filing
from anamnesis.export.importing import Imported, import_notes, read_export

__all__ = ["Exported", "Filing", "Imported", "export_folder", "export_json", "import_notes", "read_export"]
