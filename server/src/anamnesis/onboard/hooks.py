"""Our hooks and permissions in Claude Code's settings, as values: build, merge and remove them.

Everything that is not ours is preserved: other keys, other hooks (even inside our groups), their order.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from anamnesis.errors import ConfigError

Kind = TypeVar("Kind")
Settings = dict[str, object]
Groups = list[dict[str, object]]

READ_TOOLS = ("memory_search", "memory_list", "memory_status")
_COMMANDS = ("inject", "sync", "capture")
_PLUGIN = "anamnesis"


def build_hooks(command: Sequence[str], env: Mapping[str, str] | None = None) -> dict[str, Groups]:
    """The hook groups that run `command`, by event."""

    def _hook(words: str, **more: object) -> dict[str, object]:
        return {"type": "command", "command": f"{base} {words}", **more}

    base = command_line(command, env or {})
    inject = [_hook("inject", timeout=15)]
    return {
        "SessionStart": [
            {"matcher": "startup|resume|clear", "hooks": inject},
            {"matcher": "startup|resume", "hooks": [_hook("sync", **{"async": True})]},
            # Compaction drops the injected notes; without this, the rest of the session has no memory.
            {"matcher": "compact", "hooks": inject},
            # A fork continues another session; like a resumed one, it gets only what is new.
            {"matcher": "fork", "hooks": inject},
        ],
        "SessionEnd": [{"hooks": [_hook("capture", timeout=120)]}],
        "PreCompact": [{"hooks": [_hook("capture --source precompact --no-sync", timeout=60)]}],
    }


def command_line(command: Sequence[str], env: Mapping[str, str]) -> str:
    """A command line for a shell, with its variables in front."""
    return " ".join([*(f"{key}={shlex.quote(value)}" for key, value in env.items()), shlex.join(command)])


def enabled_plugin(settings: Mapping[str, object]) -> str:
    """The name under which our plugin is enabled in the client; "" if it is not."""
    plugins = settings.get("enabledPlugins")
    names = plugins.items() if isinstance(plugins, dict) else ()
    return next((name for name, on in names if on is True and name.partition("@")[0] == _PLUGIN), "")


def merge_hooks(settings: Mapping[str, object], hooks: Mapping[str, Groups]) -> Settings:
    """`settings` with our earlier groups replaced by `hooks`; everything else stays."""
    events = _foreign_events(settings)
    for event, groups in hooks.items():
        events[event] = [*_groups(events, event), *groups]
    return {**settings, "hooks": events}


def strip_hooks(settings: Mapping[str, object]) -> Settings:
    """`settings` without our hooks; an event or block with only ours is removed too."""
    kept = _foreign_events(settings)
    if kept == settings.get("hooks", {}):
        return dict(settings)
    if kept:
        return {**settings, "hooks": kept}
    return {key: value for key, value in settings.items() if key != "hooks"}


def our_hooks(settings: Mapping[str, object]) -> list[tuple[str, str]]:
    """Event and command line of each of our hooks."""
    return [(event, _command(entry)) for event, _, entry in _entries(settings) if _is_ours(entry)]


def split_command(line: str) -> tuple[dict[str, str], str]:
    """The variables in front of a command line, and the program it runs."""
    variables: dict[str, str] = {}
    for word in _words(line):
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            return variables, word
        variables[name] = value
    return variables, line


def allow_reading(settings: Mapping[str, object], *, name: str) -> Settings:
    """`settings` with the read-only tools of server `name` allowed, so that the client does not ask."""
    permissions, allow = _permissions(settings)
    if f"mcp__{name}" in allow or f"mcp__{name}__*" in allow:
        return dict(settings)
    missing = [rule for rule in _rules(name) if rule not in allow]
    if not missing:
        return dict(settings)
    return {**settings, "permissions": {**permissions, "allow": [*allow, *missing]}}


def denied(settings: Mapping[str, object], *, name: str) -> list[str]:
    """The rules that deny some or all tools of server `name`; they override the allowed ones."""
    rules = _permissions(settings)[0].get("deny")
    ours = (f"mcp__{name}", f"mcp__{name}__")
    texts = [rule for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []
    return [rule for rule in texts if rule == ours[0] or rule.startswith(ours[1])]


def strip_permissions(settings: Mapping[str, object], *, name: str) -> Settings:
    """`settings` without the permissions that `allow_reading` adds."""
    permissions, allow = _permissions(settings)
    kept = [rule for rule in allow if rule not in _rules(name)]
    if kept == allow:
        return dict(settings)
    left = {**permissions, "allow": kept}
    rest = {key: value for key, value in left.items() if key != "allow" or kept}
    if rest:
        return {**settings, "permissions": rest}
    return {key: value for key, value in settings.items() if key != "permissions"}


def described(settings: Mapping[str, object]) -> list[str]:
    """Every hook and every allowed tool in `settings`, one line each."""
    hooks = [
        f"{event} ({matcher}): {_command(entry)}" if matcher else f"{event}: {_command(entry)}"
        for event, matcher, entry in _entries(settings)
    ]
    return [*hooks, *(f"allow: {rule}" for rule in _permissions(settings)[1])]


def _entries(settings: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    """Event, matcher and entry of every hook."""
    events = _events(settings)
    for event in events:
        for group in _groups(events, event):
            entries = group.get("hooks") if isinstance(group, dict) else None
            if isinstance(group, dict) and isinstance(entries, list):
                yield from ((event, str(group.get("matcher", "")), entry) for entry in entries)


def _rules(name: str) -> list[str]:
    return [f"mcp__{name}__{tool}" for tool in READ_TOOLS]


def _foreign_events(settings: Mapping[str, object]) -> dict[str, object]:
    """The hooks that are not ours, by event; an event with only our hooks is dropped, an empty one stays."""
    events = _events(settings)
    kept: dict[str, object] = {}
    for event in events:
        groups = [rest for group in _groups(events, event) if (rest := _without_ours(group)) is not None]
        if groups or not events[event]:
            kept[event] = groups
    return kept


def _events(settings: Mapping[str, object]) -> dict[str, object]:
    return _checked(settings.get("hooks", {}), dict, "hooks")


def _groups(events: Mapping[str, object], event: str) -> list[object]:
    return _checked(events.get(event, []), list, f"hooks.{event}")


def _permissions(settings: Mapping[str, object]) -> tuple[dict[str, object], list[object]]:
    permissions = _checked(settings.get("permissions", {}), dict, "permissions")
    return permissions, _checked(permissions.get("allow", []), list, "permissions.allow")


def _checked(value: object, kind: type[Kind], key: str) -> Kind:
    if isinstance(value, kind):
        return value
    expected = "an object" if kind is dict else "a list"
    raise ConfigError(f"the client's settings: `{key}` is not {expected}; fix it and run init again")


def _without_ours(group: object) -> object | None:
    """A matcher group without our hooks; None if nothing else is in it."""
    entries = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(group, dict) or not isinstance(entries, list):
        return group
    kept = [entry for entry in entries if not _is_ours(entry)]
    if len(kept) == len(entries):
        return group
    return {**group, "hooks": kept} if kept else None


def _is_ours(entry: object) -> bool:
    command = _command(entry)
    if "ANAMNESIS_" in command:
        return True
    pairs = pairwise(_words(command))
    return any(word.rpartition("/")[2] == "anamnesis" and after in _COMMANDS for word, after in pairs)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # an unclosed quote
        return line.split()


def _command(entry: object) -> str:
    command = entry.get("command") if isinstance(entry, dict) else None
    return command if isinstance(command, str) else ""
