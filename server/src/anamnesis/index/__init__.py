"""The index: a SQLite database derived from the markdown files, and the only SQL of the project.

schema     the tables and their version
scan       what the trees hold, cheaply: a stat per file
database   one connection: opening, healing, transactions
rows       one note in and out of the tables
refresh    bringing the tables in step with the files, a little or from scratch
query      questions about notes
reader     the working set for a hook, without anything that takes long to import
"""
