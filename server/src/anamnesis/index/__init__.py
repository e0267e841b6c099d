"""The index: a SQLite database derived from the markdown files, and the only SQL of the project.

schema     the tables and their version
scan       what the trees hold, cheaply: a stat per file
load       one file read as a note, or the reason why it cannot be
database   one connection: transactions, snapshots, whether its file was replaced
rows       one note in and out of the tables
refresh    bringing the tables in step with the files, a little or from scratch
query      questions about notes
finder     full-text search
spelling   the words of the notes, for finding the one that a misspelt word stands for
core       the index of a store: opened, healed, kept in step, asked
quick      an index that is in step already, for a command that asks one question
reader     the working set for a hook, without anything that takes long to import
"""
