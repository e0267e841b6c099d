"""Changes Claude Code's settings.json for `init`: plans the change, then shows or writes it."""

from __future__ import annotations

import json

from anamnesis import onboard
from anamnesis.address import mask
from anamnesis.cli.terminal import say
from anamnesis.onboard.agents import Change, Setup, carry_out, put_in, take_out
from anamnesis.onboard.agents.json_parts import ClientSettings


def plan_settings(setup: Setup, *, on_prompt: bool) -> Change:
    """The file with our hooks and permissions; ConfigError, before anything is written, for a damaged one."""
    (change,) = put_in([ClientSettings(onboard.settings_path(), on_prompt)], setup)
    return change


def plan_settings_removal(setup: Setup) -> Change:
    """The file without them: the bytes from before `init`, if nothing else has changed it since."""
    (change,) = take_out([ClientSettings(onboard.settings_path())], setup)
    return change


def show_settings(change: Change) -> None:
    """Print the file as it would be."""
    if not change.is_one:
        say(f"would change nothing in {change.path}")
        return
    if change.after is None:
        say(f"would remove {change.path}")
        return
    say(f"would write {change.path}:")
    say(mask(change.after.rstrip("\n")))


def write_settings(change: Change, *, is_removal: bool = False) -> None:
    """Write or remove the file, and print every hook and permission that was added or removed."""
    if not change.is_one:
        none = f"hooks and permissions: none of ours in {change.path}, nothing changed"
        say(none if is_removal else f"hooks: already in {change.path}, nothing changed")
        return
    backup = carry_out(change)
    kept = f" (backup: {backup})" if backup else ""
    what = "removed from" if is_removal else "written to"
    gone = ", which was deleted because it held nothing else" if change.after is None else ""
    say(f"hooks and permissions: {what} {change.path}{kept}{gone}")
    old, new = _described(change.before), _described(change.after)
    for line in (
        *(f"  - {line}" for line in old if line not in new),
        *(f"  + {line}" for line in new if line not in old),
    ):
        say(mask(line))


def _described(text: str | None) -> list[str]:
    return onboard.described(json.loads((text or "").removeprefix("\ufeff") or "{}"))
