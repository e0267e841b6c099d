"""A generated store in which every question has one right answer: `python bench/recall_set.py` measures it.

Each of 300 facts exists four times: in its current form, in an older form (superseded), with another value in
another project, and in a session's note. Besides them there are 3,000 notes about the same things that
answer nothing. The same seed gives the same notes and questions.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from string import ascii_lowercase

from anamnesis.notes.record import Memory, note_path, serialize
from anamnesis.store import MemoryStore

SERVICES = (
    "invoice exporter", "mail relay", "image resizer", "search indexer", "payment bridge", "report builder",
    "parcel tracker", "login page", "stock importer", "price calculator", "chat archive", "backup runner",
    "address checker", "coupon engine", "returns portal", "map renderer", "audit collector", "feed reader",
    "label printer", "survey form",
)  # fmt: skip
# The properties that can be asked about, and their possible values.
ASPECTS = {
    "port": [str(number) for number in range(7001, 7990, 13)],
    "timeout": [f"{number} seconds" for number in range(5, 300, 5)],
    "retry limit": [f"{number} attempts" for number in range(2, 40)],
    "log level": ["debug", "info", "warning", "error", "critical", "trace"],
    "release day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
    "backup hour": [f"{number} o'clock" for number in range(24)],
    "memory limit": [f"{number} megabytes" for number in range(128, 4096, 64)],
    "region": ["Frankfurt", "Dublin", "Oregon", "Singapore", "Sydney", "Montreal", "Mumbai"],
    "queue": [f"queue-{name}" for name in "amber birch cedar delta ember fjord grove".split()],
    "database": [f"db-{name}" for name in "north south east west upper lower inner outer".split()],
    "certificate": [f"renewed in {month}" for month in "January March May July September November".split()],
    "owner": ["the platform team", "the billing team", "the web team", "the data team", "the office"],
    "schedule": [f"every {number} minutes" for number in range(2, 120, 3)],
    "healthcheck": [f"/{name}" for name in "live ready alive healthz ping status".split()],
    "encryption": ["AES", "ChaCha", "none at all", "Blowfish", "Serpent", "Twofish"],
}
PROJECTS = [
    f"github.com/acme/{name}" for name in "shop depot portal ledger fleet kiosk garden harbour".split()
]
REASONS = (
    "It was chosen after the last outage.", "Ask before you change it.", "The old one caused complaints.",
    "This is also written in the runbook.", "The customer wanted it so.", "It is the same on every machine.",
)  # fmt: skip
FRAMES = "handler worker loader parser writer reader mapper router driver broker".split()
TOOLS = (
    "Terraform Ansible Prometheus Grafana Nginx Traefik Vault Consul Jenkins Argo Kafka Redis Istio Helm"
    " Packer Envoy Fluentd Loki Tempo Harbor"
).split()
FACTS = len(SERVICES) * len(ASPECTS)
FILLERS = 3000
PAIRS = 40
_START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> int:
    """Print one line per form of question: how often the answer was the first note, or among eight."""
    with tempfile.TemporaryDirectory() as folder, MemoryStore(folder) as store:
        made = make()
        made.write(Path(folder))
        store.reindex()
        for form, found in measure(store, made.questions).items():
            rates = f"{found.first / found.asked:>8.3f}{found.shown / found.asked:>8.3f}"
            sys.stdout.write(f"{form:<30}{found.asked:>6}{rates}{found.superseded:>6}{found.beaten:>6}\n")
    return 0


@dataclass(frozen=True, slots=True)
class Question:
    """A query, how it is asked, and the notes that answer it."""

    form: str
    text: str
    answers: frozenset[str]
    near_copies: frozenset[str] = frozenset()
    project: str | None = None
    prefer_project: str | None = None


@dataclass(slots=True)
class Measured:
    """The results for one form of question."""

    asked: int = 0
    first: int = 0  # the answer was the first note
    shown: int = 0  # it was among the first eight
    superseded: int = 0  # superseded notes shown
    near_copies: int = 0  # session notes shown that only repeat the answer
    beaten: int = 0  # such a note came before the answer


@dataclass(slots=True)
class RecallSet:
    """The notes and the questions about them."""

    notes: list[Memory] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def write(self, home: Path) -> None:
        """Write the notes into a new store."""
        for note in self.notes:
            path = home / "memory" / note_path(note)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(serialize(note), encoding="utf-8")

    def add(self, title: str, body: str, project: str, **fields: str) -> str:
        """Add a note, newer than the ones before; returns its id."""
        number = len(self.notes)
        moment = (_START + timedelta(minutes=number)).isoformat(timespec="seconds")
        note = Memory(f"01SET{number:021}", "semantic", title, body, project=project)
        note.created_at = note.updated_at = moment
        for name, value in fields.items():
            setattr(note, name, value)
        self.notes.append(note)
        return note.id


def make(seed: int = 11) -> RecallSet:
    """The whole set."""
    rng = random.Random(seed)  # noqa: S311 - for measuring, not for secrets
    made = RecallSet()
    for service, aspect in product(SERVICES, ASPECTS):
        _add_fillers(made, rng, FILLERS // FACTS)
        _add_fact(made, rng, service, aspect)
    for tool in TOOLS:
        _add_mixed_scripts(made, rng, tool)
    for number in range(PAIRS):
        _add_pair(made, rng, number)
    return made


def _add_fillers(made: RecallSet, rng: random.Random, count: int) -> None:
    """Notes about the same things that answer no question."""
    for _ in range(count):
        service, other = rng.sample(SERVICES, 2)
        aspect = rng.choice(list(ASPECTS))
        text = rng.choice(
            (
                f"The {service} was rewritten last year and now talks to the {other}.",
                f"Somebody asked whether every {aspect} should be listed in one place.",
                f"The tests of the {service} take long; the {other} is quicker.",
                f"Talked about the {service}, nothing was decided.",
            )
        )
        made.add(f"{service.capitalize()}, notes", f"{text} {rng.choice(REASONS)}", rng.choice(PROJECTS))


def _add_fact(made: RecallSet, rng: random.Random, service: str, aspect: str) -> None:
    old, now, foreign = rng.sample(ASPECTS[aspect], 3)
    own, other = rng.sample(PROJECTS, 2)
    title = f"{aspect.capitalize()} of the {service}"
    before = made.add(title, _statement(service, aspect, old, rng), own)
    current = made.add(title, _statement(service, aspect, now, rng), own, supersedes=before)
    elsewhere = made.add(title, _statement(service, aspect, foreign, rng), other)
    copy = made.add(
        f"Session: looked after the {service}",
        f"Asked: why is the {service} slow?\n\nFound that the {aspect} of the {service} is {now}, left it so,"
        " ran the tests, all of them passed, and committed the change to the documentation.",
        own,
        type="episodic",
        prov_source="session-end",
    )
    here, copies = frozenset((current,)), frozenset((copy,))
    made.questions += _questions(service, aspect, own, here, frozenset((current, elsewhere)), copies, rng)


def _statement(service: str, aspect: str, value: str, rng: random.Random) -> str:
    return f"The {aspect} of the {service} is {value}. {rng.choice(REASONS)}"


def _questions(
    service: str,
    aspect: str,
    own: str,
    here: frozenset[str],
    anywhere: frozenset[str],
    copies: frozenset[str],
    rng: random.Random,
) -> Iterator[Question]:
    """The questions about one fact."""
    text = rng.choice(
        (
            f"what is the {aspect} of the {service}?",
            f"{service} {aspect}",
            f"which {aspect} has the {service}",
        )
    )
    yield Question("everywhere", text, anywhere, copies)
    yield Question("in the project", text, here, copies, project=own)
    yield Question("project preferred", text, here, copies, prefer_project=own)
    for form, prompt in (("last", f"{_trace(rng)}\n\n{text}"), ("first", f"{text}\n\n{_trace(rng)}")):
        yield Question(f"long prompt, question {form}", prompt, here, copies, prefer_project=own)
    word = max(f"{service} {aspect}".split(), key=len)
    for kind, typo in slips(word, rng).items():
        yield Question(f"typo: {kind}", f"{service} {aspect}".replace(word, typo), here, copies, project=own)


def _trace(rng: random.Random) -> str:
    """A stack trace to paste above a question."""
    frames = [
        f'  File "/srv/app/{rng.choice(FRAMES)}_{rng.randrange(90)}.py", line {rng.randrange(900)}, in'
        f" {rng.choice(FRAMES)}_{rng.randrange(90)}\n    {rng.choice(FRAMES)}.{rng.choice(FRAMES)}(value)"
        for _ in range(30)
    ]
    return "\n".join(["Traceback (most recent call last):", *frames, "ConnectionResetError: closed by peer"])


def _add_mixed_scripts(made: RecallSet, rng: random.Random, tool: str) -> None:
    """A note without spaces that names a tool and a number, searched by either and in its own script."""
    number = rng.randrange(20_000, 60_000)
    for language, body in (
        ("zh", f"使用{tool}部署后监听{number}端口"),
        ("ja", f"{tool}は{number}番で待機する"),
    ):
        note = made.add(f"{language}{number}", body, PROJECTS[0])
        asked = f"{tool}部署" if language == "zh" else f"{tool}は何番で待機"
        made.questions.append(Question("mixed scripts: own script", asked, frozenset((note,))))
    notes = frozenset(each.id for each in made.notes[-2:])
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in tool)
    for asked in (tool, tool.lower(), str(number), wide):
        made.questions.append(Question("mixed scripts: Latin", asked, notes))


def _add_pair(made: RecallSet, rng: random.Random, number: int) -> None:
    """Two equal notes of different age, written in random order."""
    moments = ["2024-05-01T00:00:00+00:00", "2025-05-01T00:00:00+00:00"]
    rng.shuffle(moments)
    title, body = f"Badge number {number} opens the garage", "Ask at the desk for a new one."
    ids = [made.add(title, body, PROJECTS[0], created_at=moment, updated_at=moment) for moment in moments]
    newer = ids[moments.index(max(moments))]
    made.questions.append(Question("equal notes", f"badge {number} garage", frozenset((newer,))))


def measure(store: MemoryStore, questions: list[Question]) -> dict[str, Measured]:
    """Ask every question; the results by form."""
    replaced = store.superseded_ids()
    results: dict[str, Measured] = {}
    for question in questions:
        found = store.search(question.text, project=question.project, prefer_project=question.prefer_project)
        ids = [note.id for note in found]
        result = results.setdefault(question.form, Measured())
        place = next((at for at, each in enumerate(ids) if each in question.answers), len(ids))
        result.asked += 1
        result.first += bool(ids) and place == 0
        result.shown += place < len(ids)
        result.superseded += len(replaced & set(ids))
        result.near_copies += len(question.near_copies & set(ids))
        result.beaten += bool(question.near_copies & set(ids[:place]))
    return results


def slips(word: str, rng: random.Random) -> dict[str, str]:
    """The word with one typo of each kind; in a short word the first letter is correct."""
    first = 0 if len(word) >= 7 else 1
    wrong, missing, doubled = (rng.randrange(first, len(word)) for _ in range(3))
    swapped = rng.choice([at for at in range(first, len(word) - 1) if word[at] != word[at + 1]])
    letter = rng.choice(ascii_lowercase.replace(word[wrong], ""))
    return {
        "wrong": word[:wrong] + letter + word[wrong + 1 :],
        "missing": word[:missing] + word[missing + 1 :],
        "doubled": word[:doubled] + word[doubled] + word[doubled:],
        "swapped": word[:swapped] + word[swapped + 1] + word[swapped] + word[swapped + 2 :],
    }


if __name__ == "__main__":
    raise SystemExit(main())
