"""Service levels as pages show them (SWB-41.1, MSG-15)."""

from __future__ import annotations

from datetime import datetime

from butler_dashboard.reads.model import Model

__all__ = ["ChannelLevel", "ServiceLevel"]


class ServiceLevel(Model):
    """Whether something is as good as it is to be; `burn` is how many times too fast its budget is used."""

    state: str
    changed_at: datetime | None
    cause: str
    burn: float


class ChannelLevel(ServiceLevel):
    """The same of the deliveries by one channel."""

    channel: str
