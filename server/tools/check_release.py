"""Check whether a tag may be released: version, changelog and tag must agree.

python server/tools/check_release.py vX.Y.Z
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(argv: list[str]) -> int:
    """Print what does not agree; return 0 if everything does."""
    tag = argv[0] if argv else ""
    package = (ROOT / "server/src/anamnesis/__init__.py").read_text(encoding="utf-8")
    faults = disagreements(tag, package, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return 1 if faults else 0


def disagreements(tag: str, package: str, changelog: str) -> list[str]:
    """The reasons not to release `tag`, given the source of the package and the changelog."""
    found = re.search(r'^__version__ = "(.+)"$', package, re.MULTILINE)
    version = found[1] if found else ""
    faults = []
    if tag != f"v{version}":
        faults.append(f"the tag is {tag or 'missing'}, the version {version or 'missing'}; tag it v{version}")
    heading = re.search(rf"^## {re.escape(version)} \((.+)\)$", changelog, re.MULTILINE)
    if heading is None:
        faults.append(f"CHANGELOG.md has no section {version}; add it")
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading[1]):
        faults.append(f"CHANGELOG.md calls {version} {heading[1]!r}; give it its date")
    return faults


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
