"""PURE: a mail server's report about a sent mail is not a message to anybody (RFC 3464, ADR 0083).

Invariant: no butler is given one and nobody is answered; a report that names a mail of ours goes to Messenger, which
alone knows whether it sent it.
"""

from __future__ import annotations

from dataclasses import replace

from butler_contracts.delivery_report import DeliveryReportV1
from butler_contracts.ingest import SourceChannel
from butler_contracts.keys import is_own_message_id
from butler_contracts.parse import ContractViolation, parse
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState
from butler_switchboard.dispatch.plans import nothing_to_do
from butler_switchboard.dispatch.presses import MESSENGER
from butler_switchboard.ingress.message import InboxMessage

__all__ = ["delivery_report", "plan_of_report"]


def delivery_report(message: InboxMessage) -> DeliveryReportV1 | None:
    """Return the report that the connector read; None for any other message."""
    said = (message.envelope["payload"].get("raw") or {}).get("delivery_report")
    if said is None or message.context.source_channel is not SourceChannel.EMAIL:
        return None
    try:
        return parse(DeliveryReportV1, said)
    except ContractViolation:
        return DeliveryReportV1()


def plan_of_report(state: RequestState, report: DeliveryReportV1) -> Plan:
    """Plan a report for Messenger if it names a mail of ours and is not history; else only record it."""
    plan = nothing_to_do(state, "delivery_report")
    ours = report.message_id is not None and is_own_message_id(report.message_id)
    if not ours or state.message.backfill_job_id is not None:
        return plan
    return replace(plan, targets=(PlannedTarget(1, "s1", MESSENGER, state.message.text),))
