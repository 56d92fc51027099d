"""The household's triage rules from Switchboard: a message that a rule skips is not submitted (CNX-05.3, D10).

Invariant: without known and understood rules everything is submitted, and Switchboard applies them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.triage import TriageAction, TriageRule, rules_in, triage

__all__ = ["SkipRules"]


class SkipRules:
    """The rules of the last answered heartbeat."""

    def __init__(self) -> None:
        self._rules: Sequence[TriageRule] = ()

    def learn(self, answer: Mapping[str, Any]) -> None:
        """Take the rules from the answer to a heartbeat."""
        self._rules = rules_in(answer)

    def skip_reason(self, envelope: IngestEnvelopeV1) -> str | None:
        """Return the reason to count for a message that is not submitted; None for one that is."""
        if not self._rules:
            return None
        decision = triage(envelope, self._rules)
        if decision.action is not TriageAction.SKIP or decision.rule_type is None:
            return None
        return f"rule_{decision.rule_type}"
