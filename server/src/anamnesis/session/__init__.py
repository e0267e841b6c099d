"""An agent's session: read its transcript, decide whether it is worth a note, summarise it, write the note.

    transcript/     Claude Code's transcripts as values
    agents/         other agents' session files, translated into that form
    capture         captures one transcript, or all that are due
    episodic        the one note of a session: its id, fields and updates
    summary         title and body of the note, without a model
    model_summary   the same by a model
    asks            what the user wanted, without courtesies and pasted output; the title
    choice          which sentences the note keeps, and which of them still hold at the end
    rating          how informative a sentence is
    rules           lasting rules in what the user says
    sentences       splits text into sentences, items, rows and code
    cue_phrases     phrases that show a cause, a decision, an offer, ...
    ledger          which sessions were captured
    receipts        what each session was told, searched for and wrote; how often notes were used
    used_notes      which of the told notes a session used
    news            notes from other machines that no session was told yet
    hooklog         the log of the hooks

`receipts` and `news`, which the SessionStart hook loads, import next to nothing.
"""
