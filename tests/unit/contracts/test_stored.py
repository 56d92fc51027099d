"""What we stored is read though a newer version added to it; what came from outside is not (SWB-15.4, D29)."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, ValidationError

from butler_contracts.attachments import AttachmentV1
from butler_contracts.calendar import Booking
from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.former import SupersedesV1
from butler_contracts.ingest import IngestAttachment
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.people import PeopleV1
from butler_contracts.person_settings import PersonSettings
from butler_contracts.replied import RepliedV1
from butler_contracts.route import RouteEnvelopeV1, SegmentV1
from butler_contracts.stored import Unreadable, stored
from butler_messenger.attachments.decisions import Without
from butler_messenger.delivery.records import _Origin
from butler_specialist.store.scheduled import Scheduled
from butler_switchboard.dispatch.model import (
    FanoutMode,
    Offered,
    Plan,
    PlannedTarget,
    PolicyInForce,
    Settling,
)
from butler_switchboard.dispatch.records import plan_to_json
from butler_switchboard.learning.models import EndedRuleView
from butler_switchboard.learning.settling import Answered
from butler_switchboard.operations.correction_models import CorrectedView
from butler_switchboard.operations.dead_letter_models import DiscardView, ReplayView
from butler_switchboard.operations.override_models import EndedView, ReroutedView
from butler_switchboard.rollouts.judging import Finding
from butler_switchboard.rollouts.trial import Arm, Trial
from tests.support.next_version import ADDED, grown, pruned

SERVICES = Path(__file__).parents[3] / "services"
REQUEST = UUID("0197f000-0000-7000-8000-000000000001")
OTHER = UUID("6f1f0a52-9a55-4a3c-8a51-2f5e3c1d7b10")

CONTEXT: dict[str, Any] = {
    "request_id": str(REQUEST),
    "received_at": "2026-03-01T09:30:00Z",
    "source_channel": "telegram",
    "source_endpoint_identity": "bot",
    "source_sender_identity": "1001",
    "source_thread_identity": "1001",
    "trace_context": {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
}
NOTIFY: dict[str, Any] = {
    "schema_version": "notify.v1",
    "origin_butler": "finance",
    "delivery": {"intent": "reply", "channel": "telegram", "message": "Noted."},
    "request_context": CONTEXT,
}
ATTACHMENT = {"media_type": "image/png", "storage_ref": "blob:1", "size_bytes": 12, "filename": "a.png"}
PEOPLE: dict[str, Any] = {
    "sender": str(OTHER),
    "members": [
        {"contact_id": str(OTHER), "name": "Ada", "addresses": [{"channel": "telegram", "value": "1001"}]}
    ],
}
SUPERSEDES: dict[str, Any] = {
    "parts": [{"request_id": str(REQUEST), "segment_id": "s1"}],
    "moved_to": ["health"],
}
SEGMENT: dict[str, Any] = {"sentence_spans": [[0, 1]], "char_ranges": [], "rationale": "money"}
PLAN = plan_to_json(
    Plan(
        request_id=REQUEST,
        targets=(
            PlannedTarget(0, "s1", "finance", "I paid 40 euro", SEGMENT, supersedes=SUPERSEDES, precedence=5),
        ),
        family="rules",
        model_version="1",
        prompt_version="1",
        decided_by="session",
        confidence=0.9,
        fallback=False,
        reason="money",
        error=ErrorDetail(error_class=ErrorClass.ROUTING_ERROR, message="nobody", retryable=False),
        offers=(Offered("always.x", "Yes, always"),),
        settles=Settling(OTHER, "finance", always=True),
        trial=Trial("468c40c0ebee38f8", Arm.CANDIDATE, "00ff00ff00ff00ff"),
        policy=PolicyInForce(30.0, 5.0, 120.0, 900.0, 900.0, 3),
    )
)
DONE = {"operation_uid": "u", "audit_id": 1, "repeated": False}
OPERATED = {**DONE, "dead_letter_id": str(OTHER)}
PART = {"target": "finance", "segment_id": "s1", "attempt": 2, "subrequest_id": str(OTHER)}
MOVED = {**DONE, "request_id": str(REQUEST), "was": "accepted", "rerouted_from": str(OTHER), "part": PART}
SAMPLES: dict[type[Any], dict[str, Any]] = {
    RequestContext: CONTEXT,
    NotifyRequestV1: NOTIFY,
    IngestAttachment: ATTACHMENT,
    AttachmentV1: {
        "uri": "https://files.example.org/bill.pdf",
        "digest": f"sha256:{'0' * 64}",
        "size_bytes": 4,
        "media_type": "application/pdf",
        "name": "bill.pdf",
    },
    Without: {"error_class": "validation_error", "message": "bill.pdf is not attached: gone", "instead": "x"},
    PeopleV1: PEOPLE,
    Booking: {
        "status": "conflict",
        "event": None,
        "conflicts": [
            {
                "event_id": "a",
                "title": "Choir",
                "start": "2026-12-01T10:00:00Z",
                "end": "2026-12-01T11:00:00Z",
            }
        ],
        "free": [{"start": "2026-12-01T11:00:00Z", "end": "2026-12-01T12:00:00Z"}],
    },
    PersonSettings: {
        "language": "de",
        "timezone": "America/New_York",
        "quietHours": {"start": "22:00", "end": "07:00"},
        "digestAt": "07:30",
    },
    SupersedesV1: SUPERSEDES,
    RepliedV1: {"request_id": CONTEXT["request_id"], "actions": ["done.7"]},
    SegmentV1: SEGMENT,
    Plan: PLAN,
    ErrorDetail: {"class": "timeout", "message": "it did not answer", "retryable": True},
    RouteEnvelopeV1: {
        "schema_version": "route.v1",
        "request_context": CONTEXT,
        "caller": {"endpoint_identity": "switchboard"},
        "subrequest": {"subrequest_id": str(OTHER), "segment_id": "s1"},
        "target": {"butler": "finance"},
        "input": {
            "prompt": "I paid 40 euro",
            "segment": SEGMENT,
            "context": {
                "notify_request": NOTIFY,
                "lineage": {"origin_butler": "finance"},
                "attachments": [ATTACHMENT],
                "people": PEOPLE,
                "supersedes": SUPERSEDES,
                "results": [{"butler": "health", "ended": "ok", "answer": "Noted."}],
            },
        },
        "limits": {"route_timeout_s": 60},
    },
    _Origin: {"request_id": str(REQUEST), "trace_context": {"traceparent": "x"}},
    ReplayView: {
        **OPERATED,
        "request_id": str(REQUEST),
        "state": "replayed",
        "replay": 1,
        "parts": [PART],
    },
    EndedView: {
        **DONE,
        "request_id": str(REQUEST),
        "state": "cancelled",
        "stopped": [{"subrequest_id": str(OTHER), "segment_id": "s1", "target": "finance", "was": "pending"}],
        "told": [{"butler": "finance", "channel": "telegram", "state": "sent"}],
    },
    ReroutedView: {**MOVED, "state": "rerouted"},
    CorrectedView: {
        **MOVED,
        "state": "corrected",
        "was_with": "general",
        "withdraws": True,
        "offers": str(OTHER),
        "ends": "general",
    },
    Answered: {"state": "in_force", "before": False},
    EndedRuleView: {**DONE, "rule_id": str(OTHER), "butler": "finance", "state": "ended"},
    Finding: {
        "signal": "errors",
        "candidate": {"count": 12, "of": 30},
        "usual": {"count": 3, "of": 270},
        "p": 0.0001,
    },
    Scheduled: {
        "name": "bills",
        "due_at": "2026-11-23T06:00:00+00:00",
        "until": "2026-11-23T07:00:00+00:00",
        "to": "Ben",
        "count": 3,
    },
    DiscardView: {**OPERATED, "request_id": str(REQUEST), "state": "discarded"},
}
"""One document of every kind that is stored, each optional part in it."""


def plain(read: Any) -> Any:
    return read.model_dump(mode="json", by_alias=True) if isinstance(read, BaseModel) else asdict(read)


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_a_document_with_a_field_more_at_every_level_is_read_as_without(kind: type[Any]) -> None:
    document = SAMPLES[kind]
    assert pruned(plain(stored(kind, grown(document)))) == pruned(plain(stored(kind, document)))


def read_by_the_services() -> Iterator[type[Any]]:
    """The first argument of every `stored(…)` in the services."""
    for path in SERVICES.glob("*/**/*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            call.args[0].id
            for call in ast.walk(tree)
            if isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "stored"
            and isinstance(call.args[0], ast.Name)
        }
        module = ".".join(path.relative_to(SERVICES).with_suffix("").parts)
        for name in names - {"kind"}:
            yield getattr(importlib.import_module(module), name)


def test_every_kind_that_the_services_read_back_has_a_sample_here() -> None:
    found = set(read_by_the_services())
    assert {kind for kind in found if not issubclass(kind, Enum)} == set(SAMPLES)
    assert all(issubclass(kind, Enum | BaseModel) or is_dataclass(kind) for kind in found)


FROM_A_ROW = re.compile(
    r"(\bparse\(\w+, |\.model_validate\(|\b(State|Status|Origin|ErrorClass|\w+Mode|\w+Policy|\w+State)\()"
    r"(row|record|letter|kept|job)\["
)


def test_nothing_that_was_stored_is_read_with_the_strictness_of_the_wire() -> None:
    strict = [
        f"{path.relative_to(SERVICES)}: {line.strip()}"
        for path in SERVICES.glob("*/**/*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if FROM_A_ROW.search(line)
    ]
    assert not strict, "read it by butler_contracts.stored"


def test_a_value_that_is_not_known_here_is_unreadable_and_named() -> None:
    with pytest.raises(
        Unreadable, match=r"stored Plan cannot be read by this version: fanout_mode is 'quorum'"
    ):
        stored(Plan, {**PLAN, "fanout_mode": "quorum"})
    with pytest.raises(Unreadable, match="stored FanoutMode"):
        stored(FanoutMode, "quorum")


@pytest.mark.parametrize("document", [None, [], "text", {}, 1])
def test_whatever_stands_there_instead_is_unreadable_and_nothing_else(document: Any) -> None:
    with pytest.raises(Unreadable):
        stored(RequestContext, document)


def test_a_request_from_outside_is_refused_for_the_same_field_at_any_level() -> None:
    for kind in (NotifyRequestV1, RouteEnvelopeV1):
        with pytest.raises(ContractViolation, match=ADDED):
            parse(kind, {**SAMPLES[kind], ADDED: "new"})
        with pytest.raises(ContractViolation, match=ADDED):
            parse(kind, grown(SAMPLES[kind]))
    with pytest.raises(ValidationError):
        RequestContext.model_validate({**CONTEXT, ADDED: "new"})
