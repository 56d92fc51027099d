"""What Switchboard's `butler.toml` may say beyond the common sections (SWB-24, D5, D9, D22)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from butler_kit.config import ButlerConfig, RoutingConfig, Section
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD

__all__ = ["RetentionConfig", "RollupsConfig", "SwitchboardConfig", "SwitchboardRouting"]

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Days = Annotated[int, Field(ge=1, le=3_650)]


class SwitchboardRouting(RoutingConfig):
    """`[routing]`: triage rules, what proves a sender, when a specialist is sure enough."""

    confidence_threshold: Annotated[float, Field(ge=0, le=1)] = DEFAULT_THRESHOLD
    session_timeout_s: Seconds = 30.0
    patience_s: Seconds = 120.0
    """How long a message waits for any butler to be there before it ends in an error."""
    route_timeout_s: Seconds = 120.0
    accept_timeout_s: Seconds = 5.0
    new_request_on_conflict: tuple[str, ...] = ()
    cost_per_thousand_messages_cents: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    """What routing and answering cost; backfills count it against their daily cap (SWB-20.2)."""


class RetentionConfig(Section):
    """`[retention]`: days that data lives; `keep_inbox` is the override of SWB-02.2."""

    keep_inbox: bool = False
    inbox_days: Days = 31
    dedupe_days: Days = 45
    session_days: Days = 90
    history_days: Days = 365
    dead_letter_days: Days = 90
    dead_letter_max: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000


class RollupsConfig(Section):
    """`[rollups]`: who computes statistics, Switchboard itself or jobs on Spark (D40)."""

    engine: Literal["sql", "spark"] = "sql"


class SwitchboardConfig(ButlerConfig):
    """A whole `butler.toml` of role `switchboard`."""

    routing: SwitchboardRouting = SwitchboardRouting()
    retention: RetentionConfig = RetentionConfig()
    rollups: RollupsConfig = RollupsConfig()
