"""All machines of a person: what each reports, what came from the others, what a purge would remove.

    report          which machines have the same notes, which are behind or silent
    trails          what the commits show about each machine
    news            notes that other machines wrote since the last sync
    purge_preview   what a purge would remove, and reasons to refuse it

Mostly reads; `news` records what arrived, and `report.forget` removes a heartbeat.
"""
