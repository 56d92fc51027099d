"""The text a routing session is started with: the skill `message-triage`, the message as fenced data (SWB-04.1, 26.1).

Invariant: no part of the message is ever in `system_text`; it is only in the payload, between two lines with a
boundary that its author cannot know, without the tokens by which chat formats mark roles. The registry is read at
decision time (SWB-09.1). The version names the exact instructions, so a decision can be traced to its prompt.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from butler_kit.runtime.fence import fence
from butler_kit.runtime.history import OURS
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.order import AFTER
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.skills.inventory import MESSAGE_TRIAGE, skill

__all__ = [
    "ROUTE_TOOL",
    "ROUTE_TOOL_SCHEMA",
    "TOKENS_BY",
    "estimated_tokens",
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
        "after": {"type": "string", "enum": list(AFTER)},
        "last": {"type": "boolean"},
    },
}
"""The one tool of a routing session (SWB-04.2); it only records (D12). With `last` the model is not asked again."""

TOKENS_BY = "characters / 4, rounded up"
"""How `estimated_tokens` estimates: about right for the English of the instructions, without any model's tokenizer."""
_OWN: Final = "What the owner of this household says besides:"
_OWN_DIGITS: Final = 8
_BEFORE = (
    "What was said before in this conversation, for context only: a JSON object a line, the oldest first,"
    f' "{OURS}" for what the household\'s butlers answered:'
)


def prompt_version(instructions: str = "") -> str:
    """The skill's name and version, and a digest of the household's own words: both name the exact instructions."""
    label = skill(MESSAGE_TRIAGE).label
    if not instructions:
        return label
    return f"{label}+{hashlib.sha256(instructions.encode()).hexdigest()[:_OWN_DIGITS]}"


def system_text(registry: RegistryView, instructions: str = "") -> str:
    """Return the instructions, the owner's additions, and a line of JSON per eligible butler (SWB-09.1)."""
    lines = [_line(butler) for butler in registry.butlers if butler.eligible]
    own = f"\n\n{_OWN}\n{instructions}" if instructions else ""
    return f"{skill(MESSAGE_TRIAGE).text}{own}\n\nButlers:\n" + "\n".join(lines) + "\n"


def estimated_tokens(text: str) -> int:
    """Return the number of tokens of a text, by `TOKENS_BY`."""
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


def payload(message: RoutingMessage, *, boundary: str) -> str:
    """Return the session's stdin: the message and the history before it, each fenced (SWB-03.8, 03.9)."""
    subject = f"Subject: {message.unsaid_subject}\n" if message.unsaid_subject else ""
    parts = [
        f"The current message (channel {message.channel}):",
        fence(subject + message.text, boundary=boundary),
    ]
    if message.history.text:
        parts = [_BEFORE, fence(message.history.text, boundary=boundary), *parts]
    return "\n".join(parts)
