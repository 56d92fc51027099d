"""Recipients that are not written to unasked: list them, add one, end one."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID, uuid4

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import only_one, read_id
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household

__all__ = ["SUPPRESSIBLE", "ask_suppressions", "end_suppression", "suppress", "suppression_of"]

SUPPRESSIBLE: Final = ("email", "telegram")
_MOST: Final = 500


def ask_suppressions(household: Household, *, every: bool, limit: int) -> dict[str, Any]:
    """Return suppressions, newest first, under `suppressions`: those in force, or ended ones too.

    Raises `UserError`.
    """
    with OpsClient(household, "messenger") as ops:
        return ops.get("/suppressions", state="all" if every else "in_force", limit=limit)


def suppression_of(household: Household, text: str) -> str:
    """Return the id that `text` is, or begins among those in force. Raises `UserError`."""
    read = read_id(
        text.removeprefix("suppression/"), expected="no suppression; `butlers suppressions` lists them"
    )
    if isinstance(read, UUID):
        return str(read)
    known = entries_of(ask_suppressions(household, every=False, limit=_MOST), "suppressions")
    names = [str(one["suppression_id"]) for one in known]
    return only_one(read, text, names, "suppression", "`butlers suppressions` lists them", "in force ")


def suppress(household: Household, channel: str, recipient: str, reason: str) -> dict[str, Any]:
    """Suppress unasked messages to a recipient; return Messenger's answer. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.post(
            f"/channels/{channel}/suppress", {"reason": reason, "recipient": recipient}, key=uuid4()
        )


def end_suppression(household: Household, suppression_id: str, reason: str) -> dict[str, Any]:
    """End a suppression; return Messenger's answer. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.post(f"/suppressions/{suppression_id}/end", {"reason": reason}, key=uuid4())
