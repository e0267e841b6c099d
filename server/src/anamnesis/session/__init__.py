"""An agent's session: read its transcript, decide whether it is worth a note, summarise it, write the note.

    transcript      a transcript as a value: `ParsedSession`
    talk            what was said in a line, and as turns
    work            what was done in tool calls, and which changes remain
    shell           what a shell command did, and which work it reverted
    agents/         other agents' session files, translated into Claude Code's lines
    note            the one note of a session: its id, fields and updates
    summary         title and body of the note, without a model or by one
    asks            what the user wanted, without courtesies and pasted output; the title
    choice          which sentences the note keeps
    candidates      the sentences that it could keep, and which of them still hold at the end
    rating          how informative a sentence is
    rules           lasting rules in what the user says
    sentences       splits text into sentences, items, rows and code
    cue_phrases     phrases that show a cause, a decision, an offer, ...
    ledger          which sessions were captured, and the hooks' log
    receipts        what sessions were told, and what none was told yet; how often notes were used
    used_notes      which of the told notes a session used

`receipts`, which the SessionStart hook loads, imports next to nothing.
"""
