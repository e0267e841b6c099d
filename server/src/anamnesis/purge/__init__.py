"""Erases notes and texts from every version: synced records, and the rewrite that each machine does.

    record    a purge's synced record, and which purges this machine knows
    scrub     cuts purged texts out of bytes, and recognises files of purged notes
    objects   reads a repository's objects in bulk
    rewrite   rewrites the history without purged content
    apply     applies purges on this machine: references, files, unreachable objects

Sync compares records with the remote and calls `apply`. docs/decisions/0017 has the reasons.
"""
