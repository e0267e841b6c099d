"""Recall: any query is safe, and distinctive words find their notes in every script."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.recall import STOP_WORDS, Term, _fts_query, excerpt, query_terms
from anamnesis.store import MemoryStore


def write(store: MemoryStore, title: str, body: str = "", **fields: object) -> str:
    return store.write(**{"type": "semantic", "title": title, "body": body, **fields}).id  # type: ignore[arg-type]


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def found(store: MemoryStore, query: str, **filters: object) -> list[str]:
    return [note.id for note in store.search(query, **filters)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ("how to lock", '"how" OR "to" OR "lock"'),
        ("state-of-the-art 16:9", '"state" OR "of" OR "the" OR "art" OR "16" OR "9"'),
        ("-", ""),
        ("", ""),
        ("naïve café", '"naïve" OR "café"'),
    ],
)
def test_the_specified_query_builder_quotes_every_word_and_joins_with_or(query: str, expression: str) -> None:
    assert _fts_query(query) == expression


def test_a_note_with_any_of_the_words_is_found_and_one_with_more_of_them_comes_first(
    store: MemoryStore,
) -> None:
    both = write(store, "alpha beta")
    one = write(store, "alpha gamma")
    write(store, "delta")
    assert found(store, "alpha beta") == [both, one]


def test_stop_words_are_dropped_unless_there_is_nothing_else(store: MemoryStore) -> None:
    write(store, "the and of", "what is where")
    target = write(store, "walrus")
    assert found(store, "where is the walrus") == [target]
    assert query_terms("where is the walrus") == ["walrus"]
    assert query_terms("as it was") == ["as", "it", "was"]
    assert len(found(store, "the")) == 1
    assert {"the", "a", "is", "where"} <= STOP_WORDS


def test_a_word_in_the_title_weighs_more_than_one_in_the_body(store: MemoryStore) -> None:
    body = write(store, "weather", "rotation of keys")
    title = write(store, "rotation of keys", "weather")
    for filler in range(6):
        write(store, f"filler {filler}", "nothing of note")
    assert found(store, "rotation") == [title, body]


def test_equally_good_notes_come_newest_first_however_many_there_are(store: MemoryStore) -> None:
    for number in range(90):
        moment = f"2026-01-01T00:{number // 60:02}:{number % 60:02}+00:00"
        store.put(Memory(f"n{number:02}", "semantic", "walrus", "", created_at=moment, updated_at=moment))
    assert found(store, "walrus", k=3) == ["n89", "n88", "n87"]
    assert found(store, "walrus", k=3, project="global") == ["n89", "n88", "n87"]


def test_a_current_note_is_found_behind_any_number_of_superseded_ones(store: MemoryStore) -> None:
    newest = ""
    for _ in range(70):
        newest = write(store, "rotate the deploy key", supersedes=newest)
    assert found(store, "deploy key", k=1) == [newest]
    assert found(store, "deploy key", k=1000) == [newest]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call parseTranscript first", "parse transcript"),
        ("call parseTranscript first", "parsetranscript"),
        ("set busy_timeout early", "timeout"),
        ("set busy_timeout early", "busy_timeout"),
        ("MAX_RETRY_COUNT is five", "retry count"),
        ("class HTTPServerError", "server error"),
        ("use utf8 there", "utf"),
        ("edit server/src/anamnesis/store.py", "store.py"),
        ("edit server/src/anamnesis/store.py", "src/anamnesis"),
        ("it fails with ECONNRESET", "econnreset"),
        ("exit code 0x80070005", "0x80070005"),
        ("listens on 127.0.0.1:8080", "127.0.0.1"),
        ("naïve café", "naive cafe"),
        ("connections are pooled", "connection pool"),
        ("数据库连接池超时", "连接"),
        ("数据库连接池超时", "数据库超时"),
        ("数据库连接池超时", "池"),
        ("設定ファイルを保存する", "ファイル"),
        ("設定ファイルを保存する", "設"),
        ("데이터베이스연결오류", "연결"),
        ("데이터베이스 연결 오류", "오류가"),
        ("ฐานข้อมูลล่มบ่อย", "ข้อมูล"),
        ("ฐานข้อมูลล่มบ่อย", "ล่ม"),
        ("ราคาเพิ่มทุกปี", "ปี"),
        ("混合 parseTranscript テスト", "transcript テスト"),
        ("使用Terraform部署集群", "terraform"),
        ("使用Terraform部署集群", "集群"),
        ("把k8s集群升级", "k8s"),
        ("listens on 8443", "监听8443端口"),
        ("調用parseTranscript函数", "transcript"),
        ("서버는Nginx입니다", "nginx"),
        ("การTerraformใหม่", "terraform"),
        ("น้ำตก", "น้ำ"),
        ("Ｔｅｒｒａｆｏｒｍ を使う", "terraform"),
        ("the terraform state", "Ｔｅｒｒａｆｏｒｍ"),
        ("ポート８４４３", "8443"),
        ("ﾃﾞｰﾀﾍﾞｰｽの設定", "データベース"),
        ("データベースの設定", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("a naïve café", decomposed("naïve")),
        (decomposed("a naïve café"), "naïve"),
        (decomposed("a naïve café"), "naive"),
        (decomposed("bản tiếng Việt"), "tiếng"),
        (decomposed("ガイドを読む"), "ガイド"),
        ("데이터베이스연결오류", decomposed("연결")),
        (decomposed("데이터베이스연결오류"), "연결"),
        # The parts of a compound name as words.
        ("how we parse what a transcript holds", "parseTranscript"),
        ("after a reset the pump waits", "CONN_RESET"),
        ("a reader for feeds", "XMLReader"),
        ("the timeout is too short", "busy_timeout"),
        ("the sum at the end of the page", "sha256sum"),
        # One typo.
        ("the kubernetes deployment", "kuberntes"),
        ("the kubernetes deployment", "deplyoment"),
        ("call parseTranscript first", "parseTrnscript"),
        ("set busy_timeout early", "busy_tiemout"),
        ("使用Terraform部署", "terrafrom"),
        ("Die Konfiguration der Größe", "konfigurtion"),
        ("Проверка подключения к базе", "подклчения"),
    ],
)
def test_variants_of_spelling_and_script_find_the_note(store: MemoryStore, text: str, query: str) -> None:
    for _ in range(3):
        write(store, "Unrelated", "apples, pears and plums")
    note = write(store, "Title", text)
    assert found(store, query) == [note]
    store.reindex(full=True)
    assert found(store, query) == [note]


def test_random_slips_of_the_finger_still_find_the_note(store: MemoryStore) -> None:
    chance = random.Random(7)  # noqa: S311  # the same words in every run
    words = {"".join(chance.choices("abdefgiklmnoprstuvw", k=chance.randint(8, 12))) for _ in range(50)}
    notes = {word: write(store, "Title", f"the {word} again") for word in sorted(words)}
    missed = []
    for word, note in notes.items():
        at = chance.randrange(1, len(word) - 2)
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        for slip in (
            f"{word[:at]}z{word[at + 1 :]}",
            word[:at] + word[at + 1 :],
            word[:at] + word[at - 1 :],
            swapped,
        ):
            missed += [] if found(store, slip) == [note] else [(word, slip)]
    assert len(missed) <= 0.1 * 4 * len(words), missed


def test_the_number_in_a_name_counts_in_a_question_and_not_in_a_pasted_trace(store: MemoryStore) -> None:
    note = write(store, "a note", "line 25 of the form")
    assert found(store, "field_25") == [note]
    assert found(store, "frame_25 called\n" * 100) == []


@pytest.mark.parametrize(
    ("other", "title", "query"),
    [
        ("The table is green", "The cable is red", "cable"),  # the word occurs in a note
        (
            "The paint is dry",
            "Which colour the kitchen wall has today",
            "which colour does the point of the kitchen wall have",
        ),
    ],
)
def test_a_known_word_and_a_short_one_in_a_sentence_are_not_corrected(
    store: MemoryStore, other: str, title: str, query: str
) -> None:
    write(store, other)
    note = write(store, title)
    assert found(store, query) == [note]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.one_of(st.text(), st.text("\"'*:^(){}+-~ ANDORNEARab_.", max_size=40)))
def test_any_query_gets_an_answer(store: MemoryStore, query: str) -> None:
    if store.get("walrus") is None:
        store.put(Memory("walrus", "semantic", "walrus", "a b and or near"))
    assert set(found(store, query)) <= {"walrus"}


def test_a_negation_is_part_of_the_query(store: MemoryStore) -> None:
    for number in range(8):
        write(store, f"Files owned by root, case {number}")
    note = write(store, "Files not owned by root")
    assert found(store, "files that are not owned by root", k=1) == [note]


@pytest.mark.parametrize(("text", "query"), [("학교에 한국 지도", "한국"), ("バスとパス", "パス")])
def test_an_excerpt_marks_only_the_letters_that_were_asked_for(text: str, query: str) -> None:
    assert set(excerpt(text, [Term(term) for term in query_terms(query)])[1]) == {query}


def test_a_matched_word_is_cut_where_a_text_without_spaces_goes_on() -> None:
    _, words = excerpt("NameUserSetGet" * 14_000, [Term("user"), Term("set")])
    assert words
    assert max(map(len, words)) <= 180


def test_a_hit_says_why_it_matched(store: MemoryStore) -> None:
    note = write(store, "Rotate keys", "first\n\nthe deploy key is rotated " + "monthly " * 60, tags=["ops"])
    write(store, "Other", "nothing")
    (hit,) = store.find("rotating the deploy keys", Filter(), k=8)
    assert hit.note.id == note
    assert hit.score > 0
    assert {"rotate", "keys", "deploy"} <= set(hit.terms)
    assert "deploy" in hit.snippet
    assert "\n" not in hit.snippet
    assert len(hit.snippet) < 300
