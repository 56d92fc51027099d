"""Valid envelopes as JSON objects, and a way to change one field of a copy."""

from __future__ import annotations

import copy
from typing import Any

REQUEST_ID = "0195512d-6c00-7000-8000-000000000001"
SUBREQUEST_ID = "6f0c4b57-9f2d-5c1e-8f0e-2b7d4c3a1e55"
MISSING = object()


def changed(envelope: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A deep copy with `path` ("a.b.0.c") set to `value`, or removed when the value is MISSING."""
    result = copy.deepcopy(envelope)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    here: Any = result
    for part in parents:
        here = here[part]
    if value is MISSING:
        del here[last]
    else:
        here[last] = value
    return result


def ingest() -> dict[str, Any]:
    return {
        "schema_version": "ingest.v1",
        "source": {"channel": "telegram", "provider": "telegram", "endpoint_identity": "telegram:bot:home"},
        "event": {
            "external_event_id": "901",
            "external_thread_id": "77",
            "external_message_id": "12",
            "observed_at": "2026-03-01T09:30:00Z",
        },
        "sender": {"identity": "4711", "display_name": "Anna"},
        "payload": {
            "raw": {"update_id": 901, "message": {"text": "lunch 12,50 €"}},
            "normalized_text": "lunch 12,50 €",
            "attachments": [{"media_type": "image/png", "storage_ref": "tg:file:9", "size_bytes": 2048}],
        },
        "control": {"policy_tier": "interactive", "ingestion_tier": "full", "trace_context": {}},
    }


def context() -> dict[str, Any]:
    return {
        "request_id": REQUEST_ID,
        "received_at": "2026-03-01T09:30:01.250Z",
        "source_channel": "telegram",
        "source_endpoint_identity": "telegram:bot:home",
        "source_sender_identity": "4711",
        "source_thread_identity": "77",
        "source_message_identity": "12",
    }


def notify() -> dict[str, Any]:
    return {
        "schema_version": "notify.v1",
        "origin_butler": "finance",
        "delivery": {"intent": "reply", "channel": "telegram", "message": "Noted: 12.50 €"},
        "request_context": context(),
    }


def route() -> dict[str, Any]:
    return {
        "schema_version": "route.v1",
        "request_context": context(),
        "caller": {"endpoint_identity": "switchboard"},
        "subrequest": {
            "subrequest_id": SUBREQUEST_ID,
            "segment_id": "s1",
            "fanout_mode": "parallel",
            "attempt": 1,
        },
        "target": {"butler": "finance", "tool": "route.execute"},
        "input": {"prompt": "lunch 12,50 €", "segment": {"char_ranges": [[0, 13]]}, "context": None},
        "limits": {"max_queue_wait_s": 900, "route_timeout_s": 120},
        "trace_context": {},
    }


def notify_route() -> dict[str, Any]:
    envelope = changed(route(), "target.butler", "messenger")
    wish = {"notify_request": notify(), "lineage": {"origin_butler": "finance"}}
    return changed(envelope, "input.context", wish)


def error() -> dict[str, Any]:
    return {"class": "target_unavailable", "message": "Telegram cannot be reached", "retryable": True}


def notify_response() -> dict[str, Any]:
    return {
        "schema_version": "notify_response.v1",
        "request_context": {"request_id": REQUEST_ID},
        "status": "ok",
        "delivery": {"channel": "telegram", "delivery_id": "d-1", "state": "sent"},
    }


def route_response() -> dict[str, Any]:
    return {
        "schema_version": "route_response.v1",
        "request_context": {"request_id": REQUEST_ID},
        "subrequest_id": SUBREQUEST_ID,
        "status": "ok",
        "result": {"notify_response": notify_response()},
        "timing": {"duration_ms": 41.5},
    }


def heartbeat() -> dict[str, Any]:
    return {
        "schema_version": "connector.heartbeat.v1",
        "connector": {
            "connector_type": "telegram_bot",
            "endpoint_identity": "telegram:bot:home",
            "instance_id": "3f2b8c1e-4d5a-4e6f-8a7b-9c0d1e2f3a4b",
            "version": "0.1.0",
        },
        "status": {"state": "healthy", "uptime_s": 60},
        "counters": {
            "messages_ingested": 3,
            "messages_failed": 0,
            "source_api_calls": 9,
            "checkpoint_saves": 3,
            "dedupe_accepted": 1,
        },
        "checkpoint": {"cursor": "902", "updated_at": "2026-03-01T09:30:00Z"},
        "capabilities": {"backfill": False, "heartbeat_interval_s": 120},
        "sent_at": "2026-03-01T09:31:00Z",
    }
