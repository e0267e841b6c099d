"""Fifty notes about fifty words, several hundred about other things, and typical typos."""

from __future__ import annotations

import random
from collections.abc import Iterator

LETTERS = "abcdefghijklmnopqrstuvwxyz"

# The word to be misspelt comes first; the sentence is the note.
SENTENCES = """
cache: The build cache lives on the second disk and is emptied every Sunday.
proxy: All outgoing calls pass a proxy that adds the tracing header.
queue: Mails wait in a queue for five minutes so that they can be called back.
token: The upload token expires after one hour.
index: Searching by postcode is slow without an index on that column.
router: The router forwards port 2222 to the build machine.
module: Every feature is a module with its own folder and tests.
schema: Changes of the schema are reviewed by two people.
socket: The daemon listens on a unix socket below /run.
branch: Hotfixes start from the release branch, never from main.
timeout: A request that takes longer than the timeout is answered with 504.
backend: The backend is written in Go, the pages are not.
gateway: Partners reach us through the gateway in Frankfurt.
payload: The payload of a webhook is signed with a shared key.
session: A session ends after thirty minutes without a click.
firewall: Ask the network team before you open the firewall.
database: The database of the shop moved to larger machines in March.
endpoint: The health endpoint answers in plain text.
pipeline: A pipeline takes eleven minutes on a good day.
rollback: A rollback is one command and needs no approval.
snapshot: Take a snapshot before you touch the disks.
template: The invoice template is edited by the finance people.
variable: A missing variable stops the start with a clear message.
container: The container runs as a user without rights.
migration: The migration to the new cluster was done in two nights.
scheduler: The scheduler skips a run when the previous one is not done.
bandwidth: Video calls need more bandwidth than the old office had.
dashboard: The dashboard on the wall shows orders per minute.
encryption: Backups leave the house only with encryption.
repository: The repository of the firmware is kept by the hardware group.
deployment: No deployment on Fridays after noon.
middleware: Logging happens in a middleware, not in the handlers.
permission: Reading the salary table needs a permission of its own.
dependency: A new dependency has to be discussed in the team.
annotation: The annotation tells the generator to leave a field out.
certificate: The certificate of the intranet is renewed by hand in May.
replication: The replication to the second site lags by seconds.
transaction: Both rows are written in one transaction.
environment: The staging environment is rebuilt every night.
performance: The performance of the report got worse with the third join.
subscription: A subscription can be paused for up to three months.
notification: The driver gets a notification when a parcel is ready.
orchestration: The orchestration of the workers is left to the platform.
configuration: The configuration of the printer is kept in a spreadsheet.
observability: We pay more for observability than for the servers.
authentication: The authentication of partners uses client certificates.
infrastructure: The infrastructure is described in one folder of files.
synchronization: The synchronization of the calendars runs every quarter of an hour.
decommissioning: The decommissioning of the old mail server is planned for autumn.
misconfiguration: A misconfiguration of the balancer caused the outage in June.
""".strip().splitlines()

_WHO = (
    "the designers",
    "our supplier",
    "the warehouse",
    "a customer",
    "the night shift",
    "the auditors",
    "support",
)
_DID = (
    "asked for",
    "renamed",
    "measured",
    "complained about",
    "counted",
    "printed",
    "described",
    "postponed",
)
_WHAT = (
    "the yellow labels", "a longer cable", "the quarterly numbers", "new chairs", "the coffee machine",
    "every second shelf", "the meeting", "an older browser", "the contract", "their holiday plans",
    "the parking place", "a summary", "three drafts", "the icons", "a paper form", "the tables",
)  # fmt: skip
_WHEN = (
    "on Monday",
    "last week",
    "before lunch",
    "in spring",
    "twice",
    "without a reason",
    "again",
    "by letter",
)


def sentences() -> dict[str, str]:
    """The sentence for each of the fifty words."""
    return dict(line.split(": ", 1) for line in SENTENCES)


def others(rng: random.Random, count: int) -> Iterator[str]:
    """Notes about other things."""
    for _ in range(count):
        parts = [" ".join(map(rng.choice, (_WHO, _DID, _WHAT, _WHEN))) for _ in range(3)]
        yield ". ".join(part.capitalize() for part in parts) + "."


def slips(word: str, rng: random.Random) -> dict[str, str]:
    """The word with one typo of each kind; in a short word the first letter is correct."""
    first = 0 if len(word) >= 7 else 1
    wrong, missing, doubled = (rng.randrange(first, len(word)) for _ in range(3))
    swapped = rng.choice([at for at in range(first, len(word) - 1) if word[at] != word[at + 1]])
    letter = rng.choice(LETTERS.replace(word[wrong], ""))
    return {
        "wrong": word[:wrong] + letter + word[wrong + 1 :],
        "missing": word[:missing] + word[missing + 1 :],
        "doubled": word[:doubled] + word[doubled] + word[doubled:],
        "swapped": word[:swapped] + word[swapped + 1] + word[swapped] + word[swapped + 2 :],
    }
