"""Other agents from npm, and a machine on which `anamnesis init` set one up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import ANAMNESIS, PROJECT

from anamnesis.notes.record import Memory, deserialize

PACKAGES = {
    "codex": "@openai/codex@0.166.0",
    "copilot": "@github/copilot@1.0.102",
    "gemini": "@google/gemini-cli@0.61.0",
    "opencode": "opencode-ai@1.18.33",
    "qwen": "@qwen-code/qwen-code@0.15.10",
}
NODE = Path(shutil.which("node") or "/usr/bin/node").parent


def fetch_program(agent: str, cache: Path) -> Path:
    """The agent's command, installed below `cache` if missing."""
    package = PACKAGES[agent]
    folder = cache / package.replace("/", "-").replace("@", "-").strip("-")
    if _find(folder, agent) is None:
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("npm is needed to fetch the agents; install Node, then run `make e2e` again")
        folder.mkdir(parents=True, exist_ok=True)
        words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), package]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    found = _find(folder, agent)
    if found is None:
        raise RuntimeError(f"npm installed no command {agent} below {folder}; remove it and run again")
    return found


def _find(folder: Path, agent: str) -> Path | None:
    # OpenCode's launcher needs an install script, which npm may refuse; the program is next to it.
    native = (
        sorted(folder.glob("node_modules/opencode-linux-x64/bin/opencode")) if agent == "opencode" else []
    )
    candidates = [*native, folder / "node_modules" / ".bin" / agent]
    return next((path for path in candidates if path.exists()), None)


@dataclass
class Desk:
    """A home with one agent set up by `anamnesis init --agent`, and a checkout."""

    root: Path
    agent: str
    program: Path
    api: str

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.store = self.home / ".anamnesis"
        self.project = self.root / "work" / "demo"
        self.home.mkdir(parents=True)
        self.project.mkdir(parents=True)
        for words in (["init", "-q", "-b", "trunk"], ["remote", "add", "origin", f"https://{PROJECT}.git"]):
            subprocess.run(["git", *words], cwd=self.project, env=self.env, check=True)
        self._prepare()
        self.anamnesis("init", "--yes", "--local-only", "--machine-id", "desk", "--agent", self.agent)

    @property
    def env(self) -> dict[str, str]:
        """The agent's whole environment."""
        folders = [ANAMNESIS.parent, self.program.parent, NODE, "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(map(str, folders)),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "ANAMNESIS_CAPTURE": "all",
            "FAKE_KEY": "none",
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": self.api,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{self.api}/v1",
            "OPENAI_MODEL": "m",
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{self.api}/v1",
            "COPILOT_MODEL": "m",
        }

    def anamnesis(self, *words: str) -> str:
        """Run one of our own commands; returns its output."""
        done = self._run([str(ANAMNESIS), *words])
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, prompt: str) -> subprocess.CompletedProcess[str]:
        """One session of the agent without a terminal."""
        words = {
            "codex": ["exec", "--dangerously-bypass-hook-trust", prompt],
            "copilot": ["--allow-all-tools", "-s", "-p", prompt],
            # Without a terminal, Gemini shows the model only tools that need no approval.
            "gemini": ["--skip-trust", "--approval-mode", "yolo", "-m", "m", "-p", prompt],
            "opencode": ["run", prompt],
            "qwen": ["-p", prompt],
        }
        return self._run([str(self.program), *words[self.agent]])

    def session_notes(self) -> list[Memory]:
        """The notes of sessions on this machine's disk."""
        return [deserialize(path.read_text()) for path in self.store.glob("memory/episodic/*.md")]

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

    def _prepare(self) -> None:
        """The agent's settings before Anamnesis is set up."""
        if self.agent == "codex":
            provider = (
                f'name = "fake"\nbase_url = "{self.api}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"'
            )
            text = f'model = "m"\nmodel_provider = "fake"\n\n[model_providers.fake]\n{provider}\n'
            self._write(".codex/config.toml", text)
        elif self.agent == "gemini":
            auth = {"auth": {"selectedType": "gemini-api-key"}}
            settings = {"security": auth, "privacy": {"usageStatisticsEnabled": False}}
            self._write(".gemini/settings.json", json.dumps(settings))
        elif self.agent == "opencode":
            options = {"baseURL": f"{self.api}/v1", "apiKey": "none"}
            fake = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"m": {}}}
            config = json.dumps({"provider": {"fake": fake}, "model": "fake/m"})
            self._write(".config/opencode/opencode.jsonc", f"// mine\n{config}\n")

    def _write(self, name: str, text: str) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
