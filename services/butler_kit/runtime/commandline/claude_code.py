"""Claude Code, the command line of Anthropic: `claude -p` (pure).

Measured with 2.1.330. `--bare` keeps it from reading files that a text names with `@`, from project files and hooks,
and from hiding our tools behind a search for tools. Reference: https://code.claude.com/docs/en/cli-reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from butler_kit.runtime.api.endpoint import Provider
from butler_kit.runtime.budget import Tokens
from butler_kit.runtime.commandline.told import (
    SERVER,
    TOKEN,
    Amiss,
    Asked,
    CarriedOut,
    Heard,
    Summed,
    Took,
    TooLong,
    base_env,
    count,
    prompt,
    words,
)
from butler_kit.runtime.process import Subprocess

__all__ = ["ClaudeCode"]

_QUIET: Final = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "MAX_THINKING_TOKENS": "0",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "MCP_TIMEOUT": "10000",
    "MCP_TOOL_TIMEOUT": "60000",
}
_ARGV: Final = (
    "-p", "--bare", "--tools", "", "--strict-mcp-config", "--mcp-config", "mcp.json", "--permission-mode", "dontAsk",
    "--disable-slash-commands", "--no-session-persistence", "--system-prompt-file", "system.txt",
    "--output-format", "stream-json", "--verbose",
)  # fmt: skip

_OWN: Final = "<synthetic>"
"""The model named in a message that the program itself wrote."""


class ClaudeCode:
    """See `CommandLine`."""

    name = "claude-code"
    program = "claude"
    provider: Provider = "anthropic"

    def launch(self, asked: Asked) -> Subprocess:
        allowed = ",".join(f"mcp__{SERVER}__{tool}" for tool in asked.tools)
        limits = asked.endpoint.limits
        return Subprocess(
            argv=(
                asked.program, *_ARGV, "--allowedTools", allowed, "--model", asked.model,
                "--max-turns", str(limits.turns),
            ),
            env=base_env(asked) | _QUIET | {
                "ANTHROPIC_BASE_URL": asked.endpoint.base_url,
                "ANTHROPIC_API_KEY": asked.key,
                "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(limits.answer_tokens),
                "API_TIMEOUT_MS": str(asked.timeout_ms),
            },
            files={"mcp.json": _door(asked), "system.txt": asked.job.system_text},
            stdin=prompt(asked.job),
        )  # fmt: skip

    def read(self, said: Mapping[str, Any]) -> Heard | None:
        message = said.get("message")
        if said.get("type") == "assistant":
            return words(*_texts(message), took=_took(message))
        if said.get("type") == "user":
            done = _ids(message, "tool_result", "tool_use_id")
            return CarriedOut(done) if done else None
        if said.get("type") != "result":
            return None
        used = said.get("usage")
        took = _tokens(used) if isinstance(used, dict) else Tokens()
        if said.get("subtype") == "error_max_turns":
            return TooLong(took)
        if said.get("is_error"):
            status = said.get("api_error_status")
            return Amiss(status if isinstance(status, int) else None, took)
        return Summed(took)


def _blocks(message: object) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a message of the model, or to it; the program's own errors look like one."""
    if not isinstance(message, dict) or message.get("model") == _OWN:
        return
    content = message.get("content")
    yield from (block for block in (content if isinstance(content, list) else ()) if isinstance(block, dict))


def _texts(message: object) -> Iterator[object]:
    return (block.get("text") for block in _blocks(message) if block.get("type") == "text")


def _ids(message: object, kind: str, name: str) -> frozenset[str]:
    found = (block.get(name) for block in _blocks(message) if block.get("type") == kind)
    return frozenset(one for one in found if isinstance(one, str))


def _took(message: object) -> Took | None:
    """Return the usage of an answer so far: a line comes for each part of it, before all of it is written.

    What it read is known with the first; what it wrote, for certain, with the sum at the end.
    """
    if not isinstance(message, dict) or message.get("model") == _OWN:
        return None
    used, answer = message.get("usage"), message.get("id")
    if not isinstance(used, dict) or not isinstance(answer, str):
        return None
    return Took(_tokens(used), answer=answer, calls=_ids(message, "tool_use", "id"))


def _tokens(used: Mapping[str, Any]) -> Tokens:
    """Return the usage; tokens read from the cache are reported separately, and included here."""
    read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return Tokens(sum(count(used.get(name)) for name in read), count(used.get("output_tokens")))


def _door(asked: Asked) -> str:
    headers = {"Authorization": f"Bearer ${{{TOKEN}}}"}
    return json.dumps({"mcpServers": {SERVER: {"type": "http", "url": asked.door_url, "headers": headers}}})
