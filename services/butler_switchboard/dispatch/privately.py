"""PURE: each part of a message marked as private carries the mark, wherever in the text it was (ADR 0100)."""

from __future__ import annotations

from dataclasses import replace

from butler_kit.textmodel.features import fold_as_long
from butler_kit.wording.privacy import keeps_private, private_clause
from butler_switchboard.dispatch.model import Plan

__all__ = ["told_privately"]


def told_privately(plan: Plan, text: str) -> Plan:
    """Return the plan; a prompt without the clause gets it, in the message's own words, on its own line."""
    clause = private_clause(text, fold_as_long)
    if clause is None:
        return plan
    targets = (
        one if keeps_private(one.prompt, fold_as_long) else replace(one, prompt=f"{clause}\n{one.prompt}")
        for one in plan.targets
    )
    return replace(plan, targets=tuple(targets))
