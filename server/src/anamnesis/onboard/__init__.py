"""Sets up a machine: the command, hooks and permissions, the settings file, the MCP entry.

    client      Claude Code on this machine: our command, its settings file, its MCP servers
    hooks       our hooks and permissions in its settings, as values
    agents/     other agents: the parts that we add to their files

Decides and writes, but asks and prints nothing; `anamnesis init` does that. Knows nothing about notes.
"""

from anamnesis.address import has_password
from anamnesis.onboard.client import (
    build_env,
    detect_command,
    has_client,
    is_this_installation,
    mcp_entry,
    read_settings,
    register,
    registration_line,
    settings_path,
    unregister,
    why_not,
    write_settings,
    write_store_config,
)
from anamnesis.onboard.hooks import (
    PLUGIN_SERVER,
    allow_reading,
    build_hooks,
    denied,
    described,
    enabled_plugin,
    merge_hooks,
    our_hooks,
    split_command,
    strip_hooks,
    strip_permissions,
)

__all__ = [
    "PLUGIN_SERVER",
    "allow_reading",
    "build_env",
    "build_hooks",
    "denied",
    "described",
    "detect_command",
    "enabled_plugin",
    "has_client",
    "has_password",
    "is_this_installation",
    "mcp_entry",
    "merge_hooks",
    "our_hooks",
    "read_settings",
    "register",
    "registration_line",
    "settings_path",
    "split_command",
    "strip_hooks",
    "strip_permissions",
    "unregister",
    "why_not",
    "write_settings",
    "write_store_config",
]
