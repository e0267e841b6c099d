"""Random actions on several machines with one remote: nothing is lost, nothing comes back, all agree.

In the end, no object on any machine or at the remote contains what was purged, whoever was offline.

ANAMNESIS_TEST_SYNC_STEPS=1000 runs 50 histories of up to 60 steps each instead of the short default.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from anamnesis.notes.record import Memory, deserialize
from anamnesis.notes.vocabulary import TYPES
from anamnesis.purge import load_state, new_purge, purges_among_files
from anamnesis.store import MemoryStore
from machines import Machine, make_remote, run_git, run_until, traces

_STEPS = int(os.environ.get("ANAMNESIS_TEST_SYNC_STEPS", "0"))
_WHO = st.integers(0, 4)
_WHICH = st.integers(0, 30)
_HOUR = st.integers(0, 23)
_STEP = st.one_of(
    st.just(1000), st.integers(0, 40)
)  # the step before which a purge is killed, if it has that many
_CLOCKS = (0, 0, 0, 9 * 365, -9 * 365)  # how many days a machine's clock may be wrong
_VANDALISM = (
    "lock",
    "detach",
    "branch",
    "no index",
    "bad index",
    "empty HEAD",
    "empty branch",
    "no .git",
    "branch lock",
)


class Fleet(RuleBasedStateMachine):
    """Three to five machines; every body line and title is unique, so that it can be tracked."""

    @initialize(count=st.integers(3, 5), clocks=st.lists(st.sampled_from(_CLOCKS), min_size=5, max_size=5))
    def start(self, count: int, clocks: list[int]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="fleet-"))
        self.remote = make_remote(self.folder / "remote.git")
        self.machines = [Machine(self.folder / f"m{at}", self.remote) for at in range(count)]
        self.clocks = clocks
        self.serial = 0
        self.sections: set[tuple[str, ...]] = set()  # appended and not changed since
        self.lines: set[str] = set()  # ever written
        self.titles: set[str] = set()
        self.dropped: set[str] = set()  # removed on purpose
        self.gone: dict[str, bool] = {}  # deleted notes: whether no edit was pending anywhere
        self.owned: dict[str, set[str]] = {}  # the lines and titles that each note ever had
        self.purged: set[str] = set()  # texts that must not exist in the end
        self.clone: Machine | None = None  # a copy of a machine, restored at the end
        self.write(who=0, hour=0, lines=6)
        self.meet()

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        try:
            self.quiesce()
            self.check()
        finally:
            shutil.rmtree(self.folder)

    # What people do.

    @rule(who=_WHO, hour=_HOUR, lines=st.integers(1, 6))
    def write(self, who: int, hour: int, lines: int) -> None:
        machine = self.machine(who)
        body = "\n".join(self.line() for _ in range(lines))
        note_id = f"N{self.serial}"
        now = self.now(who, hour)
        self.save(machine, Memory(note_id, "semantic", self.title(), body, created_at=now, updated_at=now))

    @rule(
        who=_WHO, which=_WHICH, hour=_HOUR, at=st.integers(0, 5), how=st.sampled_from(("put", "add", "drop"))
    )
    def edit_body(self, who: int, which: int, hour: int, at: int, how: str) -> None:
        machine, note = self.note(who, which)
        if not note:
            return
        lines = note.body.split("\n")
        at = min(at, len(lines) - 1)
        if how != "add":
            self.dropped.add(lines[at])
        self.touch(lines[max(0, at - 1) : at + 2])
        kept = [lines[at]] if how == "add" else []
        lines[at : at + 1] = kept if how == "drop" else [*kept, self.line()]
        self.save(machine, note, body="\n".join(lines), updated_at=self.now(who, hour))

    @rule(who=_WHO, which=_WHICH, hour=_HOUR, kind=st.sampled_from(("section", "fence", "list")))
    def append(self, who: int, which: int, hour: int, kind: str) -> None:
        """Append a section, the most common edit; its last line is the same on all machines."""
        machine, note = self.note(who, which)
        if not note:
            return
        first, last = self.line(), self.line()
        lines = {
            "section": [first, last, "Done."],
            "fence": ["```", first, "", last, "```"],
            "list": [first, last, "- the same item"],
        }[kind]
        self.sections.add(tuple(lines))
        gap = "\n" if kind == "list" else "\n\n"
        self.save(machine, note, body=note.body + gap + "\n".join(lines), updated_at=self.now(who, hour))

    @rule(who=_WHO, which=_WHICH, hour=_HOUR, at=st.integers(0, 9), to=st.integers(0, 9))
    def move_line(self, who: int, which: int, hour: int, at: int, to: int) -> None:
        machine, note = self.note(who, which)
        if not note:
            return
        lines = note.body.split("\n")
        at, to = min(at, len(lines) - 1), min(to, len(lines) - 1)
        self.touch([*lines[max(0, at - 1) : at + 2], *lines[max(0, to - 2) : to + 3]])
        lines.insert(to, lines.pop(at))
        self.save(machine, note, body="\n".join(lines), updated_at=self.now(who, hour))

    @rule(who=_WHO, which=_WHICH)
    def make_private(self, who: int, which: int) -> None:
        machine, note = self.note(who, which)
        if note:
            self.gone[note.id] = False
            machine.make_private(note.id)

    @rule(who=_WHO, which=_WHICH)
    def share(self, who: int, which: int) -> None:
        machine = self.machine(who)
        names = sorted(machine.private())
        if names:
            self.gone[names[which % len(names)]] = False
            machine.share(names[which % len(names)])

    @rule(who=_WHO, which=_WHICH, hour=_HOUR, key=st.sampled_from(("title", "tags", "project", "confidence")))
    def edit_field(self, who: int, which: int, hour: int, key: str) -> None:
        machine, note = self.note(who, which)
        if not note:
            return
        self.serial += 1
        self.dropped.update([f"title: {note.title}\n"] if key == "title" else [])
        value = {
            "tags": [*note.tags[-2:], f"t{self.serial}"],
            "project": f"p{self.serial}",
            "confidence": 0.5,
        }
        now = self.now(who, hour)
        self.save(machine, note, updated_at=now, **{key: value[key] if key in value else self.title()})

    @rule(who=_WHO, which=_WHICH, hour=_HOUR, type=st.sampled_from(TYPES))
    def retype(self, who: int, which: int, hour: int, type: str) -> None:
        machine, note = self.note(who, which)
        if note:
            self.save(machine, note, type=type, updated_at=self.now(who, hour))

    @rule(who=_WHO, which=_WHICH)
    def delete(self, who: int, which: int) -> None:
        machine, note = self.note(who, which)
        if not note:
            return
        everyone = [*self.machines, *([self.clone] if self.clone else [])]
        versions = {other.path(note.id).read_bytes() for other in everyone if other.path(note.id)}  # type: ignore[union-attr]
        self.gone[note.id] = len(versions) == 1 and not any(
            note.id in {held.id for held in other.backend.held()} for other in everyone
        )
        self.dropped.update(note.body.split("\n"), [f"title: {note.title}\n"])
        machine.delete(note.id)

    @precondition(lambda self: len(self.purged) < 6)
    @rule(who=_WHO, which=_WHICH, at=st.integers(0, 5), how=st.sampled_from(("note", "line")), step=_STEP)
    def purge(self, who: int, which: int, at: int, how: str, step: int) -> None:
        """Purge on one machine, which may be killed; a started purge counts."""
        machine, note = self.note(who, which)
        if not note:
            return
        lines = [line for line in note.body.split("\n") if line in self.lines]
        if how == "line" and not lines:
            return
        text = lines[at % len(lines)] if lines else ""
        ids, texts = ([note.id], []) if how == "note" else ([], [text])
        purge = new_purge(ids=ids, texts=texts, machine=machine.root.name, at="")
        run_until(step, lambda: machine.backend.purge(purge))
        if purge.name not in load_state(machine.root).known:
            return
        if purge.name not in purges_among_files(machine.memory):
            machine.backend.init()  # finishes it; without its record, it would be lost with the repository
        lost = self.owned.get(note.id, set()) if how == "note" else {text}
        self.purged.add(f"\nid: {note.id}\n" if how == "note" else text)
        self.touch(lost)
        self.dropped |= lost

    @precondition(lambda self: self.clone is None)
    @rule(who=_WHO)
    def put_away(self, who: int) -> None:
        machine = self.machine(who)
        if (machine.memory / ".git/refs/heads/main").exists():
            shutil.copytree(machine.root, self.folder / "old")
            self.clone = Machine(self.folder / "old", self.remote)

    @rule(who=_WHO)
    def sync(self, who: int) -> None:
        machine = self.machine(who)
        result = machine.sync()
        assert result.reached
        assert result.conflicted == bool(machine.backend.held())

    @rule()
    def meet(self) -> None:
        """Bring all machines to the same state, so that they continue from the same notes."""
        for machine in self.machines:
            assert machine.sync().reached

    @rule(who=_WHO)
    def sync_offline(self, who: int) -> None:
        away = self.remote.with_name("away.git")
        self.remote.rename(away)
        try:
            result = self.machine(who).sync()
        finally:
            away.rename(self.remote)
        assert not result.reached
        assert not result.pushed

    @rule(who=_WHO, is_patient=st.booleans())
    def sync_slow(self, who: int, is_patient: bool) -> None:
        """The remote is silent during a push, briefly or for longer than the machine waits."""
        machine = self.machine(who)
        hook = self.remote / "hooks/pre-receive"
        hook.write_text(f"#!/bin/sh\nexec sleep {0.1 if is_patient else 60}\n")
        hook.chmod(0o700)
        try:
            result = replace(machine, timeout=machine.timeout if is_patient else 0.5).sync()
        finally:
            hook.unlink()
        assert result.failure in ({""} if is_patient else {"", "slow"})
        assert result.reached == (not result.failure)
        assert not (result.pushed and result.failure)

    @rule(who=_WHO)
    def sync_shallow(self, who: int) -> None:
        """The remote is recreated as a shallow clone, and completed after one sync."""
        whole = self.remote.with_name("whole.git")
        self.remote.rename(whole)
        run_git(self.folder, "clone", "-q", "--bare", "--depth=1", f"file://{whole}", str(self.remote))
        result = self.machine(who).sync()
        assert result.reached or result.failure == "shallow"
        if (self.remote / "shallow").exists():
            run_git(self.remote, "fetch", "-q", "--unshallow")
        shutil.rmtree(whole)

    @rule(who=_WHO, step=st.integers(0, 40))
    def crash(self, who: int, step: int) -> None:
        run_until(step, self.machine(who).backend.sync)

    @rule(who=_WHO, how=st.sampled_from(("mine", "theirs", "both", "by hand")))
    def resolve(self, who: int, how: str) -> None:
        machine = self.machine(who)
        for held in machine.backend.held()[:1]:
            if how != "by hand":
                self.choose(machine, held.id, how)
            elif (machine.memory / ".git/refs/heads/main").exists():
                self.commit_by_hand(machine)

    @precondition(lambda self: self.serial > 4)
    @rule(who=_WHO, what=st.sampled_from(_VANDALISM))
    def vandalise(self, who: int, what: str) -> None:
        machine = self.machine(who)
        git = machine.memory / ".git"
        if not (git / "refs/heads/main").exists():
            return
        if what == "detach":
            _by_hand(machine, "checkout", "-q", "--detach")
        elif what == "branch":
            _by_hand(machine, "checkout", "-q", "-B", "side")
            _by_hand(machine, "commit", "-q", "--allow-empty", "-m", "by hand")
        elif what == "no .git":
            self.forget_deletions()
            shutil.rmtree(git)
        else:
            if what == "bad index":  # the repository is rebuilt
                self.forget_deletions()
            _break_file(git, what)

    # What must hold in the end.

    def quiesce(self) -> None:
        self.machines += [self.clone] if self.clone else []
        for turn in range(10):
            results = [machine.sync() for machine in self.machines]
            assert all(result.reached for result in results)
            for machine in self.machines:
                for at, held in enumerate(machine.backend.held()):
                    self.choose(machine, held.id, ("both", "mine", "theirs")[(turn + at) % 3])
            if turn > 1 and not any(result.pushed or result.pulled or result.held for result in results):
                return
        raise AssertionError("the machines do not converge")

    def check(self) -> None:
        for machine in self.machines:
            assert not [trace for text in self.purged for trace in traces(machine.root, text)]
        if self.purged:
            seen = run_git(self.remote, "log", "-p", "--format=%B", "--all")
            assert not [text for text in self.purged if text.replace("\n", "\n+") in seen or text in seen]
            run_git(self.remote, "gc", "-q", "--prune=now")
            assert not [trace for text in self.purged for trace in traces(self.remote, text)]
        first = self.machines[0].files()
        for machine in self.machines[1:]:
            assert machine.files() == first
        shared = "\n".join(data.decode() for data in first.values())
        private = [path for machine in self.machines for path in (machine.root / "local").glob("*/*.md")]
        text = "\n".join([shared, *(path.read_text() for path in private)])
        assert "<<<<<<<" not in text
        assert ">>>>>>>" not in text
        present = set(text.split("\n"))
        lost = {line for line in self.lines - self.dropped if line not in present}
        assert not lost, lost
        for section in self.sections:
            assert self.dropped & {*section} or "\n".join(section) in text, section
        history = run_git(self.remote, "log", "-p", "--format=", "main")
        # Of two new titles the later one wins; the other is kept on its machine with the replaced text.
        replaced = [path for machine in self.machines for path in (machine.root / "undo").rglob("*.old")]
        found = "\n".join([history, text, *(path.read_text() for path in replaced)])
        assert not {title for title in self.titles - self.dropped if title not in found}
        assert "<<<<<<<" not in history
        back = [
            note_id for note_id, for_good in self.gone.items() if for_good and f"\nid: {note_id}\n" in shared
        ]
        assert not back
        assert not run_git(self.remote, "log", "--merges", "--format=%h", "main")
        for machine in self.machines:
            assert machine.git("status", "--porcelain") == ""
            with MemoryStore(machine.root) as store:
                names = {Path(path).stem for path in first if path.endswith(".md")}
                assert not names & machine.private().keys()
                assert {note.id for note in store.list()} == names | machine.private().keys()
                assert not store.problems()

    # Helpers.

    def machine(self, who: int) -> Machine:
        return self.machines[who % len(self.machines)]

    def note(self, who: int, which: int) -> tuple[Machine, Memory | None]:
        machine = self.machine(who)
        names = sorted(path.stem for path in machine.memory.glob("*/[!.]*.md"))
        return machine, machine.read(names[which % len(names)]) if names else None

    def now(self, who: int, hour: int) -> str:
        """A time on the day of the test, by the machine's clock."""
        day = datetime(2026, 1, 2, hour, tzinfo=UTC) + timedelta(days=self.clocks[who % len(self.machines)])
        return day.isoformat(timespec="seconds")

    def touch(self, lines: Iterable[str]) -> None:
        """Record that sections with one of these lines may have changed."""
        touched = self.lines & {*lines}
        self.sections = {section for section in self.sections if touched.isdisjoint(section)}

    def commit_by_hand(self, machine: Machine) -> None:
        """Commit everything with plain git, including held notes, which resolves them."""
        for held in machine.backend.held():
            self.touch(_lines(held.mine, held.theirs))
            self.dropped |= _lines(held.theirs)
            self.gone[held.id] = False
        _by_hand(machine, "add", "-A")
        _by_hand(machine, "commit", "-q", "-m", "by hand")

    def save(self, machine: Machine, note: Memory, **fields: object) -> None:
        self.gone[note.id] = False
        path = machine.save(note, **fields)
        saved = deserialize(path.read_bytes().decode())
        owned = self.owned.setdefault(note.id, set())
        owned.update(saved.body.split("\n"), [f"title: {saved.title}\n"])
        if f"\nid: {note.id}\n" in self.purged:  # this machine does not know of it yet
            self.touch(owned)
            self.dropped |= owned

    def line(self) -> str:
        self.serial += 1
        self.lines.add(f"line {self.serial:05}")
        return f"line {self.serial:05}"

    def title(self) -> str:
        self.serial += 1
        self.titles.add(f"title: title{self.serial:05}\n")
        return f"title{self.serial:05}"

    def choose(self, machine: Machine, note_id: str, how: str) -> None:
        machine.backend.init()  # a repaired repository may contain the resolution
        held = next((held for held in machine.backend.held() if held.id == note_id), None)
        if held is None:
            return
        how = "mine" if held.private and how == "both" else how
        before = _lines(held.mine, held.theirs)
        machine.backend.resolve(note_id, choice=how)  # type: ignore[arg-type]  # one of the three
        path = machine.path(note_id)
        private = [path.read_text() for path in (machine.root / "local").glob(f"*/{note_id}.md")]
        kept = _lines(path.read_text() if path else "", *private)
        if how == "both":
            assert before & self.lines <= kept
        self.touch(before)
        self.dropped |= before - kept
        if held.private:
            self.dropped |= {f"{line}\n" for line in before - kept}  # a private title is not in the history
        self.gone[note_id] = False

    def forget_deletions(self) -> None:
        """A deletion that was never synced cannot survive the loss of the repository."""
        self.gone = dict.fromkeys(self.gone, False)


def _lines(*texts: str | None) -> set[str]:
    return {line for text in texts for line in (text or "").split("\n")}


def _by_hand(machine: Machine, *order: str) -> None:
    """Run plain git, which fails if the repository is already broken."""
    identity = ["-c", "user.name=user", "-c", "user.email=user@example.org"]
    subprocess.run(["git", *identity, *order], cwd=machine.memory, capture_output=True, check=False)


def _break_file(git: Path, what: str) -> None:
    old = 1_600_000_000
    if what == "lock":
        (git / "index.lock").touch()
        os.utime(git / "index.lock", (old, old))
    elif what == "branch lock":
        (git / "refs/heads/main.lock").touch()
        os.utime(git / "refs/heads/main.lock", (old, old))
    elif what == "no index":
        (git / "index").unlink(missing_ok=True)
    elif what == "bad index":
        (git / "index").write_bytes(b"DIRC but not really")
    elif what == "empty HEAD":
        (git / "HEAD").write_bytes(b"")
    else:
        (git / "refs/heads/main").write_bytes(b"")


TestFleet = Fleet.TestCase
TestFleet.settings = settings(
    max_examples=max(_STEPS // 20, 5),
    stateful_step_count=min(_STEPS, 60) or 25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
