"""The rules of a butler that its manifest describes: by a profile, or by instructions and triggers alone (D58)."""

from __future__ import annotations

from butler_resources.kinds.rules import Rule

__all__ = ["own_butler_rules"]

_THINKS = "self.runtime.family != 'rules'"


def own_butler_rules() -> tuple[Rule, ...]:
    """Those of `ButlerSpec`."""
    return (
        Rule(
            cel="self.role != 'specialist' || has(self.profile) || has(self.instructions)",
            message="a specialist needs `profile`: general, relationship, health, finance or travel; or `instructions`",
            holds=lambda spec: (
                spec.role != "specialist" or spec.profile is not None or spec.instructions is not None
            ),
        ),
        Rule(
            cel="self.role != 'specialist' || has(self.profile) || (has(self.triggers) && size(self.triggers) > 0)",
            message="a specialist without `profile` needs `triggers`: what the messages are about that go to it",
            holds=lambda spec: spec.role != "specialist" or spec.profile is not None or bool(spec.triggers),
        ),
        Rule(
            cel=f"!has(self.instructions) || {_THINKS}",
            message="`instructions` are for a model, and this runtime asks none: choose a `runtime.family` that thinks",
            holds=lambda spec: spec.instructions is None or spec.runtime.family != "rules",
            path=".instructions",
        ),
        Rule(
            cel=f"!has(self.tools) || size(self.tools) == 0 || {_THINKS}",
            message="`tools` are for a model, and this runtime asks none: choose a `runtime.family` that thinks",
            holds=lambda spec: not spec.tools or spec.runtime.family != "rules",
            path=".tools",
        ),
    )
