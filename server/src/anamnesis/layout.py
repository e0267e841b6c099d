"""Names on disk that several modules need: trees and scopes, files, locks, references. Each once."""

from __future__ import annotations

MEMORY = "memory"  # the tree that travels
LOCAL = "local"  # the tree that stays on this machine
SCOPE_OF = {MEMORY: "portable", LOCAL: "machine-local"}
TREE_OF = {scope: tree for tree, scope in SCOPE_OF.items()}

GLOBAL = "global"  # the project of what holds everywhere

# Under the store root.
CONFIG_NAME = "config.json"
DB_NAME = "index.db"
FULL_SCAN_NAME = "index.look"  # when all files were last scanned
SHARED_NAME = "sync.json"  # the last commit shared with the remote
ALLOWED_NAME = "allowed.json"  # versions that may travel although they hold a credential
VERDICTS_NAME = "clean.bin"  # digests of texts that hold no credential
USAGE_NAME = "usage.json"  # what models have cost
LEDGER_NAME = "ledger.json"  # which sessions were captured
NEWS_NAME = "news.json"  # what came from other machines
PROPOSALS_NAME = "reflection.json"  # what a model proposed and has not been applied yet
RECEIPTS_FOLDER = "receipts"  # one file per session: what it was told
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
MEMO_NAME = "state.json"  # what the last sync left for the next one
SYNC_LOCK = "sync.lock"
HELD_RECORD = f"{MEMORY}/.git/{OWN_FOLDER}/{HELD_NAME}"  # from the store root; a hook reads it

BRANCH = "main"
MAIN = f"refs/heads/{BRANCH}"
OWN_REFS = "refs/anamnesis/"  # they never leave this machine
BUILT = f"{OWN_REFS}built"  # the commit that is being written into the live files
PURGING = f"{OWN_REFS}purging"  # the commits that a purge is rewriting
HELD_COPY = f"{OWN_REFS}held/record"  # a copy of the record of held notes, should that be lost
TRACKING = f"refs/remotes/origin/{BRANCH}"

# Below the git directory: files that git opens without looking, so that a pipe keeps it waiting.
GIT_FILES = (
    *("HEAD", "config", "index", "packed-refs", "shallow", "commondir", "MERGE_HEAD", MAIN),
    *("info/exclude", "info/attributes", "objects/info/alternates"),
)
