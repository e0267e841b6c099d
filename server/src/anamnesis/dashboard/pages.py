"""The built front end, its Content-Security-Policy, and plain pages for when it is missing or locked.

The export contains a few small inline scripts that start the page. Each is allowed by its hash, so no other
inline script runs.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"
LOCKED = "this dashboard is locked; open the address that `anamnesis dashboard` printed when it was started"

_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_STYLE = (
    "body{max-width:36rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.6 system-ui,sans-serif}"
    ":root{color-scheme:light dark}"
)
_MISSING = """<h1>The dashboard has not been built</h1>
<p>Its pages are not part of this installation. In a clone, run <code>make dashboard</code> (this needs
Node); if Anamnesis was installed from a wheel, run <code>make dashboard wheel</code> and install the new
wheel. Then start <code>anamnesis dashboard</code> again.</p>"""
_LOCKED = """<h1>This dashboard is locked</h1>
<p>Anamnesis shows the notes on this machine to the person who started the dashboard, and to no one else.</p>
<p>Open the address that <code>anamnesis dashboard</code> printed in the terminal. It ends in
<code>?token=</code> and a long word; this browser needs it once. A dashboard that was started again has
printed a new address.</p>"""


def page_routes(folder: Path) -> list[BaseRoute]:
    """The routes of the exported pages and their files, or of a page that says how to build them."""
    if is_built(folder):
        return [Mount("/", StaticFiles(directory=folder, html=True))]
    return [Route("/{rest:path}", lambda _: _plain_page(_MISSING, 503))]


def content_policy(folder: Path) -> str:
    """The policy for every answer: only our own files, and the inline scripts of the pages by hash."""
    pages = [file.read_bytes() for file in folder.rglob("*.html")]
    hashes = {_hash(script) for page in pages for script in _INLINE_SCRIPT.findall(page)}
    scripts = " ".join(["'self'", *sorted(hashes)])
    return (
        "default-src 'none'; connect-src 'self'; font-src 'self'; img-src 'self' data:; worker-src 'self';"
        " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        f" style-src 'self' {_hash(_STYLE.encode())}; script-src {scripts}"
    )


def is_built(folder: Path) -> bool:
    """Whether the front end is built."""
    return (folder / "index.html").is_file()


def locked() -> Response:
    """The page for a browser that is not logged in: what this is, and how to log in."""
    return _plain_page(_LOCKED, 401)


def _plain_page(text: str, status: int) -> Response:
    head = '<meta charset="utf-8"><title>Anamnesis</title><meta name="viewport" content="width=device-width">'
    return HTMLResponse(f'<!doctype html><html lang="en">{head}<style>{_STYLE}</style>{text}</html>', status)


def _hash(inline: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(inline).digest()).decode()}'"
