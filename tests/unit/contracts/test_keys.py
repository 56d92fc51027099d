"""Keys: the same thing has the same key, another thing another one."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.keys import dedupe_key, delivery_key, message_id_for, payload_fingerprint, subrequest_id
from butler_contracts.parse import parse
from tests.unit.contracts import envelopes as make
from tests.unit.contracts.envelopes import changed

REQUEST = UUID(make.REQUEST_ID)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8)


def envelope(**changes: object) -> IngestEnvelopeV1:
    data = make.ingest()
    for path, value in changes.items():
        data = changed(data, path.replace("__", "."), value)
    return parse(IngestEnvelopeV1, data)


def content_hash(text: str, sender: str) -> str:
    return hashlib.sha256(f"{text}:{sender}".encode()).hexdigest()[:16]


MAIL = {
    "source__channel": "email",
    "source__provider": "imap",
    "source__endpoint_identity": "home@example.org",
}


@pytest.mark.spec("CNX-03.1", "CNX-02.8")
def test_an_explicit_key_comes_first() -> None:
    found = dedupe_key(envelope(control__idempotency_key="order-7"))
    assert (found.key, found.strategy) == ("idem:telegram:telegram:bot:home:order-7", "idempotency_key")
    assert found.previous_bucket_key is None
    mail = dedupe_key(envelope(**MAIL, control__idempotency_key="order-7"))
    assert mail.key == "idem:email:home@example.org:order-7"


@pytest.mark.spec("CNX-03.2")
@pytest.mark.parametrize("placeholder", ["placeholder", "unknown", "none", " ", "Unknown", "NONE "])
def test_a_real_event_id_comes_second(placeholder: str) -> None:
    found = dedupe_key(envelope())
    assert (found.key, found.strategy) == (
        "event:telegram:telegram:telegram:bot:home:901",
        "external_event_id",
    )
    assert dedupe_key(envelope(**MAIL)).key == "event:email:imap:home@example.org:901"
    assert dedupe_key(envelope(event__external_event_id=placeholder)).strategy == "content_hash"


@pytest.mark.spec("CNX-03.3")
def test_the_content_of_the_hour_comes_last() -> None:
    found = dedupe_key(
        envelope(event__external_event_id="none", event__observed_at="2026-03-01T10:30:00+01:00")
    )
    wanted = f"hash:telegram:telegram:bot:home:4711:2026030109:{content_hash('lunch 12,50 €', '4711')}"
    assert (found.key, found.strategy) == (wanted, "content_hash")


@pytest.mark.spec("SWB-12.3")
def test_an_api_call_is_known_by_its_key_else_by_payload_source_and_hour() -> None:
    api: dict[str, Any] = {"source__channel": "api", "source__provider": "internal"}
    hashed = dedupe_key(envelope(**api, event__external_event_id="none"))
    assert dedupe_key(envelope(**api, control__idempotency_key="k")).key == "idem:api:telegram:bot:home:k"
    assert hashed == dedupe_key(envelope(**api, event__external_event_id="unknown"))
    same_hour = {"event__observed_at": "2026-03-01T09:59:59Z", "event__external_event_id": "none"}
    assert hashed.key == dedupe_key(envelope(**api, **same_hour)).key
    for other in (
        {"payload__normalized_text": "other"},
        {"sender__identity": "other"},
        {"source__endpoint_identity": "other"},
        {"event__observed_at": "2026-03-01T10:30:00Z"},
    ):
        assert dedupe_key(envelope(**{**api, **other}, event__external_event_id="none")).key != hashed.key


@pytest.mark.parametrize(
    ("moment", "previous"),
    [
        ("2026-03-01T11:00:00Z", "2026030110"),
        ("2026-03-01T11:04:59.999999Z", "2026030110"),
        ("2026-03-01T11:05:00Z", None),
        ("2026-03-01T11:59:59Z", None),
        ("2026-01-01T00:00:01Z", "2025123123"),
        ("2026-03-01T05:32:00+05:30", "2026022823"),
        ("1970-01-01T00:00:00Z", "1969123123"),
    ],
)
def test_the_first_five_minutes_look_into_the_hour_before(moment: str, previous: str | None) -> None:
    found = dedupe_key(envelope(event__external_event_id="none", event__observed_at=moment))
    bucket = found.previous_bucket_key.split(":")[-2] if found.previous_bucket_key else None
    assert bucket == previous


def test_a_repeat_over_the_hour_edge_is_found_by_the_previous_bucket() -> None:
    before = dedupe_key(envelope(event__external_event_id="none", event__observed_at="2026-03-01T10:59:59Z"))
    after = dedupe_key(envelope(event__external_event_id="none", event__observed_at="2026-03-01T11:00:01Z"))
    assert after.previous_bucket_key == before.key


def test_a_second_reading_of_the_same_event_has_the_same_fingerprint() -> None:
    again = envelope(
        event__observed_at="2026-03-02T00:00:00Z",
        payload__raw={"other": "form"},
        control__trace_context={"traceparent": "x"},
        payload__attachments__0__storage_ref="elsewhere",
    )
    assert payload_fingerprint(again) == payload_fingerprint(envelope())


@pytest.mark.parametrize(
    "change",
    [
        {"payload__normalized_text": "lunch 12,51 €"},
        {"sender__identity": "4712"},
        {"event__external_thread_id": None},
        {"payload__attachments": []},
        {"payload__attachments__0__size_bytes": 2049},
        {"payload__attachments__0__filename": "a.png"},
    ],
)
def test_other_content_has_another_fingerprint(change: dict[str, object]) -> None:
    assert payload_fingerprint(envelope(**change)) != payload_fingerprint(envelope())


def key(**changes: Any) -> str:
    fields: dict[str, Any] = {
        "request_id": REQUEST,
        "origin_butler": "finance",
        "intent": "send",
        "channel": "email",
        "target_identity": "anna@example.org",
        "content": "Your bill is paid",
        "subject": "Bill",
    }
    return delivery_key(**{**fields, **changes})


@pytest.mark.spec("MSG-7", "MSR-04.1")
def test_a_delivery_key_is_made_of_all_its_fields() -> None:
    others = {
        "request_id": UUID("0195512d-6c00-7000-8000-000000000002"),
        "origin_butler": "health",
        "intent": "reply",
        "channel": "telegram",
        "target_identity": "ben@example.org",
        "content": "Your bill is due",
        "subject": "Bills",
        "idempotency_key": "second reminder",
    }
    keys = {
        key(),
        *(key(**{name: value}) for name, value in others.items()),
        key(subject=None),
        key(subject=""),
    }
    assert len(keys) == len(others) + 3
    assert all(re.fullmatch("[0-9a-f]{64}", one) for one in keys)
    # identity fields lowercased and trimmed; content trimmed and NFC, its case kept
    assert (
        key(target_identity=" ANNA@Example.org ", origin_butler="Finance ", channel="EMAIL", intent=" Send")
        == key()
    )
    assert key(content="  Your bill is paid\n") == key()
    assert key(content="YOUR BILL IS PAID") != key()
    assert key(content="cafe\u0301") == key(content="caf\u00e9")
    assert key(subject="bill") != key()


@pytest.mark.spec("MSR-04.1")
def test_a_delivery_key_is_the_same_in_every_release() -> None:
    assert key() == "871ed39089a0c29451f6f3f08f29c6c45060f39e73e2b36835b2821e49d6b574"


def test_a_delivery_without_a_request_is_known_by_its_callers_key() -> None:
    one = key(request_id=None, idempotency_key="rent-2026-03")
    assert one == key(request_id=None, idempotency_key=" rent-2026-03 ", content="reworded")
    assert one != key(request_id=None, idempotency_key="rent-2026-04")
    assert one != key(request_id=None, idempotency_key="rent-2026-03", origin_butler="health")


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_a_delivery_without_request_and_key_is_refused(nothing: str | None) -> None:
    with pytest.raises(ValidationFailed, match="idempotency_key"):
        key(request_id=None, idempotency_key=nothing)


@given(st.tuples(WORDS, WORDS, WORDS, WORDS), st.tuples(WORDS, WORDS, WORDS, WORDS))
def test_delivery_keys_collide_only_for_equal_fields(one: tuple[str, ...], two: tuple[str, ...]) -> None:
    def of(fields: tuple[str, ...]) -> str:
        return key(
            **dict(zip(("origin_butler", "target_identity", "content", "subject"), fields, strict=True))
        )

    if of(one) == of(two):
        assert [word.strip().casefold() for word in one[:2]] == [word.strip().casefold() for word in two[:2]]
    assert of(one) == of(one)


@given(st.text(max_size=6), st.text(max_size=6), st.text(max_size=6), st.text(max_size=6))
def test_subrequest_ids_collide_only_for_equal_fields(a: str, b: str, c: str, d: str) -> None:
    same = subrequest_id(REQUEST, a, b, 1) == subrequest_id(REQUEST, c, d, 1)
    assert same == ((a, b) == (c, d))


def test_moving_a_character_between_fields_changes_the_key() -> None:
    assert key(origin_butler="fin", target_identity="ance") != key(
        origin_butler="finance", target_identity=""
    )
    assert subrequest_id(REQUEST, "s1", "2", 1) != subrequest_id(REQUEST, "s", "12", 1)


def test_a_subrequest_id_is_the_same_for_the_same_branch_and_rises_with_the_attempt() -> None:
    first = subrequest_id(REQUEST, "s1", "finance", 1)
    assert first == subrequest_id(REQUEST, "s1", "finance", 1)
    assert first.version == 5
    assert first != subrequest_id(REQUEST, "s1", "finance", 2)
    assert first != subrequest_id(REQUEST, "s1", "finances", 1)


def test_a_message_id_is_a_deterministic_rfc_5322_id() -> None:
    found = message_id_for(key(), "Home.Example.ORG.")
    assert re.fullmatch(r"<butlers\.[0-9a-f]{40}@home\.example\.org>", found)
    assert found == message_id_for(key(), "home.example.org")
    assert found != message_id_for(key() + "::replay-1", "home.example.org")
    assert message_id_for(key(), "xn--mller-kva.example").endswith("@xn--mller-kva.example>")


@pytest.mark.parametrize("domain", ["", "a b", "x>\r\nBcc: y", "-a.org", "a..b", "bücher.example", "x" * 300])
def test_a_message_id_needs_a_host_name(domain: str) -> None:
    with pytest.raises(ValidationFailed, match="host name"):
        message_id_for("k", domain)


def test_the_hour_is_that_of_the_event_and_not_of_the_reader() -> None:
    moment = datetime.fromisoformat("2026-03-01T09:59:59.999999Z")
    found = dedupe_key(envelope(event__external_event_id="none", event__observed_at=moment.isoformat()))
    assert ":2026030109:" in found.key
