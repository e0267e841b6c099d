"""A session of an agent: read its transcript, judge it, summarise it, write its note, record it.

    agents, transcript              session files of each agent, read into one value
    capture, episodic               one transcript, or all that are due; the one note of a session
    summary, model_summary, title   the text of the note, by rules or by a model
    asks, choice, standing          which prompts and sentences the note keeps
    telling, sentences, cues        how informative a sentence is, by its words
    ledger, receipts, hooklog       which sessions were captured, what each was told, what failed
    used_notes, use_counts, news    which told notes were used, how often; what other machines wrote

What the SessionStart hook loads (`receipts`, `news`, `use_counts`) imports next to nothing.
"""
