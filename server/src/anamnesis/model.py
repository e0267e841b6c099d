"""Asks a model for text: the server, model and key, checked before a byte is sent; redaction, budget, usage.

One `ModelClient` is one run, with one budget for all its calls. Keys never appear in an error, and no answer
is trusted: `read_json` extracts the one JSON value. `local` is a server on this machine only. A key is sent
only over https or within this machine: if our own key would go over plain http, that is an error; another
tool's key is then not sent.

Why the standard library: the base install has no HTTP package, and one POST is enough. `http.client` follows
no redirect and reads no proxy setting, so the key reaches the configured host and no other.

The record of usage is local: a call is counted before it is made, so that a killed process counts too.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import re
import ssl
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from anamnesis import state
from anamnesis.config import environment
from anamnesis.errors import ConfigError, ModelError, StoreUnavailable
from anamnesis.redact import redact
from anamnesis.settings import Resolved, is_model_provider, resolve, resolve_number
from anamnesis.text import utcnow

TEMPERATURE = 0.2
CHARACTERS_PER_TOKEN = 4
_LOCAL_URL = "http://127.0.0.1:11434/v1"
_EXAMPLES = {"provider": "local", "model": "my-model", "base_url": _LOCAL_URL}  # for messages
_MAX_ANSWER = 4_000_000  # bytes
_MAX_QUOTED = 200
_CHUNK = 65_536  # bytes of an answer read at once
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"^```[a-zA-Z]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_REMEDIES = {
    401: "check reflection.api_key",
    403: "check reflection.api_key",
    404: "check reflection.base_url and reflection.model",
}


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
    url = _address(address.value or _LOCAL_URL)
    if provider == "local" and not _is_loopback(url):
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


def _address(text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        is_usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigError("reflection.base_url is not an http:// or https:// address; set it again")
    if url.username is not None or url.query or url.fragment:
        raise ConfigError(
            "reflection.base_url has more than scheme, host and path; put the key into its own setting"
        )
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
    is_exposed = bool(key) and url.scheme == "http" and not _is_loopback(url)
    if is_exposed and not is_borrowed:
        raise ConfigError(
            f"the key would be sent unencrypted to {url.hostname};"
            f" use https, or unset {resolved.setting.name}"
        )
    return "" if is_exposed else key


def _is_loopback(url: SplitResult) -> bool:
    try:
        return url.hostname == "localhost" or ipaddress.ip_address(url.hostname or "").is_loopback
    except ValueError:
        return False


class Usage(NamedTuple):
    """The usage of one run."""

    calls: int = 0
    failures: int = 0
    characters_sent: int = 0
    characters_received: int = 0
    seconds: float = 0.0


class ModelClient:
    """A model for one run, with the budget that this run may spend on questions."""

    def __init__(self, endpoint: Endpoint, *, root: Path) -> None:
        self.endpoint = endpoint
        self.label = endpoint.label
        self.spent = Usage()
        self._root = root

    @property
    def characters_left(self) -> int:
        """How much input this run may still send."""
        return self.endpoint.max_characters - self.spent.characters_sent

    def ask(self, *, system: str, user: str) -> str:
        """The model's answer to one question; ModelError if there is no usable one."""
        texts = {"system": redact(system), "user": redact(user)}
        size = sum(map(len, texts.values()))
        if size > self.characters_left:
            tokens = self.endpoint.max_characters // CHARACTERS_PER_TOKEN
            raise ModelError(
                f"this run's budget of {tokens:,} tokens is spent; "
                "raise reflection.max_tokens, or run it again for the rest"
            )
        message = {
            "model": self.endpoint.model,
            "temperature": TEMPERATURE,
            "stream": False,
            "messages": [{"role": role, "content": text} for role, text in texts.items()],
        }
        status, body = self._call(json.dumps(message).encode(), size)
        if status != 200:
            raise ModelError(_refusal(self.endpoint, status, body))
        try:
            text = json.loads(body)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as exc:
            raise ModelError(
                f"{self.endpoint.host} answered, but not as a chat server does; check reflection.base_url"
            ) from exc
        if not isinstance(text, str) or not text.strip():
            raise ModelError(f"{self.label} gave an empty answer; try again, or use another model")
        return text

    def _call(self, data: bytes, size: int) -> tuple[int, bytes]:
        # Counted before it is made, so that a killed process counts too.
        self._count(Usage(calls=1, characters_sent=size))
        started = time.monotonic()
        received, failures = 0, 1
        try:
            status, body = _post(self.endpoint, data)
            received, failures = len(body), int(status != 200)
            return status, body
        finally:
            took = round(time.monotonic() - started, 3)
            self._count(Usage(failures=failures, characters_received=received, seconds=took))

    def _count(self, more: Usage) -> None:
        self.spent = Usage._make(map(sum, zip(self.spent, more, strict=True)))
        now = utcnow()
        try:
            state.add_usage(self._root, state.Used(self.label, now, now, *more))
        except StoreUnavailable as exc:
            raise ModelError(str(exc)) from exc


def _post(endpoint: Endpoint, data: bytes) -> tuple[int, bytes]:
    """The status and body of the server's reply; ModelError if there is no complete one in time."""
    kind = http.client.HTTPSConnection if endpoint.encrypted else http.client.HTTPConnection
    deadline = time.monotonic() + endpoint.timeout
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {endpoint.api_key}"
    with closing(kind(endpoint.host, endpoint.port, timeout=endpoint.timeout)) as connection:
        try:
            connection.request("POST", endpoint.path, data, headers)
            with connection.getresponse() as response:
                body = b""
                # The timeout of a socket is for one read; a slow server must not extend it with each.
                while chunk := response.read1(_CHUNK):
                    body += chunk
                    if time.monotonic() > deadline:
                        raise TimeoutError
                    if len(body) > _MAX_ANSWER:
                        raise http.client.IncompleteRead(b"")
                if response.length:
                    raise http.client.IncompleteRead(b"")
                return response.status, body
        except TimeoutError as exc:
            raise ModelError(
                f"{endpoint.host} did not answer in full within {endpoint.timeout:g} s;"
                " try again, or raise reflection.timeout"
            ) from exc
        except ssl.SSLCertVerificationError as exc:
            problem = f"its certificate is not trusted ({exc.verify_message})"
        except OSError as exc:
            problem = f"the connection failed ({exc.strerror or type(exc).__name__})"
        except (http.client.HTTPException, ValueError) as exc:
            # The text of these errors can quote what was sent, so only their type is shown.
            problem = f"the answer was cut off or is not HTTP ({type(exc).__name__})"
    raise ModelError(f"{endpoint.host}: {problem}; check reflection.base_url and the server")


def _refusal(endpoint: Endpoint, status: int, body: bytes) -> str:
    """Why the server refused, in its own words if they are safe to print."""
    remedy = _REMEDIES.get(status, "try again later, or look at the server")
    if 300 <= status <= 399:
        remedy = "no redirect is followed; set reflection.base_url to the final address"
    try:
        text = str(json.loads(body)["error"]["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return f"{endpoint.host} answered HTTP {status}; {remedy}"
    # A server may quote the key, in full or in part.
    words = redact(text.replace(endpoint.api_key, "[key]") if endpoint.api_key else text).split()
    said = "".join(char for char in " ".join(words) if char.isprintable())[:_MAX_QUOTED]
    return f"{endpoint.host} answered HTTP {status} ({said}); {remedy}"


def read_json(text: str) -> object:
    """The one JSON value in a model's answer; ModelError if there is none, or more than one."""
    said = _THINKING.sub("", text, count=1).strip()
    blocks = _FENCED.findall(said)
    try:
        value: object = json.loads("\n".join(blocks) or said)
    except (ValueError, RecursionError) as exc:
        raise ModelError("the model's answer is not JSON; try again, or use another model") from exc
    return value
