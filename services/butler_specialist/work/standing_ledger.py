"""PURE: converts a wish to be reminded of records to and from the arguments of a session's call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_kit.wording.standing import LONGEST_LEAD, MOST_LEADS, TOPICS
from butler_specialist.store.reminder_model import StandingWish

__all__ = ["FOLLOW_SCHEMA", "follow_args", "follow_of"]

FOLLOW_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["topic", "wanted", "language"],
    "additionalProperties": False,
    "properties": {
        "topic": {"enum": list(TOPICS)},
        "wanted": {"type": "boolean"},
        "language": {"enum": ["en", "de", "fr", "es"]},
        "leads": {
            "type": "array",
            "maxItems": MOST_LEADS,
            "items": {"type": "integer", "minimum": 0, "maximum": LONGEST_LEAD},
        },
    },
}


def follow_args(wish: StandingWish) -> dict[str, Any]:
    """Return the arguments of a `remind_of` call."""
    said = {"topic": wish.topic, "wanted": wish.wanted, "language": wish.language}
    return {**said, "leads": list(wish.leads)} if wish.leads else said


def follow_of(args: Mapping[str, Any]) -> StandingWish:
    """Return the wish of accepted arguments."""
    return StandingWish(args["topic"], args["wanted"], args["language"], tuple(args.get("leads", ())))
