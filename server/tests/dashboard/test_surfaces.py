"""A verb does the same from the command line, over MCP and over HTTP.

Each surface that offers a verb gets its own identical world: a store with notes, a remote with a note
from another machine, a memory file of the client. The results are compared on disk, in git here and at
the remote, in the index and in the answer.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from anamnesis.cli import main
from anamnesis.dashboard.app import build_app
from anamnesis.dashboard.guard import Login
from anamnesis.notes.record import Memory
from anamnesis.server import build_server
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend
from dashboard_server import DAWN, Dashboard
from machines import Machine, make_remote
from test_server import call

_ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b|\b[0-9A-HJKMNP-TV-Z]{26}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+\d:Z]*")
KEY = "github.com/acme/shop"
Answer = Any  # JSON, as deep as the surface likes


@dataclass
class World:
    """One store and everything around it, for one surface."""

    root: Path
    remote: Path
    store: MemoryStore
    dashboard: Dashboard
    capsys: pytest.CaptureFixture[str]

    def cli(self, *words: str) -> Answer:
        """The --json output of a command."""
        self.capsys.readouterr()
        code = main([words[0], *words[1:], "--json"])
        out, err = self.capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    def mcp(self, tool: str, **arguments: object) -> Answer:
        """What a tool answers."""
        return call(build_server(self.store, machine_id="desk"), tool, **arguments)

    def http(self, method: str, path: str, body: object = None) -> Answer:
        """What the dashboard answers."""
        if method == "GET":
            return self.dashboard.get(path)
        sent = self.dashboard.send(method, path, body or {})
        assert sent.status in (200, 201), sent.text
        return sent.text if path == "/api/sync" else sent.json

    @property
    def happened(self) -> dict[str, object]:
        """Everything observable about the world, without random values."""
        with MemoryStore(self.root) as store:
            notes = [vars(note) for note in store.list()]
            hidden = store.superseded_ids()
        return {
            "files": plain(sorted((name, text) for name, text in self._files())),
            "git": plain(self._commits(self.root / "memory")),
            "remote": plain(self._commits(self.remote)),
            "index": plain(sorted(map(str, notes))),
            "superseded": plain(sorted(hidden)),
        }

    def _files(self) -> Iterator[tuple[str, str]]:
        for tree in ("memory", "local"):
            for path in (self.root / tree).rglob("*.md"):
                yield path.relative_to(self.root).as_posix(), path.read_text()

    def _commits(self, folder: Path) -> list[str]:
        """What each commit changed, oldest first, without heartbeats: two in one second are one."""
        done = subprocess.run(
            ["git", "-C", str(folder), "log", "--reverse", "--format=%s", "--name-status", "main"],
            capture_output=True,
            text=True,
            check=False,
        )
        return [line for line in done.stdout.splitlines() if "machines/" not in line]


def plain(value: Answer) -> Answer:
    """A value without random parts: new ids and times."""
    text = json.dumps(value)
    return json.loads(_TIME.sub("TIME", _ID.sub("ID", text)))


@pytest.fixture
def make_world(
    stage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Any]:
    """A world by the name of its surface."""

    @contextmanager
    def make(name: str) -> Iterator[World]:
        base = tmp_path / name
        base.mkdir()
        remote = make_remote(base / "remote.git")
        _write_memory_file(base / "claude")
        (base / "elsewhere").mkdir()
        for variable, value in {
            "ANAMNESIS_HOME": str(base / "store"),
            "ANAMNESIS_GIT_REMOTE": str(remote),
            "ANAMNESIS_MACHINE_ID": "desk",
            "CLAUDE_CONFIG_DIR": str(base / "claude"),
        }.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.chdir(base / "elsewhere")
        with MemoryStore(base / "store") as store:
            backend = GitSyncBackend(
                store.memory_dir, remote=str(remote), machine_id="desk", timeout=600, heartbeat=True
            )
            _fill(store)
            backend.sync()
            lap = Machine(base / "lap", remote)
            lap.sync()
            lap.write("from-lap", "said on the lap", title="Lap says")
            lap.sync()
            login = Login(stage.port)
            stage.app = build_app(store, login=login, static=base)
            yield World(base / "store", remote, store, Dashboard(store, backend, login), capsys)

    return make


def _write_memory_file(claude: Path) -> None:
    folder = claude / "projects" / "-work" / "memory"
    folder.mkdir(parents=True)
    (folder / "tabs.md").write_text("---\nname: Tabs\ndescription: indent\ntype: feedback\n---\nUse tabs.\n")


def _fill(store: MemoryStore) -> None:
    for note_id, title, fields in (
        ("one", "Deploy with care", {"project": KEY, "tags": ["ops"]}),
        ("two", "Use WAL mode", {"body": "set busy_timeout for sqlite"}),
        ("session-1", "Session one", {"type": "episodic", "project": KEY}),
        ("session-2", "Session two", {"type": "episodic", "project": KEY}),
    ):
        known: dict[str, object] = {
            "type": "semantic",
            "body": f"About {title}.",
            "machine_id": "desk",
            "created_at": DAWN,
            "updated_at": DAWN,
        }
        store.put(Memory(id=note_id, title=title, **(known | fields)))  # type: ignore[arg-type]


NEW = {"type": "semantic", "title": "Walrus", "body": "It swims.", "tags": ["sea"]}


def _done(stream: str) -> Answer:
    """The result in the events of a sync."""
    return json.loads(stream.rpartition("event: done\ndata: ")[2].partition("\n")[0])


def _fields(*names: str) -> Callable[[Answer], Answer]:
    return lambda found: {name: found[name] for name in names}


def _ids(found: Answer) -> Answer:
    return [note["id"] for note in (found["notes"] if isinstance(found, dict) else found)]


def _edit_with(script: str) -> Callable[[World], Answer]:
    def edit(world: World) -> Answer:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("EDITOR", f"sed -i {script}")
            return world.cli("edit", "one")

    return edit


def _edit_over_http(world: World) -> Answer:
    known = world.http("GET", "/api/notes/one")
    fields = {key: known[key] for key in ("type", "title", "project", "scope", "tags")}
    changed = {**fields, "body": "About Deploying with care.", "base": known["version"]}
    return world.http("PUT", "/api/notes/one", changed)


def _restore(world: World, act: Callable[[str], Answer]) -> Answer:
    first = world.cli("history", "one")["versions"][-1]["version"]
    world.store.update("one", body="Changed since.")
    return act(first)


def _hold(world: World) -> None:
    """Make `two` a held note: edited here and on the other machine."""
    lap = Machine(world.root.parent / "lap", world.remote)
    lap.sync()
    lap.save(lap.read("two"), body="said there", updated_at="2026-02-01T00:00:00+00:00")
    lap.sync()
    world.store.update("two", body="said here")
    world.dashboard.backend.sync()


def _held_then(act: Callable[[World], Answer]) -> Callable[[World], Answer]:
    def run(world: World) -> Answer:
        _hold(world)
        act(world)
        return {"still held": [held.id for held in world.dashboard.backend.held()]}

    return run


_NOTE = _fields("type", "title", "body", "project", "scope", "tags", "machine_id")
_SYNC = _fields("pushed", "pulled", "conflicted", "detail")
_COUNTS = ("total", "by_type", "by_project")
_STATE = ("initialized", "dirty", "detail")
_TWO = "/api/conflicts/two"

Act = Callable[[World], Answer]
# verb -> surface -> the call, with an answer in a form common to all surfaces
VERBS: dict[str, dict[str, Act]] = {
    "write": {
        "cli": lambda w: _NOTE(
            w.cli(
                "write",
                *"--type semantic --title Walrus --tags sea --project shop --body".split(),
                "It swims.",
            )
        ),
        "mcp": lambda w: _NOTE({"scope": "portable", **w.mcp("memory_write", **NEW, project="shop")}),
        "http": lambda w: _NOTE(
            w.http("POST", "/api/notes", {**NEW, "project": "shop", "scope": "portable"})
        ),
    },
    "supersede": {
        "cli": lambda w: _NOTE(w.cli("supersede", "one", "--title", "Deploy", "--body", "Newer.")),
        "mcp": lambda w: _NOTE(
            {
                "scope": "portable",
                **w.mcp(
                    "memory_write",
                    **{**NEW, "title": "Deploy", "body": "Newer.", "tags": ["ops"]},
                    project=KEY,
                    supersedes="one",
                ),
            }
        ),
        "http": lambda w: _NOTE(
            w.http(
                "POST",
                "/api/notes",
                {
                    "supersedes": "one",
                    "type": "semantic",
                    "title": "Deploy",
                    "body": "Newer.",
                    "project": KEY,
                    "tags": ["ops"],
                    "scope": "portable",
                },
            )
        ),
    },
    "search": {
        "cli": lambda w: _ids(w.cli("search", "sqlite", "timeout")),
        "mcp": lambda w: _ids(w.mcp("memory_search", query="sqlite timeout")),
        "http": lambda w: _ids(w.http("GET", "/api/notes?q=sqlite%20timeout")),
    },
    "list": {
        "cli": lambda w: _ids(w.cli("list", "--tags", "ops", "--machine", "des", "--project", "shop")),
        "mcp": lambda w: _ids(w.mcp("memory_list", tags=["ops"], machine="des", project="shop")),
        "http": lambda w: _ids(w.http("GET", f"/api/notes?tags=ops&machine=desk&project={quote(KEY)}")),
    },
    "show": {
        "cli": lambda w: _NOTE(w.cli("show", "Deploy", "care")),
        "mcp": lambda w: _NOTE({"scope": "portable", **w.mcp("memory_search", ids=["one"])[0]}),
        "http": lambda w: _NOTE(w.http("GET", "/api/notes/one")),
    },
    "edit": {
        "cli": lambda w: _fields("id", "title", "project")(
            _edit_with("'s/Deploy with care[.]/Deploying with care./'")(w)
        ),
        "http": lambda w: _fields("id", "title", "project")(_edit_over_http(w)),
    },
    "delete": {
        "cli": lambda w: w.cli("delete", "one", "--yes")["id"],
        "http": lambda w: "one" if w.http("DELETE", "/api/notes/one")["done"] else "",
    },
    "history": {
        "cli": lambda w: [each["action"] for each in w.cli("history", "one")["versions"]],
        "http": lambda w: [each["action"] for each in w.http("GET", "/api/notes/one/history")["versions"]],
    },
    "restore": {
        "cli": lambda w: _restore(w, lambda name: w.cli("history", "one", "--restore", name)["id"]),
        "http": lambda w: _restore(
            w, lambda name: w.http("POST", "/api/notes/one/restore", {"commit": name})["id"]
        ),
    },
    "status": {
        "cli": lambda w: _status(w.cli("status")),
        "mcp": lambda w: _status(w.mcp("memory_status")),
    },
    "sync": {
        "cli": lambda w: _SYNC(w.cli("sync")),
        "mcp": lambda w: _SYNC(w.mcp("memory_sync")),
        "http": lambda w: _SYNC(_done(w.http("POST", "/api/sync"))),
    },
    "resolve with a choice": {
        "cli": _held_then(lambda w: w.cli("resolve", "two", "--theirs")),
        "http": _held_then(lambda w: w.http("POST", _TWO, {"choice": "theirs"})),
    },
}


def _status(found: Answer) -> Answer:
    state = found["sync"]
    return [*(found[name] for name in _COUNTS), *(state[name] for name in _STATE)]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_does_the_same_on_every_surface_that_offers_it(
    make_world: Callable[[str], Any], verb: str
) -> None:
    seen: dict[str, Answer] = {}
    for surface, act in VERBS[verb].items():
        with make_world(surface) as world:
            answered = act(world)
            seen[surface] = {"answer": plain(answered), **world.happened}
    first = seen.pop("cli")
    assert first["answer"], "a verb without an answer shows nothing"
    for surface, what in seen.items():
        assert what == first, f"{verb} over {surface} is not what the command line does"


def test_a_note_without_text_is_refused_by_every_surface(make_world: Callable[[str], Any]) -> None:
    with make_world("all") as world:
        before = world.happened
        blank = {**NEW, "body": " \n", "project": KEY, "scope": "portable"}
        for words in (("write", "--type", "semantic", "--title", "T"), ("supersede", "one", "--title", "T")):
            assert main([*words, "--body", " \n"]) == 1
            assert "the note has no text" in world.capsys.readouterr().err
        with pytest.raises(ToolError, match="the note has no text"):
            world.mcp("memory_write", **{**NEW, "body": ""})
        known = {**blank, "base": world.http("GET", "/api/notes/one")["version"]}
        for method, path in (("POST", "/api/notes"), ("PUT", "/api/notes/one")):
            sent = world.dashboard.send(method, path, known)
            assert sent.status == 400
            assert "the note has no text" in sent.text
        assert world.happened == before


def test_every_mcp_tool_is_covered_here(store: MemoryStore) -> None:
    async def tools() -> list[str]:
        async with Client(build_server(store, machine_id="desk")) as client:
            return [tool.name for tool in await client.list_tools()]

    for name in asyncio.run(tools()):
        assert "mcp" in VERBS[name.removeprefix("memory_")]
