"""The model client against a server that behaves and one that misbehaves in every way; its usage record."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis import state
from anamnesis.errors import ConfigError, ModelError
from anamnesis.model import ModelClient, resolve_endpoint
from certificates import make_certificate
from fake_model import (
    Act,
    FakeModel,
    answer,
    chat,
    cut_off,
    dripping,
    hang_up,
    reply,
    silent,
    status,
)

KEY = "sk-proj-Zx81kQpW0aLm3nR7tV2yB5cD9eF4gH6j"


@pytest.fixture(autouse=True)
def configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEEPSEEK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "tiny")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_API_KEY", KEY)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_TIMEOUT", "5")


def ask(monkeypatch: pytest.MonkeyPatch, server: FakeModel, root: Path, *, user: str = "question") -> str:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", server.url)
    return client(root).ask(system="be brief", user=user)


def client(root: Path) -> ModelClient:
    return ModelClient(resolve_endpoint(), root=root)


def test_a_prompt_is_sent_in_the_chat_protocol(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with FakeModel([answer("fine")]) as server:
        assert ask(monkeypatch, server, tmp_path) == "fine"
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "tiny"
    assert request.body["temperature"] == 0.2
    assert request.texts == ["be brief", "question"]


def test_nothing_sent_to_a_model_contains_a_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with FakeModel([answer("fine")]) as server:
        ask(monkeypatch, server, tmp_path, user=f"the token is {secret}")
    assert secret not in json.dumps(server.requests[0].body)
    assert "[redacted" in server.requests[0].texts[1]


def test_every_call_is_counted_by_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with FakeModel([answer("fine"), status(400)]) as server:
        ask(monkeypatch, server, tmp_path)
        with pytest.raises(ModelError):
            ask(monkeypatch, server, tmp_path)
    (used,) = state.read(tmp_path, state.Used)
    assert used.since <= used.last
    assert used.model == "local/tiny"
    assert (used.calls, used.failures) == (2, 1)
    assert used.characters_sent == 2 * len("be brief" + "question")
    assert used.characters_received > len(chat("fine"))


BAD_WEATHER: dict[str, tuple[Act, str]] = {
    "a broken server": (status(500, message="out of cake"), r"HTTP 500 \(out of cake\); try again later"),
    "a refusal": (status(401, message="bad key"), "HTTP 401 .bad key.; check reflection.api_key"),
    "html": (reply(200, "<html>welcome</html>", kind="text/html"), "not as a chat server does"),
    "another shape": (reply(200, '{"choices": {"0": 1}}'), "not as a chat server does"),
    "content that is not text": (reply(200, chat("x").replace('"x"}', "[1]}")), "empty answer"),
    "an empty answer": (answer("  "), "empty answer"),
    "an answer cut off": (cut_off("hello " * 50), "cut off"),
    "a hang-up": (hang_up, "connection failed"),
    "an endless answer": (reply(200, "x" * 4_100_000), "cut off or is not HTTP"),
}


@pytest.mark.parametrize("weather", BAD_WEATHER)
def test_every_failure_becomes_one_clear_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, weather: str
) -> None:
    act, words = BAD_WEATHER[weather]
    with FakeModel([act]) as server, pytest.raises(ModelError, match=words) as caught:
        ask(monkeypatch, server, tmp_path)
    assert KEY not in str(caught.value)
    assert [used.calls for used in state.read(tmp_path, state.Used)] == [1]


@pytest.mark.parametrize("act", [silent(), dripping(0.05)], ids=["silent", "dripping"])
def test_a_server_that_never_finishes_is_abandoned_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, act: Act
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_TIMEOUT", "0.3")
    with FakeModel([act]) as server, pytest.raises(ModelError, match=r"within 0.3 s"):
        ask(monkeypatch, server, tmp_path)


def test_a_redirect_is_not_followed_and_does_not_get_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with FakeModel([answer("stolen")]) as other, FakeModel([]) as server:
        server.acts.append(reply(307, "", headers={"Location": other.url + "/chat/completions"}))
        with pytest.raises(ModelError, match="no redirect is followed"):
            ask(monkeypatch, server, tmp_path)
        assert other.requests == []


def test_a_key_quoted_by_the_server_is_not_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    act = status(401, message=f"bad key {KEY}\x1b[31m")
    with FakeModel([act]) as server, pytest.raises(ModelError) as caught:
        ask(monkeypatch, server, tmp_path)
    assert KEY not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_the_budget_covers_all_calls_of_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MAX_TOKENS", "10")
    with FakeModel([answer("fine")]) as server:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", server.url)
        asking = client(tmp_path)
        asking.ask(system="", user="x" * 30)
        assert asking.characters_left == 10
        with pytest.raises(ModelError, match="budget of 10 tokens is spent"):
            asking.ask(system="", user="x" * 11)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("provider", "url", "words"),
    [
        ("heuristic", "http://127.0.0.1:1", "no model is configured"),
        ("openai", "", "server is not named"),
        ("openai", "file:///etc/passwd", "not an http"),
        ("openai", "https://host:0/v1", "not an http"),
        ("openai", "https://me:pass@host/v1", "more than scheme, host and path"),
        ("openai", "http://models.example.org/v1", "unencrypted"),
        ("local", "http://models.example.org/v1", "means this machine"),
        ("local", "http://127.0.0.1.example.org/v1", "means this machine"),
    ],
)
def test_an_unusable_address_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, provider: str, url: str, words: str
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", provider)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", url)
    with pytest.raises(ConfigError, match=words) as caught:
        resolve_endpoint()
    assert "pass" not in str(caught.value).replace("path", "")


def test_a_borrowed_key_is_never_sent_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "openai")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", "http://models.example.org/v1")
    monkeypatch.delenv("ANAMNESIS_REFLECTION_API_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", "open-key")
    assert resolve_endpoint().api_key == ""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for this machine."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return make_certificate(tmp_path_factory.mktemp("ours") / "both.pem", name="IP:127.0.0.1")


@pytest.fixture
def server(ours: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """A working model server with an untrusted certificate."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with FakeModel([answer("fine")], certificate=ours) as running:
        yield running


def test_an_untrusted_server_is_refused_and_neither_asked_nor_retried(
    server: FakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        ModelError, match=r"127\.0\.0\.1: its certificate is not trusted \(self.signed"
    ) as told:
        ask(monkeypatch, server, tmp_path)
    assert "check reflection.base_url" in str(told.value)
    assert KEY not in str(told.value)
    assert (server.connections, server.requests) == (1, [])
    assert [(used.calls, used.failures) for used in state.read(tmp_path, state.Used)] == [(1, 1)]


def test_the_server_is_asked_once_its_certificate_is_trusted(
    server: FakeModel, ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ours))
    assert ask(monkeypatch, server, tmp_path) == "fine"
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
