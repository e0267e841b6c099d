"""The index: a SQLite database derived from the markdown files, and the only SQL of the project.

schema     the tables and their version
scan       the files of both trees, with one stat each, and when to scan them all
load       one file read as a note, or the reason why it cannot be
database   one connection: transactions, snapshots, whether its file was replaced
rows       one note in and out of the tables
refresh    updates the tables from the files: the changed ones, or all of them
query      questions about notes
counts     how many notes there are for each value of a column
figures    figures about all notes, for pages that show numbers
listing    lists of notes: pages, notes of sessions, notes that a text names
finder     full-text search
blend      one order of matches by words and by meaning
spelling   the words of the notes, for correcting misspelt ones
core       the index of a store: opens, heals, updates and asks it
quick      an index that is already up to date, for a command that asks one question
reader     the working set for a hook, with only imports that load fast
"""
