"""The index: a SQLite database derived from the markdown files, and the only SQL of the project.

schema     the tables and their version
scan       the files of both trees, with one stat each
load       one file read as a note, or the reason why it cannot be
database   one connection: transactions, snapshots, whether its file was replaced
rows       one note in and out of the tables
refresh    updates the tables from the files: the changed ones, or all of them
query      questions about notes
finder     full-text search
spelling   the words of the notes, for correcting misspelt ones
core       the index of a store: opens, heals, updates and asks it
quick      an index that is already up to date, for a command that asks one question
reader     the working set for a hook, with only imports that load fast
"""
