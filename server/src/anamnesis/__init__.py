"""Anamnesis: cross-machine, file-first memory for Claude Code.

    cli, server, dashboard            the three surfaces: commands, MCP tools, pages
    doctor, operations                checks; one function per verb, for every surface
    inject, capture, session          what a session is told; what is kept of it
    reflect, curate, native, export   distill, tidy, import and export notes
    eval, onboard, fleet              measuring recall, setup, all machines
    store, index, semantic, recall    notes in files, the search index, vectors, query terms
    sync, purge, git                  notes between machines, erasing, running git
    history, undo                     versions of notes, texts kept for undo
    notes, project, redact, model     the note itself, project keys, credentials, the model client
    settings, config, address         settings, the environment, remote addresses
    files, layout, text               files and locks, names on disk, text for people and models
    programs                          starting other programs
    errors                            the error tree

docs/architecture.md shows the layers, and imports point down.
"""

__version__ = "0.1.0"
