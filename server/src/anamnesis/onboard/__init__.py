"""Sets up a machine: the command, hooks and permissions, the settings file, the MCP entry.

    files       changing someone else's JSON, TOML or text: our part is added or removed
    client      Claude Code: our command, hooks and permissions, its MCP servers
    agents      all agents that we support (agents.toml); the plan of a setup

Decides and writes, but asks and prints nothing; `anamnesis init` does that. Knows nothing about notes.
"""

from anamnesis.onboard.client import (
    build_env,
    build_hooks,
    detect_command,
    merge_hooks,
    write_settings,
    write_store_config,
)

# The names that the specification puts here.
__all__ = [
    "build_env",
    "build_hooks",
    "detect_command",
    "merge_hooks",
    "write_settings",
    "write_store_config",
]
