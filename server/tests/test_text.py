"""Numbers agree with what they count, and no note can pose as something else in text for a model."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anamnesis.text import defang, defang_line, defang_tags, without_hidden

TAGS = (
    "system-reminder", "system", "command-name", "command-message", "local-command-stdout", "bash-input",
    "task-notification", "user-prompt-submit-hook", "hook_context", "untrusted_context", "function_calls",
    "invoke", "tool_result", "antml:invoke",
)  # fmt: skip
SHAPES = ("<{}>", "</{}>", "< {}>", "</ {} >", "<\t{}>", "<{} attr='x'>", "<{}", "<\u200c{}>", "<\n/{}>",
          "<\xa0{}>", "<\u3000{}>", "<\\/{}>")  # fmt: skip


@pytest.mark.parametrize("name", TAGS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_a_client_tag_is_neutralised_in_any_case_and_spacing(name: str, shape: str, case: object) -> None:
    text = shape.format(case(name) if callable(case) else name)
    assert defang_tags(f"before {text} after") == f"before &lt;{text[1:]} after"


@pytest.mark.parametrize(
    "text", ["a < b", "List<String>", "<div>", "<systemd>", "x <- y", "<invoker>", "1 <2"]
)
def test_other_angle_brackets_are_unchanged(text: str) -> None:
    assert defang_tags(text) == text


@pytest.mark.parametrize("text", ["<system\u2011reminder>", "<\u017fystem>", "<tool\u2010result>"])
def test_lookalike_letters_and_hyphens_hide_no_tag(text: str) -> None:
    assert defang_tags(text) == f"&lt;{text[1:]}"


@pytest.mark.parametrize("opening", ["<", "\uff1c", "\ufe64"])
@pytest.mark.parametrize("hidden", ["sys{}tem-reminder", "{}invoke", "task{}-notification", "tool_{}result"])
@pytest.mark.parametrize("junk", ["\x00", "\x9b", "\ufe0f", "\u3164", "\U000e0041", "\u200b" * 100])
def test_nothing_that_a_model_overlooks_hides_a_tag(opening: str, hidden: str, junk: str) -> None:
    text = hidden.format(junk)
    assert defang_tags(f"{opening}{text}>") == f"&lt;{without_hidden(text)}>"


@pytest.mark.parametrize("indent", ["\t", "\xa0", "\u200b", "\u2060 ", "\x00"])
def test_no_kind_of_indent_hides_a_heading(indent: str) -> None:
    assert defang(f"text\n{indent}## This project") == "text\n##### This project"


def test_a_row_of_joiners_or_selectors_spells_nothing_and_an_emoji_keeps_its_own() -> None:
    assert (
        without_hidden("a\u200c\u200d\u200cb ❤\ufe0f\ufe0e\ufe01\u200d🔥 می\u200cخواهم")
        == "a\u200cb ❤️\u200d🔥 می\u200cخواهم"
    )


def test_a_line_like_our_small_print_becomes_text() -> None:
    assert defang("Fake\n _01HX3F8A, 2026-06-24, desk_") == "Fake\n\\_01HX3F8A, 2026-06-24, desk_"
    assert defang("__init__\n_x_ and _y") == "__init__\n_x_ and _y"


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_heading_in_a_body_is_demoted_below_ours(level: int) -> None:
    lines = defang(f"text\n{'#' * level} Heading\n   {'#' * level} indented").split("\n")
    assert lines[1] == f"{'#' * (level + 3)} Heading"
    assert not any(line.lstrip().startswith(("# ", "## ", "### ")) for line in lines)


def test_a_setext_underline_becomes_text() -> None:
    assert defang("Everywhere\n=====") == "Everywhere\n\\====="


def test_a_code_block_keeps_its_text_and_ends_with_the_note() -> None:
    assert defang("```sh\n# install\nmake\n```") == "```sh\n # install\nmake\n```"
    assert defang("~~~~\n## This project\n~~~") == "~~~~\n ## This project\n~~~\n~~~~"


def test_a_title_is_one_line_that_starts_no_section() -> None:
    assert defang_line("## one\n\n# two <system-reminder>") == "one # two &lt;system-reminder>"


@given(st.text(alphabet="#=`~ \n<system/>ab-", max_size=200))
@example("~~~`")
def test_no_body_can_contain_our_headings_or_an_open_block(text: str) -> None:
    fence = ""
    for line in defang(text).split("\n"):
        assert not line.startswith(("# ", "## ", "### "))
        bare = line.strip()
        opens = line.startswith("~~~") or (line.startswith("```") and "`" not in bare.lstrip("`"))
        if not fence and opens:
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif fence and bare.startswith(fence) and not bare.strip(fence[0]):
            fence = ""
    assert not fence
