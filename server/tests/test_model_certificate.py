"""Nothing is sent to a server whose certificate cannot be verified; what needs no model continues."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis import state
from anamnesis.errors import ModelError
from anamnesis.model import ModelClient, resolve_endpoint
from certificates import make_certificate
from fake_model import FakeModel, answer

KEY = "sk-proj-Zx81kQpW0aLm3nR7tV2yB5cD9eF4gH6j"

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for this machine."""
    return make_certificate(tmp_path_factory.mktemp("ours") / "both.pem", name="IP:127.0.0.1")


@pytest.fixture
def server(ours: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """A working model server with an untrusted certificate."""
    with FakeModel([answer('{"notes": [], "title": "t", "body": "b"}')], certificate=ours) as running:
        configure(monkeypatch, running)
        yield running


def configure(monkeypatch: pytest.MonkeyPatch, server: FakeModel) -> None:
    """Make it the configured model."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "tiny")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", server.url)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", KEY)


def ask(root: Path) -> str:
    """Send one request."""
    return ModelClient(resolve_endpoint(), root=root).ask(system="be brief", user="question")


def test_an_untrusted_server_is_refused_and_neither_asked_nor_retried(
    server: FakeModel, tmp_path: Path
) -> None:
    with pytest.raises(
        ModelError, match=r"127\.0\.0\.1: its certificate is not trusted \(self.signed"
    ) as told:
        ask(tmp_path)
    assert "check reflection.base_url" in str(told.value)
    assert KEY not in str(told.value)
    assert (server.connections, server.requests) == (1, [])
    assert [(used.calls, used.failures) for used in state.read(tmp_path, state.Used)] == [(1, 1)]


def test_the_server_is_asked_once_its_certificate_is_trusted(
    server: FakeModel, ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ours))
    assert "notes" in ask(tmp_path)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
