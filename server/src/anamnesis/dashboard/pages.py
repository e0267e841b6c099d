"""The built front end: its files, a Content-Security-Policy for each page, and plain pages if it is missing.

The export contains a few small inline scripts that start the page. Each is allowed by its hash, so no other
inline script runs.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path

from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"
REMEDY = (
    "run `make dashboard` in a clone; for an installed wheel `make dashboard wheel`, and install the new one"
)

_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_POLICY = (
    "default-src 'none'",
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "style-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
LOCKED = "this dashboard is locked; open the address that `anamnesis dashboard` printed when it was started"

_STYLE = (
    "body{max-width:36rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.6 system-ui,sans-serif}"
    "h1{font-size:1.4rem}code{font-family:ui-monospace,monospace}:root{color-scheme:light dark}"
)
_MISSING = """<h1>The dashboard has not been built</h1>
<p>Its pages are not part of this installation. In a clone, run <code>make dashboard</code> (this needs
Node); if Anamnesis was installed from a wheel, run <code>make dashboard wheel</code> and install the new
wheel. Then start <code>anamnesis dashboard</code> again.</p>"""
_LOCKED = """<h1>This dashboard is locked</h1>
<p>Anamnesis shows the notes on this machine to the person who started the dashboard, and to no one else.</p>
<p>Open the address that <code>anamnesis dashboard</code> printed in the terminal. It ends in
<code>?token=</code> and a long word; this browser needs it once. A dashboard that was started again has
printed a new address.</p>
<p>Opened it here already? <a href="">Load this page again.</a></p>"""


class Pages(StaticFiles):
    """Serves the exported pages and their files; 404.html for anything else."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """An existing file, with its headers."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        _add_headers(answer, Path(full_path), is_named_by_hash="/_next/static/" in str(scope["path"]))
        return answer

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the 404 page."""
        answer = await super().get_response(path, scope)
        if isinstance(answer, FileResponse) and answer.status_code == 404:
            # Starlette does not call `file_response` for the 404 page.
            _add_headers(answer, Path(answer.path), is_named_by_hash=False)
        return answer


def _add_headers(answer: Response, file: Path, *, is_named_by_hash: bool) -> None:
    """Add the policy, and long caching for files that are named by their hash."""
    # A worker uses the policy of its own script, so every file has one.
    page = file.read_bytes() if file.suffix == ".html" else b""
    answer.headers["content-security-policy"] = content_policy(page)
    answer.headers["cache-control"] = "max-age=31536000, immutable" if is_named_by_hash else "no-cache"


def content_policy(page: bytes) -> str:
    """The policy for one page: only its own files, and its inline scripts by hash."""
    hashes = sorted({_hash(script) for script in _INLINE_SCRIPT.findall(page)})
    scripts = " ".join(["script-src 'self'", *hashes])
    return "; ".join((*_POLICY, scripts))


def is_built(folder: Path) -> bool:
    """Whether the front end is built."""
    return (folder / "index.html").is_file()


def remark(folder: Path) -> str:
    """A warning if the dashboard is started without its pages; "" if they are built."""
    if is_built(folder):
        return ""
    return f"the dashboard's page has not been built, so only the API is served; {REMEDY}"


def missing_build(*, wants_page: bool) -> Response:
    """The answer to a page request if the front end is not built."""
    if wants_page:
        return _plain_page(_MISSING, 503)
    return JSONResponse({"error": f"the dashboard has not been built; {REMEDY}", "code": "not-built"}, 503)


def locked() -> Response:
    """The page for a browser that is not logged in: what this is, and how to log in."""
    return _plain_page(_LOCKED, 401)


def _plain_page(text: str, status: int) -> Response:
    """A page of text and links, without files or scripts."""
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Anamnesis</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>{text}</html>'
    )
    policy = (
        f"default-src 'none'; style-src {_hash(_STYLE.encode())}; base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {"content-security-policy": policy, "cache-control": "no-store"}
    return HTMLResponse(page, status, headers=headers)


def _hash(inline: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(inline).digest()).decode()}'"
