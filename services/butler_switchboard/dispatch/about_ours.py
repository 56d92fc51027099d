"""PURE: mails about a mail that Messenger sent; no butler is given one (ADR 0076, 0083, 0086)."""

from __future__ import annotations

from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.dispatch.presses import plan_of_answer, written_answer
from butler_switchboard.dispatch.reports import delivery_report, plan_of_report
from butler_switchboard.dispatch.unsubscribing import plan_of_unsubscription, unsubscription

__all__ = ["plan_about_ours"]


def plan_about_ours(state: RequestState) -> Plan | None:
    """Return the plan of an answer to Messenger, an unsubscription or a mail server's report, else None."""
    if written_answer(state.message) is not None:
        return plan_of_answer(state)
    if unsubscription(state.message) is not None:
        return plan_of_unsubscription(state)
    report = delivery_report(state.message)
    return plan_of_report(state, report) if report is not None else None
