"""What flows while a connection is open: word of changes, and a sync followed step by step."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from anamnesis.dashboard.call import read_call
from anamnesis.dashboard.watcher import LOOK_SECONDS, Watcher
from anamnesis.dashboard.workspace import Workspace
from anamnesis.errors import AnamnesisError
from anamnesis.operations import sync_memory
from anamnesis.sync import HoldingBackend, SyncResult, SyncState

_HEARTBEAT_LOOKS = 75


async def changes(request: Request) -> StreamingResponse:
    """Server-sent events: `change` whenever the store is no longer what it was."""
    workspace: Workspace = request.app.state.workspace
    return _stream(_follow(workspace.watcher))


async def sync(request: Request) -> StreamingResponse:
    """One sync as server-sent events: `step` while it runs, then `done` with its result, or `failed`."""
    return _stream(_run_sync((await read_call(request)).workspace))


async def _follow(watcher: Watcher) -> AsyncIterator[str]:
    known = await run_in_threadpool(watcher.mark)
    yield ": following\n\n"
    quiet = 0
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        mark = await run_in_threadpool(watcher.mark)
        quiet = 0 if mark != known else quiet + 1
        if mark != known:
            known = mark
            yield _event("change", None)
        elif quiet % _HEARTBEAT_LOOKS == 0:
            # Without a word now and then nobody would notice a connection that is dead.
            yield ": still here\n\n"


async def _run_sync(workspace: Workspace) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[str | None] = asyncio.Queue()

    def _put(event: str | None) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    def _work() -> None:
        try:
            followed = _Followed(workspace.backend, lambda step: _put(_event("step", step)))
            _put(_event("done", sync_memory(workspace.store, followed)))
        except AnamnesisError as exc:
            _put(_event("failed", str(exc)))
        finally:
            _put(None)

    # A thread of its own: closing the page must not end a sync half way.
    threading.Thread(target=_work, name="sync").start()
    while (event := await events.get()) is not None:
        yield event


@dataclass(frozen=True, slots=True)
class _Followed:
    """A sync backend that says what it is about to do."""

    backend: HoldingBackend
    tell: Callable[[str], None]

    def init(self) -> None:
        """Make the store ready to sync."""
        self.backend.init()

    def sync(self) -> SyncResult:
        """Sync, and say so."""
        self.tell("exchanging notes with the remote" if self.backend.remote else "committing")
        result = self.backend.sync()
        self.tell("updating the index")
        return result

    def commit(self, message: str | None = None) -> bool:
        """Commit what changed, here only."""
        return self.backend.commit(message)

    def state(self) -> SyncState:
        """Where the store stands."""
        return self.backend.state()


def _stream(events: AsyncIterator[str]) -> StreamingResponse:
    return StreamingResponse(events, media_type="text/event-stream")


def _event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
