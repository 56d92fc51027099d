"""What every service that keeps service levels may be told of them in `butler.toml` (docs/adr/0073, 0113)."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from butler_kit.config.section import Section
from butler_kit.service_levels import WindowPair

__all__ = ["BurnWindows", "FastWindows", "Share", "SloConfig", "SlowWindows"]

Share = Annotated[float, Field(ge=0.5, lt=1, allow_inf_nan=False)]
"""The share of events that are to be good; what it leaves over is the error budget."""


class BurnWindows(Section):
    """`[….slo.fast]`, `[….slo.slow]`: over which time a budget has to burn how fast."""

    long_s: Annotated[float, Field(ge=60, le=259_200, allow_inf_nan=False)]
    short_s: Annotated[float, Field(ge=60, le=86_400, allow_inf_nan=False)]
    burn: Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)]

    def pair(self) -> WindowPair:
        return WindowPair(self.long_s, self.short_s, self.burn)


class FastWindows(BurnWindows):
    """An hour, of which the last five minutes too."""

    long_s: Annotated[float, Field(ge=60, le=259_200, allow_inf_nan=False)] = 3600.0
    short_s: Annotated[float, Field(ge=60, le=86_400, allow_inf_nan=False)] = 300.0
    burn: Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)] = 14.4


class SlowWindows(BurnWindows):
    """Six hours, of which the last half hour too."""

    long_s: Annotated[float, Field(ge=60, le=259_200, allow_inf_nan=False)] = 21_600.0
    short_s: Annotated[float, Field(ge=60, le=86_400, allow_inf_nan=False)] = 1800.0
    burn: Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)] = 6.0


class SloConfig(Section):
    """When an error budget burns, and when what follows from that ends; the objectives are each service's own."""

    tightens: bool = True
    """Whether anything follows from a burning budget; it is measured and told all the same."""
    minimum_events: Annotated[int, Field(ge=10, le=100_000)] = 20
    minimum_failures: Annotated[int, Field(ge=4, le=100_000)] = 10
    """Bad events of the long window from which on something is concluded; never from three."""
    release_after_s: Annotated[float, Field(ge=60, le=86_400, allow_inf_nan=False)] = 900.0
    period_days: Annotated[int, Field(ge=1, le=31)] = 30
    """Over which the budget that is left is told."""
    fast: FastWindows = FastWindows()
    slow: SlowWindows = SlowWindows()

    @model_validator(mode="after")
    def _short_within_long(self) -> Self:
        for name, pair in (("fast", self.fast), ("slow", self.slow)):
            if pair.short_s >= pair.long_s:
                raise ValueError(f"{name}.short_s is not shorter than {name}.long_s")
        return self

    def burn_settings(self) -> dict[str, Any]:
        """Return these settings as the arguments of a `BurnPolicy`."""
        return {
            "fast": self.fast.pair(),
            "slow": self.slow.pair(),
            "minimum_events": self.minimum_events,
            "minimum_failures": self.minimum_failures,
            "release_after_s": self.release_after_s,
            "tightens": self.tightens,
            "period_days": self.period_days,
        }
