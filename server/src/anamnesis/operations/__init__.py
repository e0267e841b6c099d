"""One function per verb, shared by the command line, the MCP server and the dashboard.

    reading      search, list, and find a note by its id or title
    details      one note in full, with its links and similar notes
    writing      write, supersede, edit, keep, delete
    curation     many notes at once: merge, dedup, migrate, reflect; tags, types, projects
    sessions     what each session was told, searched for and wrote; notes that none of them used
    versions     history, restore
    exchange     sync, resolve, allow a credential; which machines agree, what each wrote last
    upkeep       status, reindex

A surface parses its input, calls one of these functions and shows the result. Modules are separate so that a
quick command does not load another one's imports.
"""
