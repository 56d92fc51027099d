"""The block `telemetry` of Butlers and Connectors: what a process tells of itself (SWB-42, MSG-14)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from butler_resources.kinds.base import HttpUrl, ResourceModel

__all__ = ["HouseholdTelemetry", "Logging", "Telemetry"]


class Logging(ResourceModel):
    """What a process writes to its log."""

    log_level: Literal["debug", "info", "warning", "error"] | None = Field(
        default=None,
        description="Least severe events that are logged; by default the place's, which is info.",
    )
    log_format: Literal["json", "console"] | None = Field(
        default=None, description="Form of the log; by default the place's, json on a cluster."
    )


class HouseholdTelemetry(ResourceModel):
    """Where the spans of a whole household go."""

    otlp_endpoint: HttpUrl | None = Field(
        default=None,
        description="Collector, OTLP over HTTP, of all butlers and connectors that name none. Default: none.",
    )


class Telemetry(Logging):
    """What a process logs, and where its spans go."""

    otlp_endpoint: HttpUrl | None = Field(
        default=None,
        description="Collector that spans are exported to, OTLP over HTTP; by default the household's. "
        "Without one there is no tracing.",
    )
