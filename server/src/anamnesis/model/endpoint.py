"""The server, model and key, checked before a byte is sent; and one HTTP request.

`local` is a server on this machine only. A key is sent only over https or within this machine: if our own key
would go over plain http, that is an error; another tool's key is then not sent. A request has a JSON body and
a deadline for the whole exchange.

Why the standard library: the base install has no HTTP package, and one POST is enough. `http.client` follows
no redirect and reads no proxy setting, so the key reaches the configured host and no other. Its timeouts
apply to a single read, so a server that sends a byte now and then would never hit them; the exchange
therefore runs in its own thread, and the caller stops waiting at the deadline.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from anamnesis.config import environment
from anamnesis.errors import ConfigError, ModelError
from anamnesis.settings import Resolved, is_model_provider, resolve, resolve_number

CHARACTERS_PER_TOKEN = 4
_LOCAL_URL = "http://127.0.0.1:11434/v1"
_HOW = "for example `anamnesis config set {name} {example}`, or {variable}"
_EXAMPLES = {  # values for messages
    "reflection.provider": "local",
    "reflection.model": "my-model",
    "reflection.base_url": _LOCAL_URL,
}
EMBEDDING_SECONDS = 60.0
_MAX_ANSWER = 4_000_000
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model's address, name and key."""

    provider: str
    model: str
    host: str
    port: int
    path: str
    encrypted: bool
    api_key: str = field(repr=False)
    timeout: float
    max_characters: int
    # For error messages: which setting to check, and what to do about a slow server.
    address_from: str = "reflection.base_url"
    when_slow: str = "try again, or raise reflection.timeout"

    @property
    def label(self) -> str:
        """How notes and the usage record name this model: `provider/model`."""
        return f"{self.provider}/{self.model}"


def resolve_endpoint(*, home: Path | None = None) -> Endpoint:
    """The configured model; ConfigError says what is missing or invalid."""
    provider = resolve("reflection.provider", home=home).value.lower()
    if not is_model_provider(provider):
        raise ConfigError(
            "no model is configured, and this needs one: set one of deepseek, openai and local: "
            + _how(resolve("reflection.provider", home=home))
        )
    url = _address(resolve("reflection.base_url", home=home), provider)
    return Endpoint(
        provider=provider,
        model=_model(resolve("reflection.model", home=home)),
        host=url.hostname or "",
        port=url.port or (443 if url.scheme == "https" else 80),
        path=url.path.rstrip("/") + "/chat/completions",
        encrypted=url.scheme == "https",
        api_key=_key(resolve("reflection.api_key", home=home), provider, url),
        timeout=resolve_number("reflection.timeout", home=home),
        max_characters=int(resolve_number("reflection.max_tokens", home=home)) * CHARACTERS_PER_TOKEN,
    )


def embedding_endpoint(address: str, model: str, *, home: Path | None = None) -> Endpoint:
    """A server that computes vectors; ConfigError says what is wrong with its address or key."""
    if not model or not model.isprintable():
        raise ConfigError("--model is missing; give the model's name on that server")
    url = _checked_address(address, "--endpoint", "semantic.api_key")
    return Endpoint(
        provider="embeddings",
        model=model,
        host=url.hostname or "",
        port=url.port or (443 if url.scheme == "https" else 80),
        path=url.path.rstrip("/") + "/embeddings",
        encrypted=url.scheme == "https",
        api_key=_key(resolve("semantic.api_key", home=home), "openai", url),
        timeout=EMBEDDING_SECONDS,
        max_characters=0,
        address_from="the address of `semantic install --endpoint`",
        when_slow="try again, or look at the server",
    )


def is_on_this_machine(endpoint: Endpoint) -> bool:
    """Whether the endpoint is on this machine."""
    return _is_loopback(endpoint.host)


def _model(resolved: Resolved) -> str:
    if not resolved.value:
        raise ConfigError(f"no model is named; set it: {_how(resolved)}")
    if not resolved.value.isprintable():
        raise ConfigError("reflection.model contains a control character; set it again")
    return resolved.value


def _address(resolved: Resolved, provider: str) -> SplitResult:
    text = resolved.value or (_LOCAL_URL if provider == "local" else "")
    if not text:
        raise ConfigError(f"the model's server is not named; set its address: {_how(resolved)}")
    url = _checked_address(text, "reflection.base_url", "reflection.api_key")
    if provider == "local" and not _is_loopback(url.hostname or ""):
        raise ConfigError(
            f"provider local means this machine, and {url.hostname} is another; use provider openai for it"
        )
    return url


def _checked_address(text: str, name: str, key_setting: str) -> SplitResult:
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable or not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigError(f"{name} is not an http:// or https:// address; set it again")
    if url.username is not None or url.query or url.fragment:
        raise ConfigError(f"{name} has more than scheme, host and path; put the key into {key_setting}")
    return url


def _key(resolved: Resolved, provider: str, url: SplitResult) -> str:
    key = resolved.value
    borrowed = resolved.variable in resolved.setting.fallbacks
    if borrowed:
        # Keys of several tools may be set; use the chosen provider's.
        key = environment(f"{provider.upper()}_API_KEY") or key
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError(
            f"{resolved.variable or resolved.setting.name} contains characters that no key has; set it again"
        )
    if key and url.scheme == "http" and not _is_loopback(url.hostname or ""):
        if not borrowed:
            raise ConfigError(
                f"the key would be sent unencrypted to {url.hostname};"
                f" use https, or unset {resolved.setting.name}"
            )
        key = ""
    return key


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _how(resolved: Resolved) -> str:
    name = resolved.setting.name
    return _HOW.format(name=name, example=_EXAMPLES[name], variable=resolved.setting.variable)


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's reply, whatever its status."""

    status: int
    retry_after: str
    body: bytes


def post(endpoint: Endpoint, message: dict[str, object], *, seconds: float) -> Reply:
    """Send `message` to the endpoint; ModelError if there is no complete reply within `seconds`."""
    exchange = _Exchange(endpoint, json.dumps(message).encode(), seconds)
    exchange.start()
    exchange.join(seconds)
    if exchange.is_alive():
        exchange.abandon()
        raise ModelError(
            f"{endpoint.host} did not answer in full within {endpoint.timeout:g} s; {endpoint.when_slow}"
        )
    if exchange.reply is None:
        raise ModelError(f"{endpoint.host}: {exchange.problem}; check {endpoint.address_from} and the server")
    return exchange.reply


class _Exchange(threading.Thread):
    """A request in progress; ends with `reply` set, or with `problem` saying why not."""

    def __init__(self, endpoint: Endpoint, data: bytes, seconds: float) -> None:
        super().__init__(daemon=True, name="anamnesis-model")
        kind = http.client.HTTPSConnection if endpoint.encrypted else http.client.HTTPConnection
        self.reply: Reply | None = None
        self.problem = "the exchange was given up"
        self._endpoint = endpoint
        self._data = data
        self._is_abandoned = False
        # A second longer than the caller waits, so that the caller reports the timeout.
        self._connection = kind(endpoint.host, endpoint.port, timeout=seconds + 1)

    def run(self) -> None:
        """Run the exchange; every failure becomes a message, which never contains the key."""
        try:
            self._connection.connect()
            if not self._is_abandoned:
                headers = {"Content-Type": "application/json", "Accept": "application/json"}
                if self._endpoint.api_key:
                    headers["Authorization"] = f"Bearer {self._endpoint.api_key}"
                self._connection.request("POST", self._endpoint.path, self._data, headers)
                self.reply = _read_reply(self._connection.getresponse())
        except ssl.SSLCertVerificationError as exc:
            self.problem = f"its certificate is not trusted ({exc.verify_message})"
        except OSError as exc:
            self.problem = f"the connection failed ({exc.strerror or type(exc).__name__})"
        except (http.client.HTTPException, ValueError) as exc:
            # The text of these errors can quote what was sent, so only their type is shown.
            self.problem = f"the answer was cut off or is not HTTP ({type(exc).__name__})"
        finally:
            self._connection.close()

    def abandon(self) -> None:
        """Close the connection, which wakes the thread and makes it end."""
        self._is_abandoned = True
        sock = self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # already closed by the other side


def _read_reply(response: http.client.HTTPResponse) -> Reply:
    parts: list[bytes] = []
    size = 0
    while chunk := response.read(_CHUNK):
        parts.append(chunk)
        size += len(chunk)
        if size > _MAX_ANSWER:
            raise http.client.HTTPException
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return Reply(response.status, response.getheader("Retry-After") or "", b"".join(parts))
