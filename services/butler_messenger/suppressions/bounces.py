"""Handles delivery reports of mail servers about our mails (RFC 3464, docs/adr/0083).

Invariants: only a delivery of ours that was sent recently is marked, once, and its recipient is the one it was sent
to, whatever recipients the report names. The mark and the suppression are one transaction.
"""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.delivery_report import DeliveryReportV1
from butler_contracts.errors import ErrorClass
from butler_kit.db import NamedQueries, Pool, transaction
from butler_kit.telemetry import get_logger
from butler_messenger.suppressions.judging import Bounce, bounce_of
from butler_messenger.suppressions.refusing import Cause, SuppressionList

__all__ = ["Bounces"]

_log = get_logger(__name__)

_BOUNCED: Final = NamedQueries("butler_messenger.sql", "suppressions.sql")["bounced"]
_CHANNEL: Final = "email"


class Bounces:
    """Handles the reports that Switchboard routes here; nobody else is told."""

    def __init__(self, pool: Pool, suppressions: SuppressionList, *, own_name: str) -> None:
        self._pool = pool
        self._suppressions = suppressions
        self._own_name = own_name

    async def take(self, report: DeliveryReportV1) -> dict[str, Any]:
        """Mark the delivery that came back; return the route's result."""
        bounce = bounce_of(report)
        if bounce is None or report.message_id is None:
            return {"bounced": []}
        return await self._mark(report.message_id, bounce)

    async def _mark(self, message_id: str, bounce: Bounce) -> dict[str, Any]:
        async with transaction(self._pool, doing="marking a bounce") as connection:
            said = f"the mail came back: {bounce.evidence}"
            rows = await connection.fetch(_BOUNCED, message_id, ErrorClass.VALIDATION_ERROR.value, said)
            for target, delivery_id in {row["target_identity"]: row["delivery_id"] for row in rows}.items():
                if bounce.for_good:
                    cause = Cause("bounced", bounce.evidence, self._own_name, delivery_id)
                    await self._suppressions.add(connection, _CHANNEL, target, cause)
        bounced = [str(row["delivery_id"]) for row in rows]
        if not bounced:
            _log.info("report_of_nothing_sent", message_id=message_id)
            return {"bounced": []}
        _log.warning("delivery_bounced", deliveries=bounced, problem=bounce.evidence)
        return {"bounced": bounced, "suppressed": bounce.for_good}
