"""The commands that report on a store: status, doctor, reindex."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

from anamnesis.cli.opening import open_backend, open_store, open_to_ask
from anamnesis.cli.parser import add_json
from anamnesis.cli.terminal import Output, one_line, progress, row, tell
from anamnesis.errors import ModelError, SemanticError
from anamnesis.notes.vocabulary import local_time
from anamnesis.operations.upkeep import overview, reindex_store
from anamnesis.text import plural

TYPE_CHECKING = False  # only `doctor` needs these
if TYPE_CHECKING:
    from anamnesis.doctor import Finding
    from anamnesis.store import MemoryStore

_SHAPE = (
    "{root, db_path, total, superseded, by_type, by_project, by_scope,"
    " sync: {initialized, remote, head, dirty, detail},"
    " ahead, behind, unpushed_since, uncommitted_since, failure, last_sync, held: [id],"
    " held_names: [title and id], waiting: [{path, line, kind, id}],"
    " left_out: [{path, reason}],"
    " problems: [{path, reason}], last_capture, last_inject, uncaptured, usage,"
    " semantic: {name, url, notes, pending, problem} or null}"
)
_MOST_PROJECTS = 6

Report = Mapping[str, object]


def add_status(parser: argparse.ArgumentParser) -> None:
    """Arguments of `status`."""
    add_json(parser, _SHAPE)
    parser.epilog = "Example:\n  anamnesis status --json"


def cmd_status(args: argparse.Namespace) -> int:
    """Print the state of the store; exit 1 while a note is held, or waits because of a credential."""
    out: Output = args.out
    with open_to_ask() as store:
        report = overview(store)
    facts = list(_facts(report))
    lines = (f"{name:<12}{one_line(value)}" for name, value in facts)
    out.result(report, lines, lambda pretty: pretty.pairs(facts))
    return 1 if report["held"] or report["waiting"] else 0


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "store", str(report["root"])
    hidden = f"; {report['superseded']} of them superseded" if report["superseded"] else ""
    yield "notes", f"{report['total']}  {_counts(report['by_type'])}{hidden}"
    yield "projects", _counts(report["by_project"]) or "none"
    yield "scope", _counts(report["by_scope"]) or "none"
    yield from _sync_facts(report)
    for each in _rows(report["waiting"]):
        yield "waiting", _waiting(each)
    for name, key in (("left out", "left_out"), ("unreadable", "problems")):
        for each in _rows(report[key]):
            yield name, f"{each['path']}: {each['reason']}"
    yield "capture", f"last {_time(report['last_capture'])}" if report["last_capture"] else "never yet"
    yield "inject", f"last {_time(report['last_inject'])}" if report["last_inject"] else "never yet"
    if report["uncaptured"]:
        yield (
            "warning",
            f"ended sessions without a note: {report['uncaptured']}; do the hooks run? `anamnesis doctor`",
        )
    yield "model", _usage(report["usage"])
    yield "meaning", _meaning(report["semantic"])


def _waiting(each: Report) -> str:
    from anamnesis.sync.results import WaitingFile  # where nothing waits, `status` does without it

    file = WaitingFile(str(each["path"]), _number(each["line"]), str(each["kind"]), str(each["id"]))
    return f"{file.path} line {file.line}: {file.kind}; {file.remedy}"


def _sync_facts(report: Report) -> Iterator[tuple[str, str]]:
    sync = report["sync"]
    assert isinstance(sync, Mapping)  # noqa: S101  # the documented shape
    held = _strings(report["held_names"])
    if held:
        yield "sync", f"conflict: {len(held)} held; `anamnesis resolve` shows them"
        for name in held:
            yield "held", name
        if report["failure"]:
            yield "failed", str(report["failure"])
        if report["ahead"]:
            since = f" since {_time(report['unpushed_since'])}" if report["unpushed_since"] else ""
            yield "unpushed", f"{plural(_number(report['ahead']), 'commit')} not pushed{since}"
    else:
        is_alone = sync["detail"] == "ok" and not sync["remote"]
        # The detail also names what is not pushed.
        yield "sync", "ok, committed on this machine only" if is_alone else str(sync["detail"])
    yield "remote", str(sync["remote"] or "none; `anamnesis config set remote URL` adds one")
    if report["last_sync"]:
        yield "last sync", _time(report["last_sync"])


def _counts(counts: object) -> str:
    """Counts by name, largest first."""
    if not isinstance(counts, Mapping):
        return ""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{name} {count}" for name, count in ranked[:_MOST_PROJECTS]]
    rest = len(ranked) - _MOST_PROJECTS
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _usage(usage: object) -> str:
    total = usage.get("total") if isinstance(usage, Mapping) else None
    if not isinstance(usage, Mapping) or not isinstance(total, Mapping):
        return "never asked"
    sent = _number(total["characters_sent"])
    return (
        f"{plural(_number(total['calls']), 'call')} ({total['failures']} failed),"
        f" {sent:,} character{'' if sent == 1 else 's'} sent, {total['characters_received']:,} received,"
        f" {total['seconds']:g} s since {_time(usage['since'])}"
    )


def _time(value: object) -> str:
    return local_time(str(value))


def _meaning(found: object) -> str:
    if not isinstance(found, Mapping):
        return "not installed; search uses words alone"
    notes, pending = _number(found["notes"]), _number(found["pending"])
    done = f"{found['name']}, vectors of {notes - pending} of {plural(notes, 'note')}"
    return f"{done}; search uses words alone: {found['problem']}" if found["problem"] else done


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, Sequence) else []


def _rows(value: object) -> list[Report]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, Sequence) else []


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Arguments of `doctor`."""
    parser.add_argument(
        "--fix", action="store_true", help="repair what can be repaired without losing anything"
    )
    add_json(
        parser,
        "{healthy, fixed: [text], failed: [text], "
        "findings: [{name, state: ok|warn|bad, evidence, remedy, fixable}]}",
    )
    parser.epilog = "Example:\n  anamnesis doctor --fix"


def cmd_doctor(args: argparse.Namespace) -> int:
    """Run every check; exit 1 if something is bad or could not be repaired."""
    from anamnesis import doctor

    out: Output = args.out
    with open_store() as store:
        found = doctor.check_up(doctor.Context(store, open_backend(store)), fix=args.fix)
    repairs = [*(f"fixed: {line}" for line in found.fixed), *(f"failed: {line}" for line in found.failed)]
    answer = {
        "healthy": found.is_healthy,
        "fixed": found.fixed,
        "failed": found.failed,
        "findings": [finding.as_dict() for finding in found.findings],
    }
    say_findings(out, found.findings, value=answer, repairs=repairs)
    return 0 if found.is_healthy and not found.failed else 1


def say_findings(
    out: Output, findings: Sequence[Finding], *, value: object, repairs: Sequence[str] = ()
) -> None:
    """Print the repairs, then the findings (state, name, evidence, remedy); `value` is their JSON."""
    rows = [(each.state, each.name, each.evidence, each.remedy) for each in findings]
    lines = (row(*fields) if fields[-1] else row(*fields[:-1]) for fields in rows)
    out.result(value, (*repairs, *lines), lambda pretty: pretty.checks(rows, repairs))


def add_reindex(parser: argparse.ArgumentParser) -> None:
    """Arguments of `reindex`."""
    parser.add_argument(
        "--full", action="store_true", help="rebuild the index instead of scanning for changes"
    )
    add_json(parser, "{indexed, problems: [{path, reason}]}")
    parser.epilog = "Example:\n  anamnesis reindex --full"


def _make_vectors(store: MemoryStore) -> None:
    """Compute the vectors that are missing, if a model is installed."""
    from anamnesis.meaning import enable_meaning, is_installed

    if not is_installed(store.root):
        return
    try:
        with progress("computing vectors") as bar:
            enable_meaning(store, progress=bar)
    except (SemanticError, ModelError, ImportError) as exc:
        tell(f"no vectors were computed: {exc}; `anamnesis semantic status` says more")


def cmd_reindex(args: argparse.Namespace) -> int:
    """Update the index from the files, and list the files that are not notes."""
    out: Output = args.out
    with open_store() as store, progress("indexing") as advance:
        report = reindex_store(store, full=args.full, progress=advance)
        _make_vectors(store)
    out.result(report, f"indexed {plural(_number(report['indexed']), 'note')}")
    for problem in _rows(report["problems"]):
        out.hint(f"unreadable: {problem['path']}: {problem['reason']}")
    return 0
