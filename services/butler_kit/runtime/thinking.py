"""What runs a butler's sessions: the configured family, the one that stands in, and how the first stands (D28, D57)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from butler_kit.config import RuntimeConfig
from butler_kit.runtime.api import ApiFamily, Endpoint, Look, Models
from butler_kit.runtime.budget import Spending
from butler_kit.runtime.family import RuntimeFamily, RuntimeUnavailable, choose_family
from butler_kit.runtime.instead import StandingIn
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["Thinking", "thinking_of"]

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Thinking:
    """`look` and `models` are there where a model is asked."""

    family: RuntimeFamily
    standing: RuntimeStanding
    look: Look | None = None
    models: Models | None = None
    spending: Spending | None = None

    async def run(self, stopping: asyncio.Event) -> None:
        """Look after the model's server until stopped; without one there is nothing to do."""
        if self.look is not None:
            await self.look.run(stopping)

    async def aclose(self) -> None:
        if self.spending is not None:
            await self.spending.aclose()
        if self.models is not None:
            await self.models.aclose()


def thinking_of(
    runtime: RuntimeConfig,
    env: Mapping[str, str],
    rules: RuntimeFamily,
    clock: Clock,
    *,
    rules_model: str,
    around: Callable[[RuntimeFamily], RuntimeFamily] = lambda family: family,
    outside: Callable[[RuntimeFamily], RuntimeFamily] = lambda family: family,
    for_misled: bool = False,
    spending: Spending | None = None,
    others: Sequence[str] = (),
) -> Thinking:
    """What `[runtime]` says; raises `RuntimeUnavailable` for a family that is not there and has no fallback.

    `others` are models that single jobs name in place of the usual one.
    `rules_model` is what the rules are called in a session's row; `around` is put around a family that asks a model,
    `outside` around that and what stands in for it; `for_misled`: see `StandingIn`; `spending` is what it
    may cost.
    """
    standing = RuntimeStanding(runtime.family, runtime.fallback, clock)
    if runtime.family != "api":
        chosen = choose_family(runtime.family, {"rules": rules}, fallback=runtime.fallback)
        if chosen.fallback_reason is not None:
            standing.failed(
                RuntimeUnavailable(chosen.fallback_reason, details={"original_class": "not_installed"})
            )
            _log.warning("runtime_fallback", reason=chosen.fallback_reason)
        return Thinking(chosen.family, standing)
    endpoint = Endpoint.of(runtime, env, others)
    models = Models(endpoint)
    family = StandingIn(
        around(ApiFamily(endpoint, models.open, clock=clock, spending=spending)),
        rules if runtime.fallback == "rules" else None,
        standing,
        second_model=rules_model,
        for_misled=for_misled,
    )
    return Thinking(outside(family), standing, Look(endpoint, models, standing), models, spending)
