"""The tools' arguments: shared types, short schemas, clear messages for invalid arguments and empty answers.

A message says which argument it is, what is wrong with it, and what it accepts. A schema says everything
once: an argument that is not required may be left out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal

import pydantic
from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool, ToolResult
from mcp.types import CallToolRequestParams, ListToolsRequest, TextContent, ToolAnnotations
from pydantic import Field
from pydantic.fields import FieldInfo

from anamnesis.errors import AnamnesisError
from anamnesis.notes.vocabulary import FILTERS
from anamnesis.server.answers import for_model

READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
MOST_ROWS = 1_000_000  # limit of `limit` and `offset`: more than any store has notes
_EXPECTED = {
    "int": "a whole number",
    "finite": "a finite number",
    "string": "text",
    "list": "a list",
    "bool": "true or false",
}

AnyType = Literal["procedural", "semantic", "episodic"]
AnyScope = Literal["portable", "machine-local"]


def _filter(name: str) -> FieldInfo:
    found: FieldInfo = Field(description=FILTERS[name][1])
    return found


# The arguments to filter by.
Project = Annotated[str | None, _filter("project")]
Type = Annotated[AnyType | None, _filter("type")]
Scope = Annotated[AnyScope | None, _filter("scope")]
Tags = Annotated[list[str] | None, _filter("tags")]
Since = Annotated[str | None, _filter("since")]
Machine = Annotated[str | None, _filter("machine")]


@contextmanager
def errors_for_model() -> Iterator[None]:
    """Turn a known error into a ToolError; FastMCP would wrap and log others."""
    try:
        yield
    except AnamnesisError as exc:
        raise ToolError(for_model(str(exc)), log_level=logging.INFO) from exc


class ShortSchemas(Middleware):
    """Lists the tools with shorter schemas, which accept the same arguments and cost fewer tokens."""

    async def on_list_tools(
        self,
        context: MiddlewareContext[ListToolsRequest],
        call_next: CallNext[ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """The tools, each with its short schema."""
        tools = await call_next(context)
        return [tool.model_copy(update={"parameters": short_schema(tool.parameters)}) for tool in tools]


def short_schema(schema: dict[str, object]) -> dict[str, object]:
    """A tool's schema without "or null", null defaults, and `additionalProperties` (still enforced)."""
    properties = schema.get("properties")
    fields = properties.items() if isinstance(properties, dict) else ()
    kept = {key: value for key, value in schema.items() if key != "additionalProperties"}
    return {**kept, "properties": {name: _short_field(field) for name, field in fields}}


def _short_field(field: dict[str, object]) -> dict[str, object]:
    ways = field.get("anyOf")
    if not isinstance(ways, list) or {"type": "null"} not in ways:
        return field
    (way,) = [each for each in ways if each != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key not in ("anyOf", "default")}
    return {**way, **rest}


class PlainErrors(Middleware):
    """Replaces validation errors with plain sentences."""

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
            raise ToolError(for_model("; ".join(_sentence(error) for error in cause.errors()))) from exc


_ADVICE = {
    "memory_search": "no note matches; try other words, or fewer",
    "memory_list": "no note matches; leave filters out, or see memory_status",
}


class EmptyAnswerText(Middleware):
    """Adds a sentence to an empty answer, because a model cannot tell it from a failure."""

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool; an empty answer gets a sentence, and stays an empty list for programs."""
        result = await call_next(context)
        if not result.content:
            text = _ADVICE.get(context.message.name, "nothing found")
            result.content = [TextContent(type="text", text=text)]
        return result


def _sentence(error: object) -> str:
    fields = error if isinstance(error, dict) else {}
    name = ".".join(str(part) for part in fields.get("loc", ()))[:60] or "the call"
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
    if kind.startswith("less_than"):
        return f"{name} is {value}; use at most {context.get('le', context.get('lt'))}"
    expected = _EXPECTED.get(kind.partition("_")[0])
    return f"{name} is {value!r}, which is not {expected}" if expected else f"{name}: {fields.get('msg')}"
