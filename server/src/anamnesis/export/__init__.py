"""Exports all notes to one JSON file or a folder of markdown, and imports them. Nothing is lost.

    exporting   writes a store to a file or a folder; a note as JSON and back
    foreign     turns other tools' markdown and JSON into notes
    importing   reads a file or a folder, and writes its notes to a store

An import never overwrites a newer note.
"""
