"""Setup: the command, hooks, permissions, the settings file, and the client's MCP registry."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.errors import ConfigError
from anamnesis.onboard import (
    build_env,
    build_hooks,
    detect_command,
    merge_hooks,
    write_settings,
)
from anamnesis.onboard.client import (
    allow_reading,
    read_settings,
    register,
    strip_hooks,
    strip_permissions,
)
from anamnesis.onboard.files import Setup

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


def test_the_hooks_are_the_documented_four_groups_and_one_for_compaction() -> None:
    hooks = build_hooks(["anamnesis"])
    assert hooks["SessionStart"] == [
        {
            "matcher": "startup|resume|clear",
            "hooks": [{"type": "command", "command": "anamnesis inject", "timeout": 15}],
        },
        {
            "matcher": "startup|resume",
            "hooks": [{"type": "command", "command": "anamnesis sync", "async": True}],
        },
        {"matcher": "compact", "hooks": [{"type": "command", "command": "anamnesis inject", "timeout": 15}]},
        {"matcher": "fork", "hooks": [{"type": "command", "command": "anamnesis inject", "timeout": 15}]},
    ]
    assert hooks["SessionEnd"] == [
        {"hooks": [{"type": "command", "command": "anamnesis capture", "timeout": 120}]}
    ]
    assert hooks["PreCompact"] == [
        {
            "hooks": [
                {
                    "type": "command",
                    "command": "anamnesis capture --source precompact --no-sync",
                    "timeout": 60,
                }
            ]
        }
    ]
    assert set(hooks) == {"SessionStart", "SessionEnd", "PreCompact"}


def test_merging_replaces_our_earlier_hooks_and_keeps_foreign_ones() -> None:
    old = merge_hooks(FOREIGN, build_hooks(["uv", "run", "--project", "/old", "anamnesis"]))
    new = merge_hooks(old, build_hooks(COMMAND))
    assert "/old" not in json.dumps(new)
    assert strip_hooks(new) == FOREIGN


def test_a_foreign_hook_inside_a_group_of_ours_is_kept() -> None:
    mixed = {
        "hooks": {
            "SessionEnd": [
                {
                    "hooks": [
                        {"command": "ANAMNESIS_MACHINE_ID=x anamnesis capture"},
                        {"command": "make backup"},
                    ]
                }
            ]
        }
    }
    assert strip_hooks(mixed) == {"hooks": {"SessionEnd": [{"hooks": [{"command": "make backup"}]}]}}


def test_only_the_three_read_only_tools_are_allowed() -> None:
    allowed = allow_reading(FOREIGN)
    assert allowed["permissions"] == {
        "allow": [
            "Bash(ls:*)",
            "mcp__anamnesis__memory_search",
            "mcp__anamnesis__memory_list",
            "mcp__anamnesis__memory_status",
        ],
        "deny": ["Read(.env)"],
    }
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
