"""An agent's session: read its transcript, decide whether it is worth a note, summarise it, write the note.

    transcript      a transcript as a value: `ParsedSession`, with what was said as turns
    work            what was done in tool calls, and which changes remain
    agents          other agents' session files, translated into Claude Code's lines
    note            the one note of a session: its id, fields and updates
    summary         title and body of the note, without a model or by one
    choice          which parts of the answers the note keeps
    rules           lasting rules in what the user typed
    sentences       splits text into sentences, items, rows and code
    capturing       reads a transcript, asks whether it may be captured, writes its note
    ledger          which sessions were captured, and the hooks' log
    receipts        what sessions were told, and what none was told yet; how often notes were used
    used_notes      which of the told notes a session used

`receipts`, which the SessionStart hook loads, imports next to nothing.
"""
