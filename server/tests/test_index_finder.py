"""Ranking: the best score comes first, whatever words it comes from and whatever was skipped."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

import pytest

from anamnesis.index.query import Filter
from anamnesis.store import MemoryStore
from conftest import Clock

_IN_FULL = (
    "SELECT m.id FROM memories_fts f JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ?"
    " AND m.id NOT IN (SELECT old_id FROM supersessions)"
    " ORDER BY bm25(memories_fts, 1.5, 1.0, 1.0, 0.5) * {gain}, m.moment DESC"
)


def write(store: MemoryStore, title: str, body: str = "", **fields: object) -> str:
    return store.write(**{"type": "semantic", "title": title, "body": body, **fields}).id  # type: ignore[arg-type]


def found(store: MemoryStore, query: str, **filters: object) -> list[str]:
    return [note.id for note in store.search(query, **filters)]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryStore]:
    """Two thousand notes whose words have a natural distribution, every tenth superseded."""
    rng = random.Random(3)  # noqa: S311 - for a test, not for secrets
    vocabulary = [f"{a}{b}{c}u" for a in "bdfgklmnprst" for b in ("a", "e", "io") for c in "dklmnrtvz"]
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(vocabulary))))
    with MemoryStore(tmp_path_factory.mktemp("many")) as store:
        folder = store.memory_dir / "semantic"
        folder.mkdir()
        for number in range(2000):
            words = rng.choices(vocabulary, cum_weights=weights, k=rng.randrange(5, 60))
            supersedes = f"n{number - 1:04}" if number % 10 == 9 else '""'
            (folder / f"n{number:04}.md").write_text(
                f"---\nid: n{number:04}\ntype: semantic\ntitle: {' '.join(words[:4])}\n"
                f"project: p{number % 7}\nsupersedes: {supersedes}\n"
                f"updated_at: '2026-01-01T00:{number // 60:02}:{number % 60:02}+00:00'\n"
                f"---\n{' '.join(words[4:])}\n",
                encoding="utf-8",
            )
        assert store.reindex() == 2000
        yield store


def scored_in_full(store: MemoryStore, query: str, *, gain: str = "1", k: int) -> list[str]:
    """The full answer: every note with any of the words, scored over all words."""
    with sqlite3.connect(store.db_path) as db:
        rows = db.execute(_IN_FULL.format(gain=gain), (" OR ".join(query.split()),)).fetchall()
    db.close()
    return [row[0] for row in rows[:k]]


def queries(store: MemoryStore) -> list[str]:
    """Two to twelve words of a note each, without words in more than half of the notes."""
    rng = random.Random(4)  # noqa: S311 - for a test, not for secrets
    texts = [{*note.title.split(), *note.body.split()} for note in store.list()]
    holders = Counter(word for text in texts for word in text)
    telling = [sorted(word for word in text if holders[word] * 2 <= len(texts)) for text in texts[::40]]
    return [" ".join(rng.sample(words, min(size, len(words)))) for words in telling for size in (2, 4, 7, 12)]


def test_the_best_notes_come_first(many: MemoryStore) -> None:
    for query in queries(many):
        assert found(many, query, k=8) == scored_in_full(many, query, k=8), query


def test_a_note_with_all_the_common_words_beats_one_with_a_single_rare_word(store: MemoryStore) -> None:
    common = ["restart", "worker", "queue", "nightly"]
    for number in range(100):
        write(store, f"Note {number}", common[number % 10] if number % 10 < 4 else "something else")
    write(store, "Weather", "A barometer is " + "read and written down again " * 12)
    answer = write(store, "Restart the worker", "so that the nightly queue is emptied")
    assert found(store, "barometer restart worker nightly queue", k=1) == [answer]


@pytest.mark.parametrize("order", ["question last", "question first"])
def test_the_question_counts_at_the_start_and_end_of_a_long_text(store: MemoryStore, order: str) -> None:
    frames = [f'File "/srv/app/module{n}.py", line {n}, in handler{n}' for n in range(400)]
    for number in range(0, 400, 4):
        write(store, f"module{number} and handler{number}", "File line srv app in")
    answer = write(store, "The staging database moved to port 6543")
    parts = ["\n".join(frames), "which port has the staging database?"]
    text = "\n".join(parts if order == "question last" else reversed(parts))
    assert answer in found(store, text)


def test_a_preferred_project_breaks_ties_and_excludes_nothing(store: MemoryStore, clock: Clock) -> None:
    for number in range(20):
        write(store, f"Filler {number}")
    own = write(store, "Deploys run on Friday", project="shop")
    clock.set("2026-02-01T00:00:00+00:00")
    other = write(store, "Deploys run on Friday", project="blog")
    better = write(store, "Deploys run on Friday at noon sharp", project="blog")
    assert found(store, "deploys friday") == [other, own, better]
    assert found(store, "deploys friday", prefer_project="shop") == [own, other, better]
    assert found(store, "deploys friday", prefer_project=["before", "shop"]) == [own, other, better]
    assert found(store, "deploys friday noon sharp", prefer_project="shop") == [better, own, other]
    assert found(store, "deploys friday", project="blog", prefer_project="shop") == [other, better]
    assert store.find("deploys friday", Filter(prefer_project="shop"), k=8)[0].note.id == own


def test_a_note_of_the_preferred_project_is_found_among_many_better_ones(store: MemoryStore) -> None:
    for _ in range(100):
        write(store, "Deploys run on Friday", "at noon", project="blog")
    own = write(store, "Deploys run on Friday", "at noon sharp", project="shop")
    assert found(store, "deploys friday", prefer_project="shop", k=3)[0] == own


def test_a_note_whose_whole_title_is_the_query_comes_first(store: MemoryStore) -> None:
    whole = write(store, "Deploy the shop!", "Run make.")
    for number in range(12):
        write(store, f"How to deploy the shop, part {number}", "deploy shop " * 20)
    old = write(store, "Deploy the shop", project="elsewhere", machine_id="lap")
    assert found(store, "deploy  the SHOP") == found(store, "Deploy the shop")
    assert set(found(store, "deploy the shop", k=2)) == {whole, old}
    assert found(store, "deploy the shop", project="global", k=1) == [whole]
    assert found(store, "deploy the shop", k=0) == []


def test_a_note_with_every_word_as_a_part_of_a_name_comes_first(store: MemoryStore) -> None:
    long = write(store, "What happened", "see parseTranscript. " + " ".join(f"word{n}" for n in range(600)))
    for number in range(3):
        write(store, "Parse", f"parse often, {number}")
    for number in range(20):
        write(store, f"filler {number}")
    assert found(store, "parse transcript", k=1) == [long]


@pytest.mark.parametrize(
    "query", ["Heizung", "Heizungssteu defekt", "defekt Hei", "parsetranscr", "busytimeout", "busyTimeout"]
)
def test_the_beginning_of_a_word_and_a_name_typed_as_one_word_find_it(store: MemoryStore, query: str) -> None:
    note = write(store, "Haus", "Die Heizungssteuerung anonymisieren, parse_transcript und busy_timeout")
    write(store, "Wetter", "Es regnet.")
    assert found(store, query) == [note]


def test_hits_that_share_only_common_words_are_marked(store: MemoryStore) -> None:
    for number in range(120):
        write(store, f"Note {number}", "the deploy pipeline" if number < 40 else "something else")
    answer = write(store, "Deploy", "the walrus pipeline")
    hits = store.find("walrus pipeline", Filter(), k=8)
    assert [hit.note.id for hit in hits if not hit.is_weak] == [answer]
    assert len(hits) == 8
    assert not any(hit.is_weak for hit in store.find("pipeline", Filter(), k=8))
