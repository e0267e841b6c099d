"""The index: a SQLite database derived from the markdown files, and all SQL that is about notes.

    database     the tables and their version; one connection: transactions, noticing a replaced file
    rows         one file: read as a note, written to the tables, read back
    refresh      lists the files of both trees, and updates the tables: from the changed ones, or all
    query        filters, and small queries about notes
    figures      numbers about all notes
    listing      pages of notes, notes of a session, notes that a text refers to
    candidates   the rules and notes that a starting session may be told
    finder       search by words, in one ranking with notes near in meaning
    spelling     which words a misspelt one may mean
    core         the index of a store: opens and heals it, knows when to update it, searches it

Everything here can be deleted and rebuilt from the files.
"""
