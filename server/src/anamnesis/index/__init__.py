"""The index: a SQLite database derived from the markdown files, and all of the project's SQL.

    schema       the tables and their version
    scan         lists the files of both trees; when to look at them all
    database     one connection: transactions, snapshots, noticing a replaced file
    rows         one file: read as a note, written to the tables, read back
    rules        the rules in notes, stored as lines
    refresh      updates the tables from the files: the changed ones, or all
    query        filters, counts, and small queries about notes
    figures      numbers about all notes, for the dashboard
    listing      pages of notes, notes of a session, notes that a text refers to
    candidates   the notes that a starting session may be told
    finder       full-text search
    spelling     which words a misspelt one may mean
    blend        merges matches by words with notes near in meaning
    core         the index of a store: opens, heals and updates it
    search       the same with its search

Everything here can be deleted and rebuilt from the files.
"""
