"""The documentation is accurate: what it names exists, what exists is documented, what it shows runs."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shlex
import string
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest
from command_shapes import all_shapes, every_shape, flags_of

from anamnesis.cli import COMMANDS
from anamnesis.cli.commands import parser_of
from anamnesis.notes.record import FIELDS, Memory
from anamnesis.onboard.client import build_hooks
from anamnesis.server import build_server
from anamnesis.settings import SETTINGS
from anamnesis.store import MemoryStore

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "server" / "src" / "anamnesis"
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "server" / "README.md"],
    key=lambda page: page.as_posix(),
)
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

_FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_VARIABLE = re.compile(r"\bANAMNESIS_[A-Z_]*[A-Z]\b")


def text_of(name: str) -> str:
    """A page of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def prose_of(name: str) -> str:
    """A page without its code blocks."""
    return _FENCE.sub("", text_of(name))


def blocks(name: str, *kinds: str) -> list[str]:
    """The code blocks of a page that are marked with one of these languages."""
    return [found["code"] for found in _FENCE.finditer(text_of(name)) if found["kind"] in kinds]


def rows(name: str, heading: str) -> list[list[str]]:
    """The cells of the table whose first heading is this, row by row."""
    lines = iter(text_of(name).splitlines())
    for line in lines:
        if line.startswith(f"| {heading} |"):
            break
    next(lines, "")
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    assert found, f"{name} has no table that starts with {heading}"
    return found


def spans(text: str) -> list[str]:
    """The texts between backticks."""
    return _SPAN.findall(text)


def commands_in(line: str) -> Iterator[list[str]]:
    """The arguments of every call of anamnesis in one shell line, without pipes and redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    call: list[str] = []
    for word in [*lexer, "|"]:
        if set(word) <= set("();<>|&"):
            while call and re.fullmatch(r"[A-Z_]+=.*", call[0]):
                call.pop(0)
            if call[:1] == ["anamnesis"]:
                yield call[1:]
            call = []
        else:
            call.append(word)


def shown_lines(name: str) -> Iterator[str]:
    """The commands on a page that a reader may run, without synopses."""
    for block in blocks(name, "sh", "bash", ""):
        yield from (line for line in block.splitlines() if "anamnesis " in line)
    for line in prose_of(name).splitlines():
        if line.startswith(("    claude ", "    anamnesis ")):
            yield line.strip()


SHOWN = [
    pytest.param(words, id=f"{name}: {' '.join(words)}")
    for name in NAMES
    for line in shown_lines(name)
    for words in commands_in(line)
]
SHOWN += [
    pytest.param(words, id=f"help: {' '.join(words)}")
    for shape in all_shapes()
    for words in commands_in(shape.example)
]


@pytest.mark.parametrize("words", SHOWN)
def test_every_documented_command_line_parses(words: list[str]) -> None:
    assert words[0] in COMMANDS
    parser_of(words[0]).parse_args(words[1:])


@pytest.mark.parametrize("name", NAMES)
def test_a_command_named_in_a_sentence_exists_with_its_flags(name: str) -> None:
    shapes = every_shape()
    for span in spans(prose_of(name)):
        words = span.split()
        if words[0] != "anamnesis" or len(words) < 2 or not words[1][0].islower() or words[1] == "help":
            continue
        assert words[1] in COMMANDS, f"{name}: `{span}`"
        verb = f"{words[1]} {words[2]}" if len(words) > 2 else ""
        known = flags_of(shapes.get(verb, shapes[words[1]]))
        flags = {word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 1}
        assert flags <= known, f"{name}: `{span}`"


@pytest.mark.parametrize("name", NAMES)
def test_json_in_the_documentation_is_valid(name: str) -> None:
    for code in blocks(name, "json"):
        json.loads(code)


@pytest.mark.parametrize("name", NAMES)
def test_every_relative_link_has_a_target(name: str) -> None:
    for target in _LINK.findall(prose_of(name)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        page = (ROOT / name).parent / path if path else ROOT / name
        assert page.exists(), f"{name}: {target}"
        assert not anchor or anchor in anchors(page), f"{name}: {target}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    kept = string.ascii_lowercase + string.digits + "-_ "
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        "".join(char for char in heading.lower() if char in kept).replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_named_source_file_exists(name: str) -> None:
    places = (ROOT, ROOT / "server", SOURCE, ROOT / "server" / "tests")
    for span in spans(prose_of(name)):
        if re.fullmatch(r"[\w/-]+\.(?:py|toml)", span):
            assert any((place / span).is_file() for place in places), f"{name}: `{span}`"
        elif span.endswith("/static/") or span == "server/build":
            continue  # created by `make dashboard` and the longer runs
        elif re.fullmatch(r"(?:server|dashboard|docs|contracts|examples|sync|index|doctor)/[\w/-]*", span):
            assert any((place / span).exists() for place in places), f"{name}: `{span}`"


@pytest.mark.parametrize("name", NAMES)
def test_every_mentioned_name_of_the_package_can_be_imported(name: str) -> None:
    for dotted in re.findall(r"`anamnesis((?:\.\w+)+)(?:\([^`]*)?`", prose_of(name)):
        if dotted == ".log":
            continue  # the log of the hooks, a file
        module, _, last = f"anamnesis{dotted}".rpartition(".")
        if not hasattr(import_module(module), last):
            import_module(f"{module}.{last}")  # raises if there is none


@pytest.mark.parametrize("name", NAMES)
def test_every_named_make_target_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", text_of("Makefile"), re.MULTILINE))
    code = "\n".join([*spans(prose_of(name)), *blocks(name, "sh", "bash", "")])
    assert set(re.findall(r"(?:^|&& )make ([a-z0-9-]+)", code, re.MULTILINE)) <= targets


def test_every_variable_in_the_code_is_a_documented_setting() -> None:
    read = {
        variable
        for path in SOURCE.rglob("*.py")
        for variable in _VARIABLE.findall(path.read_text(encoding="utf-8"))
    }
    assert read <= {each.variable for each in SETTINGS}
    page = {variable.strip("`"): name.strip("`") for name, variable, *_ in rows("docs/cli.md", "setting")}
    assert page == {each.variable: each.name for each in SETTINGS}


def test_every_tool_is_documented_with_its_parameters_and_defaults(store: MemoryStore) -> None:
    tools = {tool.name: tool.parameters for tool in asyncio.run(build_server(store).list_tools())}
    page = {name.strip("`"): spans(parameters) for name, parameters, *_ in rows("docs/mcp-server.md", "tool")}
    assert list(page) == list(tools)
    for name, schema in tools.items():
        wanted = schema["properties"]
        assert [span.partition("=")[0] for span in page[name]] == list(wanted)
        for span in page[name]:
            parameter, sign, default = span.partition("=")
            known = wanted[parameter].get("default")
            assert (json.loads(default) if sign else None) == known, f"{name}: {span}"


def test_every_resource_and_prompt_is_documented(store: MemoryStore) -> None:
    server = build_server(store)
    resources = {each.uri_template.replace("*", "") for each in asyncio.run(server.list_resource_templates())}
    assert {spans(row[0])[0] for row in rows("docs/mcp-server.md", "resource")} == resources
    prompts = {
        each.name: [argument.name for argument in each.arguments or ()]
        for each in asyncio.run(server.list_prompts())
    }
    page = {spans(row[0])[0]: spans(row[0])[1:] for row in rows("docs/mcp-server.md", "prompt")}
    assert page == prompts


def test_every_hook_is_documented_with_its_matcher_and_timeout() -> None:
    wired = [
        (event, group.get("matcher", ""), hook["command"], hook.get("timeout"), hook.get("async", False))
        for event, groups in build_hooks(["anamnesis"]).items()
        for group in groups
        for hook in hooks_of(group)
    ]
    page = [
        (
            event,
            matcher.strip("`").replace("\\|", "|"),
            command.strip("`"),
            int(timeout.removesuffix(" s")) if timeout else None,
            background == "yes",
        )
        for event, matcher, command, timeout, background in rows("docs/capture-and-injection.md", "event")
    ]
    assert page == wired


def hooks_of(group: dict[str, object]) -> list[dict[str, object]]:
    """The hooks of one matcher group."""
    hooks = group["hooks"]
    assert isinstance(hooks, list)
    return hooks


def test_every_field_of_a_note_is_documented_in_written_order() -> None:
    page = [name for row in rows("docs/data-model.md", "field") for name in spans(row[0])]
    assert page == list(FIELDS)
    assert {*page, "body"} == {each.name for each in fields(Memory)}


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = _LINK.findall(page.read_text(encoding="utf-8"))
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links if "://" not in link]
    assert [page for page in PAGES if page not in reached and page.parent == ROOT / "docs"] == []


ROOMS = sorted(path for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE)


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.parent.relative_to(SOURCE).as_posix())
def test_every_room_lists_its_modules_and_no_others(path: Path) -> None:
    parts = {part.stem for part in path.parent.glob("*.py")} - {"__init__"}
    parts |= {part.parent.name for part in path.parent.glob("*/__init__.py")}
    docstring = ast.get_docstring(ast.parse(path.read_text()), clean=False) or ""
    assert set(re.findall(r"^    (\w+)/? {2,}\S", docstring, re.MULTILINE)) == parts


TESTS = ROOT / "server" / "tests"
ROWS = rows("docs/security.md", "threat")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_threat_has_a_countermeasure_and_existing_tests(row: list[str]) -> None:
    threat, answer, held_by = row
    assert threat.startswith("**")
    assert answer
    assert spans(held_by)
    for span in spans(held_by):
        file, _, name = span.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE), span


@pytest.mark.parametrize(
    "threat",
    [
        "Hostile remote",
        "Hostile repository",
        "Hostile page",
        "Hostile note",
        "Another user",
        "Leaked secret",
        "Stolen laptop",
    ],
)
def test_no_threat_is_missing(threat: str) -> None:
    assert [row for row in ROWS if row[0].startswith(f"**{threat}")]
