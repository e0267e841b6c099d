"""The MCP server: its start compared with a bare start of the interpreter, its calls, its memory over many.

python server/bench/serve.py [CALLS]        default: 10000
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corpus import make_store
from measure import Row

_RUNS = 9
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


class Served:
    """A running server, used line by line."""

    def __init__(
        self, home: Path, command: Sequence[str] = (), settings: Mapping[str, str] | None = None
    ) -> None:
        own = [str(Path(sys.executable).with_name("anamnesis")), "serve"]
        pipe, env = subprocess.PIPE, {**os.environ, **environment(home), **(settings or {})}
        self.process = subprocess.Popen(
            command or own, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env, cwd=home.parent
        )
        self._number = 0
        self.ask("initialize", _HELLO)

    def ask(self, method: str, params: Mapping[str, object]) -> str:
        """Send a request and return the raw answer."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        to_server, from_server = self.process.stdin, self.process.stdout
        if to_server is None or from_server is None:
            raise BrokenPipeError("the server was started without pipes")
        to_server.write(json.dumps(message).encode() + b"\n")
        to_server.flush()
        while json.loads(line := from_server.readline()).get("id") != self._number:
            continue
        return line.decode()

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and wait for its answer."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def resident(self) -> float:
        """Its current memory in MiB."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def cpu(self) -> float:
        """The processor time that it has used, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Hang up."""
        self.process.communicate()


def environment(home: Path) -> dict[str, str]:
    """The server's environment: its own store, and nothing of the user's."""
    return {"ANAMNESIS_HOME": str(home), "HOME": str(home.parent), "ANAMNESIS_MACHINE_ID": "bench"}


def start_rows(home: Path, size: int) -> Iterator[Row]:
    """CPU time from process start to the answer to `tools/list`, and to that of a first call."""
    pairs = [
        (_cpu_of_start(home), _cpu_of_start(home, "memory_status"), _bare_cpu(home)) for _ in range(_RUNS)
    ]
    listed, called, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    yield Row("serve until tools/list (CPU) / bare interpreter", size, listed, bare, 10.0)
    yield Row("serve until the first call (CPU) / bare interpreter", size, called, bare, None)


def _cpu_of_start(home: Path, tool: str = "") -> float:
    served = Served(home)
    served.ask("tools/list", {})
    if tool:
        served.call(tool)
    served.process.kill()
    return _cpu_until_end(served.process)


def _bare_cpu(home: Path) -> float:
    return _cpu_until_end(
        subprocess.Popen([sys.executable, "-c", "pass"], env={**os.environ, **environment(home)})
    )


def _cpu_until_end(process: subprocess.Popen[bytes]) -> float:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    return usage.ru_utime + usage.ru_stime


def call_rows(home: Path, size: int, calls: int = 300) -> Iterator[Row]:
    """CPU time of a search and of a write in a warm server, with 5 ms as the floor."""
    texts = make_store(home, count=size)
    served = Served(home)
    for tool in ("memory_search", "memory_write"):
        for _ in ("warm", "counted"):
            before = served.cpu()
            for number in range(calls):
                words = texts[number % len(texts)]
                body = " ".join(texts[(number + each * 7) % len(texts)] for each in range(10))
                note = {"type": "semantic", "title": f"{words} {number}", "body": body}
                served.call(tool, **({"query": words} if tool == "memory_search" else note))
        yield Row(f"{tool} in a warm server (CPU) / 5 ms", size, (served.cpu() - before) / calls, 0.005, 1.0)
    served.close()


def memory_lines(home: Path, calls: int) -> Iterator[str]:
    """The server's memory at the start and after each tenth of the calls."""
    served = Served(home)
    for number in range(20):
        served.call("memory_write", type="semantic", title=f"walnut {number}", body="shelf " * 50)
    yield f"memory of serve: {served.resident():.1f} MiB at the start"
    for tenth in range(1, 11):
        for number in range(calls // 40):
            served.call("memory_search", query=f"walnut {number}")
            served.call("memory_list")
            served.call("memory_status")
            served.call("memory_search", query=7)  # refused
        yield f"memory of serve: {served.resident():.1f} MiB after {tenth * (calls // 40) * 4:,} calls"
    served.close()


def main(calls: int) -> int:
    """Print the start, the calls and the memory."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as folder:
        home = Path(folder) / "store"
        for row in (*start_rows(home, 0), *call_rows(home.with_name("thousand"), 1000)):
            sys.stdout.write(row.text() + "\n")
        for line in memory_lines(home, calls):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
