"""Every name in the specification exists where it says, with the specified parameters."""

from __future__ import annotations

import inspect
import json
from dataclasses import astuple, fields
from importlib import import_module
from pathlib import Path

import pytest

# module, name, documented parameters; any others must be optional. None: not a function.
PROMISED: list[tuple[str, str, str | None]] = [
    ("store", "Memory", "id, type, title, body, project='global', machine_id='unknown', scope='portable'"),
    ("store", "MemoryStore", "root"),
    ("store", "_serialize", "mem"),
    ("store", "_deserialize", "text"),
    ("store", "_utcnow", ""),
    ("store", "_fts_query", "query"),
    ("store", "MemoryStore.get", "self, note_id"),
    ("store", "MemoryStore.put", "self, mem"),
    ("store", "MemoryStore.list", "self, *, project=None, type=None, scope=None"),
    ("store", "MemoryStore.search", "self, query, *, project=None, type=None, scope=None, k=8"),
    ("store", "MemoryStore.stats", "self"),
    ("store", "MemoryStore.superseded_ids", "self"),
    ("store", "MemoryStore.reindex", "self"),
    ("store", "MemoryStore.close", "self"),
    ("store", "MemoryStore._dir_for_scope", "self, scope"),
    (
        "store",
        "MemoryStore.write",
        "self, *, type, title, body, project='global', machine_id='unknown', scope='portable', tags=None,"
        " prov_source='human', prov_model='', prov_session='', confidence=1.0, supersedes=''",
    ),
    ("config", "resolve_home", ""),
    ("config", "resolve_machine_id", ""),
    ("config", "resolve_remote", ""),
    ("config", "_store_config", ""),
    ("inject", "resolve_project_key", "cwd"),
    ("inject", "_normalize_remote", "url"),
    ("inject", "_read_marker", "cwd"),
    ("inject", "select_inject", "store, *, project, k=8"),
    ("inject", "render_inject", "notes"),
    ("capture", "parse_transcript", "path"),
    ("capture", "is_trivial_session", "session"),
    ("capture", "resolve_summarizer", ""),
    ("capture", "HeuristicSummarizer", ""),
    ("capture", "_text_of", "content"),
    ("sync", "SyncResult", "pushed, pulled, conflicted, head, detail"),
    ("sync", "SyncState", "initialized, remote, head, dirty, detail"),
    ("sync", "GitSyncBackend", "repo_dir, *, remote, machine_id"),
    ("sync", "GitSyncBackend.sync", "self"),
    ("sync", "GitSyncBackend.state", "self"),
    ("server", "build_server", "store, *, machine_id=None"),
    ("server", "main", ""),
    ("server", "search_memories", "store, *, query, project=None, type=None, scope=None, k=8"),
    ("server", "list_memories", "store, *, project=None, type=None, scope=None"),
    ("server", "status_report", "store, backend"),
    (
        "server",
        "write_memory",
        "store, *, type, title, body, project='global', tags=None, machine_id='unknown', scope='portable'",
    ),
    ("server", "sync_memory", "store, backend"),
    ("server", "_memory_dict", "mem, *, include_body"),
    ("eval", "recall_at_k", "store, cases, ks=(1, 3, 5, 8)"),
    ("eval", "RecallReport", "cases, recall, mrr"),
    ("cli", "cmd_serve", ""),
]

# Names without documented parameters.
NAMED = {
    "store": "MemoryType Scope _FM_DELIM _SCHEMA _SCHEMA_VERSION",
    "inject": "_DURABLE _MAX_EPISODIC",
    "capture": "write_episodic Summarizer ParsedSession _EDIT_TOOLS _MAX_LEN _TRIVIAL_OUTCOME_FLOOR",
    "onboard": "build_hooks build_env merge_hooks write_settings detect_command write_store_config",
    "sync": "SyncBackend SyncError _BRANCH",
    "server": "_READ_ONLY",
    "eval": "build_eval_candidates",
    "cli": "main _run_sync cmd_inject cmd_capture",
}
PROMISED += [(module, name, None) for module, names in NAMED.items() for name in names.split()]


def promised(module: str, name: str) -> object:
    found: object = import_module(f"anamnesis.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, name, _ in PROMISED])
def test_every_promised_name_can_be_imported_from_its_specified_module(module: str, name: str) -> None:
    assert promised(module, name) is not None


@pytest.mark.parametrize(("module", "name", "parameters"), [row for row in PROMISED if row[2] is not None])
def test_every_promised_function_takes_its_documented_parameters(
    module: str, name: str, parameters: str
) -> None:
    found = promised(module, name)
    assert callable(found)
    documented = inspect.signature(eval(f"lambda {parameters}: None"))  # noqa: S307 - the table above
    real = inspect.signature(found).parameters
    # Positional parameters may be passed by position, so their order counts and their names do not.
    positional = [each for each in documented.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    in_order = [
        each for each in real.values() if each.kind in (each.POSITIONAL_OR_KEYWORD, each.POSITIONAL_ONLY)
    ]
    assert len(in_order) >= len(positional)
    for wanted, has in zip(positional, in_order, strict=False):
        assert (has.default == wanted.default) or wanted.default is wanted.empty
    named = {each.name: each.default for each in documented.parameters.values() if each not in positional}
    assert {key: real[key].default for key in named} == named
    extra = [
        each for each in real.values() if each.name not in documented.parameters and each not in in_order
    ]
    assert all(each.default is not each.empty or each.kind is each.VAR_KEYWORD for each in extra)
    assert all(each.default is not each.empty for each in in_order[len(positional) :])


def test_the_record_has_the_documented_fields_in_order() -> None:
    from anamnesis.store import Memory

    names = (
        "id type title body project machine_id scope tags created_at updated_at prov_source prov_model"
        " prov_session confidence supersedes"
    )
    assert [field.name for field in fields(Memory)] == names.split()
    defaults: tuple[object, ...] = ("global", "unknown", "portable", [], "", "", "human", "", "", 1.0, "")
    assert astuple(Memory("i", "semantic", "t", "b")) == ("i", "semantic", "t", "b", *defaults)


def test_the_documented_constants_have_their_values() -> None:
    assert (promised("store", "_FM_DELIM"), promised("sync", "_BRANCH")) == ("---\n", "main")
    assert promised("inject", "_DURABLE") == ("procedural", "semantic")
    assert promised("inject", "_MAX_EPISODIC") == 2
    assert promised("capture", "_EDIT_TOOLS") == {"Edit", "Write", "MultiEdit", "NotebookEdit"}
    assert (promised("capture", "_TRIVIAL_OUTCOME_FLOOR"), promised("capture", "_MAX_LEN")) == (40, 600)


def test_a_store_has_the_documented_paths() -> None:
    from anamnesis.config import resolve_home
    from anamnesis.store import MemoryStore

    with MemoryStore(resolve_home()) as store:
        root = resolve_home()
        assert (store.root, store.memory_dir, store.local_dir) == (root, root / "memory", root / "local")
        assert store.db_path == root / "index.db"


def test_the_schema_has_the_documented_tables() -> None:
    schema = str(promised("store", "_SCHEMA"))
    tables = "memories memory_tags memories_fts idx_mem_scope idx_mem_recency idx_mem_prov"
    for table in tables.split():
        assert table in schema
    assert "tokenize='porter unicode61'" in schema


def test_a_parsed_session_has_the_documented_fields() -> None:
    from anamnesis.capture import ParsedSession

    names = "first_prompt last_outcome files_touched git_branch cwd session_id raw"
    assert [getattr(ParsedSession(), name) for name in names.split()] == ["", "", [], "", "", "", ""]


@pytest.mark.parametrize(
    "words",
    (
        "inject --project P --k 12|capture --transcript FILE --no-sync|capture --source precompact|sync|"
        "serve|reindex|init --print|init --remote URL|init --local-only|init --command C|init --uv-project D"
    ).split("|"),
)
def test_every_documented_command_line_is_accepted(words: str) -> None:
    from anamnesis.cli.commands import parser_of

    name, *rest = words.split()
    assert parser_of(name).parse_args(rest).command_name == name


@pytest.mark.parametrize(
    ("tool", "parameters", "hints"),
    [
        ("memory_search", "query project type scope k", "readOnlyHint not-openWorldHint"),
        ("memory_list", "project type scope", "readOnlyHint not-openWorldHint"),
        ("memory_status", "", "readOnlyHint not-openWorldHint"),
        ("memory_write", "type title body project tags scope", "not-readOnlyHint not-destructiveHint"),
        ("memory_sync", "force", "not-readOnlyHint openWorldHint"),
    ],
)
def test_every_tool_has_its_documented_parameters_and_hints(tool: str, parameters: str, hints: str) -> None:
    from anamnesis.cli.serve import SNAPSHOT

    listed = json.loads(Path(SNAPSHOT).read_text())["answers"]["tools/list"]["result"]["tools"]
    (found,) = [each for each in listed if each["name"] == tool]
    fields = found["inputSchema"]["properties"]
    assert (len(listed), fields.keys() >= set(parameters.split())) == (5, True)
    assert found["annotations"] == {each.removeprefix("not-"): "not-" not in each for each in hints.split()}
    assert "machine_id" not in fields  # no model can write as another machine
    assert [fields[name]["default"] for name in ("k", "force") if name in fields] in ([], [8], [False])
