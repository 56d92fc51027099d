"""OpenCode: `opencode run --format json` (pure).

Measured with 1.18.33. Permissions are set at the top of its configuration, because an unknown agent is silently
replaced by another one. It substitutes variables and files for `{env:…}` and `{file:…}` anywhere in that
configuration, so a brace in a text that is not ours is escaped. Known exception to "asks nobody": beside its work it
looks for a plugin package in a registry, and there is no switch for that. Reference: https://opencode.ai/docs/config.
"""

from __future__ import annotations

import json
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

__all__ = ["OpenCode"]

_AGENT: Final = "butler"
_ARGV: Final = ("run", "--pure", "--format", "json", "--agent", _AGENT, "--title", "session")
_QUIET: Final = dict.fromkeys(
    (
        "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_PROJECT_CONFIG",
        "OPENCODE_PURE", "OPENCODE_DISABLE_DEFAULT_PLUGINS", "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_EXTERNAL_SKILLS", "OPENCODE_DISABLE_SHARE",
        "OPENCODE_DISABLE_EMBEDDED_WEB_UI",
    ),
    "1",
)  # fmt: skip
_BRACE: Final = "\ue000"
"""Stands for a brace in a text that is not ours, until the configuration is written."""
_CONTEXT: Final = 128_000
"""The model's context size as it is told; our prompts are far below."""


class OpenCode:
    """See `CommandLine`."""

    name = "opencode"
    program = "opencode"
    provider: Provider = "openai"

    def launch(self, asked: Asked) -> Subprocess:
        return Subprocess(
            argv=(asked.program, *_ARGV),
            env=base_env(asked) | _QUIET | {KEY: asked.key},
            files={".config/opencode/opencode.json": _written(_config(asked))},
            stdin=prompt(asked.job),
        )

    def read(self, said: Mapping[str, Any]) -> Heard | None:
        part = said.get("part")
        if said.get("type") == "text":
            return words(part.get("text")) if isinstance(part, dict) else None
        if said.get("type") == "step_finish":
            used = part.get("tokens") if isinstance(part, dict) else None
            if not isinstance(part, dict) or not isinstance(used, dict):
                return None
            return Took(_tokens(used), wants_more=part.get("reason") == "tool-calls")
        if said.get("type") == "error":
            error = said.get("error")
            data = error.get("data") if isinstance(error, dict) else None
            status = data.get("statusCode") if isinstance(data, dict) else None
            return Amiss(status if isinstance(status, int) else None)
        return None


def _tokens(used: Mapping[str, Any]) -> Tokens:
    """Return the usage; tokens read from the cache are reported separately, and included here."""
    cache = used.get("cache")
    cached = sum(map(count, cache.values())) if isinstance(cache, dict) else 0
    return Tokens(count(used.get("input")) + cached, count(used.get("output")) + count(used.get("reasoning")))


def _plain(text: str) -> str:
    """Return `text` such that it is read literally."""
    return text.replace(_BRACE, "").replace("{", _BRACE)


def _written(config: Mapping[str, Any]) -> str:
    return json.dumps(config, ensure_ascii=False).replace(_BRACE, "\\u007b")


def _config(asked: Asked) -> dict[str, Any]:
    limits, name = asked.endpoint.limits, _plain(asked.model)
    model = f"household/{name}"
    known = {
        "name": name,
        "tool_call": True,
        "limit": {"context": _CONTEXT, "output": limits.answer_tokens},
    }
    options = {
        "baseURL": _plain(asked.endpoint.base_url),
        "apiKey": f"{{env:{KEY}}}",
        "timeout": asked.timeout_ms,
    }
    door = {
        "type": "remote",
        "url": asked.door_url,
        "enabled": True,
        "oauth": False,
        "timeout": 60_000,
        "headers": {"Authorization": f"Bearer {{env:{TOKEN}}}"},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "enabled_providers": ["household"],
        "model": model,
        "small_model": model,
        "default_agent": _AGENT,
        "provider": {
            "household": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "household",
                "options": options,
                "models": {name: known},
            }
        },
        "mcp": {SERVER: door},
        "permission": {"*": "deny"} | {f"{SERVER}_{tool}": "allow" for tool in asked.tools},
        "agent": {
            _AGENT: {"mode": "primary", "prompt": _plain(asked.job.system_text), "steps": limits.turns},
            "title": {"disable": True},
        },
    }
