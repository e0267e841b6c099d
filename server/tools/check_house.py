"""The size ratchet and the house rules that no linter checks: fails when a measure gets worse.

python server/tools/check_house.py
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "server" / "src" / "anamnesis"
PYTHON_LINES, TYPESCRIPT_LINES, FUNCTION_LINES = 600, 200, 60
BROAD_EXCEPTS = 1  # the boundary of the hooks
TYPE_IGNORES = 4
FUNCTION_MEDIAN, FUNCTION_P90 = 9, 30
# The size of the house as of the last landing: it may only fall. Lower these when it has.
CEILINGS = {
    "lines of source": 25_310,
    "statements of source": 16_235,
    "files of source": 124,
    "numbers assigned at module level": 199,
    "bytes of data files": 60_000,
    "lines of tests": 24_340,
    "words of documentation": 19_850,
    "lines of TypeScript": 6_865,
}
DATA = {".tsv", ".txt", ".json", ".csv", ".toml"}

# Allowed lazy imports as (importing module, imported module), each with its reason.
LAZY = {
    ("index/rows", "hashlib"),  # loads OpenSSL, a tenth of what a hook costs; only a changed file needs it
    ("notes/record", "hashlib"),  # the same; only a new note needs it
    ("operations/reading", "anamnesis"),  # git, models and their costs, if there is something to report
    ("project", "difflib"),  # suggestions, needed only for an unknown key
    ("files", "concurrent"),  # a hook that a person waits for writes single files
    ("files", "ctypes"),  # `os` has no syncfs; only very many files need it
    ("notes/frontmatter", "anamnesis"),  # PyYAML, for front matter that our own writer did not produce
    ("project", "anamnesis"),  # git, if the files do not show the remote
    ("settings", "anamnesis"),  # git, to validate a remote that is being set
    ("store", "anamnesis"),  # numpy and the model, if one is installed
    ("capture", "anamnesis"),  # the merge of lines, for a note that a person edited
    ("operations/sessions", "anamnesis"),  # sync and inject, which only the start of a session needs
    ("sync/backend", "anamnesis"),  # merging, history and the remote, which `status` does without
    ("redact", "anamnesis"),  # the tables of rules, if there is a text to search
    ("native", "anamnesis"),  # the transcript readers, for a new folder
    ("notes/vocabulary", "anamnesis"),  # the parser, for front matter in its usual form
}
# The modules that may import subprocess: git has its own rules, `programs` starts everything else.
STARTERS = ("git/__init__", "programs")
LAZY_PACKAGES = ("cli", "session")  # commands load what they run; session loads a model client if one is set


def main() -> int:
    """Print every violation; return 0 if there is none."""
    faults = [*_too_long(), *_python_rules(), *_grown()]
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"house: {len(faults)} faults\n")
    return 1 if faults else 0


def _too_long() -> Iterator[str]:
    for path in _tracked("server", ".py"):
        yield from _over(path, PYTHON_LINES)
    for suffix in (".ts", ".tsx"):
        for path in _tracked("dashboard", suffix):
            yield from _over(path, TYPESCRIPT_LINES)


def _over(path: Path, limit: int) -> Iterator[str]:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > limit:
        yield f"{path.relative_to(ROOT)}: {lines} lines, the limit is {limit}"


def _tracked(folder: str, suffix: str) -> Iterator[Path]:
    skipped = {"node_modules", ".next", "out", ".venv", "static", "build"}
    for path in sorted((ROOT / folder).rglob(f"*{suffix}")):
        if not skipped & set(path.parts) and not path.name.endswith(".d.ts"):
            yield path


def _grown() -> Iterator[str]:
    for what, size in _sizes().items():
        if size > CEILINGS[what]:
            yield f"{what}: {size}, the ceiling is {CEILINGS[what]}; take something away"


def _sizes() -> dict[str, int]:
    trees = [ast.parse(path.read_bytes()) for path in SOURCE.rglob("*.py")]
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    data = [path for path in SOURCE.rglob("*") if path.suffix in DATA and "static" not in path.parts]
    script = [
        path
        for suffix in (".ts", ".tsx")
        for path in _tracked("dashboard", suffix)
        if "e2e" not in path.parts and ".test." not in path.name
    ]
    return {
        "lines of source": _lines(SOURCE.rglob("*.py")),
        "statements of source": sum(isinstance(node, ast.stmt) for tree in trees for node in ast.walk(tree)),
        "files of source": len(trees),
        "numbers assigned at module level": sum(
            _assigns_number(node) for tree in trees for node in tree.body
        ),
        "bytes of data files": sum(path.stat().st_size for path in data),
        "lines of tests": _lines((ROOT / "server" / "tests").rglob("*.py")),
        "words of documentation": sum(len(page.read_text(encoding="utf-8").split()) for page in pages),
        "lines of TypeScript": _lines(script),
    }


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def _assigns_number(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    return any(
        isinstance(inner, ast.Constant) and type(inner.value) in (int, float)
        for inner in ast.walk(node.value)
    )


def _python_rules() -> Iterator[str]:
    lengths: list[int] = []
    broad = ignores = 0
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        ignores += text.count("# type: ignore")
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(text)):
            if "subprocess" in _imported(node) and name.removesuffix(".py") not in STARTERS:
                yield f"{name} imports subprocess; use `programs.py`, or `git/` for git"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append((node.end_lineno or node.lineno) - node.lineno + 1)
                yield from _function_faults(name, node)
            elif isinstance(node, ast.ExceptHandler):
                broad += _is_broad(node)
    if broad > BROAD_EXCEPTS:
        yield f"{broad} broad excepts, the limit is {BROAD_EXCEPTS}"
    if ignores > TYPE_IGNORES:
        yield f"{ignores} type ignores, the limit is {TYPE_IGNORES}"
    yield from _medians(lengths)


def _medians(lengths: list[int]) -> Iterator[str]:
    p90 = sorted(lengths)[int(len(lengths) * 0.9)]
    for what, value, limit in (
        ("median lines of a function", statistics.median(lengths), FUNCTION_MEDIAN),
        ("lines of the longest tenth of functions", p90, FUNCTION_P90),
    ):
        if value > limit:
            yield f"{what}: {value:g}, the limit is {limit}"


def _function_faults(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if lines > FUNCTION_LINES:
        yield f"{name}:{node.lineno} {node.name}: {lines} lines, the limit is {FUNCTION_LINES}"
    if not node.name.startswith("_") and not ast.get_docstring(node):
        body = node.body[0]
        stub = isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant) and body.value.value is ...
        if not stub:
            yield f"{name}:{node.lineno} {node.name}: a public function without a docstring"
    module = name.removesuffix(".py").removesuffix("/__init__")
    if module.split("/")[0] in LAZY_PACKAGES:
        return
    for inner in ast.walk(node):
        for target in _imported(inner):
            if (module, target.split(".")[0]) not in LAZY:
                yield f"{name}:{inner.lineno} lazy import of {target}"  # type: ignore[attr-defined]  # an import has a line


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""


def _is_broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or (
        isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
    )


if __name__ == "__main__":
    sys.exit(main())
