"""Setup: the command, hooks, permissions, the settings file, and the client's MCP registry."""

from __future__ import annotations

import json
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.errors import ConfigError
from anamnesis.onboard import build_env, build_hooks, detect_command, merge_hooks, write_settings
from anamnesis.onboard.agents import (
    OTHER_AGENTS,
    agent_commands,
    configured_agents,
    plan_changes,
)
from anamnesis.onboard.client import (
    allow_reading,
    our_hooks,
    read_settings,
    register,
    strip_hooks,
    strip_permissions,
)
from anamnesis.onboard.files import Setup, apply_change

COMMAND = ["/opt/anamnesis/bin/anamnesis"]
FOREIGN: dict[str, object] = {
    "model": "opus",
    "hooks": {
        "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hello", "timeout": 3}]}
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "notify-send 'anamnesis capture finished'"}]}],
    },
    "permissions": {"allow": ["Bash(ls:*)"], "deny": ["Read(.env)"]},
}


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A fake client command that records its arguments."""

    def install(answer: str) -> Path:
        folder, log = tmp_path / "bin", tmp_path / "calls.jsonl"
        folder.mkdir()
        script = folder / "claude"
        script.write_text(
            f"#!{sys.executable}\nimport json, sys\nwords = sys.argv[1:]\n"
            f"open({str(log)!r}, 'a').write(json.dumps(words) + '\\n')\n{answer}\n"
        )
        script.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        return log

    return install


def calls(log: Path) -> list[list[str]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_the_hooks_are_the_documented_four_groups_and_one_for_compaction_and_forks() -> None:
    def group(words: str, **more: object) -> dict[str, object]:
        matcher = {"matcher": more.pop("matcher")} if "matcher" in more else {}
        return {**matcher, "hooks": [{"type": "command", "command": f"anamnesis {words}", **more}]}

    assert build_hooks(["anamnesis"]) == {
        "SessionStart": [
            group("inject", matcher="startup|resume|clear", timeout=15),
            group("sync", matcher="startup|resume", **{"async": True}),
            group("inject", matcher="compact", timeout=15),
            group("inject", matcher="fork", timeout=15),
        ],
        "SessionEnd": [group("capture", timeout=120)],
        "PreCompact": [group("capture --source precompact --no-sync", timeout=60)],
    }


def test_merging_replaces_our_earlier_hooks_and_keeps_foreign_ones() -> None:
    old = merge_hooks(FOREIGN, build_hooks(["uv", "run", "--project", "/old", "anamnesis"]))
    new = merge_hooks(old, build_hooks(COMMAND))
    assert "/old" not in json.dumps(new)
    assert strip_hooks(new) == FOREIGN


def test_a_foreign_hook_inside_a_group_of_ours_is_kept() -> None:
    ours, theirs = {"command": "ANAMNESIS_MACHINE_ID=x anamnesis capture"}, {"command": "make backup"}
    mixed = {"hooks": {"SessionEnd": [{"hooks": [ours, theirs]}]}}
    assert strip_hooks(mixed) == {"hooks": {"SessionEnd": [{"hooks": [theirs]}]}}


def test_only_the_three_read_only_tools_are_allowed() -> None:
    allowed = allow_reading(FOREIGN)
    ours = [f"mcp__anamnesis__memory_{name}" for name in ("search", "list", "status")]
    assert allowed["permissions"] == {"allow": ["Bash(ls:*)", *ours], "deny": ["Read(.env)"]}
    assert allow_reading(allowed) == allowed
    assert json.dumps(strip_permissions(allowed)) == json.dumps(FOREIGN)


def test_a_given_command_is_split_like_in_a_shell() -> None:
    assert detect_command(command="'/a b/anamnesis' --flag") == ["/a b/anamnesis", "--flag"]
    with pytest.raises(ConfigError, match="unclosed quote"):
        detect_command(command="'oops")
    with pytest.raises(ConfigError, match="empty"):
        detect_command(command="  ")


def test_the_environment_contains_the_home_only_if_it_is_not_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/jo")
    assert build_env(machine_id="desk", home="~/.anamnesis") == {"ANAMNESIS_MACHINE_ID": "desk"}
    assert build_env(machine_id="desk", remote="h:m.git", home="/data/notes") == {
        "ANAMNESIS_MACHINE_ID": "desk",
        "ANAMNESIS_GIT_REMOTE": "h:m.git",
        "ANAMNESIS_HOME": "/data/notes",
    }


@pytest.mark.parametrize(
    "remote",
    [
        "https://jo:hunter2@host/x.git",
        "https://jo:p@ss:word@host:8443/x.git",
        "https://:hunter2@host/x.git",
        "ssh://jo:hunter2@host/x.git",
        f"HTTPS://ghp_{'a1B2' * 9}@host/x.git",
    ],
)
def test_a_remote_with_a_password_is_left_to_the_stores_own_config(remote: str) -> None:
    assert build_env(machine_id="desk", remote=remote) == {"ANAMNESIS_MACHINE_ID": "desk"}


def test_settings_are_backed_up_once_per_change(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    assert write_settings(path, {"a": 1}) is None
    assert write_settings(path, {"a": 1}) is None
    assert not (tmp_path / "settings.json.bak").exists()
    assert write_settings(path, {"a": 2}) == tmp_path / "settings.json.bak"
    assert read_settings(tmp_path / "settings.json.bak") == {"a": 1}
    assert read_settings(path) == {"a": 2}


def test_a_changed_settings_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o644)
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    write_settings(link, {"a": "Grüße"})
    assert link.is_symlink()
    assert read_settings(real) == {"a": "Grüße"}
    assert stat.S_IMODE(real.stat().st_mode) == 0o644


def test_the_server_is_registered_so_that_its_tools_are_always_loaded(client: Callable[[str], Path]) -> None:
    log = client("sys.exit(0)")
    assert register(Setup(["/a b/anamnesis"], {"ANAMNESIS_MACHINE_ID": "desk"}))
    ((*words, entry),) = calls(log)
    assert words == ["mcp", "add-json", "--scope", "user", "anamnesis"]
    assert json.loads(entry) == {
        "type": "stdio",
        "command": "/a b/anamnesis",
        "args": ["serve"],
        "env": {"ANAMNESIS_MACHINE_ID": "desk"},
        "alwaysLoad": True,
    }


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
def agent(request: pytest.FixtureRequest) -> str:
    """Each of the agents."""
    return str(request.param)


def wire(agent: str) -> None:
    for change in plan_changes([agent], SETUP):
        apply_change(change)


def unwire(agent: str) -> None:
    for change in plan_changes([agent], SETUP, remove=True):
        apply_change(change, keep=False)


def files_of(agent: str) -> list[Path]:
    return sorted(OTHER_AGENTS[agent].parts)


def write_foreign(agent: str) -> dict[Path, bytes]:
    """Write foreign content into the agent's files, except those that only we write."""
    texts = {".json": json.dumps(FOREIGN_JSON), ".toml": FOREIGN_TOML, ".md": FOREIGN_TEXT}
    wanted = [path for path in files_of(agent) if path.suffix in texts]
    for path in wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path.suffix])
    return {path: path.read_bytes() for path in wanted}


def test_uninstalling_leaves_exactly_what_was_not_ours(agent: str) -> None:
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


def test_an_earlier_setup_is_replaced_not_duplicated(agent: str) -> None:
    wire(agent)
    for change in plan_changes([agent], Setup(["/new/anamnesis"])):
        apply_change(change)
    text = "".join(path.read_text() for path in files_of(agent))
    assert "it's here" not in text
    lines = agent_commands(agent)
    assert lines
    assert all("/new/anamnesis" in line for line in lines)


@pytest.mark.parametrize(
    "broken", ["{half", "[1]", '{"mcpServers": 3, "mcp": 3, "hooks": 3}', "// a\n{}", "= x"]
)
def test_a_file_that_cannot_be_parsed_is_refused_and_untouched(agent: str, broken: str) -> None:
    structured = [path for path in files_of(agent) if path.suffix in (".json", ".toml")]
    for path in structured:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(broken)
    for remove in (False, True):
        with pytest.raises(ConfigError) as caught:
            plan_changes([agent], SETUP, remove=remove)
        assert str(structured[0].parent) in str(caught.value) or "settings" in str(caught.value)
    assert all(path.read_text() == broken for path in structured)
    assert configured_agents() == []


def test_a_file_that_leads_out_of_the_project_is_not_copied_into_it(project: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("Zk3xPq9vT7w2\n")
    (project / "AGENTS.md").symlink_to(tmp_path / "private")
    with pytest.raises(ConfigError, match="leads out of"):
        plan_changes(["generic"], SETUP)
    assert (tmp_path / "private").read_text() == "Zk3xPq9vT7w2\n"
    assert [path.name for path in project.iterdir()] == ["AGENTS.md"]


def test_a_foreign_file_in_place_of_ours_is_left_alone() -> None:
    agent = "opencode"
    plugin = next(path for path in files_of(agent) if path.suffix == ".js")
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = 1\n")
    with pytest.raises(ConfigError, match="did not write it"):
        plan_changes([agent], SETUP)
    unwire(agent)
    assert plugin.read_text() == "export const Mine = 1\n"


def test_codex_gets_hooks_with_timeouts_and_a_server(home: Path) -> None:
    wire("codex")
    hooks = json.loads((home / ".codex" / "hooks.json").read_text())
    assert [event for event, _ in our_hooks(hooks)] == ["SessionStart", "SessionStart", "SessionEnd"]
    assert hooks["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 3  # Codex warns above that
    server = tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]["anamnesis"]
    assert server == {"command": SETUP.command[0], "args": ["serve"], "env": dict(SETUP.env)}


def test_a_server_that_the_user_added_to_codex_is_not_overwritten(home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.anamnesis]\ncommand = "mine"\n')
    with pytest.raises(ConfigError, match="did not write"):
        plan_changes(["codex"], SETUP)


def test_opencode_keeps_its_jsonc_file_and_gets_a_json_file_beside_it(home: Path) -> None:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{ // mine\n}")
    wire("opencode")
    assert (folder / "opencode.jsonc").read_text() == "{ // mine\n}"
    entry = json.loads((folder / "opencode.json").read_text())["mcp"]["anamnesis"]
    assert entry["command"] == [*SETUP.command, "serve"]
    assert entry["environment"] == dict(SETUP.env)
    assert json.dumps(list(SETUP.command)) in (folder / "plugin" / "anamnesis.js").read_text()


def test_a_json_file_with_comments_is_refused_with_the_lines_to_paste(home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text('{ // mine\n "theme": "dark" }')
    with pytest.raises(ConfigError, match="not plain JSON") as caught:
        plan_changes(["gemini"], SETUP)
    lines = str(caught.value).partition("add this to it yourself:\n")[2]
    assert "inject --format json" in str(json.loads(lines)["hooks"]["SessionStart"])


def test_a_json_file_is_rewritten_with_a_backup_and_letters_as_they_are(home: Path) -> None:
    path = home / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"theme": "grün"}')
    wire("qwen")
    assert '{\n  "theme": "grün",\n' in path.read_text()
    assert path.with_name("settings.json.bak").read_text() == '{"theme": "grün"}'
