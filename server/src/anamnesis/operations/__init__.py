"""One function per verb, shared by the command line, the MCP server and the dashboard.

    reading      search, list, and find a note by its id or title; status, reindex
    notes        one note: read it in full, write, supersede, edit, keep, delete
    curation     many notes at once: rename a project; tags, types, projects; settle a rule
    sessions     capture, sync at the start of a session; what each session was told and wrote
    versions     sync, other machines; history, restore, undo, resolve, purge

A surface parses its input, calls one of these functions and shows the result. Modules are separate so that a
quick command does not load another one's imports.
"""
