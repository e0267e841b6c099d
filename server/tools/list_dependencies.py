"""Write docs/dependencies.md: every package that an installation or the dashboard includes, with its licence.

python server/tools/list_dependencies.py        needs the package and its extras installed
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
_OWN = "anamnesis-memory"
_EXTRAS = ("", "mcp", "dashboard", "semantic", "completion")
_HEAD = """\
# Dependencies

<!-- Written by `server/tools/list_dependencies.py` from installed metadata. -->

How they are audited: [security](security.md#dependencies).
"""


def main() -> int:
    """Write the page."""
    rows = [f"| {name} | {licence} | {by} |\n" for name, licence, by in python_rows()]
    page = [_HEAD, "\n## Python\n\n| package | licence | needed by |\n|---|---|---|\n", *rows]
    page += ["\n## In the dashboard's page\n\n| package | licence |\n|---|---|\n"]
    page += [f"| {name} | {licence} |\n" for name, licence in node_rows(ROOT / "dashboard")]
    (ROOT / "docs" / "dependencies.md").write_text("".join(page), encoding="utf-8")
    return 0


def python_rows() -> list[tuple[str, str, str]]:
    """Name, licence and the extras that need it, for every package that may be installed."""
    needed: dict[str, list[str]] = {}
    for extra in _EXTRAS:
        for name in sorted(_closure(_OWN, extra, set()) - {_OWN}):
            needed.setdefault(name, []).append(f"`{extra}`" if extra else "always")
    return [(name, licence_of(distribution(name)), _by(needed[name])) for name in sorted(needed)]


def _by(extras: list[str]) -> str:
    return "always" if "always" in extras else ", ".join(extras)


def _closure(name: str, extra: str, seen: set[str]) -> set[str]:
    """The installed packages that `name[extra]` depends on, directly or not."""
    try:
        wanted = distribution(name).requires or []
    except PackageNotFoundError:
        return seen  # for another system or another Python
    seen.add(_key(name))
    for requirement in map(Requirement, wanted):
        holds = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        if holds and _key(requirement.name) not in seen:
            _closure(requirement.name, "", seen)
            for inner in requirement.extras:
                _closure(requirement.name, inner, seen)
    return seen


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(package: Distribution) -> str:
    """The licence in the metadata: an expression, a classifier, or the first line of the field."""
    found = package.metadata
    if "License-Expression" in found:
        return found["License-Expression"]
    classifiers = [text for text in found.get_all("Classifier") or [] if text.startswith("License ::")]
    if classifiers:
        return ", ".join(text.rpartition(" :: ")[2] for text in classifiers)
    return found["License"].strip().splitlines()[0] if "License" in found else "not stated"


def node_rows(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and licence of the packages in the dashboard's pages, without build tools."""
    packages = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    found = {
        place.rpartition("node_modules/")[2]: about.get("license", "not stated")
        for place, about in packages.items()
        if place and not about.get("dev") and not about.get("optional")
    }
    yield from sorted(found.items())


if __name__ == "__main__":
    sys.exit(main())
