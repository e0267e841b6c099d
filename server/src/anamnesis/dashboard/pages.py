"""The built front end: its files, a Content-Security-Policy for each page, and a word when it is missing.

The export holds a few small inline scripts that start the page. They are allowed one by one, by their hash:
no other inline script runs, wherever it came from.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"
CURE = "run `make dashboard`"

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
_MISSING_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Anamnesis</title>
<h1>The dashboard has not been built</h1>
<p>Its pages are not part of this installation. In a checkout,
run <code>make dashboard</code> (this needs Node);
then start <code>anamnesis dashboard</code> again.</p></html>"""


class Pages(StaticFiles):
    """The exported pages and what belongs to them; 404.html for what is not there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """A file and its headers: a policy for a page, a long life for what is named by its hash."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        # A worker heeds the policy of its own script, so every file carries one.
        page = Path(full_path).read_bytes() if os.fspath(full_path).endswith(".html") else b""
        answer.headers["content-security-policy"] = content_policy(page)
        named_by_hash = "/_next/static/" in str(scope["path"])
        answer.headers["cache-control"] = "max-age=31536000, immutable" if named_by_hash else "no-cache"
        return answer


def content_policy(page: bytes) -> str:
    """The policy for one page: its own files, its own inline scripts by hash, and nothing else."""
    hashes = sorted({_hash(script) for script in _INLINE_SCRIPT.findall(page)})
    scripts = " ".join(["script-src 'self'", *hashes])
    return "; ".join((*_POLICY, scripts))


def is_built(folder: Path) -> bool:
    """Whether the front end is there."""
    return (folder / "index.html").is_file()


def missing_build(*, wants_page: bool) -> Response:
    """What is said in place of a page when the front end was not built."""
    if wants_page:
        return HTMLResponse(_MISSING_PAGE, 503)
    return JSONResponse({"error": f"the dashboard has not been built; {CURE}", "code": "not-built"}, 503)


def _hash(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
