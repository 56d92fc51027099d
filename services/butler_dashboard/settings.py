"""What the dashboard takes from its environment; it has no `butler.toml`, because it is no butler."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from butler_contracts.liveness import LivenessPolicy
from butler_kit.config import ProcessEnvironment, TimeZone

__all__ = ["DashboardEnvironment"]

Schema = Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]{0,62}$")]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_SILENCE = LivenessPolicy()


class DashboardEnvironment(ProcessEnvironment):
    """Where it listens, whose views it reads, and how silence is judged (CNX-12.1, D31)."""

    port: Annotated[int, Field(alias="BUTLERS_PORT", ge=0, le=65_535)] = 40_200
    """0 lets the system choose a free port."""
    switchboard_schema: Annotated[Schema, Field(alias="BUTLERS_SWITCHBOARD_SCHEMA")] = "switchboard"
    messenger_schema: Annotated[Schema, Field(alias="BUTLERS_MESSENGER_SCHEMA")] = "messenger"
    online_s: Annotated[Seconds, Field(alias="BUTLERS_CONNECTOR_ONLINE_S")] = _SILENCE.online_s
    offline_s: Annotated[Seconds, Field(alias="BUTLERS_CONNECTOR_OFFLINE_S")] = _SILENCE.offline_s
    timezone: Annotated[TimeZone, Field(alias="BUTLERS_TIMEZONE")] = "UTC"
    """When a day begins for people (D56)."""

    switchboard_mcp_url: Annotated[
        str | None, Field(alias="BUTLERS_SWITCHBOARD_MCP_URL", pattern=r"^https?://")
    ] = None
    """Where operators' forms are carried out; without it the pages change nothing."""
    secure_cookies: Annotated[bool, Field(alias="BUTLERS_SECURE_COOKIES")] = False
    """Browsers reach it by https, through a proxy that ends TLS before it."""

    @model_validator(mode="after")
    def _silence_grows(self) -> Self:
        if self.offline_s < self.online_s:
            raise ValueError(
                "a connector would be offline before it is stale; raise BUTLERS_CONNECTOR_OFFLINE_S"
            )
        return self

    def liveness_policy(self) -> LivenessPolicy:
        """Up to when a silent connector is online, and up to when it is stale."""
        return LivenessPolicy(online_s=self.online_s, offline_s=self.offline_s)
