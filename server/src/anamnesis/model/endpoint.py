"""The server, model and key, checked before a byte is sent; and one HTTP request.

`local` is a server on this machine only. A key is sent only over https or within this machine: if our own key
would go over plain http, that is an error; another tool's key is then not sent.

Why the standard library: the base install has no HTTP package, and one POST is enough. `http.client` follows
no redirect and reads no proxy setting, so the key reaches the configured host and no other. Its timeouts
apply to a single read, so the exchange runs in its own thread, and the caller stops waiting at the deadline.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from anamnesis.config import environment
from anamnesis.errors import ConfigError, ModelError
from anamnesis.settings import Resolved, is_model_provider, resolve, resolve_number

CHARACTERS_PER_TOKEN = 4
_LOCAL_URL = "http://127.0.0.1:11434/v1"
_EXAMPLES = {"provider": "local", "model": "my-model", "base_url": _LOCAL_URL}  # for messages
_MAX_ANSWER = 4_000_000  # bytes


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

    @property
    def label(self) -> str:
        """How notes and the usage record name this model: `provider/model`."""
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's reply, whatever its status."""

    status: int
    retry_after: str
    body: bytes


def resolve_endpoint(*, home: Path | None = None) -> Endpoint:
    """The configured model; ConfigError says what is missing or invalid."""
    settings = {name: resolve(f"reflection.{name}", home=home) for name in (*_EXAMPLES, "api_key")}
    provider = settings["provider"].value.lower()
    if not is_model_provider(provider):
        raise _missing(settings["provider"], "no model is configured, and this needs one")
    model = settings["model"].value
    if not model or not model.isprintable():
        raise _missing(settings["model"], "no model is named")
    address = settings["base_url"]
    if not address.value and provider != "local":
        raise _missing(address, "the model's server is not named")
    url = _address(address.value or _LOCAL_URL, "reflection.base_url")
    if provider == "local" and not _is_loopback(url.hostname or ""):
        raise ConfigError(
            f"provider local means this machine, and {url.hostname} is another; use provider openai for it"
        )
    return Endpoint(
        provider=provider,
        model=model,
        host=url.hostname or "",
        port=url.port or (443 if url.scheme == "https" else 80),
        path=url.path.rstrip("/") + "/chat/completions",
        encrypted=url.scheme == "https",
        api_key=_key(settings["api_key"], provider, url),
        timeout=resolve_number("reflection.timeout", home=home),
        max_characters=int(resolve_number("reflection.max_tokens", home=home)) * CHARACTERS_PER_TOKEN,
    )


def _missing(resolved: Resolved, problem: str) -> ConfigError:
    setting = resolved.setting
    example = _EXAMPLES[setting.name.rpartition(".")[2]]
    how = f"for example `anamnesis config set {setting.name} {example}`, or {setting.variable}"
    return ConfigError(f"{problem}; set it: {how}")


def _address(text: str, name: str) -> SplitResult:
    try:
        url = urlsplit(text)
        is_usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigError(f"{name} is not an http:// or https:// address; set it again")
    if url.username is not None or url.query or url.fragment:
        raise ConfigError(f"{name} has more than scheme, host and path; put the key into its own setting")
    return url


def _key(resolved: Resolved, provider: str, url: SplitResult) -> str:
    key = resolved.value
    is_borrowed = resolved.variable in resolved.setting.fallbacks
    if is_borrowed:
        # Keys of several tools may be set; use the chosen provider's.
        key = environment(f"{provider.upper()}_API_KEY") or key
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError(
            f"{resolved.variable or resolved.setting.name} contains characters that no key has; set it again"
        )
    is_exposed = bool(key) and url.scheme == "http" and not _is_loopback(url.hostname or "")
    if is_exposed and not is_borrowed:
        raise ConfigError(
            f"the key would be sent unencrypted to {url.hostname};"
            f" use https, or unset {resolved.setting.name}"
        )
    return "" if is_exposed else key


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def post(endpoint: Endpoint, message: dict[str, object], *, seconds: float) -> Reply:
    """Send `message` to the endpoint; ModelError if there is no complete reply within `seconds`."""
    exchange = _Exchange(endpoint, json.dumps(message).encode(), seconds)
    exchange.start()
    exchange.join(seconds)
    if exchange.is_alive():
        exchange.abandon()
        raise ModelError(
            f"{endpoint.host} did not answer in full within {endpoint.timeout:g} s;"
            " try again, or raise reflection.timeout"
        )
    if exchange.reply is None:
        raise ModelError(f"{endpoint.host}: {exchange.problem}; check reflection.base_url and the server")
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
        # A second longer than the caller waits, so that the caller reports the timeout.
        self._connection = kind(endpoint.host, endpoint.port, timeout=seconds + 1)

    def run(self) -> None:
        """Run the exchange; every failure becomes a message, which never contains the key."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._endpoint.api_key:
            headers["Authorization"] = f"Bearer {self._endpoint.api_key}"
        try:
            self._connection.request("POST", self._endpoint.path, self._data, headers)
            response = self._connection.getresponse()
            body = response.read(_MAX_ANSWER + 1)
            if len(body) > _MAX_ANSWER or response.length:
                raise http.client.IncompleteRead(b"")
            self.reply = Reply(response.status, response.getheader("Retry-After") or "", body)
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
        if (sock := self._connection.sock) is not None:
            with suppress(OSError):  # already closed by the other side
                sock.shutdown(socket.SHUT_RDWR)
