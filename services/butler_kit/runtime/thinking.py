"""A butler's runtime: the configured family, the one that stands in, and the state of the first (D28, D57)."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from butler_kit.config import RuntimeConfig
from butler_kit.runtime.api import ApiFamily, Endpoint, Look, Models
from butler_kit.runtime.budget import Spending
from butler_kit.runtime.commandline import COMMAND_LINES, CommandLineFamily, Doors, ProgramLook
from butler_kit.runtime.family import RuntimeFamily
from butler_kit.runtime.instead import BESIDE_A_MODEL, BESIDE_RULES, StandingIn, WhereThere
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.time import Clock

__all__ = ["Thinking", "on_trial_beside", "thinking_of"]

Around = Callable[[RuntimeFamily], RuntimeFamily]


class Looks(Protocol):
    """Checks regularly whether the runtime is available."""

    async def run(self, stopping: asyncio.Event) -> None: ...


@dataclass(frozen=True, slots=True)
class Thinking:
    """A butler's runtime; `look` is set where it may be away; `closing` is called at the end, in order."""

    family: RuntimeFamily
    standing: RuntimeStanding
    look: Looks | None = None
    asks: Callable[[], bool] = lambda: True
    """Whether a model is asked now; False where rules replace a program that is not installed."""
    closing: tuple[Callable[[], Awaitable[None]], ...] = ()

    async def run(self, stopping: asyncio.Event) -> None:
        """Check the runtime until stopped; `rules` need no checks."""
        if self.look is not None:
            await self.look.run(stopping)

    async def aclose(self) -> None:
        """Finish running settlements, then end connections and servers."""
        for close in self.closing:
            await close()


def thinking_of(
    runtime: RuntimeConfig,
    env: Mapping[str, str],
    rules: RuntimeFamily,
    clock: Clock,
    *,
    rules_model: str,
    around: Around = lambda family: family,
    outside: Around = lambda family: family,
    for_misled: bool = False,
    spending: Spending | None = None,
    others: Sequence[str] = (),
    tried: str | None = None,
) -> Thinking:
    """Build the runtime that `[runtime]` configures.

    `others` are models that single jobs name in place of the usual one; for `tried`, which they name too, the usual
    one stands in. `rules_model` names the rules in a session's row; `around` wraps a family that asks a model,
    `outside` wraps that and what stands in for it; `for_misled`: see `StandingIn`; `spending` bounds the costs.
    """
    standing = RuntimeStanding(runtime.family, runtime.fallback, clock)
    if runtime.family == "rules":
        return Thinking(rules, standing, asks=lambda: False)
    instead = rules if runtime.fallback == "rules" else None

    def stood_in(family: RuntimeFamily) -> RuntimeFamily:
        return outside(
            StandingIn(around(family), instead, standing, second_model=rules_model, for_misled=for_misled)
        )

    beside = _Beside(standing, stood_in, instead, rules_model)
    return _asking(runtime, env, clock, beside, spending or Spending(), others=others, tried=tried)


def on_trial_beside(
    usual: Thinking,
    runtime: RuntimeConfig,
    env: Mapping[str, str],
    rules: RuntimeFamily,
    clock: Clock,
    *,
    rules_model: str,
    spending: Spending,
) -> Thinking:
    """Build the runtime that `[runtime.canary]` tries; the usual one stands in for it (SWB-36.1, ADR 0117)."""
    standing = RuntimeStanding(runtime.family, usual.standing.family, clock)
    if runtime.family == "rules":
        return Thinking(rules, standing, asks=lambda: False)
    share = BESIDE_RULES if usual.standing.family == "rules" else BESIDE_A_MODEL

    def stood_in(family: RuntimeFamily) -> RuntimeFamily:
        return StandingIn(family, usual.family, standing, second_model=rules_model, share=share)

    beside = _Beside(standing, stood_in, usual.family, rules_model, named_in="spec.runtime.canary")
    return _asking(runtime, env, clock, beside, spending)


@dataclass(frozen=True, slots=True)
class _Beside:
    """What is around a family that asks a model: its state, and `instead`, which `stood_in` puts beside it."""

    standing: RuntimeStanding
    stood_in: Around
    instead: RuntimeFamily | None
    model: str
    named_in: str = "spec.runtime"


def _asking(
    runtime: RuntimeConfig,
    env: Mapping[str, str],
    clock: Clock,
    beside: _Beside,
    spending: Spending,
    *,
    others: Sequence[str] = (),
    tried: str | None = None,
) -> Thinking:
    standing = beside.standing
    if runtime.family == "api":
        endpoint = Endpoint.of(runtime, env, others, tried=tried, named_in=beside.named_in)
        models = Models(endpoint)
        asking = ApiFamily(endpoint, models.open, clock=clock, spending=spending)
        look = Look(endpoint, models, standing)
        return Thinking(beside.stood_in(asking), standing, look, closing=(spending.aclose, models.aclose))
    doors = Doors()
    line = COMMAND_LINES[runtime.family]
    endpoint = Endpoint.of(
        runtime, env, others, tried=tried, provider=line.provider, named_in=beside.named_in
    )
    running = CommandLineFamily(
        line, endpoint, doors, partial(shutil.which, path=env.get("PATH")), env=env, spending=spending
    )
    looked = ProgramLook(running, standing)
    family = beside.stood_in(running)
    closing = (spending.aclose, doors.aclose)
    if beside.instead is None:
        return Thinking(family, standing, looked, closing=closing)

    def there() -> bool:
        return looked.there

    return Thinking(
        WhereThere(family, beside.instead, there, second_model=beside.model),
        standing,
        looked,
        there,
        closing,
    )
