"""What other members are told, as `route_inbox.tellings` keeps it (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_contracts.notify import NotifyRequestV1
from butler_contracts.stored import stored
from butler_specialist.store.model import Telling

__all__ = ["telling_from", "telling_to_wire"]


def telling_to_wire(telling: Telling) -> dict[str, Any]:
    """As `route_inbox.tellings` keeps it."""
    return {
        "name": telling.name,
        "words": telling.words,
        "language": telling.language,
        "request": telling.request.to_wire(),
        "response": telling.response,
        **({"aside": True} if telling.aside else {}),
    }


def telling_from(document: Mapping[str, Any]) -> Telling:
    """As it was kept. Raises `Unreadable`."""
    return Telling(
        document["name"],
        document["words"],
        document["language"],
        stored(NotifyRequestV1, document["request"]),
        document.get("response"),
        document.get("aside", False),
    )
