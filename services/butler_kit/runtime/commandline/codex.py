"""Codex, the command line of OpenAI: `codex exec --json` (pure).

Measured with 0.169.0. Its own tools are switched off one by one, because there is no switch for all of them; whatever
is left of them reads nothing of ours. It is given a provider of ours, since its built-in one first tries a WebSocket.
Reference: https://developers.openai.com/codex/config-reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from butler_kit.runtime.api.endpoint import Provider
from butler_kit.runtime.budget import Tokens
from butler_kit.runtime.commandline.told import (
    KEY,
    SERVER,
    TOKEN,
    Amiss,
    Asked,
    Heard,
    Took,
    base_env,
    count,
    prompt,
    words,
)
from butler_kit.runtime.process import Subprocess

__all__ = ["Codex"]

_ARGV: Final = (
    "exec", "--json", "--ephemeral", "--strict-config", "--skip-git-repo-check", "--ignore-rules", "--color", "never",
    "-",
)  # fmt: skip
_OFF: Final = (
    "shell_tool", "unified_exec", "goals", "plugins", "remote_plugin", "apps", "hooks", "view_image",
    "image_generation", "skill_search", "skill_mcp_dependency_install", "tool_suggest", "browser_use", "computer_use",
    "shell_snapshot", "sleep_tool", "api_key_model_discovery", "daemon_auto_start", "enable_request_compression",
    "unbounded_connection_retries",
)  # fmt: skip
_STATUS: Final = re.compile(r"(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b")
"""Matched at the beginning only: the server's words follow, which may repeat a message."""


class Codex:
    """See `CommandLine`."""

    name = "codex"
    program = "codex"
    provider: Provider = "openai"

    def launch(self, asked: Asked) -> Subprocess:
        env = base_env(asked) | {KEY: asked.key}
        if asked.ca_file is not None:
            env |= {"CODEX_CA_CERTIFICATE": asked.ca_file}
        return Subprocess(
            argv=(asked.program, *_ARGV),
            env=env,
            files={".codex/config.toml": _config(asked), ".codex/system.txt": asked.job.system_text},
            stdin=prompt(asked.job),
        )

    def read(self, said: Mapping[str, Any]) -> Heard | None:
        if said.get("type") == "turn.completed":
            used = said.get("usage")
            return Took(_tokens(used)) if isinstance(used, dict) else None
        if said.get("type") == "item.completed":
            item = said.get("item")
            if isinstance(item, dict) and item.get("type") == "agent_message":
                return words(item.get("text"))
            return None
        if said.get("type") == "turn.failed":
            error = said.get("error")
            why = error.get("message") if isinstance(error, dict) else None
            found = _STATUS.match(why) if isinstance(why, str) else None
            return Amiss(int(found[1]) if found else None)
        return None


def _tokens(used: Mapping[str, Any]) -> Tokens:
    return Tokens(count(used.get("input_tokens")), count(used.get("output_tokens")))


def _config(asked: Asked) -> str:
    tables: dict[str, Mapping[str, object]] = {
        "": {
            "model": asked.model,
            "model_provider": "household",
            "model_instructions_file": "system.txt",
            "approval_policy": "never",
            "sandbox_mode": "read-only",
            "web_search": "disabled",
            "check_for_update_on_startup": False,
            "include_environment_context": False,
            "include_permissions_instructions": False,
            "include_apps_instructions": False,
            "project_doc_max_bytes": 0,
        },
        "analytics": {"enabled": False},
        "feedback": {"enabled": False},
        "history": {"persistence": "none"},
        "agents": {"enabled": False},
        "skills.bundled": {"enabled": False},
        "features": dict.fromkeys(_OFF, False),
        "model_providers.household": {
            "name": "household",
            "base_url": asked.endpoint.base_url,
            "wire_api": "responses",
            "env_key": KEY,
            "request_max_retries": 2,
            "stream_max_retries": 2,
            "stream_idle_timeout_ms": asked.timeout_ms,
        },
        f"mcp_servers.{SERVER}": {
            "url": asked.door_url,
            "bearer_token_env_var": TOKEN,
            "required": True,
            "enabled_tools": list(asked.tools),
            "default_tools_approval_mode": "approve",
            "startup_timeout_sec": 10,
            "tool_timeout_sec": 60,
        },
    }
    return "".join(_table(name, entries) for name, entries in tables.items())


def _table(name: str, entries: Mapping[str, object]) -> str:
    """Return one TOML table; JSON's strings, numbers, booleans and lists of strings are valid TOML too."""
    head = f"[{name}]\n" if name else ""
    return head + "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in entries.items()
    )
