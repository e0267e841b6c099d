"""Erasing notes and texts from every version: records that travel, and the rewrite that each machine does.

Sync compares records with the remote and calls `apply`; the reasons are in docs/decisions/0017.
"""
