"""Random requests to a dashboard on loopback: schemathesis over `contracts/openapi.json`, for `make fuzz`.

No server error, only answers of the described shape, and none without the cookie of the login.
"""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
from pathlib import Path

_CONTRACTS = Path(__file__).resolve().parents[2] / "contracts"
_PROGRAM = Path(sys.prefix) / "schemathesis" / "bin" / "st"  # in an environment of its own: `make fuzz`
_ADDRESS = re.compile(r"http://localhost:(\d+)(/\?token=\S+)")
_COOKIE = "anamnesis-3000"  # as the description calls it; the name has the port
# Settings would send the next request elsewhere: another remote, a model to pay for.
_APART = "^/(settings/.*|reflect)$"
_CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "ignored_auth"
)


def fuzz_api(folder: Path, *, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run schemathesis for so long against the dashboard of a new store in a folder."""
    env = {**os.environ, "HOME": str(folder), "ANAMNESIS_HOME": str(folder / "store")}
    command = [sys.executable, "-m", "anamnesis"]
    for title in ("Webhooks", "Deploy"):
        written = [*command, "write", "--type", "semantic", "--title", title, "--body", title]
        subprocess.run(written, cwd=folder, env=env, check=True, capture_output=True)
    with subprocess.Popen(
        [*command, "dashboard", "--port", "0"], cwd=folder, env=env, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            return _attack(folder, server, seconds=seconds)
        finally:
            server.terminate()


def _attack(
    folder: Path, server: subprocess.Popen[str], *, seconds: float
) -> subprocess.CompletedProcess[str]:
    assert server.stderr is not None  # noqa: S101  # it is a pipe
    line = server.stderr.readline()
    found = _ADDRESS.search(line)
    if found is None:
        raise SystemExit(f"the dashboard did not start: {line}")
    port, cookie = found[1], _log_in(found[1], found[2])
    text = (_CONTRACTS / "openapi.json").read_text(encoding="utf-8")
    (folder / "openapi.json").write_text(text.replace(_COOKIE, cookie.partition("=")[0]), encoding="utf-8")
    return subprocess.run(
        [
            *(str(_PROGRAM), "run", "openapi.json", "--url", f"http://localhost:{port}/api"),
            *("-H", f"Cookie: {cookie}"),
            *("--max-time", str(max(1, round(seconds))), "--checks", _CHECKS, "--exclude-path-regex", _APART),
            *("--no-color", "--warnings", "off", "--continue-on-failure"),
        ],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def _log_in(port: str, path: str) -> str:
    """The cookie for the printed address."""
    connection = http.client.HTTPConnection("localhost", int(port))
    connection.request("GET", path)
    cookie = connection.getresponse().getheader("set-cookie") or ""
    connection.close()
    return cookie.partition(";")[0]
