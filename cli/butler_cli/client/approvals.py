"""What waits for an approval, and a verdict on one of them."""

from __future__ import annotations

from typing import Any, Final, Literal
from uuid import UUID, uuid4

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import beginning_with, read_id
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["Choice", "approval_of", "ask_approvals", "decide"]

Choice = Literal["approve", "deny"]
_MOST: Final = 500


def ask_approvals(household: Household, *, only: str, limit: int) -> dict[str, Any]:
    """Approvals, newest first, under `approvals`. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.get("/approvals", state=only, limit=limit)


def approval_of(household: Household, text: str) -> str:
    """The id that `text` is, or of which it is the beginning among what waits. Raises `UserError`."""
    read = read_id(
        text.removeprefix("approval/"), expected="no approval; `butlers approvals` lists those that wait"
    )
    if isinstance(read, UUID):
        return str(read)
    waiting = entries_of(ask_approvals(household, only="waiting", limit=_MOST), "approvals")
    found = beginning_with(read, [str(one["approval_id"]) for one in waiting])
    if len(found) == 1:
        return found[0]
    problem = (
        f"{text!r} begins {len(found)} approvals" if found else f"no approval that waits begins with {text!r}"
    )
    raise UserError(f"{problem}; `butlers approvals` lists them")


def decide(household: Household, approval_id: str, choice: Choice, reason: str) -> dict[str, Any]:
    """Approve or deny it; the answer of Messenger. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.post(f"/approvals/{approval_id}/{choice}", {"reason": reason}, key=uuid4())
