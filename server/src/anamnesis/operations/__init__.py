"""One function per verb, the same for the command line, the MCP server and the dashboard.

    reading      search, list, and finding the one note that is meant
    details      one note in full
    writing      write, supersede, edit, keep, delete
    bulk         one change of many notes
    links        what a note names, and what names it
    sessions     what each session was told, searched for, wrote and left
    versions     history, restore
    exchange     sync, resolve, allow a credential
    upkeep       status, reindex
    curation     merge, dedup, migrate, backfill
    reflection   reflect
    similar      notes that may say the same
    background   a command of ours in the background

A surface parses, calls one of these and prints the answer. Modules are separate where a quick command must
not load what another one needs.
"""
