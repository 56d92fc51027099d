"""The text a routing session is started with: instructions from a file, the message as fenced data (SWB-04.1).

Invariant: nothing of the message is ever part of `system_text`; it is the payload alone, between two lines with a
boundary that its author cannot know, without the tokens by which chat formats mark roles. The registry is read at
decision time (SWB-09.1). The version names the exact instructions, so a decision can be traced to its prompt.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from importlib import resources
from typing import Any

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView

__all__ = [
    "ROUTE_TOOL",
    "ROUTE_TOOL_SCHEMA",
    "TOKENS_BY",
    "estimated_tokens",
    "fence",
    "payload",
    "prompt_version",
    "system_text",
]

ROUTE_TOOL = "route_to_butler"
ROUTE_TOOL_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["butler", "prompt"],
    "properties": {
        "butler": {"type": "string", "minLength": 1, "maxLength": 63},
        "prompt": {"type": "string", "minLength": 1, "maxLength": 131072},
        "segment": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "char_ranges": {
                    "type": "array",
                    "maxItems": 64,
                    "items": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 2,
                        "items": {"type": "integer", "minimum": 0},
                    },
                },
                "rationale": {"type": "string", "maxLength": 2000},
            },
        },
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
}
"""The one tool of a routing session (SWB-04.2); it only records (D12)."""

TOKENS_BY = "characters / 4, rounded up"
"""How `estimated_tokens` estimates: about right for the English of the instructions, without any model's tokenizer."""
_SERIES = "router-1"
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls, bidirectional marks and whatever has no width, so that text can hide in it (Unicode TR 36)."""
_ROLE_TOKENS = re.compile(
    r"<[|｜][^|｜<>\n]{0,40}[|｜]>|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|</?(?:s|bos|eos|unk|pad|system|assistant|user|think|tool_calls?|tool_response|function_calls?|invoke|parameter)"
    r"(?:\s[^<>\n]{0,200})?>"
    r"|^(?:Human|Assistant|System):",
    re.IGNORECASE | re.MULTILINE,
)


_PASSES = 8
_BRACKETS = str.maketrans("<>[]", "‹›⟦⟧")


@lru_cache(maxsize=1)
def _instructions() -> str:
    return resources.files(__package__).joinpath("system.md").read_text(encoding="utf-8").strip()


def prompt_version() -> str:
    """The version of the instructions: their series and a digest of their text."""
    return f"{_SERIES}-{hashlib.sha256(_instructions().encode()).hexdigest()[:8]}"


def system_text(registry: RegistryView) -> str:
    """The instructions, followed by the eligible butlers as one JSON object per line (SWB-09.1)."""
    lines = [_line(butler) for butler in registry.butlers if butler.eligible]
    return f"{_instructions()}\n\nButlers:\n" + "\n".join(lines) + "\n"


def estimated_tokens(text: str) -> int:
    """How many tokens a text takes, by `TOKENS_BY`."""
    return -(-len(text) // 4)


def _line(butler: ButlerProfile) -> str:
    shown = {
        "butler": butler.name,
        "description": butler.description,
        "triggers": butler.triggers,
        "capabilities": butler.capabilities,
        "required_information": butler.required_information,
    }
    return json.dumps({key: value for key, value in shown.items() if value}, ensure_ascii=False)


def fence(text: str, *, boundary: str) -> str:
    """`text` between two boundary lines, without control characters, role tokens and the boundary itself.

    `boundary` is fresh randomness of the caller, at least 16 characters; a shorter one is refused (ValueError).
    """
    if len(boundary) < 16 or not boundary.isalnum():
        raise ValueError("the boundary of a fence: expected at least 16 random letters and digits")
    clean = _without_tokens(_CONTROL.sub("", text))
    while boundary in clean:
        clean = clean.replace(boundary, "")
    return f"<<<untrusted {boundary}\n{clean}\nuntrusted {boundary}>>>"


def _without_tokens(text: str) -> str:
    """`text` without role tokens; what still nests after a few passes loses its brackets, so that time is bounded."""
    for _ in range(_PASSES):
        stripped = _ROLE_TOKENS.sub("", text)
        if stripped == text:
            return text
        text = stripped
    return text.translate(_BRACKETS)


def payload(message: RoutingMessage, *, boundary: str, history: str = "") -> str:
    """What the session reads on stdin: the fenced message and, fenced apart, the history before it (SWB-03.8, 03.9)."""
    subject = f"Subject: {message.unsaid_subject}\n" if message.unsaid_subject else ""
    parts = [
        f"The current message (channel {message.channel}):",
        fence(subject + message.text, boundary=boundary),
    ]
    if history:
        parts = ["Earlier messages, for context only:", fence(history, boundary=boundary), *parts]
    return "\n".join(parts)
