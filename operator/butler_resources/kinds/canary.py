"""The block `runtime.canary` of a Switchboard, and the household's own instructions for routing (SWB-36.1).

Invariant: what is tried is another thing than what is usual, and there is a model to read it.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from pydantic import StringConstraints

from butler_resources.kinds.base import ResourceModel, ShortText
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["CANARIES", "Canary", "Instructions"]

Instructions = Annotated[
    str, StringConstraints(min_length=1, max_length=4_000, strip_whitespace=True, pattern=r"\S")
]


class Canary(ResourceModel):
    """Canary for routing on a share of the threads, rolled back if it is significantly worse (SWB-36.1)."""

    model: ShortText | None = setting(
        "Model to try, on the runtime's server. The regular model is its fallback. Tiers with their own model do not "
        "take part.",
        default="runtime.model",
    )
    instructions: Instructions | None = setting(
        "Instructions to try instead of `routing.instructions`.", default="routing.instructions"
    )
    percent: int | None = setting(
        "Percentage of threads routed with the canary. Raising it keeps all threads of the canary.",
        default=10,
        ge=1,
        le=90,
    )
    minimum_decisions: int | None = setting(
        "Minimum number of decisions of each, canary and regular, before they are compared.",
        default=30,
        ge=10,
        le=10_000,
    )
    significance: float | None = setting(
        "Significance level of a difference at which the canary is rolled back.",
        default=0.001,
        ge=0.000_001,
        le=0.05,
    )
    attempt: int | None = setting(
        "Increase it to retry a canary that was rolled back.", default=1, ge=1, le=1_000
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.model) || has(self.instructions)",
            message="a canary needs `model`, `instructions`, or both",
            holds=lambda canary: canary.model is not None or canary.instructions is not None,
        ),
    )


def _own(spec: Any) -> str | None:
    own: str | None = spec.routing.instructions if spec.routing is not None else None
    return own


def _tried(spec: Any, field: str) -> str | None:
    canary = spec.runtime.canary
    return getattr(canary, field) if canary is not None else None


CANARIES: Final = (
    Rule(
        cel="self.role == 'switchboard' || !has(self.runtime.canary)",
        message="`runtime.canary` belongs to role switchboard; remove it or change `role`",
        holds=lambda spec: spec.role == "switchboard" or spec.runtime.canary is None,
        path=".runtime.canary",
    ),
    Rule(
        cel="self.runtime.family != 'rules' || !has(self.routing) || !has(self.routing.instructions)",
        message="`routing.instructions` needs a model; choose a `runtime.family` other than rules",
        holds=lambda spec: spec.runtime.family != "rules" or _own(spec) is None,
        path=".routing",
    ),
    Rule(
        cel="!has(self.runtime.canary) || !has(self.runtime.canary.instructions) || !has(self.routing) || "
        "!has(self.routing.instructions) || self.runtime.canary.instructions != self.routing.instructions",
        message="`runtime.canary.instructions` equals `routing.instructions`; change or remove it",
        holds=lambda spec: (tried := _tried(spec, "instructions")) is None or tried != _own(spec),
        path=".runtime.canary.instructions",
    ),
    Rule(
        cel="!has(self.runtime.canary) || !has(self.runtime.canary.model) || !has(self.runtime.model) || "
        "self.runtime.canary.model != self.runtime.model",
        message="`runtime.canary.model` equals `runtime.model`; change or remove it",
        holds=lambda spec: (tried := _tried(spec, "model")) is None or tried != spec.runtime.model,
        path=".runtime.canary.model",
    ),
)
"""Of `ButlerSpec`."""
