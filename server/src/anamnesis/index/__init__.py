"""The index: a SQLite database derived from the markdown files, and all of the project's SQL.

    schema     the tables and their version
    scan       lists the files of both trees; when to scan them all
    database   one connection: transactions, snapshots, noticing a replaced file
    rows       one file: read as a note, written to the tables, read back
    refresh    updates the tables from the files: the changed ones, or all
    query      filters, counts, and small queries about notes
    figures    numbers about all notes, for the dashboard
    listing    pages of notes, notes of a session, notes that a text refers to
    rules      the rules in notes, stored as lines
    finder     full-text search
    blend      merges matches by words with notes near in meaning
    spelling   the words of the notes, to correct misspelt ones
    core       the index of a store: opens, heals, updates and queries it
    quick      an up-to-date index for a command with one query
    reader     the candidate notes for a hook, with imports that load fast

Everything here can be deleted and rebuilt from the files.
"""
