"""The rules of a butler that its manifest describes: by a profile, or by instructions and triggers alone (D58)."""

from __future__ import annotations

from butler_resources.kinds.rules import Rule

__all__ = ["own_butler_rules"]

_THINKS = "self.runtime.family != 'rules'"
_INSTRUCTED = "has(self.instructions) || has(self.instructionsFrom)"


def own_butler_rules() -> tuple[Rule, ...]:
    """Those of `ButlerSpec`."""
    return (
        Rule(
            cel=f"self.role != 'specialist' || has(self.profile) || {_INSTRUCTED}",
            message="a specialist needs `profile` (general, relationship, health, finance or travel) or `instructions`",
            holds=lambda spec: spec.role != "specialist" or spec.profile is not None or spec.instructed,
        ),
        Rule(
            cel="!has(self.instructions) || !has(self.instructionsFrom)",
            message="`instructions` and `instructionsFrom` are mutually exclusive; remove one",
            holds=lambda spec: spec.instructions is None or spec.instructions_from is None,
            path=".instructionsFrom",
        ),
        Rule(
            cel="self.role != 'specialist' || has(self.profile) || (has(self.triggers) && size(self.triggers) > 0)",
            message="a specialist without `profile` needs `triggers`, the subjects of messages to route to it",
            holds=lambda spec: spec.role != "specialist" or spec.profile is not None or bool(spec.triggers),
        ),
        Rule(
            cel=f"!has(self.instructions) || {_THINKS}",
            message="`instructions` needs a model; choose a `runtime.family` other than rules",
            holds=lambda spec: spec.instructions is None or spec.runtime.family != "rules",
            path=".instructions",
        ),
        Rule(
            cel=f"!has(self.instructionsFrom) || {_THINKS}",
            message="`instructionsFrom` needs a model; choose a `runtime.family` other than rules",
            holds=lambda spec: spec.instructions_from is None or spec.runtime.family != "rules",
            path=".instructionsFrom",
        ),
        Rule(
            cel=f"!has(self.tools) || size(self.tools) == 0 || {_THINKS}",
            message="`tools` needs a model; choose a `runtime.family` other than rules",
            holds=lambda spec: not spec.tools or spec.runtime.family != "rules",
            path=".tools",
        ),
    )
