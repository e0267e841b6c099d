"""The commands that report on a store: status, doctor, reindex."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anamnesis.cli.opening import open_backend, open_store, open_to_ask
from anamnesis.cli.output import Output, one_line, progress, row, tell
from anamnesis.errors import ModelError, SemanticError
from anamnesis.index.figures import note_counts
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations.upkeep import overview, reindex_store
from anamnesis.text import and_superseded, note_count, plural

if TYPE_CHECKING:
    from anamnesis.doctor import Finding
    from anamnesis.store import MemoryStore

_SHOWN_PROJECTS = 6


def cmd_status(args: argparse.Namespace) -> int:
    """Print the state of the store; exit 1 while a note is held, or waits because of a credential."""
    out: Output = args.out
    with open_to_ask() as store:
        report: dict[str, Any] = overview(store)
    facts = list(_facts(report))
    lines = (f"{name:<12}{one_line(value)}" for name, value in facts)
    out.result(report, lines, lambda pretty: pretty.pairs(facts))
    return 1 if report["held"] or report["waiting"] else 0


def _facts(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values for a person; `report` has the shape in the table of commands."""
    yield "store", report["root"]
    notes = report["current"]
    yield "notes", f"{notes['total']:,}{and_superseded(report['superseded'])}  {_counts(notes['by_type'])}"
    yield "projects", _counts(notes["by_project"]) or "none"
    yield "scope", _counts(notes["by_scope"]) or "none"
    yield from _sync_facts(report)
    for each in report["waiting"]:
        from anamnesis.sync.results import WaitingFile  # where nothing waits, `status` does without it

        file = WaitingFile(**each)
        yield "waiting", f"{file.place}: {file.kind}; {file.remedy}"
    for name, key in (("left out", "left_out"), ("unreadable", "problems")):
        for each in report[key]:
            yield name, f"{each['path']}: {each['reason']}"
    for name in ("capture", "inject"):
        last = report[f"last_{name}"]
        yield name, f"last {local_time(last)}" if last else "never yet"
    if report["uncaptured"]:
        lost = f"ended sessions without a note: {report['uncaptured']}"
        yield "warning", f"{lost}; do the hooks run? `anamnesis doctor`"
    yield "model", _usage(report["usage"])
    yield "meaning", _meaning(report["semantic"])


def _sync_facts(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    sync, held = report["sync"], report["held_names"]
    if held:
        yield "sync", f"conflict: {len(held)} held; `anamnesis resolve` shows them"
        for name in held:
            yield "held", name
        if report["failure"]:
            yield "failed", report["failure"]
        if report["ahead"]:
            since = f" since {local_time(report['unpushed_since'])}" if report["unpushed_since"] else ""
            yield "unpushed", f"{plural(report['ahead'], 'commit')} not pushed{since}"
    else:
        is_alone = sync["detail"] == "ok" and not sync["remote"]
        # The detail also names what is not pushed.
        yield "sync", "ok, on this machine only" if is_alone else sync["detail"]
    yield "remote", sync["remote"] or "none; `anamnesis config set remote URL` adds one"
    if report["last_sync"]:
        yield "last sync", local_time(report["last_sync"])


def _counts(counts: dict[str, int]) -> str:
    """Counts by name, largest first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{name} {count}" for name, count in ranked[:_SHOWN_PROJECTS]]
    rest = len(ranked) - _SHOWN_PROJECTS
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _usage(usage: dict[str, Any] | None) -> str:
    if usage is None:
        return "never asked"
    total = usage["total"]
    return (
        f"{plural(total['calls'], 'call')} ({total['failures']} failed),"
        f" {plural(total['characters_sent'], 'character')} sent, {total['characters_received']:,} received,"
        f" {total['seconds']:g} s since {local_time(usage['since'])}"
    )


def _meaning(report: dict[str, Any] | None) -> str:
    if report is None:
        return "not installed; search uses words alone"
    done = report["notes"] - report["pending"]
    state = f"{report['name']}, vectors of {done} of {plural(report['notes'], 'note')}"
    return f"{state}; search uses words alone: {report['problem']}" if report["problem"] else state


def cmd_doctor(args: argparse.Namespace) -> int:
    """Run every check; exit 1 if something is bad or could not be repaired."""
    from anamnesis import doctor

    out: Output = args.out
    with open_store() as store:
        checkup = doctor.check_up(doctor.Context(store, open_backend(store)), fix=args.fix)
    repairs = [*(f"fixed: {line}" for line in checkup.fixed), *(f"failed: {line}" for line in checkup.failed)]
    answer = {
        "healthy": checkup.is_healthy,
        "fixed": checkup.fixed,
        "failed": checkup.failed,
        "findings": [finding.as_dict() for finding in checkup.findings],
    }
    say_findings(out, checkup.findings, value=answer, repairs=repairs)
    return 0 if checkup.is_healthy and not checkup.failed else 1


def say_findings(
    out: Output, findings: Sequence[Finding], *, value: object, repairs: Sequence[str] = ()
) -> None:
    """Print the repairs, then the findings (state, name, evidence, remedy); `value` is their JSON."""
    rows = [(each.state, each.name, each.evidence, each.remedy) for each in findings]
    lines = (row(*fields) if fields[-1] else row(*fields[:-1]) for fields in rows)
    out.result(value, (*repairs, *lines), lambda pretty: pretty.checks(rows, repairs))


def cmd_reindex(args: argparse.Namespace) -> int:
    """Update the index from the files, and list the files that are not notes."""
    out: Output = args.out
    with open_store() as store:
        report: dict[str, Any] = reindex_store(store, full=args.full)
        _compute_vectors(store)
        notes = store.ask(note_counts)
    out.result(report, f"indexed {note_count(notes.total, notes.superseded)}")
    for problem in report["problems"]:
        out.hint(f"unreadable: {problem['path']}: {problem['reason']}")
    return 0


def _compute_vectors(store: MemoryStore) -> None:
    """Compute the vectors that are missing, if a model is installed."""
    from anamnesis.semantic.installed import is_installed
    from anamnesis.store import make_vectors

    if not is_installed(store.root):
        return
    try:
        with progress("computing vectors") as bar:
            make_vectors(store, progress=bar)
    except (SemanticError, ModelError, ImportError) as exc:
        tell(f"no vectors were computed: {exc}; `anamnesis semantic status` says more")
