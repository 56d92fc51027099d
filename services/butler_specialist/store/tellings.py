"""Messages to other members, as stored in `route_inbox.tellings` (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_contracts.notify import NotifyRequestV1
from butler_contracts.stored import stored
from butler_specialist.store.model import Telling

__all__ = ["telling_from", "telling_to_wire"]


def telling_to_wire(telling: Telling) -> dict[str, Any]:
    """Return the telling as stored in `route_inbox.tellings`."""
    return {
        "name": telling.name,
        "words": telling.words,
        "language": telling.language,
        "request": telling.request.to_wire(),
        "response": telling.response,
        **({"aside": True} if telling.aside else {}),
    }


def telling_from(document: Mapping[str, Any]) -> Telling:
    """Return the stored telling. Raises `Unreadable`."""
    return Telling(
        document["name"],
        document["words"],
        document["language"],
        stored(NotifyRequestV1, document["request"]),
        document.get("response"),
        document.get("aside", False),
    )
