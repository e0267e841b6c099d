"""Checks of the settings and what they point to: the remote and the model. Needs no store."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis.doctor.finding import Context, Finding
from anamnesis.errors import AnamnesisError, ConfigError
from anamnesis.layout import CONFIG_NAME, MEMORY
from anamnesis.model.client import ModelClient
from anamnesis.model.endpoint import Endpoint, resolve_endpoint
from anamnesis.settings import checked, is_model_provider, resolve, resolve_all
from anamnesis.sync import backend_for


def examine_settings(home: Path) -> list[Finding]:
    """The settings, the remote and the model, each tried out; the model is asked one short question."""
    return [_settings(home), _remote(home), _model(home, ask=True)]


def check_settings(context: Context) -> Finding:
    """Every setting has a usable value."""
    return _settings(context.home)


def check_remote_answers(context: Context) -> Finding:
    """The remote can be reached."""
    return _remote(context.home)


def check_model(context: Context) -> Finding:
    """The model, if one is set, is completely configured; nothing is sent to it."""
    return _model(context.home, ask=False)


def _settings(home: Path) -> Finding:
    path = home / CONFIG_NAME
    try:
        if path.exists() and not isinstance(json.loads(path.read_bytes()), dict):
            return Finding("settings", "bad", f"{path} does not hold a JSON object", "fix or remove it")
    except (OSError, ValueError, RecursionError) as exc:
        return Finding("settings", "bad", f"{path} cannot be read ({exc})", "fix or remove it")
    chosen = [found for found in resolve_all(home=home) if found.source != "default"]
    for found in chosen:
        try:
            checked(found.setting, found.value)
        except ConfigError as exc:
            where = found.variable or CONFIG_NAME
            return Finding(
                "settings", "bad", f"{where}: {exc}", f"`anamnesis config set {found.setting.name} VALUE`"
            )
    return Finding("settings", "ok", f"{len(chosen)} set, the rest default")


def _remote(home: Path) -> Finding:
    remote, machine_id = (resolve(name, home=home).value for name in ("remote", "machine_id"))
    return backend_for(home / MEMORY, remote=remote or None, machine_id=machine_id).examine_remote()


def _model(home: Path, *, ask: bool) -> Finding:
    provider = resolve("reflection.provider", home=home).value.lower()
    if not is_model_provider(provider):
        return Finding("model", "ok", "none set: sessions are summarised without one")
    try:
        endpoint = resolve_endpoint(home=home)
        said = _ask_model(home, endpoint) if ask else "set; `anamnesis config test` asks it"
    except AnamnesisError as exc:
        return Finding("model", "bad", str(exc), "`anamnesis config list` shows what is set")
    return Finding("model", "ok", f"{endpoint.label} {said}")


def _ask_model(home: Path, endpoint: Endpoint) -> str:
    ModelClient(endpoint, root=home).ask(system="Answer with one word.", user="Are you there?")
    return "answers"


CHECKS = (check_settings, check_remote_answers, check_model)
