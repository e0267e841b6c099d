"""Names on disk: the trees of a store and their scopes, its files, its locks, the branch. Each once."""

from __future__ import annotations

MEMORY = "memory"  # the tree that travels
LOCAL = "local"  # the tree that stays on this machine
SCOPE_OF = {MEMORY: "portable", LOCAL: "machine-local"}
TREE_OF = {scope: tree for tree, scope in SCOPE_OF.items()}

# Under the store root.
CONFIG_NAME = "config.json"
DB_NAME = "index.db"
FULL_SCAN_NAME = "index.look"  # when all files were last scanned
SHARED_NAME = "sync.json"  # the last commit shared with the remote
ALLOWED_NAME = "allowed.json"  # versions that may travel although they hold a credential
VERDICTS_NAME = "clean.bin"  # digests of texts that hold no credential
USAGE_NAME = "usage.json"  # what models have cost
UNDO_FOLDER = "undo"
LAST_INJECT = "last-inject"  # `inject` touches it: the cheapest trace that a hook can leave
STARTS_NAME = "starts.lock"  # the session starts that were answered in the last seconds
WRITE_LOCK = "write.lock"
CONFIG_LOCK = "config.lock"
INDEX_LOCK = "index.lock"

# Inside memory/: small records of ours that travel with the notes.
ALIASES_FOLDER = "aliases"  # one file for each renamed project
MACHINES_FOLDER = "machines"  # one file per machine, written by it alone: its heartbeat
PURGES_FOLDER = "purges"  # one file for each purge, in a form that does not tell what it removes
USE_FOLDER = "use"  # one file per machine that counts which notes were told and used
RECORD_FOLDERS = (ALIASES_FOLDER, MACHINES_FOLDER, PURGES_FOLDER, USE_FOLDER)

# Inside memory/.git.
OWN_FOLDER = "anamnesis"  # where sync keeps its small files
HELD_NAME = "held.json"
SYNC_LOCK = "sync.lock"
HELD_RECORD = f"{MEMORY}/.git/{OWN_FOLDER}/{HELD_NAME}"  # from the store root; a hook reads it

BRANCH = "main"
MAIN = f"refs/heads/{BRANCH}"
TRACKING = f"refs/remotes/origin/{BRANCH}"
