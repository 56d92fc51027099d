"""Requests in every state, written as the stages write them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.triage import PASS_THROUGH
from butler_kit.db import Pool
from butler_kit.time import new_uuid7
from butler_switchboard.dispatch.model import Plan, PlannedTarget
from butler_switchboard.dispatch.records import plan_to_json
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.senders import SenderDecision
from tests.support.switchboard import telegram

__all__ = ["a_finished_request", "a_waiting_request"]


async def a_waiting_request(pool: Pool, number: int = 1, text: str = "lunch was 12 euros") -> UUID:
    """Admitted; nothing has happened to it yet."""
    envelope = telegram(number, text)
    sender = SenderDecision("household", "allow", False, "test")
    decisions = Decisions(dedupe_key(envelope), sender, PASS_THROUGH, PolicyTier.INTERACTIVE)
    lane = Admission(pool)
    task = asyncio.create_task(lane.run())
    try:
        admitted = await lane.submit(admission_row(envelope, new_uuid7(datetime.now(UTC)), decisions))
    finally:
        task.cancel()
        await asyncio.wait({task})
    return admitted.request_id


async def a_finished_request(pool: Pool, *, reply: str = "Noted.") -> UUID:
    """Routed to finance, whose first attempt failed and second one answered; the person was told."""
    request_id = await a_waiting_request(pool, 99)
    start = await pool.fetchval("SELECT received_at FROM message_inbox WHERE request_id = $1", request_id)

    def at(seconds: float) -> datetime:
        moment: datetime = start + timedelta(seconds=seconds)
        return moment

    plan = Plan(
        request_id=request_id,
        targets=(PlannedTarget(1, "s1", "finance", "lunch was 12 euros"),),
        family="rules",
        model_version="m1",
        prompt_version="p1",
        decided_by="runtime",
        confidence=0.93,
        fallback=False,
        reason="routed",
    )
    session, first, second, notification = uuid4(), uuid4(), uuid4(), uuid4()
    await pool.execute(
        "INSERT INTO sessions (session_id, kind, trigger_source, request_id, family, started_at, ended_at, status,"
        " tool_calls) VALUES ($1, 'route', 'ingress', $2, 'rules', $3, $4, 'completed', $5)",
        session,
        request_id,
        at(0.1),
        at(0.2),
        [{"tool": "route_to_butler", "args": {"butler": "finance"}}],
    )
    await pool.execute(
        "INSERT INTO route_plan (request_id, received_at, committed_at, lease_id, family, model_version,"
        " prompt_version, decided_by, confidence, fallback, reason, fanout_mode, join_policy, abort_policy, plan)"
        " VALUES ($1, $2, $3, $4, 'rules', 'm1', 'p1', 'runtime', 0.93, false, 'routed', 'parallel', 'all',"
        " 'continue', $5)",
        request_id,
        start,
        at(0.3),
        uuid4(),
        plan_to_json(plan),
    )
    error = ErrorDetail(error_class=ErrorClass.TIMEOUT, message="no answer", retryable=True)
    for subrequest, attempt, state, ended in ((first, 1, "error", 1.0), (second, 2, "ok", 3.0)):
        failed = state == "error"
        await pool.execute(
            "INSERT INTO subroute (subrequest_id, request_id, received_at, segment_id, target, attempt, position,"
            " state, transport_tries, first_sent_at, accepted_at, started_at, finished_at, response, error_class,"
            " error_message, retryable, late_response) VALUES ($1, $2, $3, 's1', 'finance', $4, 1, $5, 1, $6, $6, $6,"
            " $7, $8, $9, $10, $11, $12)",
            subrequest,
            request_id,
            start,
            attempt,
            state,
            at(ended - 0.5),
            at(ended),
            None if failed else {"status": "ok", "result": {"reply": reply}},
            error.error_class.value if failed else None,
            error.message if failed else None,
            error.retryable if failed else None,
            {"status": "ok"} if failed else None,
        )
    await pool.execute(
        "INSERT INTO routing_log (request_id, subrequest_id, source_butler, target_butler, tool_name, source_channel,"
        " success, error_class, error, created_at) VALUES ($1, $2, 'switchboard', 'finance', 'route.execute',"
        " 'telegram', false, 'target_unavailable', 'connection refused', $3)",
        request_id,
        first,
        at(0.4),
    )
    await pool.execute(
        "INSERT INTO notifications (notification_id, request_id, origin_butler, purpose, intent, channel, status,"
        " delivery_id, delivery_state, created_at, updated_at) VALUES ($1, $2, 'finance', 'answer', 'reply',"
        " 'telegram', 'ok', 'd1', 'sent', $3, $4)",
        notification,
        request_id,
        at(2.6),
        at(2.8),
    )
    await pool.execute(
        "INSERT INTO ingest_conflict (dedupe_key, request_id, seen_at, fingerprint, envelope)"
        " VALUES ('k', $1, $2, 'f', $3)",
        request_id,
        at(0.05),
        {"payload": {"normalized_text": "lunch was 21 euros"}},
    )
    await pool.execute(
        "UPDATE message_inbox SET lifecycle_state = 'parsed', final_state_at = $2, aggregated_reply = $3,"
        " dispatch_outcomes = $4, routing_output = $5 WHERE request_id = $1",
        request_id,
        at(3.1),
        {"text": reply, "parts": []},
        [{"target_butler": "finance", "status": "ok"}],
        {"targets": []},
    )
    await pool.execute("DELETE FROM inbox_work WHERE item_id = $1", request_id)
    return request_id
