"""`route.v1`, `notify.v1`, their responses and the heartbeat: what they hold and how their parts agree."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorClass, TimedOut
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import (
    RouteEnvelopeV1,
    RouteResponseV1,
    make_route_response,
    make_route_response_accepted,
)
from butler_contracts.route_answer import parse_route_response
from tests.unit.contracts import envelopes as make
from tests.unit.contracts.envelopes import MISSING, changed

REQUEST = UUID(make.REQUEST_ID)


def paths(model: type[BaseModel], data: dict[str, Any]) -> set[str]:
    with pytest.raises(ContractViolation) as caught:
        parse(model, data)
    return {problem.path for problem in caught.value.problems}


def test_a_route_says_root_context_branch_target_input_and_tracing() -> None:
    for part in ("request_context", "subrequest", "target", "input"):
        assert paths(RouteEnvelopeV1, changed(make.route(), part, MISSING)) == {part}
    envelope = parse(RouteEnvelopeV1, make.route())
    assert envelope.target.tool == "route.execute"
    assert envelope.limits.max_queue_wait_s == 900
    assert envelope.caller is not None
    assert envelope.caller.endpoint_identity == "switchboard"


def test_a_route_without_caller_and_limits_is_complete() -> None:
    bare = changed(changed(make.route(), "caller", MISSING), "limits", MISSING)
    envelope = parse(RouteEnvelopeV1, bare)
    assert envelope.caller is None
    assert envelope.limits.required_capability is None


def test_messenger_finds_the_notify_request_and_its_authenticated_origin_in_the_route() -> None:
    context = parse(RouteEnvelopeV1, make.notify_route()).input.context
    assert context is not None
    assert context.notify_request == parse(NotifyRequestV1, make.notify())
    assert context.lineage is not None
    assert context.lineage.origin_butler == "finance"


@pytest.mark.parametrize(
    "part", [{"sentence_spans": [[0, 2]]}, {"char_ranges": [[3, 9]]}, {"rationale": "two bills"}]
)
def test_a_segment_may_be_told_in_any_of_three_ways(part: dict[str, Any]) -> None:
    assert parse(RouteEnvelopeV1, changed(make.route(), "input.segment", part)).input.segment is not None


def test_a_context_without_a_policy_is_that_of_a_household_member() -> None:
    context = parse(RequestContext, make.context())
    assert (context.reply_policy, context.sender_class, context.automatic) == ("allow", "household", False)


@pytest.mark.parametrize("policy", ["owner", "none"])
def test_a_stranger_or_an_automatic_message_is_never_answered(policy: str) -> None:
    for field, value in (("sender_class", "other"), ("automatic", True)):
        data = changed({**make.context(), "sender_class": "household", "automatic": False}, field, value)
        assert paths(RequestContext, {**data, "reply_policy": "allow"}) == {"reply_policy"}
        assert parse(RequestContext, {**data, "reply_policy": policy}).reply_policy == policy


def test_a_send_needs_no_context_and_may_name_a_contact() -> None:
    wish = changed(changed(make.notify(), "request_context", None), "delivery.intent", "send")
    wish["delivery"] |= {"contact_id": "c-anna", "idempotency_key": "rent-2026-03"}
    delivery = parse(NotifyRequestV1, wish).delivery
    assert (delivery.contact_id, delivery.idempotency_key) == ("c-anna", "rent-2026-03")


def test_an_email_reply_needs_no_thread_but_a_telegram_reply_does() -> None:
    mail = changed(make.notify(), "request_context.source_channel", "email")
    mail = changed(mail, "request_context.source_thread_identity", None)
    assert parse(NotifyRequestV1, changed(mail, "delivery.channel", "email")).delivery.channel == "email"
    chat = changed(make.notify(), "request_context.source_thread_identity", None)
    assert paths(NotifyRequestV1, chat) == {"request_context.source_thread_identity"}


def test_a_reaction_is_an_emoji_on_a_telegram_message_and_needs_no_text() -> None:
    reaction = changed(make.notify(), "delivery", {"intent": "react", "channel": "telegram", "emoji": "👀"})
    assert parse(NotifyRequestV1, reaction).delivery.message is None
    assert paths(NotifyRequestV1, changed(reaction, "delivery.emoji", MISSING)) == {"delivery.emoji"}
    assert paths(NotifyRequestV1, changed(reaction, "delivery.channel", "email")) == {"delivery.channel"}
    assert paths(NotifyRequestV1, changed(reaction, "request_context", None)) == {"request_context"}


@pytest.mark.spec("MSG-6.5")
@pytest.mark.parametrize("word", ["quota_exceeded", "routing_error", "classification_error"])
def test_a_notify_response_keeps_to_the_five_shared_classes(word: str) -> None:
    failed = {**make.notify_response(), "status": "error", "error": {**make.error(), "class": word}}
    error = parse(NotifyResponseV1, failed).error
    assert error is not None
    assert (error.error_class, error.original_class) == (ErrorClass.INTERNAL_ERROR, word)
    for shared in (
        "validation_error",
        "target_unavailable",
        "timeout",
        "overload_rejected",
        "internal_error",
    ):
        kept = parse(NotifyResponseV1, changed(failed, "error.class", shared)).error
        assert kept is not None
        assert kept.error_class == shared


@pytest.mark.parametrize(
    "state", ["queued", "sent", "pending_approval", "pending_missing_identifier", "uncertain", "failed"]
)
def test_a_notify_response_says_how_far_the_delivery_came(state: str) -> None:
    response = parse(NotifyResponseV1, changed(make.notify_response(), "delivery.state", state))
    assert response.delivery is not None
    assert response.delivery.state == state


def test_a_failed_notify_has_class_message_and_retryable() -> None:
    failed = {**make.notify_response(), "status": "error", "delivery": None, "error": make.error()}
    response = parse(NotifyResponseV1, failed)
    assert response.error is not None
    assert (response.error.error_class, response.error.retryable) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert paths(NotifyResponseV1, changed(failed, "error.retryable", MISSING)) == {"error.retryable"}


def test_a_response_from_a_newer_release_may_say_more() -> None:
    newer = {**make.route_response(), "cost": {"tokens": 9}}
    assert parse(RouteResponseV1, newer) == parse(RouteResponseV1, make.route_response())


def test_the_three_answers_to_a_route_echo_its_ids() -> None:
    envelope = parse(RouteEnvelopeV1, make.route())
    accepted = make_route_response_accepted(envelope)
    ok = make_route_response(envelope, result={"reply": "Noted"}, duration_ms=12.5)
    failed = make_route_response(envelope, error=TimedOut("Too slow").to_detail(), duration_ms=5)
    assert [answer.status for answer in (accepted, ok, failed)] == ["accepted", "ok", "error"]
    assert [answer.terminal for answer in (accepted, ok, failed)] == [False, True, True]
    for answer in (accepted, ok, failed):
        wire = answer.to_wire()
        echoed = parse_route_response(wire, request_id=REQUEST, subrequest_id=UUID(make.SUBREQUEST_ID))
        assert echoed == answer


def test_messengers_answer_is_unwrapped_from_the_route_response() -> None:
    response = parse(RouteResponseV1, make.route_response())
    assert response.notify_response() == parse(NotifyResponseV1, make.notify_response())
    assert parse(RouteResponseV1, changed(make.route_response(), "result", {})).notify_response() is None


def test_an_answer_of_another_request_is_refused() -> None:
    other = UUID("0195512d-6c00-7000-8000-0000000000ff")
    with pytest.raises(ContractViolation, match=r"request_context\.request_id: .* of another request"):
        parse_route_response(make.route_response(), request_id=other)
    with pytest.raises(ContractViolation, match=r"subrequest_id: .* of another request"):
        parse_route_response(make.route_response(), request_id=REQUEST, subrequest_id=other)


@pytest.mark.spec("CNX-11.1")
def test_a_heartbeat_has_identity_health_and_counters_and_may_have_a_cursor_and_capabilities() -> None:
    beat = parse(ConnectorHeartbeatV1, make.heartbeat())
    required = {"schema_version", "connector", "status", "counters", "sent_at"}
    assert set(beat.to_wire()) == required | {"checkpoint", "capabilities"}
    for part in required:
        assert paths(ConnectorHeartbeatV1, changed(make.heartbeat(), part, MISSING)) == {part}
    bare = changed(changed(make.heartbeat(), "checkpoint", MISSING), "capabilities", MISSING)
    without = parse(ConnectorHeartbeatV1, bare)
    assert (without.checkpoint, without.capabilities) == (None, {})
    assert paths(ConnectorHeartbeatV1, changed(bare, "sent_at", "2026-03-01T09:31:00")) == {"sent_at"}


def test_a_heartbeat_counts_what_was_skipped_and_refused() -> None:
    beat = changed(make.heartbeat(), "counters.messages_skipped", {"sender_skip": 2})
    counters = parse(ConnectorHeartbeatV1, changed(beat, "counters.messages_refused", 1)).counters
    assert (counters.messages_skipped, counters.messages_refused) == ({"sender_skip": 2}, 1)
