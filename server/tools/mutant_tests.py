"""The table of the mutation tests: which test files cover which modules of the package."""

from __future__ import annotations

# Which test files cover which modules; the first matching row counts.
MODULES = ("sync", "store", "undo.py", "redact", "index", "recall.py")
TESTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("sync/lines", "sync/edits"),
        ("test_sync_lines*", "test_sync_merge*", "test_sync_clash*"),
    ),
    (
        ("sync",),
        (
            "test_sync_[!cs]*",
            "test_sync_c[ly]*",
            "test_sync_state*",
            "test_wrong_clock*",
            "test_fleet*",
            "test_undo*",
        ),
    ),  # no crash, no ssh
    (
        ("store", "undo"),
        (
            "test_store*",
            "test_undo*",
            "test_special_files*",
            "test_operations*",
            "test_export",
            "test_index_full_scans",
            "cli/test_notes",
        ),
    ),
    (("redact",), ("test_redact*",)),
    (("index/blend",), ("semantic/test_meaning*", "semantic/test_vectors*")),
    (("index",), ("test_index_*", "test_store*", "test_recall*", "test_special_files*", "test_links*")),
    (("recall",), ("test_recall*", "test_index_finder*", "test_index_spelling*", "semantic/test_meaning*")),
    (
        ("session/ledger", "session/receipts", "session/used_notes", "capture"),
        ("test_capture*", "test_ledger", "test_receipts", "test_use*", "cli/test_capture*", "cli/test_why"),
    ),
    (
        ("session",),
        (
            "test_capture*",
            "test_rating",
            "test_sentences",
            "test_session*",
            "test_summary",
            "test_title",
            "test_transcript*",
        ),
    ),
    (("inject",), ("inject/test_*", "test_news", "test_still_valid", "cli/test_inject_hook", "cli/test_why")),
    (
        ("notes",),
        ("test_notes", "test_frontmatter", "test_links", "test_store_writing", "cli/test_short_ids"),
    ),
    (("project",), ("project/test_*", "cli/test_project")),
    (("config", "settings"), ("test_config", "test_settings", "project/test_*", "cli/test_config")),
    (("model", "reflect"), ("test_model*", "test_reflect", "semantic/test_semantic_command")),
    (("curate",), ("test_curate", "cli/test_curate_commands")),
    (("export",), ("test_export*", "cli/test_export_commands")),
    (("native",), ("test_native",)),
    (("history",), ("test_history", "test_sync_subjects", "cli/test_history_command")),
    (("fleet",), ("test_fleet", "test_news", "test_purge*", "cli/test_several_machines")),
    (("purge",), ("test_purge", "test_purge_[lrtu]*", "cli/test_purge_command")),
    (("semantic",), ("semantic/test_*",)),
    (("doctor",), ("test_doctor*", "cli/test_status")),
    (("operations/curation",), ("test_undo", "test_reflect", "cli/test_curate_commands")),
    (("operations/exchange",), ("test_sync_clash", "test_news", "cli/test_several_machines")),
    (
        ("operations/versions",),
        ("test_sync_clash", "test_undo", "test_purge", "cli/test_resolve", "cli/test_history_command"),
    ),
    (("operations/sessions",), ("test_use_counts", "test_capture*", "cli/test_capture*", "cli/test_why")),
    (
        ("operations",),
        ("test_operations", "test_undo", "test_links", "test_server*", "cli/test_notes", "dashboard/test_*"),
    ),
    (("server",), ("test_server*", "test_security")),
    (("dashboard",), ("dashboard/test_*",)),
    (("onboard",), ("test_onboard*", "cli/test_setup", "cli/test_init_agents")),
    (("eval",), ("test_eval", "cli/test_eval_command")),
    (("git",), ("test_git", "test_sync_login", "test_sync_foreign")),
    (("files", "text", "address"), ("test_files", "test_text", "test_links", "test_sync_login", "test_git")),
    (("cli",), ("cli/test_*",)),
)
