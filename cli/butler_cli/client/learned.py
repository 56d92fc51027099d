"""What the household's corrections taught: rules that members agreed to, ended, and the dry run."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID, uuid4

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import only_one, read_id
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household

__all__ = ["ask_learned", "end_learned", "learned_rule_of", "try_learned"]

_MOST: Final = 500


def ask_learned(household: Household, *, every: bool, limit: int) -> dict[str, Any]:
    """Return the rules, newest first, under `rules`: those in force, or all that are known. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/learned", state="all" if every else "in_force", limit=limit)


def try_learned(household: Household, *, days: int) -> dict[str, Any]:
    """Return which messages of the last days would go elsewhere, under `differences`. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/routing/learned", days=days)


def learned_rule_of(household: Household, text: str) -> str:
    """Return the id that `text` is, or begins among the rules in force. Raises `UserError`."""
    read = read_id(
        text.removeprefix("learned-rule/"), expected="no learned rule; `butlers learned` lists them"
    )
    if isinstance(read, UUID):
        return str(read)
    known = entries_of(ask_learned(household, every=False, limit=_MOST), "rules")
    names = [str(one["rule_id"]) for one in known]
    return only_one(read, text, names, "learned rule", "`butlers learned` lists them", "in force ")


def end_learned(household: Household, rule_id: str, reason: str) -> dict[str, Any]:
    """End a rule; return Switchboard's answer. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.post(f"/learned/{rule_id}/end", {"reason": reason}, key=uuid4())
