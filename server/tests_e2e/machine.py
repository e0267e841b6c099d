"""One of the user's machines: its own home, the client set up by `anamnesis init`, a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from client import Terminal

from anamnesis import state
from anamnesis.notes.record import Memory, deserialize

MakeMachine = Callable[..., "Machine"]

KEY = "sk-ant-api03-e2e-dummy-key-for-loopback-only-000000"
PROJECT = "github.com/example/e2e-demo"
ANAMNESIS = Path(sys.executable).parent / "anamnesis"


@dataclass
class Machine:
    """A machine with its own home, project and store; `remote` is shared with the others."""

    root: Path
    name: str
    client: Path
    api: str
    remote: Path | None = None
    capture: str = "all"  # headless sessions are scripted, and most change no file
    wired: bool = True  # whether `anamnesis init` was run here

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.config = self.home / ".claude"
        self.store = self.home / ".anamnesis"
        self.config.mkdir(parents=True)
        self.project = self.check_out(PROJECT)
        where = ["--remote", str(self.remote)] if self.remote else ["--local-only"]
        if not self.wired:
            return
        done = self.anamnesis("init", "--yes", "--machine-id", self.name, *where)
        assert done.returncode == 0, done.stderr

    @property
    def env(self) -> dict[str, str]:
        """The client's whole environment."""
        folders = [str(ANAMNESIS.parent), str(self.client.parent), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "PATH": os.pathsep.join(folders),
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.api,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "MCP_TIMEOUT": "60000",  # a busy machine starts the server slowly
            "DISABLE_TELEMETRY": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "ANAMNESIS_CAPTURE": self.capture,
        }

    def anamnesis(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one of our own commands on this machine."""
        return self._run([str(ANAMNESIS), *words])

    def ask(self, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """One headless session of the client."""
        return self._run([str(self.client), "-p", prompt, *words])

    def client_command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One of the client's own commands."""
        return self._run([str(self.client), *words])

    def sit_down(self, *words: str) -> Terminal:
        """The client on a terminal."""
        return Terminal([str(self.client), *words], env=self.env, cwd=self.project)

    def write(self, title: str, body: str, *, project: str = "global") -> str:
        """Write a note by hand; returns its id."""
        words = ["write", "--type", "semantic", "--title", title, "--project", project, "--body", body]
        done = self.anamnesis(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def notes(self, kind: str = "*") -> list[Memory]:
        """The portable notes on this machine's disk."""
        return [deserialize(path.read_text()) for path in sorted(self.store.glob(f"memory/{kind}/*.md"))]

    def sessions(self, word: str) -> list[Memory]:
        """The session notes that contain `word`."""
        return [note for note in self.notes("episodic") if word in note.body]

    def injections(self) -> int:
        """How often a session was told something."""
        return sum(entry.kind == "told" for entry in state.read(self.store, state.Entry))

    def transcript_of(self, word: str) -> Path | None:
        """The client's own record of the session in which `word` was said."""
        found = [
            path
            for path in self.config.glob("projects/*/*.jsonl")
            if word in path.read_text("utf-8", "replace")
        ]
        return found[0] if found else None

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )

    def check_out(self, key: str) -> Path:
        """A clone of a project that the client trusts."""
        folder = self.root / "work dir" / key.rpartition("/")[2]
        folder.mkdir(parents=True)
        (folder / "README.md").write_text("demo\n")
        for words in (
            ["init", "-q", "-b", "trunk"],
            ["add", "-A"],
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "first"],
            ["remote", "add", "origin", f"https://{key}.git"],
        ):
            subprocess.run(["git", *words], cwd=folder, env=self.env, check=True)
        self._answer_first_run_dialogs(folder)
        return folder

    def _answer_first_run_dialogs(self, project: Path) -> None:
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state = self.config / ".claude.json"
        known = json.loads(state.read_text()) if state.exists() else {}
        known |= {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {**known.get("projects", {}), str(project): trusted},
        }
        state.write_text(json.dumps(known))
