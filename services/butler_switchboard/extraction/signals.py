"""The signals that may be found in a message, of eight types (frozen models; pure; SWB-26.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

__all__ = ["MOST_SIGNALS", "SIGNAL_TOOL", "SIGNAL_TOOL_SCHEMA", "SUBJECT_MAX", "Signal", "SignalType"]

MOST_SIGNALS: Final = 32
"""Per message."""
SUBJECT_MAX: Final = 120
_QUOTE_MAX: Final = 2_000


class SignalType(StrEnum):
    """The skill's text defines each type."""

    CONTACT = "contact"
    INTERACTION = "interaction"
    LIFE_EVENT = "life_event"
    DATE = "date"
    FACT = "fact"
    SENTIMENT = "sentiment"
    GIFT = "gift"
    LOAN = "loan"


@dataclass(frozen=True, slots=True)
class Signal:
    """`subject` is who it is about, in the message's words; the evidence is the range [`start`, `end`)."""

    type: SignalType
    subject: str
    start: int
    end: int
    confidence: float


SIGNAL_TOOL: Final = "record_signal"
SIGNAL_TOOL_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["type", "subject", "quote", "confidence"],
    "properties": {
        "type": {"type": "string", "enum": [one.value for one in SignalType]},
        "subject": {"type": "string", "minLength": 1, "maxLength": SUBJECT_MAX},
        "quote": {"type": "string", "minLength": 1, "maxLength": _QUOTE_MAX},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
}
"""The only tool of an extraction session; it only records (D12)."""
