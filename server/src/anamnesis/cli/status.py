"""`status` and `reindex`: what the store holds, how it stands, and bringing the index in step."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from anamnesis.cli.opening import open_store, open_to_ask
from anamnesis.cli.parser import add_json
from anamnesis.cli.terminal import on_terminal, one_line, pretty, progress, say, say_json, tell
from anamnesis.config import resolve_claude_dir, resolve_machine_id, resolve_remote
from anamnesis.counted import counted
from anamnesis.errors import ModelError, SemanticError
from anamnesis.overview import overview
from anamnesis.sync.results import NOT_INITIALIZED, SyncState

_SHAPE = (
    "{root, db_path, total, by_type, by_project, by_scope, sync: {initialized, remote, head, dirty, detail},"
    " ahead, behind, unpushed_since, uncommitted_since, failure, last_sync, held: [id],"
    " held_names: [title and id], waiting: [{path, line, kind, id}],"
    " left_out: [{path, reason}],"
    " problems: [{path, reason}], last_capture, last_inject, uncaptured, usage,"
    " semantic: {name, url, notes, pending, problem} or null}"
)
_MOST_PROJECTS = 6

TYPE_CHECKING = False  # `status` needs no store where the index is in step
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore

Report = Mapping[str, object]


def add_status(parser: argparse.ArgumentParser) -> None:
    """Arguments of `status`."""
    add_json(parser, _SHAPE)
    parser.epilog = "Example:\n  anamnesis status --json"


def cmd_status(args: argparse.Namespace) -> int:
    """Print the state of the store; 1 while a note is held, or waits with a credential."""
    with open_to_ask() as store:
        report = overview(store, _sync_state(store.memory_dir), claude_dir=resolve_claude_dir())
    if args.json:
        say_json(report)
    elif on_terminal():
        pretty().pairs(list(_facts(report)))
    else:
        for name, value in _facts(report):
            say(f"{name:<12}{one_line(value)}")
    return 1 if report["held"] or report["waiting"] else 0


def _sync_state(memory_dir: Path) -> SyncState:
    remote = resolve_remote()
    if remote is None and not (memory_dir / ".git").exists():
        return SyncState(detail=NOT_INITIALIZED)  # nothing there that would be worth loading git for
    from anamnesis.sync.state import state_of

    return state_of(memory_dir, remote=remote, machine_id=resolve_machine_id())


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "store", str(report["root"])
    yield "notes", f"{report['total']}  {_counts(report['by_type'])}"
    yield "projects", _counts(report["by_project"]) or "none"
    yield "scope", _counts(report["by_scope"]) or "none"
    yield from _sync_facts(report)
    for row in _rows(report["waiting"]):
        remedy = f"take it out, or let this version go with `anamnesis sync --allow-secret {row['id']}`"
        yield "waiting", f"{row['path']} line {row['line']}: {row['kind']}; {remedy}"
    for name, key in (("left out", "left_out"), ("unreadable", "problems")):
        for row in _rows(report[key]):
            yield name, f"{row['path']}: {row['reason']}"
    yield "capture", f"last {report['last_capture']}" if report["last_capture"] else "never yet"
    yield "inject", f"last {report['last_inject']}" if report["last_inject"] else "never yet"
    if report["uncaptured"]:
        yield (
            "warning",
            f"ended sessions without a note: {report['uncaptured']}; do the hooks run? `anamnesis doctor`",
        )
    yield "model", _usage(report["usage"])
    yield "meaning", _meaning(report["semantic"])


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
    else:
        yield "sync", str(sync["detail"])
    if report["ahead"]:
        since = f" since {report['unpushed_since']}" if report["unpushed_since"] else ""
        yield "unpushed", f"{counted(_number(report['ahead']), 'commit')} not pushed{since}"
    yield "remote", str(sync["remote"] or "none; `anamnesis config set remote URL` adds one")
    if report["last_sync"]:
        yield "last sync", str(report["last_sync"])


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
    return (
        f"{counted(_number(total['calls']), 'call')} ({total['failures']} failed),"
        f" {total['characters_sent']:,} characters sent, {total['characters_received']:,} received,"
        f" {total['seconds']:g} s since {usage['since']}"
    )


def _meaning(found: object) -> str:
    if not isinstance(found, Mapping):
        return "not installed; searches go by words"
    notes, pending = _number(found["notes"]), _number(found["pending"])
    done = f"{found['name']}, vectors of {notes - pending} of {counted(notes, 'note')}"
    return f"{done}; searches go by words alone: {found['problem']}" if found["problem"] else done


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, Sequence) else []


def _rows(value: object) -> list[Report]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, Sequence) else []


def _make_vectors(store: MemoryStore) -> None:
    """Make the vectors that are missing, where a model is installed."""
    from anamnesis.meaning import give_meaning, is_installed

    if not is_installed(store.root):
        return
    try:
        with progress("making vectors") as bar:
            give_meaning(store, progress=bar)
    except (SemanticError, ModelError, ImportError) as exc:
        tell(f"no vectors were made: {exc}; `anamnesis semantic status` says more")


def add_reindex(parser: argparse.ArgumentParser) -> None:
    """Arguments of `reindex`."""
    parser.add_argument(
        "--full", action="store_true", help="make the index anew instead of looking for changes"
    )
    add_json(parser, "{indexed, problems: [{path, reason}]}")
    parser.epilog = "Example:\n  anamnesis reindex --full"


def cmd_reindex(args: argparse.Namespace) -> int:
    """Bring the index in step with the files and name those that are no notes."""
    with open_store() as store, progress("indexing") as advance:
        indexed = store.reindex(full=args.full, progress=advance)
        problems = store.problems()
        _make_vectors(store)
    if args.json:
        say_json(
            {
                "indexed": indexed,
                "problems": [{"path": each.path, "reason": each.reason} for each in problems],
            }
        )
        return 0
    say(f"indexed {counted(indexed, 'note')}")
    for problem in problems:
        tell(f"unreadable: {problem.path}: {problem.reason}")
    return 0
