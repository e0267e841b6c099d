"""The tools' arguments: shared types, short schemas, clear messages for invalid arguments and empty answers.

A message says which argument it is, what is wrong with it, and what it accepts. A schema says everything
once: an argument that is not required may be left out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal

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
_NOTHING_FOUND = "no note matches; try other words or fewer, or leave filters out"

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


class PlainTools(Middleware):
    """Short schemas; plain words for what is wrong with a call, or that nothing was found."""

    async def on_list_tools(
        self,
        context: MiddlewareContext[ListToolsRequest],
        call_next: CallNext[ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """The tools, with schemas that accept the same arguments and cost fewer tokens."""
        tools = await call_next(context)
        return [tool.model_copy(update={"parameters": _short_schema(tool.parameters)}) for tool in tools]

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool; a model cannot tell an empty answer from a failure, so that gets a sentence."""
        try:
            result = await call_next(context)
        except ValidationError as exc:
            cause = exc.__cause__
            if not isinstance(cause, pydantic.ValidationError):
                raise
            raise ToolError(for_model("; ".join(map(_sentence, cause.errors())))) from exc
        if not result.content:
            result.content = [TextContent(type="text", text=_NOTHING_FOUND)]
        return result


def _short_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A tool's schema without "or null", null defaults, and `additionalProperties` (still enforced)."""
    kept = {key: value for key, value in schema.items() if key != "additionalProperties"}
    fields = {name: _short_field(field) for name, field in schema["properties"].items()}
    return {**kept, "properties": fields}


def _short_field(field: dict[str, Any]) -> dict[str, Any]:
    ways = [way for way in field.get("anyOf", ()) if way != {"type": "null"}]
    if not ways:
        return field
    return {**ways[0], **{key: value for key, value in field.items() if key not in ("anyOf", "default")}}


def _sentence(error: Any) -> str:
    name = ".".join(map(str, error["loc"]))[:60]
    return f"{name}: {error['msg'][:1].lower()}{error['msg'][1:]}"
