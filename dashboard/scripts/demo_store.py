"""Fill a store with a believable half year of notes from three machines, for screenshots and browser tests.

    python demo_store.py ROOT REMOTE [--clash]

ROOT is created, REMOTE becomes a bare repository, and the other machines' stores are next to ROOT's folder. With
--clash, two machines end up with different words in the same line of one note.

Everything in it is invented and the same on every run: a web shop, a backup tool, a static site, and what
someone learns while working on them.
"""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from anamnesis.inject.start import Start, start_session
from anamnesis.notes.record import Memory
from anamnesis.session.receipts import add_entry
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend

MACHINES = ("desktop", "laptop", "build-server")
SHOP, BACKUP, SITE = "github.com/acme/shop-api", "github.com/acme/snapback", "github.com/acme/handbook"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Seed:
    type: str
    title: str
    body: str
    project: str
    tags: tuple[str, ...]
    source: str = "human"


SEEDS = (
    Seed("procedural", "Run the payment tests against the local gateway",
         "The sandbox of the payment provider limits us to ten calls a minute, which fails the suite in CI.\n\n"
         "1. `make gateway` starts the recorded gateway on port 8089.\n"
         "2. Export `PAYMENT_URL=http://127.0.0.1:8089`.\n"
         "3. `pytest tests/payment -x`\n\n"
         "New cases are recorded with `--record`; look at the cassette before committing it, tokens are not"
         " stripped.", SHOP, ("testing", "payments")),
    Seed("semantic", "Prices are stored in minor units as integers",
         "Never a float. `amount` is cents, `currency` is ISO 4217. Rounding happens once, in `Invoice.total()`,"
         " half to even.\n\n| field | type | example |\n|---|---|---|\n| `amount` | `bigint` | `129900` |\n"
         "| `currency` | `char(3)` | `EUR` |", SHOP, ("database", "conventions")),
    Seed("procedural", "Fix for `database is locked` when two workers start at once",
         "Both workers ran the migration. Set `busy_timeout` to 5000 and take the advisory lock first:\n\n"
         "```python\nwith advisory_lock(\"migrate\"):\n    upgrade(engine)\n```\n\nVerified with four workers in a"
         " loop of 200 starts.", SHOP, ("sqlite", "migrations", "concurrency")),
    Seed("semantic", "The webhook signature covers the raw body, not the parsed JSON",
         "Middleware that re-serialises the body breaks verification. Read `request.body()` before anything else"
         " touches it.", SHOP, ("webhooks", "security")),
    Seed("procedural", "Release snapback in three steps",
         "1. `./release.sh 2.4.0` bumps, tags and builds.\n2. Wait for the **restore** job; the others may be red"
         " for unrelated reasons.\n3. `gh release edit v2.4.0 --draft=false`.", BACKUP, ("release",)),
    Seed("semantic", "Chunks are content-addressed with BLAKE3",
         "A chunk's name is its hash; two backups share what they have in common. The index maps paths to chunk"
         " lists. See [[Restores stream, they never stage]].", BACKUP, ("storage", "hashing")),
    Seed("semantic", "Restores stream, they never stage",
         "A restore writes straight to the target with a temporary suffix. Staging doubled the disk space needed"
         " and was the cause of the full-disk incident in March.", BACKUP, ("storage", "decisions")),
    Seed("procedural", "Profile a slow prune",
         "`SNAPBACK_TRACE=1 snapback prune --dry-run` prints time per pack. Over 200 ms per pack means the disk,"
         " below means the index. The index is fixed by `snapback index --rebuild`.", BACKUP,
         ("performance", "debugging")),
    Seed("semantic", "Handbook pages use sentence case headings",
         "Except product names. The linter rule is `heading-case`; it lives in `lint/rules.js`.", SITE,
         ("writing", "conventions")),
    Seed("procedural", "Preview the handbook with drafts",
         "`hugo server -D --navigateToChanged`. Images over 400 kB fail the build; run `make images` first.", SITE,
         ("tooling",)),
    Seed("semantic", "Prefers small commits with the reason in the body",
         "Subject in the imperative, under 60 characters. The body says why, not what. Never squash across"
         " concerns.", "global", ("preferences", "git")),
    Seed("semantic", "Answers in British English, no exclamation marks",
         "Applies to documentation and user-facing text in every project.", "global", ("preferences", "writing")),
    Seed("procedural", "Rotate the deploy key without downtime",
         "Add the new key, deploy once with both, remove the old one. The order matters because the runner caches"
         " the first key that works for an hour.", SHOP, ("deploy", "security")),
    Seed("semantic", "Feature flags live in `flags.toml`, not in the environment",
         "Reload needs no restart. A flag older than 90 days fails the lint step.", SHOP, ("configuration",)),
    Seed("procedural", "Reproduce the timezone bug in reports",
         "`TZ=America/St_Johns pytest tests/reports -k midnight`. The half-hour offset is what breaks it.", SHOP,
         ("testing", "dates")),
    Seed("semantic", "Snapshots of the schema are compared by column order",
         "Reordering columns in a model therefore shows up as a diff. Run `make schema` and commit the result.",
         SHOP, ("database", "testing"), "reflection"),
    Seed("procedural", "Warm the chunk cache before measuring",
         "The first run after boot is three times slower. Run the benchmark twice and keep the second figure.",
         BACKUP, ("performance",), "reflection"),
    Seed("semantic", "The mirror in the office is read-only",
         "Pushes to it look successful and are thrown away. Push to `origin` only.", BACKUP, ("infrastructure",),
         "import"),
    Seed("semantic", "Draft pages are excluded from the search index",
         "`draft: true` removes a page from `search.json`, which explains missing results in previews.", SITE,
         ("search",), "reflection"),
)
WORK = {
    SHOP: (
        "Fixed the flaky checkout test: the clock was frozen after the cart was built",
        "Added idempotency keys to refunds, so a retry never pays twice",
        "Split the invoice module into lines, totals and rendering",
        "Tracked down the memory growth in the worker: past jobs were never cleared",
        "Moved the tax tables out of the code into a versioned file",
        "Made the order search tolerate accents and double spaces",
        "Upgraded the payment client and removed our own retry loop",
        "Found why the nightly report misses an hour in October",
        "Wrote a load test for the basket; it holds 400 requests a second",
        "Replaced the hand-made CSV export with the library's writer",
        "Taught the webhook handler to ignore events it has seen",
        "Removed the last float from the discount rules",
        "Sped up the product list by loading prices in one query",
        "Cleaned up feature flags that were on for everybody",
        "Gave every background job a deadline",
        "Documented how a chargeback travels through the system",
        "Fixed the address form for countries without postal codes",
        "Cut the start-up time of the API by half: lazy template loading",
        "Reviewed what we log and took out two customer fields",
        "Rebuilt the staging database from the anonymised dump",
        "Made the invoice numbers gapless again after the import",
        "Turned the order states into an explicit table",
    ),
    BACKUP: (
        "Made prune resumable: killing it loses at most one pack",
        "Reviewed the restore path and closed two ways out through symlinks",
        "Tried zstd dictionaries for small chunks; not worth the time",
        "Found the slow index lookup: the hash was compared as text",
        "Added a dry run to restore that names every file it would write",
        "Wrote the format page for the second pack version",
        "Fixed a race between two prunes on one repository",
        "Measured the chunker on photos, mail and source trees",
        "Let verify continue after the first broken pack",
        "Made the progress bar honest about skipped files",
        "Ported the lock file to network drives",
        "Looked into sparse files; they now restore as sparse",
        "Halved the memory of the file scan by streaming folders",
        "Chased a report of a missing folder: excluded by a typo",
        "Made every error message name the pack it is about",
        "Replaced the home-grown argument parser",
        "Kept the last good index when a new one cannot be written",
        "Tested restores on a full disk",
    ),
    SITE: (
        "Rewrote the onboarding chapter around two commands",
        "Moved the diagrams to plain SVG",
        "Broke the long deployment page into five short ones",
        "Fixed the search box on narrow screens",
        "Checked every outside link and archived the dead ones",
        "Added a glossary and linked it from the first page",
        "Shortened the chapter on code review by half",
        "Made the print style usable",
        "Sorted the release notes by product",
        "Replaced screenshots of settings by tables",
    ),
    "global": (
        "Set up the new laptop: keys, shell, editor",
        "Compared three terminal multiplexers and stayed",
        "Cleaned the dotfiles and dropped what nothing uses",
        "Automated the weekly notes from the git log",
        "Moved the password export into the manager",
        "Timed the shell start: half of it was one plug-in",
        "Sorted out the time zone on the build server",
        "Wrote down how the home network is wired",
    ),
}


def main() -> int:
    """Create the remote and the store, as the desktop sees them."""
    root, remote = Path(sys.argv[1]), Path(sys.argv[2])
    now = datetime.now(UTC)
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    notes = list(make_notes(now))
    for machine in ("laptop", "build-server"):
        with MemoryStore(root.parent.parent / machine) as store:
            write(store, [note for note in notes if note.machine_id == machine])
            GitSyncBackend(
                store.memory_dir, remote=str(remote), machine_id=machine, heartbeat=True
            ).sync()
    with MemoryStore(root) as store:
        backend = GitSyncBackend(
            store.memory_dir, remote=str(remote), machine_id="desktop", heartbeat=True
        )
        mine = [note for note in notes if note.machine_id == "desktop"]
        write(store, mine[: len(mine) // 2])
        backend.sync()
        write(store, mine[len(mine) // 2 :])
        backend.sync()
        leave_receipts(store)
        edit_some(store, backend)
        if "--clash" in sys.argv[3:]:
            clash(store, backend, root.parent.parent / "laptop", remote)
        store.reindex()
    return 0


def make_notes(now: datetime) -> list[Memory]:
    """All notes, oldest first."""
    chance = random.Random(7)  # noqa: S311 - a demo, not a secret
    notes = []
    for number, seed in enumerate(SEEDS):
        age = timedelta(days=170 - number * 8.7, hours=chance.randrange(20))
        notes.append(note(seed, now - age, MACHINES[number % 3], chance))
    for project, deeds in WORK.items():
        for deed in deeds:
            title, _, rest = deed.partition(": ")
            branch = chance.choice(("main", "fix/clock", "feature/refunds", "tidy"))
            body = f"{rest or title}.\n\n- Branch `{branch}`\n- {chance.randrange(2, 9)} files touched, tests green"
            age = timedelta(days=chance.triangular(0, 175, 12), hours=chance.randrange(20))
            seed = Seed("episodic", title, body, project, ("session",), "session-end")
            notes.append(note(seed, now - age, chance.choice(MACHINES), chance))
    return sorted(notes, key=lambda made: made.updated_at)


def note(seed: Seed, when: datetime, machine: str, chance: random.Random) -> Memory:
    """One note with a stable id."""
    moment = when.isoformat(timespec="seconds")
    return Memory(
        id="01" + "".join(chance.choice(CROCKFORD) for _ in range(24)),
        type=seed.type,
        title=seed.title,
        body=seed.body,
        project=seed.project,
        machine_id=machine,
        tags=list(seed.tags),
        created_at=moment,
        updated_at=moment,
        prov_source=seed.source,
        prov_model="local/demo-model" if seed.source == "reflection" else "",
        prov_session=f"demo-{chance.randrange(10**8):08}" if seed.source == "session-end" else "",
        confidence=0.6 if seed.source == "reflection" else 1.0,
    )


def write(store: MemoryStore, notes: list[Memory]) -> None:
    """Put the notes into a store."""
    for made in notes:
        store.put(made)


def leave_receipts(store: MemoryStore) -> None:
    """Give the last session about the shop a full receipt, and start another session."""
    shop = [found for found in store.list(project=SHOP) if found.type == "episodic"]
    store.put(replace(shop[0], prov_session="demo-session", machine_id="desktop"))
    home = str(store.root)
    start_session(Start(home=home, folder="/", project=SHOP, session="demo-session"))
    found = [[one.id, one.updated_at] for one in store.search("webhook signature raw body", k=3)]
    add_entry(home, "demo-session", "searched", query="webhook signature raw body", ids=found)
    written = next(one for one in store.list(project=SHOP) if one.title.startswith("The webhook signature"))
    add_entry(home, "demo-session", "wrote", ids=[written.id])
    start_session(Start(home=home, folder="/", project=BACKUP, session="demo-running"))


def edit_some(store: MemoryStore, backend: GitSyncBackend) -> None:
    """Edit one note several times, and supersede another."""
    by_title = {found.title: found for found in store.list()}
    edited = by_title["Run the payment tests against the local gateway"]
    store.update(edited.id, body=edited.body.replace("ten calls", "five calls"))
    backend.sync()
    store.update(edited.id, body=edited.body.replace("ten calls", "five calls") + "\n\nThe port is fixed; see `Makefile`.")
    backend.sync()
    old = by_title["Release snapback in three steps"]
    store.write(
        type="procedural",
        title="Release snapback with one command",
        body="`make release VERSION=2.5.0` does everything, including the release page. "
        f"Replaces the three steps of {old.id}.",
        project=old.project,
        machine_id="desktop",
        tags=["release"],
        supersedes=old.id,
    )
    backend.sync()


def clash(store: MemoryStore, backend: GitSyncBackend, other_root: Path, remote: Path) -> None:
    """Change the same line on the laptop and the desktop."""
    with MemoryStore(other_root) as other:
        other_backend = GitSyncBackend(
            other.memory_dir, remote=str(remote), machine_id="laptop", heartbeat=True
        )
        other_backend.sync()
        other.reindex()
        wanted = next(found for found in other.list() if found.title.startswith("Feature flags live"))
        other.update(wanted.id, body=wanted.body.replace("90 days", "60 days, counted from the first deploy,"))
        other_backend.sync()
    store.update(wanted.id, body=wanted.body.replace("90 days", "120 days"))
    backend.sync()


if __name__ == "__main__":
    sys.exit(main())
