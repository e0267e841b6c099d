"""One function per verb, the same for the command line, the MCP server and the dashboard.

    reading      search, list, and finding a note by its id or title
    details      one note in full, with its links
    writing      write, supersede, edit, keep, delete
    bulk         one change of many notes
    sessions     what each session was told, searched for and wrote; notes that none of them used
    versions     history, restore
    exchange     sync, resolve, allow a credential
    machines     which machines agree, what each wrote last
    upkeep       status, reindex
    curation     merge, dedup, migrate, backfill, reflect
    similar      notes that may say the same
    background   runs one of our commands in the background

A surface parses, calls one of these and prints the answer. Modules are separate where a quick command must
not load another one's imports.
"""
