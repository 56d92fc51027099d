"""Butlers' calls to the outside for a request, from their own records; butlers that fail are named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_cli.client.ops import NotFound, OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["CALLS", "read_outside"]

CALLS: Final = ("outside_calls", "held_calls")
"""Fields of a request's document: what was called, and what waits, or waited, for an approval."""


def read_outside(household: Household, document: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return the parts of the document that its butlers have, and what could not be asked for, in words."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in CALLS}
    gaps: list[str] = []
    targets = {str(part.get("target")) for part in document.get("subroutes") or ()}
    for butler in sorted(targets - {"messenger", "switchboard"}):
        try:
            with OpsClient(household, butler) as ops:
                held = ops.get(f"/requests/{document['request_id']}")
        except NotFound:
            continue
        except UserError as error:
            gaps.append(f"{butler}: {error.message}")
            continue
        for name in CALLS:
            found[name] += [{**one, "butler": butler} for one in held.get(name) or ()]
    return dict(found), "; ".join(gaps) or None
