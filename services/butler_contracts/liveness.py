"""Is a connector alive, by the age of its last beat (pure; CNX-12.1, D31)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

__all__ = ["Liveness", "LivenessPolicy", "liveness"]


class Liveness(StrEnum):
    ONLINE = "online"
    STALE = "stale"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class LivenessPolicy:
    """Seconds since the last beat up to which a connector is online, and up to which it is stale (D31)."""

    online_s: float = 300.0
    offline_s: float = 900.0


def liveness(last_heartbeat_at: datetime | None, now: datetime, policy: LivenessPolicy) -> Liveness:
    """Online below `online_s`, stale up to `offline_s`, else offline; offline without any beat (CNX-12.1)."""
    if last_heartbeat_at is None:
        return Liveness.OFFLINE
    age_s = (now - last_heartbeat_at) / timedelta(seconds=1)
    if age_s < policy.online_s:
        return Liveness.ONLINE
    return Liveness.STALE if age_s <= policy.offline_s else Liveness.OFFLINE
