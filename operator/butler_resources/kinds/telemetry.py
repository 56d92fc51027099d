"""The block `telemetry` of Butlers and Connectors: what a process tells of itself (SWB-42, MSG-14)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from butler_resources.kinds.base import HttpUrl, ResourceModel

__all__ = ["HouseholdTelemetry", "Logging", "Telemetry"]


class Logging(ResourceModel):
    """Log settings of a process."""

    log_level: Literal["debug", "info", "warning", "error"] | None = Field(
        default=None,
        description="Minimum severity of logged events. Defaults to the installation's, which is info.",
    )
    log_format: Literal["json", "console"] | None = Field(
        default=None, description="Format of the log. Defaults to the installation's, json on a cluster."
    )


class HouseholdTelemetry(ResourceModel):
    """Where a whole household exports spans and metrics to."""

    otlp_endpoint: HttpUrl | None = Field(
        default=None,
        description="Collector, OTLP over HTTP, of all butlers and connectors without their own. Default: none.",
    )


class Telemetry(Logging):
    """Logging of a process, and where it exports spans and metrics to."""

    otlp_endpoint: HttpUrl | None = Field(
        default=None,
        description="Collector to export spans and metrics to, OTLP over HTTP. Defaults to the household's. Without "
        "one nothing is exported; `/metrics` is there all the same.",
    )
