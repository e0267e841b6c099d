"""`make demo`: the main job end to end, in a temporary folder: two machines, one remote, nothing installed.

python server/tools/demo.py PATH/TO/anamnesis
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SESSION = "5f0c2e8a-demo-4b6e-9d53-1c2f8a7b6d90"
PROJECT = "git@example.com:you/webshop.git"
TITLE = "Money is integer cents"
FACT = "Prices are integers of cents everywhere; floats gave totals that were off by one."


class Machine:
    """One computer of the demo: its own home, its own store, a clone of the same project."""

    def __init__(self, name: str, folder: Path, command: str, remote: Path) -> None:
        self.name = name
        self.command = command
        self.home = folder / name
        self.project = self.home / "code" / f"webshop-{name}"
        self.project.mkdir(parents=True)
        self.env = {
            **{
                key: value
                for key, value in os.environ.items()
                if not key.startswith(("ANAMNESIS_", "CLAUDE", "GIT_"))
            },
            "HOME": str(self.home),
            "ANAMNESIS_HOME": str(self.home / ".anamnesis"),
            "ANAMNESIS_MACHINE_ID": name,
            "ANAMNESIS_GIT_REMOTE": str(remote),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
        }
        for words in (["init", "-q"], ["remote", "add", "origin", PROJECT]):
            subprocess.run(["git", "-C", str(self.project), *words], check=True, env=self.env)

    def run(self, *words: str, stdin: str = "", show: bool = True, lines: int = 12) -> str:
        """Run one command as this machine's user would, and show what it prints."""
        if show:
            say(f"\n  {self.name} $ anamnesis {' '.join(_quoted(word) for word in words)}")
        if show and words[0] == "search" and sys.stdout.isatty():
            # As a person sees it; a program gets rows with tabs.
            sys.stdout.flush()
            subprocess.run([self.command, *words], env=self.env, cwd=self.project, check=True)
            return ""
        done = subprocess.run(
            [self.command, *words],
            input=stdin,
            env=self.env,
            cwd=self.project,
            text=True,
            capture_output=True,
        )
        if done.returncode not in (0, 1):
            sys.exit(f"anamnesis {words[0]} ended with {done.returncode}: {done.stderr}")
        if show:
            printed = (done.stdout + done.stderr).rstrip().splitlines()
            say("".join(f"    {line}\n" for line in printed[:lines]).rstrip("\n"))
            if len(printed) > lines:
                say(f"    ... {len(printed) - lines} more lines")
        return done.stdout.strip()

    def notes(self) -> list[Path]:
        """The files of this machine's notes."""
        return sorted((self.home / ".anamnesis" / "memory").rglob("*.md"))

    def transcript(self) -> Path:
        """A session as Claude Code records it: an ask, an edit, an outcome."""
        path = self.home / ".claude" / "projects" / "webshop" / f"{SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        common = {
            "sessionId": SESSION,
            "cwd": str(self.project),
            "gitBranch": "fix/checkout",
            "isSidechain": False,
        }
        edited = str(self.project / "checkout" / "totals.py")
        content = [{"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": edited}}]
        result = [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]
        found = "Found it: `totals.py` sums floats, so an order of three lines may be off by a cent."
        outcome = "Totals are now summed in cents, and the flaky checkout test passes 200 times in a row."
        rows: list[dict[str, object]] = [
            _line("user", "Why does the checkout test fail on some days?", common),
            _line("assistant", [{"type": "text", "text": found}], common),
            _line("assistant", content, common),
            {**_line("user", result, common), "toolUseResult": {"filePath": edited}},
            _line("assistant", [{"type": "text", "text": outcome}], common),
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path


def main(command: str) -> int:
    """Run the demo: a session on one machine, recalled on the other, a clash held and resolved."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-") as name:
        folder = Path(name)
        remote = folder / "memory.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
        desktop = Machine("desktop", folder, command, remote)
        laptop = Machine("laptop", folder, command, remote)
        _show(desktop, laptop)
    say("\nThat was a temporary store, which is now deleted. To set up your own:")
    say("  make dashboard wheel")
    say('  uv tool install "$(ls server/dist/*.whl)[all]"    # or: pipx install, with the same argument')
    say("  anamnesis init --print    # every change to Claude Code's settings, before you make it")
    say("  anamnesis init")
    say("  anamnesis dashboard       # the same in the browser; it prints the address to open")
    return 0


def _show(desktop: Machine, laptop: Machine) -> None:
    say("1. On the desktop you (or Claude, through MCP) write a note about a project.")
    desktop.run("write", "--type", "semantic", "--title", TITLE, "--body", FACT, "--tags", "convention")
    say("\n2. A session ends there: its transcript becomes one note, with the finding. Both are synced.")
    payload = {"session_id": SESSION, "cwd": str(desktop.project), "hook_event_name": "SessionEnd"}
    ended = json.dumps({**payload, "transcript_path": str(desktop.transcript())})
    desktop.run("capture", "--no-sync", stdin=ended)
    desktop.run("sync")
    say("\n3. The laptop has never seen this memory. It syncs, and finds the note by a question.")
    laptop.run("sync")
    laptop.run("search", "why are the prices not floats")
    say("\n4. A session starts on the laptop, in its own clone of the project: Claude is told what matters.")
    laptop.run("inject", stdin=_start_of("s-laptop", laptop), lines=26)
    say("\n5. You can ask why.")
    laptop.run("why", lines=16)
    _clash(desktop, laptop)
    say("\n7. All of it is markdown in a git repository, and both machines agree.")
    laptop.run("show", *TITLE.split(), lines=20)
    laptop.run("fleet")


def _clash(desktop: Machine, laptop: Machine) -> None:
    """Both machines change the same line; one note is held, and the user decides."""
    say("\n6. Both machines rewrite the same sentence. That one note is held; nothing else waits.")
    for machine, now in ((desktop, "stored as bigint cents"), (laptop, "stored as decimal strings")):
        file = next(path for path in machine.notes() if TITLE in path.read_text(encoding="utf-8"))
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("integers of cents everywhere", now), encoding="utf-8")
        say(f"\n  {machine.name} $ sed -i 's/integers of cents everywhere/{now}/' {file.name}")
    desktop.run("sync")
    laptop.run("sync")
    laptop.run("resolve", *TITLE.split(), "--theirs")
    laptop.run("sync")
    desktop.run("sync", show=False)


def _start_of(session: str, machine: Machine) -> str:
    """The payload of the SessionStart hook."""
    event = {"session_id": session, "hook_event_name": "SessionStart", "source": "startup"}
    return json.dumps({**event, "cwd": str(machine.project)})


def say(text: str) -> None:
    """Print a line of the demo at once, so that it stays in order with the commands' output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _line(kind: str, content: object, common: dict[str, object]) -> dict[str, object]:
    return {"type": kind, "message": {"role": kind, "content": content}, **common}


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
