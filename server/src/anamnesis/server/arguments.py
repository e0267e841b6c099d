"""Wrong arguments, reported in plain words: which one, what is wrong, what it accepts."""

from __future__ import annotations

import pydantic
from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import ToolResult
from mcp.types import CallToolRequestParams

_EXPECTED = {
    "int": "a whole number",
    "string": "text",
    "list": "a list",
    "bool": "true or false",
}


class PlainErrors(Middleware):
    """Rewrites validation errors in plain words."""

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool; each invalid argument becomes one sentence."""
        try:
            return await call_next(context)
        except ValidationError as exc:
            cause = exc.__cause__
            if not isinstance(cause, pydantic.ValidationError):
                raise
            raise ToolError("; ".join(_sentence(error) for error in cause.errors())) from exc


def _sentence(error: object) -> str:
    fields = error if isinstance(error, dict) else {}
    name = ".".join(str(part) for part in fields.get("loc", ())) or "the call"
    kind, value = str(fields.get("type", "")), str(fields.get("input"))[:60]
    if kind.startswith("missing"):
        return f"{name} is missing"
    if kind.startswith("unexpected"):
        return f"there is no argument {name!r}"
    context = fields.get("ctx") or {}
    if kind == "literal_error":
        return f"{name} is {value!r}; use {context.get('expected')}"
    if kind.startswith("greater_than"):
        return f"{name} is {value}; use at least {context.get('ge', context.get('gt'))}"
    expected = _EXPECTED.get(kind.partition("_")[0])
    return f"{name} is {value!r}, which is not {expected}" if expected else f"{name}: {fields.get('msg')}"
