"""Setting a machine up: the command, the hooks and permissions, the settings file, the MCP entry.

Decides and writes; asks and prints nothing (`anamnesis init` does). Knows the client's files and command
line, and nothing about notes.
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
