"""Names on disk that several modules use: trees and scopes, files, locks, references."""

from __future__ import annotations

MEMORY = "memory"  # the synced tree
LOCAL = "local"  # the tree that stays on this machine
SCOPE_OF = {MEMORY: "portable", LOCAL: "machine-local"}
TREE_OF = {scope: tree for tree, scope in SCOPE_OF.items()}

GLOBAL = "global"  # the project of notes that apply everywhere

# Under the store root.
CONFIG_NAME = "config.json"
DB_NAME = "index.db"
MACHINE_DB = "machine.db"  # what this machine remembers besides notes; `state` owns it
ASIDE_PREFIX = "git.damaged-"  # repositories that were set aside
SYNC_NAME = "sync.json"  # all that sync knows: commits, held notes, an interrupted landing, purges
UNDO_FOLDER = "undo"
WRITE_LOCK = "write.lock"
SYNC_LOCK = "sync.lock"
INDEX_LOCK = "index.lock"

# Inside memory/: our own small records, synced with the notes.
ALIASES_FOLDER = "aliases"  # one file for each renamed project
MACHINES_FOLDER = "machines"  # one file per machine, written only by it: its heartbeat
PURGES_FOLDER = "purges"  # one file for each purge, in a form that does not reveal what it removes
USE_FOLDER = "use"  # one file per machine: how often sessions were told and used each note
RECORD_FOLDERS = (ALIASES_FOLDER, MACHINES_FOLDER, PURGES_FOLDER, USE_FOLDER)

# Inside memory/.git.
OWN_FOLDER = "anamnesis"  # a copy of sync.json while a note is held, and files on their way to the tree

BRANCH = "main"
MAIN = f"refs/heads/{BRANCH}"
OWN_REFS = "refs/anamnesis/"  # never pushed
BUILT = f"{OWN_REFS}built"  # the last commit that was built beside the branch
PURGING = f"{OWN_REFS}purging"  # the commits that a purge is rewriting
TRACKING = f"refs/remotes/origin/{BRANCH}"
