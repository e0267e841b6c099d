"""Write docs/dependencies.md: every package that we depend on directly, with its licence.

python server/tools/list_dependencies.py        needs the package and its extras installed
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
_OWN = "anamnesis-memory"
_EXTRAS = ("", "mcp", "dashboard", "semantic", "completion")
_HEAD = """\
# Dependencies

<!-- Written by `server/tools/list_dependencies.py` from installed metadata. -->

What we name ourselves; `pip list` and `npm ls --omit=dev` show what these bring along. How they are audited:
[security](security.md#dependencies).
"""


def main() -> int:
    """Write the page."""
    rows = [f"| {name} | {licence} | {extra} |\n" for name, licence, extra in python_rows()]
    page = [_HEAD, "\n## Python\n\n| package | licence | needed by |\n|---|---|---|\n", *rows]
    page += ["\n## In the dashboard's page\n\n| package | licence |\n|---|---|\n"]
    page += [f"| {name} | {licence} |\n" for name, licence in node_rows(ROOT / "dashboard")]
    (ROOT / "docs" / "dependencies.md").write_text("".join(page), encoding="utf-8")
    return 0


def python_rows() -> Iterator[tuple[str, str, str]]:
    """Name, licence and the extra that needs it, for every package that we name ourselves."""
    for requirement in map(Requirement, distribution(_OWN).requires or []):
        for extra in _EXTRAS:
            if requirement.marker.evaluate({"extra": extra}) if requirement.marker else not extra:
                yield (
                    requirement.name,
                    licence_of(distribution(requirement.name)),
                    f"`{extra}`" if extra else "always",
                )


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
    """Name and licence of the packages that the dashboard's pages name."""
    packages = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name in sorted(packages[""]["dependencies"]):
        yield name, packages[f"node_modules/{name}"].get("license", "not stated")


if __name__ == "__main__":
    sys.exit(main())
