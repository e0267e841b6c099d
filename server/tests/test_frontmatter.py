"""Front matter: the fast reader and writer agree with YAML on everything they handle."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from anamnesis.notes import yaml_block
from anamnesis.notes.frontmatter import _read_simple, read_fields, write_field
from records import lines, texts

keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
scalars = st.one_of(
    lines.map(lambda text: text.replace("\n", " ")),
    lines.map(lambda text: "'" + text.replace("'", "''").replace("\n", "\n  ") + "'"),
    lines.map(lambda text: '"' + text.replace("\n", "") + '"'),
    st.text("abc ,-'\"", max_size=12).map(lambda text: f"[{text}]"),
    st.lists(st.sampled_from(["a", "b c", "'d, e'", '"f]"', "''", "1.5", "null", "k8s/x"]), max_size=4).map(
        lambda items: f"[{', '.join(items)}]"
    ),
    st.sampled_from(
        ["", "~", "null", "NULL", "true", "1.5", "|\n  text", ">-\n  folded", "&a x", "*a", "!!str x"]
    ),
    st.lists(st.text("abc :#-'", max_size=8), max_size=3).map(lambda parts: "\n- " + "\n- ".join(parts)),
    st.lists(st.text("abc '\"", max_size=8), max_size=3).map(lambda parts: "\n  - " + "\n  - ".join(parts)),
    st.lists(st.text("abc ,:", max_size=8), max_size=3).map("\n  ".join),
)
blocks = st.lists(st.tuples(keys, st.sampled_from([": ", ":", ":  "]), scalars), max_size=4).map(
    lambda fields: "".join("".join(field) + "\n" for field in fields)
)


@given(st.one_of(blocks, st.text("ab: \n-'\"#[],\\", max_size=30), texts))
@example('a: "b: c # d"\n')
@example("a: [b, 'c, d', \"e\"]\n")
@example("a: [b,c]\n")
@example("a: [ b , c ]  \n")
@example("a: [b,]\n")
@example('a:\n- "b"\n')
@example("a: b\n\n")
@example("a: 'x\n  y'\n")
@example("a: 'x \n  y'\n")
@example("a: ''' x'\n")
@example("a: b \n")
@example("a: b\n  c #d\n")
@example("a:\n- b \n- 'c'\n")
@example("a:\n- b: c\n")
@example("a:\n- null\n")
@example("a:\n- - b\n")
@example("a: b\na: c\n")
def test_the_fast_reader_agrees_with_yaml_on_everything_it_accepts(block: str) -> None:
    quick = _read_simple(block)
    if quick is None:
        return
    values, raw = quick
    assert "".join(raw.values()) == block
    if values:
        assert values == yaml_block.read(block)[0]


@given(keys, st.one_of(lines, st.lists(lines, max_size=4), st.floats(allow_nan=False, allow_infinity=False)))
@example("k", "2026-06-24T18:33:07+00:00")
@example("k", "word " * 30)
@example("k", ["x" * 100, ""])
@example("k", "word " * 15 + "and words up to the end")
@example("k", ["it's " * 16 + "long", "say: " * 15 + "why"])
@example("title", "x" * 71 + " b c")
@example("k", "don't use `x` [here] (#12), C#: it's slow?")
@example("k", "fix: the parser")
@example("k", "`x` # y 'z'")
@example("k", "3 tests fail")
@example("k", "2026-06-24 10:00:00 Z")
@example("k", ["no", "No.", "0xff", "a:", "é\u00a0b", "\ufeffx", "…"])
@example("confidence", 1e-7)
@example("confidence", -0.5)
@example("confidence", 1e22)
def test_a_field_is_written_like_safe_dump_does(key: str, value: str | float | list[str]) -> None:
    written = write_field(key, value)
    if not any(mark in written for mark in ("\\N", "\\L", "\\P")):
        assert written == yaml.safe_dump({key: value}, allow_unicode=True)
    assert yaml.safe_load(written)[key] == value


@pytest.mark.parametrize("key", ["? [a, b]\n: c", "? {a: b}\n: c", "? - a\n  - b\n: - c", "[a]: c\n[b]: d"])
def test_unknown_keys_with_lists_or_mappings_are_kept(key: str) -> None:
    values, raw = read_fields(f"id: x\n{key}")
    assert values["id"] == "x"
    written = "".join(raw.values())
    assert shape(written) == shape(f"id: x\n{key}")
    assert "".join(read_fields(written)[1].values()) == written


def shape(block: str) -> list[tuple[str, str]]:
    root = yaml.compose(block)
    assert isinstance(root, yaml.MappingNode)
    return [(yaml.serialize(key), yaml.serialize(value)) for key, value in root.value]
