"""An agent's session: read its transcript, decide whether it is worth a note, summarise it, write the note.

    transcript/     Claude Code's transcripts as values
    agents/         other agents' session files, translated into that form
    capture         captures one transcript, or all that are due
    episodic        the one note of a session: its id, fields and updates
    summary         title and body of the note, without a model
    model_summary   the same by a model
    title           the title
    asks            what the user wanted, without courtesies and pasted output
    choice          which sentences the note keeps
    still_valid     which sentences still hold at the end of the session
    rating          how informative a sentence is
    rules           lasting rules in what the user says
    sentences       splits text into sentences, items, rows and code
    cue_phrases     phrases that show a cause, a decision, an offer, ...
    ledger          which sessions were captured
    receipts        what each session was told, searched for and wrote
    used_notes      which of the told notes a session used
    use_counts      how often notes were told and used, per machine
    news            notes from other machines that no session was told yet
    hooklog         the log of the hooks

`receipts`, `news` and `use_counts`, which the SessionStart hook loads, import next to nothing.
"""
