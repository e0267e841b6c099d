"""One function per verb, the same for the command line, the MCP server and the dashboard.

    reading      search, list, and finding a note by its id or title
    details      one note in full, with its links and similar notes
    writing      write, supersede, edit, keep, delete
    curation     many notes at once: merge, dedup, migrate, reflect; tags, types, projects
    sessions     what each session was told, searched for and wrote; notes that none of them used
    versions     history, restore
    exchange     sync, resolve, allow a credential
    machines     which machines agree, what each wrote last
    upkeep       status, reindex
    background   runs one of our commands in the background

A surface parses, calls one of these and prints the answer. Modules are separate where a quick command must
not load another one's imports.
"""
