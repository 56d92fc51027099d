"""The block `routing.rollout` of `Butler`, and the household's own instructions for routing (SWB-36.1).

Invariant: what is tried is another thing than what is usual, and there is a model to read it.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from pydantic import StringConstraints

from butler_resources.kinds.base import ResourceModel, ShortText
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["OF_MODELS", "OTHER_INSTRUCTIONS", "Instructions", "Rollout"]

Instructions = Annotated[
    str, StringConstraints(min_length=1, max_length=4_000, strip_whitespace=True, pattern=r"\S")
]


class Rollout(ResourceModel):
    """A candidate for routing: a share of the threads is routed with it, until it is certainly worse (SWB-36.1)."""

    model: ShortText | None = setting(
        "Model to try, at the runtime's server; the usual one stands in for it. A tier with a model of its own takes "
        "no part.",
        default="runtime.model",
    )
    instructions: Instructions | None = setting(
        "Instructions to try in place of `routing.instructions`.", default="routing.instructions"
    )
    percent: int | None = setting(
        "Percent of the threads that it gets. Raised, none of them goes back.", default=10, ge=1, le=90
    )
    minimum_decisions: int | None = setting(
        "Decisions of it, and of what is usual, before anything is concluded.",
        default=30,
        ge=10,
        le=10_000,
    )
    significance: float | None = setting(
        "It is rolled back for a difference that chance makes this seldom.",
        default=0.001,
        ge=0.000_001,
        le=0.05,
    )
    attempt: int | None = setting(
        "Raise it to try a candidate again that was rolled back.", default=1, ge=1, le=1_000
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.model) || has(self.instructions)",
            message="a rollout tries something: give it `model`, `instructions`, or both",
            holds=lambda rollout: rollout.model is not None or rollout.instructions is not None,
        ),
    )


OTHER_INSTRUCTIONS: Final = Rule(
    cel="!has(self.rollout) || !has(self.rollout.instructions) || !has(self.instructions) || "
    "self.rollout.instructions != self.instructions",
    message="`rollout.instructions` are the usual ones; change them or remove them",
    holds=lambda routing: (
        routing.rollout is None
        or routing.rollout.instructions is None
        or routing.rollout.instructions != routing.instructions
    ),
    path=".rollout.instructions",
)
"""Of `Routing`."""


def _tried(spec: Any) -> Rollout | None:
    rollout: Rollout | None = spec.routing.rollout if spec.routing is not None else None
    return rollout


OF_MODELS: Final = (
    Rule(
        cel="self.runtime.family != 'rules' || !has(self.routing) || "
        "!(has(self.routing.rollout) || has(self.routing.instructions))",
        message="`routing.rollout` and `routing.instructions` need a model: choose a `runtime.family` that asks one",
        holds=lambda spec: (
            spec.runtime.family != "rules"
            or spec.routing is None
            or (spec.routing.rollout is None and spec.routing.instructions is None)
        ),
        path=".routing",
    ),
    Rule(
        cel="!has(self.routing) || !has(self.routing.rollout) || !has(self.routing.rollout.model) || "
        "!has(self.runtime.model) || self.routing.rollout.model != self.runtime.model",
        message="`routing.rollout.model` is the usual model; name another or remove it",
        holds=lambda spec: (
            (tried := _tried(spec)) is None or tried.model is None or tried.model != spec.runtime.model
        ),
        path=".routing.rollout.model",
    ),
)
"""Of `ButlerSpec`."""
