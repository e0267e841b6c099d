"""Other agents: what we write into their files, idempotently, and remove without a trace."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from anamnesis.cli.serve import SNAPSHOT
from anamnesis.errors import ConfigError
from anamnesis.onboard.agents import OTHER_AGENTS, Agent, configured_agents, installed_agents
from anamnesis.onboard.changes import apply_change, changes_to_add, changes_to_remove, command_lines
from anamnesis.onboard.hooks import our_hooks
from anamnesis.onboard.parts import ADVICE, Setup, edited

SETUP = Setup(["/opt/it's here/anamnesis"], {"ANAMNESIS_MACHINE_ID": 'jo "the" desk'})
FOREIGN_JSON = {
    "theme": "dark",
    "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo hello"}]}]},
    "mcpServers": {"other": {"command": "other"}},
    "mcp": {"other": {"type": "local", "command": ["other"]}},
}
FOREIGN_TOML = '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "other"'
FOREIGN_TEXT = "# House rules\n\nTabs, never blanks."


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, for agents that have files there."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(params=list(OTHER_AGENTS))
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each of the agents."""
    return OTHER_AGENTS[str(request.param)]


def wire(agent: Agent) -> None:
    for change in changes_to_add(agent.parts, SETUP):
        apply_change(change)


def unwire(agent: Agent) -> None:
    for change in changes_to_remove(agent.parts, SETUP):
        apply_change(change)


def files_of(agent: Agent) -> list[Path]:
    return sorted({part.path for part in agent.parts})


def write_foreign(agent: Agent) -> dict[Path, bytes]:
    """Write foreign content into the agent's files, except those that only we write."""
    texts = {".json": json.dumps(FOREIGN_JSON), ".toml": FOREIGN_TOML, ".md": FOREIGN_TEXT}
    wanted = [path for path in files_of(agent) if path.suffix in texts]
    for path in wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path.suffix])
    return {path: path.read_bytes() for path in wanted}


def test_setting_up_twice_changes_nothing_the_second_time(agent: Agent) -> None:
    wire(agent)
    first = [path.read_bytes() for path in files_of(agent)]
    assert not any(change.has_effect for change in changes_to_add(agent.parts, SETUP))
    wire(agent)
    assert [path.read_bytes() for path in files_of(agent)] == first


def test_uninstalling_removes_files_that_did_not_exist_before(agent: Agent) -> None:
    wire(agent)
    unwire(agent)
    assert not any(path.exists() for path in files_of(agent))


def test_uninstalling_leaves_exactly_what_was_not_ours(agent: Agent) -> None:
    before = write_foreign(agent)
    wire(agent)
    for path in before:
        text = path.read_text()
        if path.suffix == ".md":
            assert text.startswith(FOREIGN_TEXT)
        elif path.suffix == ".toml":
            assert tomllib.loads(text)["mcp_servers"]["other"] == {"command": "other"}
        else:
            found = json.loads(text)
            assert found["theme"] == "dark"
            assert found["hooks"]["SessionStart"][0] == FOREIGN_JSON["hooks"]["SessionStart"][0]  # type: ignore[index]  # JSON
    unwire(agent)
    for path, data in before.items():
        if path.suffix == ".json":
            assert json.loads(path.read_text()) == json.loads(data)
        else:
            assert path.read_bytes().rstrip() == data.rstrip()


NEAR_EMPTY = {
    "object": ("{}", "\n", "\n"),
    "blanks": ("{ }\n\n", "# mine\n\n", "  \n"),
    "empty": ("", "", ""),
    "servers": ('{"mcpServers": {}, "hooks": {}}', "[mcp_servers]", "x"),
    "odd form": ('\ufeff{"b":1,\t"a" : [ 1,2 ]}', "a=1", "no line end"),
    "windows": ('{\r\n  "theme": "dark"\r\n}\r\n', "a = 1\r\n", "line\r\n\r\n"),
}


def write_texts(agent: Agent, texts: tuple[str, str, str]) -> dict[Path, bytes]:
    """Write a text for each format into the agent's files, except those that only we write."""
    by_suffix = dict(zip((".json", ".toml", ".md"), texts, strict=True))
    wanted = {path: by_suffix[path.suffix].encode() for path in files_of(agent) if path.suffix in by_suffix}
    for path, data in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return wanted


@pytest.mark.parametrize("texts", NEAR_EMPTY.values(), ids=NEAR_EMPTY.keys())
@pytest.mark.parametrize("times", [1, 2])
def test_uninstalling_restores_a_files_exact_bytes(
    agent: Agent, texts: tuple[str, str, str], times: int
) -> None:
    before = write_texts(agent, texts)
    for number in range(times):
        for change in changes_to_add(agent.parts, replace(SETUP, command=[f"/opt/{number}/anamnesis"])):
            apply_change(change)
    unwire(agent)
    assert {path: path.read_bytes() for path in before} == before
    unwire(agent)
    assert {path: path.read_bytes() for path in before} == before


def test_a_file_that_existed_before_stays_even_if_its_content_was_removed(agent: Agent) -> None:
    before = write_texts(agent, ('{"theme": "dark"}', "a = 1\n", "mine\n"))
    wire(agent)
    for path in before:
        text = path.read_text().replace('"theme": "dark",', "").replace("a = 1\n", "").replace("mine\n", "")
        path.write_text(text)
    unwire(agent)
    for path in before:
        assert path.exists()
        assert path.read_text().strip() in ("", "{}")


def test_uninstalling_does_not_undo_changes_made_after_init(agent: Agent) -> None:
    before = write_texts(agent, ('{"theme":"dark"}', "a=1\n", "mine\n"))
    wire(agent)
    for path in before:
        path.write_text(
            path.read_text().replace("dark", "light").replace("a=1", "a=2").replace("mine", "ours")
        )
    unwire(agent)
    for path, data in before.items():
        changed = data.decode().replace("dark", "light").replace("a=1", "a=2").replace("mine", "ours")
        assert path.read_text() == changed


@pytest.mark.parametrize(
    "text",
    [
        '{\n\t"theme":\t"dark",\n\t"sizes": [1, 2]\n}',
        '\ufeff {\r\n    "theme":"dark" ,\r\n    "sizes" : [1,2]\r\n}\r\n',
        '{"theme":"dark","mcpServers":{},"sizes":[1,2]}',
        '{ "theme": "dark", "sizes": {"a": 1.0, "b": "\\u00e9"} }\n\n',
    ],
    ids=["tabs", "crlf", "compact", "spaced"],
)
def test_every_byte_of_json_that_is_not_ours_is_preserved(agent: Agent, text: str) -> None:
    before = write_texts(agent, (text, "a=1\n", "mine\n"))
    wire(agent)
    for path in before:
        path.write_bytes(path.read_bytes().replace(b"dark", b"light"))
    unwire(agent)
    for path, data in before.items():
        left = path.read_bytes().replace(b"light", b"dark")
        assert left == data or (b"mcpServers" in data and json.loads(left)["sizes"] == [1, 2])


def test_adding_or_removing_the_last_json_member_keeps_the_commas_right() -> None:
    assert edited('{\n  "a": 1\n}\n', {"a": 1, "b": 2}) == '{\n  "a": 1,\n  "b": 2\n}\n'
    assert edited('{\n  "a": 1,\n  "b": 2\n}\n', {"a": 1}) == '{\n  "a": 1\n}\n'


def test_a_file_without_our_entries_is_not_touched_whatever_its_backup_contains(agent: Agent) -> None:
    for path in write_texts(agent, ('{"theme":"dark"}', "a = 1", "mine")):
        path.with_name(path.name + ".bak").write_text(
            '{ "theme": "dark" }' if path.suffix == ".json" else "old"
        )
    assert not any(change.has_effect for change in changes_to_remove(agent.parts, SETUP))


def test_an_unreadable_backup_does_not_stop_uninstalling(agent: Agent) -> None:
    before = write_texts(agent, ('{"theme": "dark"}', "a = 1\n", "mine\n"))
    wire(agent)
    for path in before:
        path.with_name(path.name + ".bak").write_bytes(b"\xff{")
    unwire(agent)
    for path, data in before.items():
        assert path.read_bytes() == data


def test_an_earlier_setup_is_replaced_not_duplicated(agent: Agent) -> None:
    wire(agent)
    for change in changes_to_add(agent.parts, Setup(["/new/anamnesis"])):
        apply_change(change)
    text = "".join(path.read_text() for path in files_of(agent))
    assert "it's here" not in text
    lines = command_lines(agent.parts, SETUP)
    assert lines
    assert all("/new/anamnesis" in line for line in lines)


@pytest.mark.parametrize(
    "broken", ["{half", "[1]", '{"mcpServers": 3, "mcp": 3, "hooks": 3}', "// a\n{}", "= x"]
)
def test_a_file_that_cannot_be_parsed_is_refused_and_untouched(agent: Agent, broken: str) -> None:
    structured = [path for path in files_of(agent) if path.suffix in (".json", ".toml")]
    for path in structured:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(broken)
    for plan in (changes_to_add, changes_to_remove):
        with pytest.raises(ConfigError) as caught:
            plan(agent.parts, SETUP)
        assert str(structured[0].parent) in str(caught.value) or "settings" in str(caught.value)
    assert all(path.read_text() == broken for path in structured)
    assert configured_agents(SETUP) == []


def test_the_advice_names_only_existing_tools() -> None:
    tools = json.loads(Path(SNAPSHOT).read_text())["answers"]["tools/list"]["result"]["tools"]
    named = set(re.findall(r"memory_\w+", ADVICE))
    assert named
    assert named <= {tool["name"] for tool in tools}


def test_a_paragraph_with_half_its_comments_is_refused(project: Path) -> None:
    (project / "AGENTS.md").write_text("# Mine\n<!-- anamnesis: start -->\nlost the end\n")
    for plan in (changes_to_add, changes_to_remove):
        with pytest.raises(ConfigError, match="damaged"):
            plan(OTHER_AGENTS["generic"].parts, SETUP)


def test_a_paragraph_keeps_its_place_in_the_file(project: Path) -> None:
    wire(OTHER_AGENTS["generic"])
    rules = project / "AGENTS.md"
    rules.write_text(f"# Above\n\n{rules.read_text()}\n# Below\n")
    for change in changes_to_add(OTHER_AGENTS["generic"].parts, Setup(["anamnesis"], name="other")):
        apply_change(change)
    text = rules.read_text()
    assert text.index("# Above") < text.index("`other`") < text.index("# Below")
    assert text.count("anamnesis: start") == 1


def test_a_file_that_leads_out_of_the_project_is_not_copied_into_it(project: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("Zk3xPq9vT7w2\n")
    (project / "AGENTS.md").symlink_to(tmp_path / "private")
    with pytest.raises(ConfigError, match="leads out of"):
        changes_to_add(OTHER_AGENTS["generic"].parts, SETUP)
    assert (tmp_path / "private").read_text() == "Zk3xPq9vT7w2\n"
    assert [path.name for path in project.iterdir()] == ["AGENTS.md"]


def test_a_rules_file_that_is_a_link_stays_one(project: Path) -> None:
    (project / "CLAUDE.md").write_text(FOREIGN_TEXT)
    (project / "AGENTS.md").symlink_to("CLAUDE.md")
    wire(OTHER_AGENTS["generic"])
    assert (project / "AGENTS.md").is_symlink()
    assert "memory_search" in (project / "CLAUDE.md").read_text()


def test_a_foreign_file_in_place_of_ours_is_left_alone() -> None:
    agent = OTHER_AGENTS["opencode"]
    plugin = next(path for path in files_of(agent) if path.suffix == ".js")
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = 1\n")
    with pytest.raises(ConfigError, match="did not write it"):
        changes_to_add(agent.parts, SETUP)
    unwire(agent)
    assert plugin.read_text() == "export const Mine = 1\n"


def test_codex_gets_hooks_with_timeouts_and_a_server(home: Path) -> None:
    wire(OTHER_AGENTS["codex"])
    hooks = json.loads((home / ".codex" / "hooks.json").read_text())
    assert [event for event, _ in our_hooks(hooks)] == ["SessionStart", "SessionStart", "SessionEnd"]
    assert hooks["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 3  # Codex warns above that
    server = tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]["anamnesis"]
    assert server == {"command": SETUP.command[0], "args": ["serve"], "env": dict(SETUP.env)}


def test_a_server_that_the_user_added_to_codex_is_not_overwritten(home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.anamnesis]\ncommand = "mine"\n')
    with pytest.raises(ConfigError, match="did not write"):
        changes_to_add(OTHER_AGENTS["codex"].parts, SETUP)


def test_gemini_gets_json_answers_and_timeouts_in_milliseconds(home: Path) -> None:
    wire(OTHER_AGENTS["gemini"])
    settings = json.loads((home / ".gemini" / "settings.json").read_text())
    inject = settings["hooks"]["SessionStart"][0]["hooks"][0]
    assert inject["command"].endswith("inject --format json")
    assert inject["timeout"] == 15_000
    assert settings["mcpServers"]["anamnesis"]["args"] == ["serve"]


def test_opencode_keeps_its_jsonc_file_and_gets_a_json_file_beside_it(home: Path) -> None:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{ // mine\n}")
    wire(OTHER_AGENTS["opencode"])
    assert (folder / "opencode.jsonc").read_text() == "{ // mine\n}"
    entry = json.loads((folder / "opencode.json").read_text())["mcp"]["anamnesis"]
    assert entry["command"] == [*SETUP.command, "serve"]
    assert entry["environment"] == dict(SETUP.env)
    assert json.dumps(list(SETUP.command)) in (folder / "plugin" / "anamnesis.js").read_text()


def test_an_agent_counts_as_installed_if_its_folder_or_program_exists(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_agents() == []
    (home / ".codex").mkdir()
    program = tmp_path / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert [agent.name for agent in installed_agents()] == ["codex", "gemini"]


def test_codex_home_moves_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    wire(OTHER_AGENTS["codex"])
    assert (tmp_path / "elsewhere" / "hooks.json").is_file()
