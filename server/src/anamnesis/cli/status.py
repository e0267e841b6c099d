"""The commands that report on a store and its settings: status, doctor, reindex, config, project."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anamnesis import settings
from anamnesis.address import mask
from anamnesis.cli.opening import open_backend, open_store, open_to_ask
from anamnesis.cli.output import Output, Styled, one_line, row, tell
from anamnesis.config import resolve_home
from anamnesis.errors import ConfigError
from anamnesis.operations.reading import overview
from anamnesis.project import place_of, set_marker, trust_marker
from anamnesis.settings import Resolved
from anamnesis.text import and_superseded, first_few, local_time, plural

if TYPE_CHECKING:
    from anamnesis.doctor import Finding

_STYLES = {"ok": "", "warn": "yellow", "bad": "red"}


def cmd_status(args: argparse.Namespace) -> int:
    """Print the state of the store; exit 1 while a person must do something before every note is synced."""
    with open_to_ask() as store:
        report: dict[str, Any] = overview(store)
    args.out.result(report, (f"{name:<12}{one_line(value)}" for name, value in _facts(report)))
    return 1 if report["needs_attention"] else 0


def _facts(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values for a person; `report` has the shape in the table of commands."""
    sync, notes, meaning = report["sync"], report["current"], report["semantic"]
    yield "store", report["root"]
    yield "notes", f"{notes['total']:,}{and_superseded(report['superseded'])}  {_counts(notes['by_type'])}"
    yield "projects", _counts(notes["by_project"])
    yield "scope", _counts(notes["by_scope"])
    yield "remote", sync["remote"] or "none; `anamnesis config set remote URL` adds one"
    is_alone = sync["detail"] == "ok" and not sync["remote"]
    for line in ("ok, on this machine only" if is_alone else sync["detail"]).split("; "):
        yield "sync", line
    for each in report["waiting"]:
        from anamnesis.sync.results import WaitingFile  # where nothing waits, `status` does without it

        file = WaitingFile(**each)
        yield "waiting", f"{file.place}: {file.kind}; {file.remedy}"
    for name, key in (("left out", "left_out"), ("unreadable", "problems")):
        for each in report[key]:
            yield name, f"{each['path']}: {each['reason']}"
    for name in ("sync", "capture", "inject"):
        last = report[f"last_{name}"]
        yield name, f"last {local_time(last)}" if last else "never yet"
    if report["uncaptured"]:
        lost = f"ended sessions without a note: {report['uncaptured']}"
        yield "warning", f"{lost}; do the hooks run? `anamnesis doctor`"
    yield "model", _usage(report["usage"])
    yield "meaning", describe_meaning(meaning) if meaning else "not installed; search uses words alone"


def _counts(counts: dict[str, int]) -> str:
    """Counts by name, largest first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return first_few([f"{name} {count}" for name, count in ranked], most=6) or "none"


def _usage(usage: dict[str, Any] | None) -> str:
    if usage is None:
        return "never asked"
    total = usage["total"]
    return (
        f"{plural(total['calls'], 'call')} ({total['failures']} failed),"
        f" {plural(total['characters_sent'], 'character')} sent, {total['characters_received']:,} received,"
        f" {total['seconds']:g} s since {local_time(usage['since'])}"
    )


def describe_meaning(report: dict[str, Any]) -> str:
    """The model that finds notes by their meaning, in one line; the report has the shape in the table."""
    done = f"{report['notes'] - report['pending']} of {plural(report['notes'], 'note')}"
    state = f"{report['name']} ({report['language']}), vectors of {done}"
    return f"{state}; search uses words alone: {report['problem']}" if report["problem"] else state


def cmd_doctor(args: argparse.Namespace) -> int:
    """Run every check; exit 1 if something is bad or could not be repaired."""
    from anamnesis import doctor

    with open_store() as store:
        checkup = doctor.check_up(doctor.Context(store, open_backend(store)), fix=args.fix)
    for verb, lines in (("fixed", checkup.fixed), ("failed", checkup.failed)):
        for line in lines:
            args.out.hint(f"{verb}: {line}")
    _say_findings(args.out, checkup.findings, value=checkup.as_dict())
    return 0 if checkup.is_healthy and not checkup.failed else 1


def _say_findings(out: Output, findings: Sequence[Finding], *, value: object) -> None:
    """Print the findings: state, name, evidence, remedy; `value` is their JSON."""
    rows = [(each.state, each.name, each.evidence, each.remedy) for each in findings]
    out.result(value, (row(*filter(None, fields)) for fields in rows), _finding_lines(rows))


def _finding_lines(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[Styled]:
    for state, name, evidence, remedy in rows:
        yield one_line(f"{state:<5}{name:<18}{evidence}"), _STYLES[state]
        if remedy:
            yield f"{'':<23}-> {one_line(remedy)}", ""


def cmd_reindex(args: argparse.Namespace) -> int:
    """Update the index from the files, and list the files that are not notes."""
    with open_store() as store:
        indexed, problems = store.reindex(full=args.full), store.problems()
    answer = {"indexed": indexed, "problems": [problem._asdict() for problem in problems]}
    args.out.result(answer, f"indexed {plural(indexed, 'note')}")
    for problem in problems:
        args.out.hint(f"unreadable: {problem.path}: {problem.reason}")
    return 0


def cmd_config(args: argparse.Namespace) -> int:
    """List, print, change or test the settings."""
    out: Output = args.out
    if args.verb == "list":
        found = settings.resolve_all()
        rows = [(each.setting.name, each.variable or each.source, _shown(each)) for each in found]
        out.table([_dict(each) for each in found], ("setting", "from", "value"), rows)
        return 0
    if args.verb == "test":
        from anamnesis.doctor.machine import examine_settings  # only this verb needs the model client

        findings = examine_settings(resolve_home())
        _say_findings(out, findings, value=[finding.as_dict() for finding in findings])
        return 1 if any(finding.state == "bad" for finding in findings) else 0
    if args.verb == "get":
        resolved = settings.resolve(args.setting)
        out.result(_dict(resolved), _shown(resolved))
        return 0
    return _change(args.setting, args.value if args.verb == "set" else None)


def _change(name: str, value: str | None) -> int:
    """Store or remove a setting, and say what is in effect now; 1 if it is a remote that never answers."""
    settings.save(name, sys.stdin.readline().strip() if value == "-" else value)
    resolved = settings.resolve(name)
    tell(f"{name} is now {_shown(resolved) or 'empty'} (from {resolved.variable or resolved.source})")
    if name == "machine_id":  # `init` also wrote it to the client's files
        tell("hooks and MCP server keep the name they were set up with; `anamnesis init` updates that")
    if name != "remote" or value is None:
        return 0
    from anamnesis.doctor.machine import check_remote  # only for this setting

    found = check_remote(resolve_home())
    if found.state != "ok":
        tell(f"it is stored, but {found.evidence}; {found.remedy}")
    return 1 if found.state == "bad" else 0


def _shown(resolved: Resolved) -> str:
    return mask(resolved.shown)


def _dict(resolved: Resolved) -> dict[str, object]:
    setting = resolved.setting
    known = {"name": setting.name, "value": _shown(resolved), "source": resolved.source}
    return {**known, "variable": setting.variable, "about": setting.about}


def cmd_project(args: argparse.Namespace) -> int:
    """Show, set or trust the project of a folder."""
    folder, home = args.folder.absolute(), resolve_home()
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder; name one that exists")
    if args.verb == "set":
        set_marker(folder, args.key, home=home)
    elif args.verb == "trust":
        trust_marker(folder, home=home)
    place = place_of(str(folder), home=str(home))
    answer = {"folder": str(folder), "project": place.key, "remote": place.remote, "refused": place.refused}
    args.out.result(answer, map(one_line, filter(None, (place.key, place.warning))))
    if not place.is_known:
        args.out.hint(
            "this folder is not a project: the key is only its name, and `write` files notes under global;"
            " `anamnesis project set KEY` makes it one"
        )
    return 0
