"""Waiting approvals, verdicts on them, and the rules for what needs none for a while."""

from __future__ import annotations

from typing import Any, Final, Literal
from uuid import UUID, uuid4

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import only_one, read_id
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household

__all__ = [
    "ALWAYS_MOST_DAYS",
    "Choice",
    "approval_of",
    "ask_approvals",
    "ask_rules",
    "decide",
    "end_rule",
    "rule_of",
]

Choice = Literal["approve", "deny"]
ALWAYS_MOST_DAYS: Final = 90
_MOST: Final = 500


def ask_approvals(household: Household, *, only: str, limit: int) -> dict[str, Any]:
    """Return approvals, newest first, under `approvals`. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.get("/approvals", state=only, limit=limit)


def approval_of(household: Household, text: str) -> str:
    """Return the id that `text` is, or begins among the waiting approvals. Raises `UserError`."""
    read = read_id(
        text.removeprefix("approval/"), expected="no approval; `butlers approvals` lists those that wait"
    )
    if isinstance(read, UUID):
        return str(read)
    waiting = entries_of(ask_approvals(household, only="waiting", limit=_MOST), "approvals")
    names = [str(one["approval_id"]) for one in waiting]
    return only_one(read, text, names, "approval", "`butlers approvals` lists them", "that waits ")


def rule_of(household: Household, text: str) -> str:
    """Return the id that `text` is, or begins among the rules in force. Raises `UserError`."""
    read = read_id(text, expected="no standing rule; `butlers approvals rules` lists them")
    if isinstance(read, UUID):
        return str(read)
    known = entries_of(ask_rules(household, every=False, limit=_MOST), "rules")
    names = [str(one["rule_id"]) for one in known]
    return only_one(read, text, names, "rule", "`butlers approvals rules` lists them", "in force ")


def decide(
    household: Household, approval_id: str, choice: Choice, reason: str, *, always_for_s: int | None = None
) -> dict[str, Any]:
    """Approve or deny it, an approval also for a while to come; return the answer. Raises `UserError`."""
    body: dict[str, Any] = {"reason": reason}
    if always_for_s is not None:
        body["always_for_s"] = always_for_s
    with OpsClient(household, "messenger") as ops:
        return ops.post(f"/approvals/{approval_id}/{choice}", body, key=uuid4())


def ask_rules(household: Household, *, every: bool, limit: int) -> dict[str, Any]:
    """Return standing rules, newest first, under `rules`: those in force, or all. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.get("/approval-rules", state="all" if every else "in_force", limit=limit)


def end_rule(household: Household, rule_id: str, reason: str) -> dict[str, Any]:
    """End a rule; return Messenger's answer. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.post(f"/approval-rules/{rule_id}/end", {"reason": reason}, key=uuid4())
