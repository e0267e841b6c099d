"""The MCP server: five tools, two resources and two prompts over the operations, and nothing else.

    answers     instructions and notes as text for a model, within its limits
    arguments   short schemas, and clear messages for invalid arguments and empty answers

A model reads the texts here, so they are product text: what a tool is for, when to use it, what a good note
is. `machine_id` is bound when the server is built and is not a parameter of any tool.
"""

# No postponed annotations here: FastMCP treats a prompt's parameter as text only if its annotation is `str`
# itself; otherwise it tells the user to encode the value as JSON.

import logging
import os
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError
from mcp.types import ToolAnnotations
from pydantic import Field

from anamnesis import __version__
from anamnesis.config import resolve_home, resolve_machine_id, resolve_remote
from anamnesis.errors import NoteNotFound
from anamnesis.layout import MEMORY
from anamnesis.notes.record import note_dict
from anamnesis.operations.notes import NewNote, similar_notes, write_note
from anamnesis.operations.notes import write_memory as write_memory
from anamnesis.operations.reading import id_in, keys_here, notes_by_id, page_of, search_notes, wanted_notes
from anamnesis.operations.reading import list_memories as list_memories
from anamnesis.operations.reading import search_memories as search_memories
from anamnesis.operations.reading import status_report as status_report
from anamnesis.operations.versions import sync_memory as sync_memory
from anamnesis.project import Place, keys_of, place_of
from anamnesis.purge import without_purged
from anamnesis.redact import redact
from anamnesis.server.answers import for_model, harmless, instructions_for, passages, shown_notes
from anamnesis.server.arguments import (
    MOST_ROWS,
    READ_ONLY,
    AnyScope,
    AnyType,
    Machine,
    PlainTools,
    Project,
    Scope,
    Since,
    Tags,
    Type,
    errors_for_model,
)
from anamnesis.session.receipts import add_entry, last_in
from anamnesis.store import MemoryStore
from anamnesis.sync import SyncBackend, backend_for
from anamnesis.text import defang_line, defang_tags

_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False)
_REACHES_OUT = ToolAnnotations(read_only_hint=False, open_world_hint=True)
# Without this, the client shows the model only the tool's name, and it never uses memory.
_ALWAYS_LOAD = {"anthropic/alwaysLoad": True}

# The specification's names for the JSON form of a note, and for what marks a tool that only reads.
_memory_dict = note_dict
_READ_ONLY = READ_ONLY


def build_server(store: MemoryStore, *, machine_id: str | None = None) -> FastMCP:
    """The server for `store`, with this machine's name, remote and folder."""
    mid = machine_id or resolve_machine_id()
    backend = backend_for(store.memory_dir, remote=resolve_remote(), machine_id=mid)
    here = place_of(".", home=str(store.root))
    mcp: FastMCP = FastMCP(name="anamnesis", version=__version__, instructions=instructions_for(here.default))
    mcp.add_middleware(PlainTools())
    _add_search(mcp, store, here)
    _add_queries(mcp, store, backend, here)
    _add_write(mcp, store, mid, here)
    _add_resources(mcp, store)
    _add_prompts(mcp)
    return mcp


def main() -> None:
    """Serve the user's store over stdin and stdout."""
    with MemoryStore(resolve_home()) as store:
        build_server(store).run(transport="stdio", show_banner=False, log_level="ERROR")


def _add_search(mcp: FastMCP, store: MemoryStore, here: Place) -> None:
    @mcp.tool(annotations=READ_ONLY, meta=_ALWAYS_LOAD)
    def memory_search(
        query: Annotated[
            str, Field(description="Keywords, a name, a path, an error message, or a note's id.")
        ] = "",
        project: Project = None,
        type: Type = None,
        scope: Scope = None,
        k: Annotated[int, Field(description="Notes at most, up to 1000.", ge=1)] = 8,
        limit: Annotated[int | None, Field(description="The same as `k`.", ge=1)] = None,
        tags: Tags = None,
        since: Since = None,
        ids: Annotated[
            list[str] | None, Field(description="These notes whole, by the start of their ids.")
        ] = None,
        bodies: Annotated[bool, Field(description="false: titles, snippets and ids only.")] = True,
        explain: Annotated[bool, Field(description="Add score, terms and a snippet.")] = False,
        max_chars: Annotated[
            int | None, Field(description="Length of the answer; asks for whole bodies.", ge=1000)
        ] = None,
    ) -> list[dict[str, object]]:
        """Search the user's long-term memory; best match first.

        The best notes are whole, long later ones show the place that matched: `body_cut` counts what is
        missing, `ids` gets it. Notes of this project are preferred; `elsewhere` marks others. Nothing found?
        Try other words, or fewer. `more` counts the notes left out.
        """
        own = here.key if here.is_known else None
        with errors_for_model():
            if (named := ids or id_in(store, query)) or not query.strip():
                found, whole = notes_by_id(store, named), True
            else:
                whole = max_chars is not None
                given = {"project": project, "type": type, "scope": scope, "tags": tags, "since": since}
                found = search_notes(
                    store,
                    query,
                    wanted_notes(store, given, here=here.key, prefer_project=keys_of(own) if own else None),
                    k=k if limit is None else limit,
                    explain=explain or not bodies or not whole,
                    provenance=True,
                )
        if own and not project:
            near = keys_here(own)
            found = [note if note["project"] in near else {**note, "elsewhere": True} for note in found]
        if not whole and bodies:
            found = passages(found, explain=explain)
        answer = shown_notes(found, bodies=bodies, limit=max_chars)
        _leave_receipt(store, "searched", [[note["id"], note["updated_at"]] for note in answer], query)
        return answer


def _add_queries(mcp: FastMCP, store: MemoryStore, backend: SyncBackend, here: Place) -> None:
    @mcp.tool(annotations=READ_ONLY)
    def memory_list(
        project: Project = None,
        type: Type = None,
        scope: Scope = None,
        limit: Annotated[int, Field(description="Rows at most.", ge=1, le=MOST_ROWS)] = 50,
        offset: Annotated[int, Field(description="Rows to skip.", ge=0, le=MOST_ROWS)] = 0,
        since: Since = None,
        machine: Machine = None,
        tags: Tags = None,
    ) -> list[dict[str, object]]:
        """List notes newest first, without bodies, for an overview.

        `more` on the last row counts the rows that follow it: ask again with `offset`.
        """
        with errors_for_model():
            given = {"project": project, "type": type, "scope": scope, "tags": tags, "since": since}
            wanted = wanted_notes(store, {**given, "machine": machine}, here=here.key)
            found, total = page_of(store, wanted, limit=limit, offset=offset)
        return shown_notes(found, bodies=False, more=max(0, total - offset - len(found)))

    @mcp.tool(annotations=READ_ONLY)
    def memory_status() -> dict[str, object]:
        """Count the notes; say where they are kept and whether they are in sync."""
        with errors_for_model():
            return harmless([status_report(store, backend)])[0]

    @mcp.tool(annotations=_REACHES_OUT)
    def memory_sync(force: Annotated[bool, Field(description="No effect.")] = False) -> dict[str, object]:
        """Exchange notes with the user's other machines now, when the user asks for it.

        With `conflicted` true or with `waiting`, tell the user what `detail` says.
        """
        with errors_for_model():
            return harmless([sync_memory(store, backend)])[0]


def _add_write(mcp: FastMCP, store: MemoryStore, machine_id: str, here: Place) -> None:
    @mcp.tool(annotations=_WRITES, meta=_ALWAYS_LOAD)
    def memory_write(
        type: Annotated[
            AnyType,
            Field(
                description="procedural: a how-to, decision or fix; semantic: a fact, preference or "
                "convention; episodic: what happened."
            ),
        ],
        title: Annotated[str, Field(description="One line: what it is about.")],
        body: Annotated[str, Field(description="Markdown: the fact, its reason, how to apply it.")],
        project: Annotated[
            str | None, Field(description="A project's key, or global; default: this project.")
        ] = None,
        tags: Annotated[list[str] | None, Field(description="A few words to filter by.")] = None,
        scope: Annotated[
            AnyScope, Field(description="portable: all machines of the user; machine-local: only this one.")
        ] = "portable",
        supersedes: Annotated[
            str | None, Field(description="Ids of the notes this one replaces, separated by spaces.")
        ] = None,
    ) -> dict[str, object]:
        """Store one durable note in the user's long-term memory.

        Search first: to correct an existing note give its id as `supersedes`. `similar` in the answer lists
        notes that may say the same. A note that holds a credential is refused.
        """
        with errors_for_model():
            new = NewNote(title, body, type, "", tags or (), machine_id, scope, supersedes or "", "claude")
            note, is_new = write_note(store, new, here, project)
            close = similar_notes(store, note)
        _leave_receipt(store, "wrote", [note.id])
        extra: dict[str, object] = {"new_project": True} if is_new else {}
        if close:
            extra["similar"] = harmless({"id": other.id, "title": other.title} for other in close)
        return {**harmless([note_dict(note, include_body=True)])[0], **extra}


def _add_resources(mcp: FastMCP, store: MemoryStore) -> None:
    @mcp.resource("anamnesis://note/{id}", name="note", mime_type="text/markdown")
    def note(id: str) -> str:
        """One note as its markdown file."""
        text = store.text_of(id)
        if text is None:
            raise ResourceError(for_model(str(NoteNotFound(id))), log_level=logging.INFO)
        return defang_tags(text)

    @mcp.resource("anamnesis://project/{key*}", name="project", mime_type="text/markdown")
    def project(key: str) -> str:
        """The notes of one project, newest first, one line each."""
        lines = [_line_of(each) for each in list_memories(store, project=key)]
        return "\n".join([f"# Notes of {defang_line(key)}", "", *(lines or ["There are none."])]) + "\n"


def _line_of(note: dict[str, object]) -> str:
    title, day = defang_line(str(note["title"])), defang_line(str(note["updated_at"])[:10])
    return f"- [{note['type']}] {title} ({day}, anamnesis://note/{note['id']})"


def _add_prompts(mcp: FastMCP) -> None:
    @mcp.prompt
    def recall(topic: str) -> str:
        """Look something up in memory and say what is known.

        Args:
            topic: What to look for, in a few words.
        """
        return (
            f"Search memory with memory_search for: {defang_tags(topic)}\n"
            "Try two or three wordings. Then say what is known, naming for each point the note's title, date "
            "and machine, and point out what contradicts or may be out of date. If nothing is found, say so."
        )

    @mcp.prompt
    def remember(what: str = "") -> str:
        """Keep something in memory as a well-formed note; without an argument, what this session taught.

        Args:
            what: What to keep; default: what this session taught.
        """
        return (
            f"Store this with memory_write: {defang_tags(what) or 'what this session taught that matters'}\n"
            "Search first. If a note already says it, do nothing; if one is out of date, supersede it. "
            "One fact per note, with its reason; choose type and project with care; leave secrets out."
        )


def _leave_receipt(store: MemoryStore, kind: str, ids: list[object], query: str | None = None) -> None:
    """Record what was found or written, for the session that last started in this folder."""
    home = str(store.root)
    if session := last_in(home, os.getcwd()).session:
        asked = (
            {"query": without_purged(store.root / MEMORY, redact(query))[:200]} if query is not None else {}
        )
        add_entry(home, session, kind, **asked, ids=ids)
