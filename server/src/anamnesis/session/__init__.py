"""An agent's session: read its transcript, decide whether it is worth a note, summarise it.

    agents          the session files of all agents, translated into Claude Code's lines
    transcript      a transcript as a value: `ParsedSession`, with what was said and done
    choice          splits text into parts, and chooses those that the note keeps
    rules           lasting rules in what the user typed
    summary         title and body of the note, without a model or by one
    receipts        what sessions were told and used, which were captured, and the hooks' log

`capture` uses all of them. `receipts`, which the SessionStart hook loads, imports next to nothing.
"""
