"""Server-sent events: changes of the store, and the progress of a sync.

A stream ends by itself when the server stops. If it were cancelled, it would print a traceback, and those of
a dozen pages fill a pipe that nothing reads: the server would block on its own error messages.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from anamnesis.dashboard.call import Json, error_answer, read_call
from anamnesis.dashboard.workspace import CurrentWorkspace, Workspace
from anamnesis.errors import AnamnesisError
from anamnesis.operations.exchange import sync_memory

_CHECK_SECONDS = 1.0
_HEARTBEAT_CHECKS = 15
_ENDING_SECONDS = 0.2  # how often a stream looks whether the server ends
_STEP_SECONDS = 0.05


async def changes(request: Request) -> StreamingResponse:
    """A stream of `change` events, one whenever the store has changed."""
    return _stream(_follow(request.app.state.current, request.app.state.ending))


async def sync(request: Request) -> Response:
    """Run one sync as a stream of events: `step` while it runs, then `done` with its result, or `failed`."""
    try:
        workspace = (await read_call(request)).workspace
    except AnamnesisError as exc:
        return error_answer(exc)
    return _stream(_run_sync(workspace, request.app.state.ending))


async def _follow(current: CurrentWorkspace, ending: threading.Event) -> AsyncIterator[str]:
    def _mark() -> str:
        return current.workspace().mark()

    known, quiet = await run_in_threadpool(_mark), 0
    yield ": following\n\n"
    while not await _is_ending(ending):
        mark = await run_in_threadpool(_mark)
        quiet = 0 if mark != known else quiet + 1
        if mark != known:
            known = mark
            yield _event("change", None)
        elif quiet % _HEARTBEAT_CHECKS == 0:
            # Without regular data the page cannot notice a dead connection.
            yield ": still here\n\n"


async def _is_ending(ending: threading.Event) -> bool:
    """Wait until the next check; whether the server ends."""
    for _ in range(round(_CHECK_SECONDS / _ENDING_SECONDS)):
        if ending.is_set():
            return True
        await asyncio.sleep(_ENDING_SECONDS)
    return ending.is_set()


async def _run_sync(workspace: Workspace, ending: threading.Event) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[str | None] = asyncio.Queue()

    def _put(event: str | None) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    def _work() -> None:
        steps = limited(lambda step: _put(_event("step", step)))
        try:
            result = sync_memory(
                workspace.store, workspace.backend, machine_id=workspace.machine_id, progress=steps
            )
            _put(_event("done", result))
        except AnamnesisError as exc:
            _put(_event("failed", str(exc)))
        finally:
            _put(None)

    # In its own thread, so that closing the page does not interrupt a sync.
    threading.Thread(target=_work, name="sync").start()
    while (event := await _next(events, ending)) is not None:
        yield event


async def _next(events: asyncio.Queue[str | None], ending: threading.Event) -> str | None:
    """The next event; None after the last one, or if the server stops."""
    while not ending.is_set():
        with suppress(TimeoutError):
            return await asyncio.wait_for(events.get(), _ENDING_SECONDS)
    return None


def limited(tell: Callable[[Json], None]) -> Callable[[str, int, int], None]:
    """A progress callback that tells at a readable rate; the first and last of each step are always told."""
    told: tuple[str, float] = ("", 0.0)

    def _progress(step: str, done: int, total: int) -> None:
        nonlocal told
        now = time.monotonic()
        if step != told[0] or done >= total or now - told[1] >= _STEP_SECONDS:
            told = (step, now)
            tell({"step": step, "done": done, "total": total})

    return _progress


def _stream(events: AsyncIterator[str]) -> StreamingResponse:
    return StreamingResponse(events, media_type="text/event-stream")


def _event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
