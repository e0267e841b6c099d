"""Recall: any query is safe, and distinctive words find their notes in every script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis.index.query import Filter
from anamnesis.notes.record import Memory
from anamnesis.recall import STOP_WORDS, _fts_query, query_terms
from anamnesis.store import MemoryStore
from conftest import Clock


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


def test_filters_limit_the_hits(store: MemoryStore, clock: Clock) -> None:
    old = write(store, "walrus", project="p", tags=["x", "y"])
    clock.set("2026-03-01T00:00:00+00:00")
    new = write(store, "walrus", project="q", type="procedural", tags=["x"], scope="machine-local")
    assert set(found(store, "walrus")) == {old, new}
    assert found(store, "walrus", project="p") == [old]
    assert set(found(store, "walrus", project=["p", "q"])) == {old, new}
    assert found(store, "walrus", type="procedural") == [new]
    assert found(store, "walrus", scope="portable") == [old]
    assert found(store, "walrus", tags=["x", "y"]) == [old]
    assert found(store, "walrus", since="2026-02-01") == [new]
    assert found(store, "walrus", project="p", scope="machine-local") == []
    assert found(store, "walrus", project="\udcff") == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call parseTranscript first", "parse transcript"),
        ("call parseTranscript first", "parsetranscript"),
        ("call parseTranscript first", "transcript"),
        ("set busy_timeout early", "timeout"),
        ("set busy_timeout early", "busy_timeout"),
        ("MAX_RETRY_COUNT is five", "retry count"),
        ("class HTTPServerError", "server error"),
        ("class HTTPServerError", "HTTPServerError"),
        ("use utf8 there", "utf"),
        ("edit server/src/anamnesis/store.py", "store.py"),
        ("edit server/src/anamnesis/store.py", "src/anamnesis"),
        ("it fails with ECONNRESET", "econnreset"),
        ("it fails with E0502", "E0502"),
        ("error TS2345 again", "ts2345"),
        ("exit code 0x80070005", "0x80070005"),
        ("listens on 127.0.0.1:8080", "127.0.0.1"),
        ("naïve café", "naive cafe"),
        ("connections are pooled", "connection pool"),
        ("数据库连接池超时", "连接"),
        ("数据库连接池超时", "数据库超时"),
        ("数据库连接池超时", "池"),
        ("数据库连接池超时", "时"),
        ("設定ファイルを保存する", "ファイル"),
        ("設定ファイルを保存する", "保存"),
        ("設定ファイルを保存する", "設"),
        ("데이터베이스연결오류", "연결"),
        ("데이터베이스 연결 오류", "오류가"),
        ("ฐานข้อมูลล่มบ่อย", "ข้อมูล"),
        ("ฐานข้อมูลล่มบ่อย", "ล่ม"),
        ("ราคาเพิ่มทุกปีครับ", "ปี"),
        ("ราคาเพิ่มทุกปี", "ปี"),
        ("混合 parseTranscript テスト", "transcript テスト"),
        ("使用Terraform部署集群", "terraform"),
        ("使用Terraform部署集群", "集群"),
        ("the Terraform state", "使用Terraform部署"),
        ("把k8s集群升级", "k8s"),
        ("监听8443端口", "8443"),
        ("listens on 8443", "监听8443端口"),
        ("調用parseTranscript函数", "transcript"),
        ("監視はPrometheusで行う", "Prometheus"),
        ("서버는Nginx입니다", "nginx"),
        ("การTerraformใหม่", "terraform"),
        ("น้ำตก", "น้ำ"),
        ("Ｔｅｒｒａｆｏｒｍ を使う", "terraform"),
        ("使用Ｔｅｒｒａｆｏｒｍ部署", "terraform"),
        ("the terraform state", "Ｔｅｒｒａｆｏｒｍ"),
        ("ポート８４４３", "8443"),
        ("port 8443", "８４４３"),
        ("ﾃﾞｰﾀﾍﾞｰｽの設定", "データベース"),
        ("データベースの設定", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("a naïve café", decomposed("naïve")),
        (decomposed("a naïve café"), "naïve"),
        (decomposed("a naïve café"), "naive"),
        ("bản tiếng Việt", decomposed("tiếng")),
        (decomposed("bản tiếng Việt"), "tiếng"),
        ("ガイドを読む", decomposed("ガイド")),
        (decomposed("ガイドを読む"), "ガイド"),
        ("데이터베이스연결오류", decomposed("연결")),
        (decomposed("데이터베이스연결오류"), "연결"),
    ],
)
def test_variants_of_spelling_and_script_find_the_note(store: MemoryStore, text: str, query: str) -> None:
    for _ in range(3):
        write(store, "Unrelated", "apples, pears and plums")
    note = write(store, "Title", text)
    assert found(store, query) == [note]
    store.reindex(full=True)
    assert found(store, query) == [note]


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "-",
        "\0",
        "\0walrus\0",
        '"walrus',
        'walrus" OR "x',
        "walrus AND NOT x",
        "walrus NEAR(x, 5)",
        "title:walrus",
        "{title body}: walrus",
        "walrus*",
        "^walrus",
        "(walrus",
        "walrus)",
        "walrus + x",
        "'; DROP TABLE memories; --",
        "🦭",
        "walrus 🦭",
        "²³ ½ ⅷ ㊗",
        "\ud800walrus",
        "\u202ewalrus",
        "__",
        "a" * 100_000,
        "walrus " * 1_500_000,
        " ".join(f"w{number}" for number in range(5_000)) + " walrus",
        "数" * 10_000,
        "ก" * 10_000,
        "%s {0} \\x00 ${HOME}",
    ],
)
def test_a_query_of_any_kind_and_length_is_safe(store: MemoryStore, query: str) -> None:
    note = write(store, "walrus", "sea")
    assert set(found(store, query)) <= {note}
    filtered, unfiltered = (
        [(hit.note, hit.score, hit.terms, hit.snippet, hit.meaning) for hit in store.find(query, wanted, k=8)]
        for wanted in (Filter(project="global", type="semantic"), Filter())
    )
    assert filtered == unfiltered
    assert found(store, "walrus") == [note]


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


@pytest.mark.parametrize(
    ("text", "query", "term"),
    [
        ("x " * 100 + "call parseTranscript " + "y " * 100, "transcript", "transcript"),
        ("前" * 200 + "数据库连接池" + "后" * 200, "连接", "连接"),
        ("ฐานข้อมูลล่ม", "ข้อมูล", "ข้อ"),
        ("前" * 200 + "使用Ｔｅｒｒａｆｏｒｍ部署" + "后" * 200, "terraform", "terraform"),
    ],
)
def test_a_match_inside_a_longer_word_is_shown_too(
    store: MemoryStore, text: str, query: str, term: str
) -> None:
    write(store, "Title", text)
    (hit,) = store.find(query, Filter(), k=8)
    assert term in hit.terms
    assert term in hit.snippet.lower()
    assert len(hit.snippet) < 300


def test_a_date_in_the_future_gains_nothing(store: MemoryStore) -> None:
    for name, year in (("old", 2020), ("future", 2999), ("recent", 2024)):
        moment = f"{year}-01-01T00:00:00+00:00"
        store.put(Memory(name, "semantic", "walrus", "", created_at=moment, updated_at=moment))
    assert found(store, "walrus") == ["recent", "old", "future"]
    assert found(store, "walrus", project="global") == ["recent", "old", "future"]
    assert [note.id for note in store.list()] == ["recent", "old", "future"]
