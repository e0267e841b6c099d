"""`make soak`: heavy use on three machines, sampling memory, descriptors, latency and repository size.

python server/bench/soak.py [MINUTES]        default: 60 minutes

The first machine runs `serve` and the dashboard; all of them write, edit, search, capture and sync. The table
shows each figure after a tenth of the time and at the end: only figures that depend on the notes may grow.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from measure import size_of
from serve import Served, environment

_EVERY = 5.0  # seconds between samples
_SEARCHES = 10  # per sample: the kernel counts processor time in ticks
_WORDS = "walnut shelf lantern gravel harbour pickle saddle thimble orchard kettle".split()
_PAGES = (
    "/api/status",
    "/api/overview",
    "/api/notes?limit=50",
    "/api/activity",
    "/api/health",
    "/api/machines",
)
_UNITS = {
    "memory of serve": "MiB",
    "memory of the dashboard": "MiB",
    "descriptors of serve": "",
    "descriptors of the dashboard": "",
    "processor time of a search": "ms",
    "repository": "KiB",
    "repository, for each note": "KiB",
    "notes": "",
}


@dataclass
class Samples:
    """Every figure over time."""

    started: float = field(default_factory=time.monotonic)
    points: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        """One figure now."""
        self.points.setdefault(name, []).append(((time.monotonic() - self.started) / 60, value))

    def rows(self) -> Iterator[str]:
        """Each figure after a tenth of the time, and at the end."""
        yield f"{'':<32}{'at 10 %':>12}{'at the end':>12}{'ratio':>8}"
        for name, points in self.points.items():
            values = [value for _, value in points]
            part = max(len(values) // 10, 1)
            first, last = (
                statistics.median(values[part : 2 * part] or values),
                statistics.median(values[-part:]),
            )
            yield f"{name:<32}{first:>12.1f}{last:>12.1f}{last / first if first else 0:>8.2f}  {_UNITS[name]}"


class Browser:
    """A machine's dashboard as a process, and a browser that is logged in to it."""

    def __init__(self, home: Path) -> None:
        command = [str(Path(sys.executable).with_name("anamnesis")), "dashboard", "--port", "0"]
        env = {**os.environ, **environment(home), "PYTHONUNBUFFERED": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdout=pipe, stderr=subprocess.STDOUT, env=env, cwd=home.parent, text=True
        )
        self._address = urlsplit(self._printed())
        self._cookie = self._login()

    def _printed(self) -> str:
        for line in self.process.stdout or ():
            if found := re.search(r"http://\S+", line):
                return found[0]
        raise SystemExit("the dashboard printed no address")

    def _login(self) -> str:
        connection = self._ask(f"{self._address.path or '/'}?{self._address.query}", {})
        return (connection.getheader("set-cookie") or "").partition(";")[0]

    def get(self, path: str) -> None:
        """Send one request."""
        answer = self._ask(path, {"Cookie": self._cookie})
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status}")

    def _ask(self, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._address.port or 80, timeout=600)
        connection.request("GET", path, headers={"Host": self._address.netloc, **headers})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer


@dataclass
class Use:
    """Three machines and random actions of their user."""

    homes: list[Path]
    served: Served
    browser: Browser
    chance: random.Random
    serial: int = 0
    failed: list[str] = field(default_factory=list)
    home: Path = Path()
    said: str = ""

    def start(self) -> None:
        """A first note on each machine, and a first call, which loads most of the server."""
        self.served.call("memory_status")
        for home in self.homes:
            self.home = home
            self._write()

    def once(self) -> None:
        """One action of a person or a session."""
        acts = [
            self._write,
            self._write,
            self._edit,
            self._search,
            self._capture,
            self._sync,
            self._call,
            self._look,
        ]
        self.home = self.chance.choice(self.homes)
        self.chance.choice(acts)()

    def _run(self, *words: str, stdin: str = "") -> str:
        home = self.home
        env = {**os.environ, **environment(home), "ANAMNESIS_MACHINE_ID": home.parent.name}
        env |= {"EDITOR": f"sed -i $s/$/.{self.serial}/", "ANAMNESIS_GIT_REMOTE": str(remote_of(home))}
        command = [str(Path(sys.executable).with_name("anamnesis")), *words]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=env, cwd=home.parent)
        self.said = done.stderr
        if done.returncode and "conflict: kept local edits" not in self.said:
            self.failed.append(f"{words[0]}: {done.stderr.strip()}")
        return done.stdout

    def _text(self, count: int = 60) -> str:
        return " ".join(self.chance.choices(_WORDS, k=count))

    def _write(self) -> None:
        self.serial += 1
        title = f"{self._text(3)} {self.serial}"
        self._run("write", "--type", "semantic", "--title", title, "--body", self._text())

    def _edit(self) -> None:
        rows = self._run("list", "--limit", "20").splitlines()
        if rows:
            self.serial += 1
            self._run("edit", self.chance.choice(rows).partition("\t")[0])

    def _search(self) -> None:
        self._run("search", self._text(3))

    def _capture(self) -> None:
        self.serial += 1
        session = f"00000000-0000-4000-8000-{self.serial:012d}"
        file = self.homes[0].parent / f"{session}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in self._talk(session)))
        self._run("capture", "--transcript", str(file), "--no-sync")
        file.unlink()

    def _talk(self, session: str) -> Iterator[dict[str, object]]:
        common = {"sessionId": session, "cwd": "/work/app", "timestamp": "2026-03-04T09:00:00.000Z"}
        for _ in range(4):
            yield {
                "type": "user",
                "message": {"role": "user", "content": f"Fix the {self._text(5)}"},
                **common,
            }
            block = {"type": "text", "text": f"The {self._text(20)}. It was the {self._text(5)}."}
            yield {"type": "assistant", "message": {"role": "assistant", "content": [block]}, **common}

    def _sync(self) -> None:
        self._run("sync")
        for held in re.findall(r"\(([0-9A-Z]{26})\), changed on", self.said):
            self._run("resolve", held, "--both")

    def _call(self) -> None:
        self.serial += 1
        self.served.call(
            "memory_write", type="semantic", title=f"{self._text(3)} {self.serial}", body=self._text()
        )
        self.served.call("memory_list")

    def _look(self) -> None:
        self.browser.get(self.chance.choice(_PAGES))

    def sample(self, samples: Samples) -> None:
        """Record all figures now."""
        own = {"serve": self.served.process.pid, "the dashboard": self.browser.process.pid}
        for name, pid in own.items():
            samples.add(f"memory of {name}", _resident(pid))
            samples.add(f"descriptors of {name}", len(os.listdir(f"/proc/{pid}/fd")))
        before = _cpu(own["serve"])
        for _ in range(_SEARCHES):
            self.served.call("memory_search", query=self._text(3))
        samples.add("processor time of a search", (_cpu(own["serve"]) - before) / _SEARCHES)
        memory = self.homes[0] / "memory"
        size = size_of(memory / ".git") / 1024
        # One level down: git may remove its own folders at any moment.
        notes = sum(1 for _ in memory.glob("[!.]*/*.md"))
        samples.add("repository", size)
        samples.add("repository, for each note", size / max(notes, 1))
        samples.add("notes", notes)


def remote_of(home: Path) -> Path:
    """The shared remote."""
    return home.parents[1] / "remote.git"


def _cpu(pid: int) -> float:
    """Processor milliseconds so far; unlike wall time, other load does not affect it."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:13])) * 1e3 / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def _in_use(folder: Path) -> Iterator[Use]:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder / "remote.git")], check=True)
    homes = [folder / name / "store" for name in ("desk", "lap", "tower")]
    for home in homes:
        home.mkdir(parents=True)
    served, browser = Served(homes[0]), Browser(homes[0])
    try:
        yield Use(homes, served, browser, random.Random(7))  # noqa: S311  # for measuring, not for secrets
    finally:
        for process in (served.process, browser.process):
            process.kill()
            process.communicate()


def main(minutes: float) -> int:
    """Use, sample, print the table."""
    samples, acts = Samples(), 0
    with tempfile.TemporaryDirectory(prefix="anamnesis-soak-") as name, _in_use(Path(name)) as use:
        use.start()
        sampled = 0.0
        while (now := time.monotonic()) < samples.started + minutes * 60:
            use.once()
            acts += 1
            if now - sampled >= _EVERY:
                use.sample(samples)
                sampled = now
    sys.stdout.write("".join(f"failed: {each}\n" for each in dict.fromkeys(use.failed)))
    sys.stdout.write(
        f"{acts:,} actions in {minutes:g} minutes on three machines\n" + "\n".join(samples.rows()) + "\n"
    )
    return 1 if use.failed else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 60.0))
