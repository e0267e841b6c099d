"""`fleet`, `news` and `purge`: a person's machines, and erasing something on all of them."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from anamnesis.cli.opening import open_backend, open_store, read_body
from anamnesis.cli.parser import add_flag, add_json, add_verb, moment
from anamnesis.cli.terminal import Output, confirmed, tell
from anamnesis.config import has_program, resolve_machine_id, resolve_remote
from anamnesis.errors import AnamnesisError, ConfigError, InvalidNote
from anamnesis.fleet import described as report_lines
from anamnesis.fleet.purge_preview import Credential, Survey, described, find_credentials, known_notes, survey
from anamnesis.notes.vocabulary import local_time, utcnow
from anamnesis.operations.exchange import forget_machine, known_machines
from anamnesis.operations.reading import only_id
from anamnesis.purge import Purge, new_purge
from anamnesis.session.receipts import read_items
from anamnesis.store import MemoryStore
from anamnesis.sync import HoldingBackend

_AT_HOST = "what the host keeps until its own clean-up (`git gc --prune=now` there), "
_REACH = (
    "Not reached: {host}backups, exports, clones without Anamnesis, the client's transcripts."
    " Change a leaked password in any case."
)


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Arguments of `fleet`."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    forgetting = add_verb(
        verbs, "forget", "remove a machine from the list; a later sync of its own adds it again"
    )
    forgetting.add_argument("name", metavar="NAME", help="the machine's name, as `fleet` shows it")
    add_json(
        parser,
        "{machines: [{name, here, heard, tree, behind, version, ...}], agree, tree, as_of}",
    )
    parser.epilog = "Example:\n  anamnesis fleet\n  anamnesis fleet forget old-laptop"


def cmd_fleet(args: argparse.Namespace) -> int:
    """Print which machines agree, which are behind, and what each last reported."""
    with open_store() as store:
        backend = open_backend(store)
        if args.verb == "forget":
            forget_machine(store, backend, args.name)
            said = "is removed everywhere after the next sync; a later sync of its own adds it again"
            args.out.result({"forgotten": args.name}, f"{args.name} {said}")
            return 0
        fleet = known_machines(backend)
    args.out.result(fleet.as_dict(), report_lines(fleet))
    return 0


def add_news(parser: argparse.ArgumentParser) -> None:
    """Arguments of `news`."""
    parser.add_argument(
        "--since",
        type=moment,
        metavar="DATE",
        help="only what came since then (default: all that is recorded)",
    )
    add_json(parser, "[{id, title, project, type, kind, machine, at, seen}]")
    parser.epilog = "Example:\n  anamnesis news --since 2026-01-31"


def cmd_news(args: argparse.Namespace) -> int:
    """List what other machines wrote, edited and deleted, the latest first."""
    with open_store() as store:
        known = reversed(read_items(str(store.root), deleted=True))
        items = [item for item in known if item["seen"] >= (args.since or "")]
    out: Output = args.out
    out.result(items, map(_news_line, items))
    if not items:
        when = f"since {local_time(args.since)}" if args.since else "since this one joined them"
        out.hint(f"nothing came from other machines {when}")
    return 0


def _news_line(item: dict[str, str]) -> str:
    what = f"{item['kind']} {item['id']} {item['title']!r} ({item['project']})"
    return f"{local_time(item['at'])}  {item['machine']} {what}"


def add_purge(parser: argparse.ArgumentParser) -> None:
    """Arguments of `purge`."""
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="notes to remove with all their versions, deleted ones too: ids, or quoted titles",
    )
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="T",
        help="remove this text from every version of every note; `-` reads it from standard input",
    )
    add_flag(parser, "--secrets", help="remove every credential that was not allowed from all versions")
    add_flag(parser, "--yes", help="do not ask")
    add_json(parser, "{purge, ids, removed, changed, versions, left, detail, reached}")
    parser.epilog = "Example:\n  anamnesis purge --text 'hunter2-hunter2'"


def cmd_purge(args: argparse.Namespace) -> int:
    """Erase notes and texts from every version, here, at the remote, and on the other machines."""
    with open_store() as store:
        if not has_program("git"):
            raise ConfigError("purge rewrites every version, which needs git; install git 2.30 or newer")
        backend = open_backend(store)
        _sync_first(backend)
        credentials = find_credentials(store.root, backend.history()) if args.secrets else []
        if args.secrets and not (credentials or args.ids or args.text):
            return _say_nothing_found(args)
        purge = _purge_record(args, store, backend, credentials)
        plan = survey(store.root, backend.history(), purge)
        if plan.is_empty:
            tell("no version on this machine contains it; the other machines search for it when they sync")
        else:
            _show(plan, credentials, has_remote=resolve_remote() is not None)
        if not args.yes and not confirmed("purge?"):
            tell("nothing was purged; --yes purges without asking")
            return 1
        backend.purge(purge)
        return _push_and_report(args, store, backend, purge, asdict(plan))


def _show(plan: Survey, credentials: list[Credential], *, has_remote: bool) -> None:
    tell("this removes for good:")
    for line in described(plan, credentials, has_remote=has_remote):
        tell(line)
    tell(_REACH.format(host=_AT_HOST if has_remote else ""))


def _say_nothing_found(args: argparse.Namespace) -> int:
    said = "nothing found: no version of any note contains a credential that was not allowed"
    nothing = {"purge": "", "ids": [], **asdict(Survey((), (), 0))}
    args.out.result({**nothing, "left": 0, "detail": said, "reached": False}, said)
    return 0


def _sync_first(backend: HoldingBackend) -> None:
    try:
        backend.sync()
    except AnamnesisError as exc:
        tell(f"anamnesis: sync: {exc}; what is on this machine is purged first")


def _purge_record(
    args: argparse.Namespace, store: MemoryStore, backend: HoldingBackend, credentials: list[Credential]
) -> Purge:
    # Standard input keeps a text out of the shell's history.
    texts = [read_body(None).strip() if text == "-" else text for text in args.text]
    texts += [credential.text for credential in credentials]
    if not (args.ids or texts):
        raise InvalidNote("there is nothing to purge; name notes, or --text")
    known = list(known_notes(store.root, backend.history()).items()) if args.ids else []
    ids = [only_id(text, known) for text in args.ids]
    return new_purge(ids=ids, texts=texts, machine=resolve_machine_id(), at=utcnow())


def _push_and_report(
    args: argparse.Namespace,
    store: MemoryStore,
    backend: HoldingBackend,
    purge: Purge,
    plan: dict[str, object],
) -> int:
    """Send the purge to the remote, check that nothing is left here, and print the result."""
    reached, detail = False, ""
    try:
        result = backend.sync()
        reached, detail = result.reached, result.detail
    except AnamnesisError as exc:
        detail = str(exc)
    store.reindex()
    left = backend.count_left(purge)
    done = "purged" if plan["removed"] or plan["changed"] or plan["versions"] else "recorded as purged"
    there = (
        " and at the remote; other machines follow when they sync" if reached else f" only; sync: {detail}"
    )
    if not reached and resolve_remote() is None:
        there = "; there is no remote"
    answer = {"purge": purge.name, "ids": list(purge.ids), **plan, "left": left}
    args.out.result(
        {**answer, "detail": detail, "reached": reached},
        f"{left} objects still hold it; do other clones share them?" if left else f"{done} here{there}",
    )
    return 1 if left else 0
