"""Sets up a machine: the command, hooks and permissions, the settings file, the MCP entry.

    client      Claude Code on this machine: our command, its settings file, its MCP servers
    hooks       our hooks and permissions in its settings, as values
    agents      the other agents that we support
    files       our parts in their files: hooks, a server's entry, a paragraph; changing the files

Decides and writes, but asks and prints nothing; `anamnesis init` does that. Knows nothing about notes.
"""

from anamnesis.onboard.client import build_env, detect_command, write_settings, write_store_config
from anamnesis.onboard.hooks import build_hooks, merge_hooks

# The names that the specification puts here.
__all__ = [
    "build_env",
    "build_hooks",
    "detect_command",
    "merge_hooks",
    "write_settings",
    "write_store_config",
]
