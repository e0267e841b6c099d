"""The mutants of a Python source: every small change that a test should notice. Pure.

A mutant replaces one piece of the source, so its diff reads like a manual edit. Annotations,
docstrings, strings and `strict` of `zip` are left alone: changing them breaks no promise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_OPPOSITES: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_SIGNS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
_LARGE = 1000  # a limit: one more or less makes no difference
_Placed = ast.expr | ast.stmt | ast.keyword
_SWAPPED = {"and": "or", "or": "and"}


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes `start` to `end` of a source become `text`."""

    module: str
    line: int
    function: str
    start: int
    end: int
    text: bytes

    def apply(self, source: bytes) -> bytes:
        """The source with this change."""
        return source[: self.start] + self.text + source[self.end :]

    def diff(self, source: bytes) -> str:
        """The changed lines before and after."""
        top = source.rfind(b"\n", 0, self.start) + 1
        changed = self.apply(source)
        before = source[top : _line_end(source, self.end)]
        after = changed[top : _line_end(changed, self.start + len(self.text))]
        return "".join(
            f"    {sign} {line.strip()}\n"
            for sign, text in (("-", before), ("+", after))
            for line in text.decode().splitlines()
        )


def mutants_of(module: str, source: bytes) -> list[Mutant]:
    """Every mutant of a source, from top to bottom; the module is used only as a name."""
    found = _Finder(module, source).found(ast.parse(source))
    return sorted(set(found), key=lambda mutant: (mutant.start, mutant.end, mutant.text))


def places_of(source: bytes) -> dict[int, str]:
    """Each line inside a function as the function's name and the distance from its first line.

    A place stays the same when code is changed elsewhere in the module.
    """
    found: dict[int, str] = {}
    _add_places(ast.parse(source), (), found)
    return found


def _add_places(node: ast.AST, names: tuple[str, ...], found: dict[int, str]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inside = (*names, child.name)
            if isinstance(child, ast.FunctionDef):
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    found[line] = f"{'.'.join(inside)}+{line - child.lineno}"
            _add_places(child, inside, found)
        else:
            _add_places(child, names, found)


def _line_end(source: bytes, at: int) -> int:
    end = source.find(b"\n", at)
    return len(source) if end < 0 else end


class _Finder:
    """Walks a syntax tree and proposes changes by their place in the source."""

    def __init__(self, module: str, source: bytes) -> None:
        self.module, self.source = module, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def found(self, node: ast.AST, names: tuple[str, ...] = ()) -> Iterator[Mutant]:
        """The mutants of a node and of everything inside it."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = (*names, node.name)
        for start, end, text in self._changes(node):
            line = self.source.count(b"\n", 0, start) + 1
            yield Mutant(self.module, line, ".".join(names), start, end, text.encode())
        for child in _children(node):
            yield from self.found(child, names)

    def _changes(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        yield from self._of_operators(node)
        yield from self._of_values(node)
        yield from self._of_conditions(node)
        yield from self._of_statements(node)

    def _of_operators(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            for at, operator in enumerate(node.ops):
                yield from self._between(parts[at], parts[at + 1], None, _OPPOSITES[type(operator)])
        elif isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            for left, right in pairwise(node.values):
                yield from self._between(left, right, word, _SWAPPED[word])
        elif isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
            yield from self._between(node.left, node.right, *_SIGNS[type(node.op)])

    def _of_values(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield (*self._span(node), str(not node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield (*self._span(node), str(node.value + 1 if node.value < _LARGE else 0))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield (*self._span(node), self._text(node.operand))
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield (*self._span(node.value), "None")
        elif isinstance(node, ast.Call) and len(node.args) + len(node.keywords) > 1:
            yield from self._without_keywords(node)

    def _of_conditions(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        for test in _conditions(node):
            if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield (*self._span(test), f"(not ({self._text(test)}))")

    def _of_statements(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        if isinstance(node, ast.ExceptHandler):
            if not isinstance(node.body[-1], ast.Raise):
                yield self._span(node.body[0])[0], self._span(node.body[-1])[1], "raise"
        elif isinstance(node, ast.stmt) and _may_go(node):
            yield (*self._span(node), "pass")

    def _without_keywords(self, call: ast.Call) -> Iterator[tuple[int, int, str]]:
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        for before, argument in pairwise(sorted(arguments, key=lambda one: self._span(one))):
            if isinstance(argument, ast.keyword) and argument.arg not in (None, "strict"):
                yield self._span(before)[1], self._span(argument)[1], ""

    def _between(
        self, left: ast.expr, right: ast.expr, old: str | None, new: str
    ) -> Iterator[tuple[int, int, str]]:
        """The change of the operator between two operands, unless a bracket or comment is in the way."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = self.source[start:end].decode()
        if old is not None and gap.count(old) == 1:
            yield start, end, gap.replace(old, new)
        elif old is None and not set(gap) & set("()#"):
            yield start, end, f" {new} "

    def _span(self, node: _Placed) -> tuple[int, int]:
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self.source[start:end].decode()


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
            continue
        if (
            isinstance(node, ast.keyword) and node.arg == "strict"
        ):  # `strict` of `zip`: a check that never fails
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _conditions(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return [node.test]
    return node.ifs if isinstance(node, ast.comprehension) else []


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _may_go(node: ast.stmt) -> bool:
    """Whether the code still runs without a statement."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Delete)
