"""Random requests to every API route: an answer or a clear refusal, never a server error."""

from __future__ import annotations

import re
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis.dashboard.routes import ROWS
from dashboard_server import Answer, Dashboard

_ROUTES = [(row.method, row.path) for row in ROWS]
_FIELDS = sorted({name for row in ROWS for name in (*row.query, *row.body)})
_WORDS = (
    "N1 semantic portable global machine-local mine both main HEAD --all -1 0 1e9 true pinned"
    " sync_timeout index ../x"
).split()
_TEXTS = st.one_of(st.sampled_from(_WORDS), st.text(max_size=12), st.integers().map(str))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_FIELDS), inner, max_size=3),
    max_leaves=6,
)
_BODIES = st.one_of(
    _VALUES, st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=8), st.binary(max_size=20)
)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _refused_or_done(answer: Answer) -> bool:
    if answer.status < 400 or (answer.status, answer.text) == (404, "Not Found"):  # no such route
        return True
    return answer.status < 500 and bool(answer.json["error"].strip())


@settings(suppress_health_check=list(HealthCheck))
@given(
    route=st.sampled_from(_ROUTES),
    part=_TEXTS,
    query=st.dictionaries(st.sampled_from(_FIELDS), _TEXTS, max_size=4),
    body=_BODIES,
)
def test_no_request_makes_the_server_fail(
    dashboard: Dashboard, route: tuple[str, str], part: str, query: dict[str, str], body: object
) -> None:
    method, path = route
    if dashboard.store.get("N1") is None:
        dashboard.put("N1", "One")
        dashboard.backend.commit()
    if path == "/settings/{name}" and part == "remote":
        return  # it would send the next request elsewhere
    asked = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in query.items())
    address = f"/api{re.sub(r'{.*?}', lambda _: _quoted(part), path)}?{asked}"
    answer = dashboard.ask("GET", address) if method == "GET" else dashboard.send(method, address, body)
    assert _refused_or_done(answer), (method, address, body, answer)
