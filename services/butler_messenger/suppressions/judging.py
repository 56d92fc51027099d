"""PURE: whether a report says that a mail bounced, and the address is at fault (RFC 3463, RFC 3464)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_contracts.delivery_report import DeliveryReportV1

__all__ = ["Bounce", "bounce_of"]

_ARRIVED: Final = frozenset({"delivered", "relayed", "expanded"})
_PERMANENT: Final = "5."


@dataclass(frozen=True, slots=True)
class Bounce:
    """A mail that came back; `for_good` if another one to that address would, too."""

    evidence: str
    for_good: bool


def bounce_of(report: DeliveryReportV1) -> Bounce | None:
    """Return the bounce; None while a server still tries, or if anyone of several at the address got it."""
    failed = [one for one in report.recipients if one.action == "failed"]
    if not failed or any(one.action in _ARRIVED for one in report.recipients):
        return None
    worst = max(failed, key=lambda one: one.status.startswith(_PERMANENT))
    said = f"{worst.status} {worst.diagnostic}" if worst.diagnostic else worst.status
    return Bounce(said, worst.status.startswith(_PERMANENT))
