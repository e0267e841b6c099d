"""All notes out of a store and into another: one JSON file, or one folder of markdown. Nothing is lost.

record      a note as JSON and back, pure
writing     a store into a file or a folder
foreign     notes of other tools as ours, pure
reading     a file or a folder into notes
bringing    those notes into a store, leaving newer ones there alone
"""

from anamnesis.export.bringing import Brought, bring_in
from anamnesis.export.foreign import Filing
from anamnesis.export.reading import read_export
from anamnesis.export.writing import Exported, export_folder, export_json

__all__ = ["Brought", "Exported", "Filing", "bring_in", "export_folder", "export_json", "read_export"]
