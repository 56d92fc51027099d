"""From an envelope to a durable request: context, keys, duplicates, rules, tiers, bindings and refusals."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from butler_contracts.errors import TargetUnavailable, ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.triage import RuleType, TriageAction, TriageRule
from butler_kit.auth import Forbidden
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.lifecycle import Lifecycle
from butler_switchboard.ingress.intake import IntakePolicy
from butler_switchboard.settings import SwitchboardConfig
from tests.integration.switchboard.ingress.conftest import Door, FixedDay
from tests.support.database import Database
from tests.support.manifests import config_of
from tests.support.switchboard import BOT, MAILBOX, connector, mail, operator, telegram

Opened = Callable[..., Awaitable[Door]]
IMAP = connector("imap", MAILBOX)
TRACE = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


def api(
    text: str = "hello", *, observed_at: datetime | None = None, key: str | None = None
) -> dict[str, Any]:
    """A call to the API without an event id."""
    wire = telegram(1, text, observed_at=observed_at, control={"idempotency_key": key}).to_wire()
    wire["source"] = {"channel": "api", "provider": "internal", "endpoint_identity": "api:home"}
    wire["event"]["external_event_id"] = "unknown"
    return wire


API = connector("webhook", "api:home")


@pytest.mark.spec("SWB-01.1", "CNX-04.1")
async def test_an_accepted_message_gets_its_canonical_context(open_door: Opened):
    rule = TriageRule("r1", 1, RuleType.SENDER_ADDRESS, "1001", TriageAction.ROUTE_TO, "finance")
    door = await open_door(IntakePolicy(rules=(rule,)))
    before = datetime.now(UTC)
    answer = await door.ingest(telegram(1, control={"idempotency_key": "k1", "trace_context": TRACE}))
    context = (await door.row(answer.request_id))["request_context"]
    received = datetime.fromisoformat(context.pop("received_at"))
    assert answer.request_id.version == 7
    assert received == uuid7_timestamp(answer.request_id)
    assert before - timedelta(milliseconds=1) <= received <= datetime.now(UTC)
    assert context == {
        "request_id": str(answer.request_id),
        "source_channel": "telegram",
        "source_endpoint_identity": BOT,
        "source_sender_identity": "1001",
        "source_thread_identity": "1001",
        "source_message_identity": "1",
        "idempotency_key": "k1",
        "trace_context": TRACE,
        "ingestion_tier": "full",
        "policy_tier": "default",
        "dedupe_key": f"idem:telegram:{BOT}:k1",
        "dedupe_strategy": "connector_api",
        "triage_decision": "route_to",
        "triage_target": "finance",
        "triage_rule_id": "r1",
        "triage_rule_type": "sender_address",
        "reply_policy": "allow",
        "sender_class": "household",
        "automatic": False,
    }


@pytest.mark.spec("CNX-03.5", "SWB-23.2")
async def test_an_acceptance_names_the_request_and_a_duplicate_gets_the_same(open_door: Opened):
    rule = TriageRule("r1", 1, RuleType.SENDER_ADDRESS, "1002", TriageAction.ROUTE_TO, "health")
    door = await open_door(IntakePolicy(rules=(rule,)))
    first = (await door.ingest(telegram(1, sender="1002"))).to_wire()
    again = (await door.ingest(telegram(1, sender="1002"))).to_wire()
    assert {**first, "request_id": None} == {
        "request_id": None,
        "status": "accepted",
        "duplicate": False,
        "triage_decision": "route_to",
        "triage_target": "health",
    }
    assert UUID(first["request_id"]).version == 7
    assert again == {**first, "duplicate": True}
    assert await door.count("message_inbox") == 1
    by_no_rule = await door.ingest(telegram(2))
    assert (by_no_rule.triage_decision, by_no_rule.triage_target) == ("pass_through", None)


@pytest.mark.spec("SWB-15.1")
async def test_only_a_versioned_envelope_is_taken_and_what_is_kept_says_its_version(door: Door):
    answer = await door.ingest(telegram(1))
    row = await door.row(answer.request_id)
    assert (row["schema_version"], row["raw_payload"]["schema_version"]) == ("ingest.v1", "ingest.v1")
    for version in (None, "ingest.v2", 1):
        with pytest.raises(ValidationFailed, match="schema_version"):
            await door.ingest({**telegram(2).to_wire(), "schema_version": version})
    assert await door.count("message_inbox") == 1
    refused = door.metrics.value(
        "butlers.switchboard.message_refused", channel="unknown", error_class="validation_error"
    )
    assert refused == 3


@pytest.mark.spec("SWB-12.1", "SWB-12.2")
async def test_messages_are_known_by_update_and_bot_or_by_message_id_and_mailbox(door: Door):
    update = await door.ingest(telegram(5))
    other = telegram(5).to_wire()
    other["source"]["endpoint_identity"] = "telegram:bot:other"
    letter = await door.ingest(mail("<1@example.org>"), IMAP)
    copy = mail("<1@example.org>").to_wire()
    copy["source"]["endpoint_identity"] = "imap:work@example.org"
    assert (await door.ingest(telegram(5))).request_id == update.request_id
    assert (await door.ingest(telegram(6))).request_id != update.request_id
    assert not (await door.ingest(other, connector("telegram_bot", "telegram:bot:other"))).duplicate
    assert (await door.ingest(mail("<1@example.org>"), IMAP)).request_id == letter.request_id
    assert not (await door.ingest(copy, connector("imap", "imap:work@example.org"))).duplicate


async def test_a_call_is_known_by_its_key_or_by_content_and_hour(door: Door):
    at = datetime.now(UTC).replace(minute=30)
    keyed = await door.ingest(api("pay", key="k"), API)
    assert (await door.ingest(api("pay", key="k"), API)).request_id == keyed.request_id
    plain = await door.ingest(api("pay", observed_at=at), API)
    assert (await door.ingest(api("pay", observed_at=at), API)).request_id == plain.request_id
    assert not (await door.ingest(api("pay more", observed_at=at), API)).duplicate
    assert not (await door.ingest(api("pay", observed_at=at - timedelta(hours=1)), API)).duplicate


@pytest.mark.parametrize("together", [False, True])
async def test_a_call_read_again_just_after_the_hour_is_the_same_call(door: Door, together: bool):
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    first, again = api(observed_at=hour - timedelta(minutes=1)), api(observed_at=hour + timedelta(minutes=4))
    if together:
        one, two = await asyncio.gather(door.ingest(first, API), door.ingest(again, API))
    else:
        one, two = await door.ingest(first, API), await door.ingest(again, API)
    assert (two.request_id, two.duplicate) == (one.request_id, True)
    late = await door.ingest(api("late", observed_at=hour - timedelta(minutes=1)), API)
    later = await door.ingest(api("late", observed_at=hour + timedelta(minutes=6)), API)
    assert later.request_id != late.request_id


@pytest.mark.parametrize("way", ["together", "one after the other", "through two replicas"])
async def test_two_readings_around_an_hour_are_one_call_whichever_comes_first(open_door: Opened, way: str):
    """Every pair of minutes, in both orders: what is known never depends on which reading was quicker."""
    doors = [await open_door() for _ in range(2)]
    other = doors[way == "through two replicas"]
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    for one_minute, two_minute in product((-64, -57, -31, -1, 0, 4, 6, 59), repeat=2):
        text = f"{way} {one_minute} {two_minute}"
        first = api(text, observed_at=hour + timedelta(minutes=one_minute))
        second = api(text, observed_at=hour + timedelta(minutes=two_minute))
        if way == "together":
            one, two = await asyncio.gather(doors[0].ingest(first, API), other.ingest(second, API))
        else:
            one, two = await doors[0].ingest(first, API), await other.ingest(second, API)
        hours = {minute // 60 for minute in (one_minute, two_minute)}
        later = max(one_minute, two_minute)
        same = len(hours) == 1 or (max(hours) - min(hours) == 1 and later % 60 < 5)
        # Of two at once either may be the first; one after the other it is the second that is known.
        known = one.duplicate + two.duplicate if way == "together" else two.duplicate
        assert (two.request_id == one.request_id) == known == same, text
    assert way == "together" or not one.duplicate


@pytest.mark.spec("SWB-12.4")
async def test_every_decision_about_a_key_is_logged_with_key_and_action(door: Door):
    with capture_logs() as logs:
        first = await door.ingest(telegram(1))
        again = await door.ingest(telegram(1))
    assert again.request_id == first.request_id
    told = [log for log in logs if log["event"] == "message_admitted"]
    key = f"event:telegram:telegram:{BOT}:1"
    assert [(log["dedupe_key"], log["action"]) for log in told] == [(key, "accepted"), (key, "deduped")]
    assert door.metrics.value(
        "butlers.switchboard.message_deduplicated", channel="telegram", strategy="external_event_id"
    )


@pytest.mark.spec("CNX-03.4")
async def test_a_second_writer_of_a_key_waits_for_the_first_and_then_finds_its_request(
    open_door: Opened, database: Database
):
    door = await open_door()
    await door.ingest(telegram(1))
    key = await door.pool.fetchval("SELECT dedupe_key FROM ingest_dedupe")
    holder = await database.admin()
    try:
        async with holder.transaction():
            await holder.execute("SELECT pg_advisory_xact_lock(hashtext($1))", key.removesuffix("1") + "2")
            waiting = asyncio.create_task(door.ingest(telegram(2, "from the second")))
            await _blocked(door)
            await holder.execute(
                "INSERT INTO switchboard.ingest_dedupe VALUES ($1, $2, now(), 'x')",
                key.removesuffix("1") + "2",
                await _some_id(door),
            )
        answer = await waiting
    finally:
        await holder.close()
    assert answer.duplicate
    assert answer.request_id == await _some_id(door)
    assert await door.count("message_inbox") == 1


async def _some_id(door: Door) -> Any:
    return await door.pool.fetchval("SELECT request_id FROM message_inbox")


async def _blocked(door: Door) -> None:
    async with asyncio.timeout(90):
        while not await door.pool.fetchval(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        ):
            await asyncio.sleep(0.01)


async def test_other_content_under_a_known_key_is_kept_beside_the_first(door: Door):
    first = await door.ingest(telegram(1, "pay the rent"))
    again = await door.ingest(telegram(1, "pay the gas bill"))
    assert (again.request_id, again.duplicate) == (first.request_id, True)
    kept = await door.pool.fetchrow("SELECT * FROM ingest_conflict")
    assert kept is not None
    assert kept["request_id"] == first.request_id
    assert kept["envelope"]["payload"]["normalized_text"] == "pay the gas bill"
    assert kept["new_request_id"] is None
    assert door.metrics.value("butlers.switchboard.message_conflict", channel="telegram") == 1


async def test_other_content_is_noticed_even_when_both_arrive_at_once(door: Door):
    both = await asyncio.gather(door.ingest(telegram(1, "one")), door.ingest(telegram(1, "two")))
    assert len({answer.request_id for answer in both}) == 1
    assert await door.count("ingest_conflict") == 1
    assert await door.count("message_inbox") == 1


async def test_a_source_may_ask_for_a_new_request_on_a_conflict(open_door: Opened):
    spec = {"role": "switchboard", "routing": {"newRequestOnConflict": [BOT]}}
    chosen = config_of(SwitchboardConfig, spec).routing.new_request_on_conflict
    door = await open_door(IntakePolicy(new_request_on_conflict=frozenset(chosen)))
    first = await door.ingest(telegram(1, "one"))
    other = await door.ingest(telegram(1, "two"))
    assert not other.duplicate
    assert other.request_id != first.request_id
    assert (await door.ingest(telegram(1, "two"))).request_id == other.request_id
    kept = await door.pool.fetchrow("SELECT request_id, new_request_id FROM ingest_conflict")
    assert kept is not None
    assert tuple(kept) == (first.request_id, other.request_id)
    assert await door.count("message_inbox") == 2
    rows = [await door.row(answer.request_id) for answer in (first, other)]
    assert [row["request_context"]["dedupe_key"] for row in rows] == [row["dedupe_key"] for row in rows]
    assert rows[0]["dedupe_key"] != rows[1]["dedupe_key"]


async def test_a_conflict_that_cannot_be_kept_yet_is_asked_for_again_and_loses_nothing(open_door: Opened):
    door = await open_door(IntakePolicy(new_request_on_conflict=frozenset({BOT})))
    await door.ingest(telegram(1, "one"))
    owner = await door.pool.fetchval("SELECT current_user")
    await door.pool.execute(f"REVOKE INSERT ON ingest_conflict FROM {owner}")
    with pytest.raises(TargetUnavailable) as refused:
        await door.ingest(telegram(1, "two"))
    assert refused.value.retryable
    await door.pool.execute(f"GRANT INSERT ON ingest_conflict TO {owner}")
    again = await door.ingest(telegram(1, "two"))
    texts = await door.pool.fetch("SELECT request_id, normalized_text FROM message_inbox ORDER BY 2")
    assert [row["normalized_text"] for row in texts] == ["one", "two"]
    assert again.request_id == texts[1]["request_id"]
    assert await door.count("ingest_conflict") == 1


async def test_a_defect_in_keeping_a_conflict_does_not_refuse_a_message_that_is_stored(door: Door):
    first = await door.ingest(telegram(1, "one"))
    await door.pool.execute("ALTER TABLE ingest_conflict ADD CHECK (fingerprint = 'never')")
    again = await door.ingest(telegram(1, "two"))
    assert (again.request_id, again.duplicate) == (first.request_id, True)


def with_digest(envelope: IngestEnvelopeV1, digest: str) -> IngestEnvelopeV1:
    raw = {**(envelope.payload.raw or {}), "content_digest": digest}
    payload = envelope.payload.model_copy(update={"raw": raw})
    return envelope.model_copy(update={"payload": payload})


async def test_a_sender_with_one_constant_message_id_loses_no_mail(door: Door):
    """SWB-12.2 names the Message-ID; what is known by it must be the same mail."""
    mails = [with_digest(mail("<always@printer>", f"page {n}"), f"{n}" * 64) for n in range(3)]
    answers = [await door.ingest(one, IMAP) for one in mails]
    assert [answer.duplicate for answer in answers] == [False] * 3
    assert len({answer.request_id for answer in answers}) == 3
    again = [await door.ingest(one, IMAP) for one in mails]
    assert [answer.duplicate for answer in again] == [True] * 3
    assert [one.request_id for one in again] == [one.request_id for one in answers]
    kept = await door.pool.fetch("SELECT new_request_id FROM ingest_conflict ORDER BY conflict_id")
    assert [row["new_request_id"] for row in kept] == [answers[1].request_id, answers[2].request_id]
    assert door.metrics.value("butlers.switchboard.message_conflict", channel="email") >= 2


@pytest.mark.parametrize(
    ("first", "second", "duplicate"),
    [
        # The same bytes, of which a newer connector makes another text.
        (with_digest(mail("<m@x>", "one"), "a" * 64), with_digest(mail("<m@x>", "one two"), "a" * 64), True),
        (mail("<m@x>", "one"), with_digest(mail("<m@x>", "one two"), "a" * 64), True),
        (
            mail("<m@x>", "one", headers={"Date": ["Fri, 20 Nov 2026 08:00:00 +0000"]}),
            with_digest(
                mail("<m@x>", "two", headers={"date": ["Sat, 21 Nov 2026 08:00:00 +0000"]}), "a" * 64
            ),
            False,
        ),
        (mail("<m@x>", "one"), mail("<m@x>", "two"), False),
    ],
    ids=["same bytes", "an older connector's", "another date", "without digests"],
)
async def test_a_mail_that_is_read_anew_is_a_repeat_and_another_mail_is_not(
    door: Door, first: IngestEnvelopeV1, second: IngestEnvelopeV1, duplicate: bool
):
    known, answer = await door.ingest(first, IMAP), await door.ingest(second, IMAP)
    assert (answer.request_id == known.request_id, answer.duplicate) == (duplicate, duplicate)
    assert await door.count("ingest_conflict") == 1


RULES = (
    TriageRule("domain", 1, RuleType.SENDER_DOMAIN, "shop.example", TriageAction.ROUTE_TO, "finance"),
    TriageRule("address", 2, RuleType.SENDER_ADDRESS, "Doc@Clinic.example", TriageAction.ROUTE_TO, "health"),
    TriageRule("present", 3, RuleType.HEADER_CONDITION, "X-Slow present", TriageAction.LOW_PRIORITY_QUEUE),
    TriageRule("equals", 4, RuleType.HEADER_CONDITION, "X-Kind equals News", TriageAction.METADATA_ONLY),
    TriageRule(
        "contains", 5, RuleType.HEADER_CONDITION, "Subject contains trip", TriageAction.ROUTE_TO, "travel"
    ),
    TriageRule("label", 6, RuleType.LABEL_MATCH, "CATEGORY_PROMO", TriageAction.SKIP),
    TriageRule("late", 9, RuleType.SENDER_DOMAIN, "shop.example", TriageAction.SKIP),
)


@pytest.mark.spec("CNX-05.2", "CNX-05.3")
@pytest.mark.parametrize(
    ("sender", "headers", "labels", "rule", "decision", "state"),
    [
        ("a@shop.example", {}, [], "domain", "route_to", "accepted"),
        ("a@mail.shop.example", {}, [], "domain", "route_to", "accepted"),
        ("a@workshop.example", {}, [], None, "pass_through", "accepted"),
        ("doc@clinic.example", {}, [], "address", "route_to", "accepted"),
        ("x@y.example", {"x-slow": ["1"]}, [], "present", "low_priority_queue", "accepted"),
        ("x@y.example", {"X-Kind": ["news"]}, [], "equals", "metadata_only", "recorded"),
        ("x@y.example", {"X-Kind": ["newsletter"]}, [], None, "pass_through", "accepted"),
        ("x@y.example", {"Subject": ["Your TRIP to Rome"]}, [], "contains", "route_to", "accepted"),
        ("x@y.example", {}, ["CATEGORY_PROMO"], "label", "skip", "recorded"),
        ("x@y.example", {}, [], None, "pass_through", "accepted"),
    ],
)
async def test_the_first_rule_that_matches_decides_and_no_rule_means_pass_through(
    open_door: Opened,
    sender: str,
    headers: dict[str, list[str]],
    labels: list[str],
    rule: str | None,
    decision: str,
    state: str,
):
    door = await open_door(IntakePolicy(rules=tuple(reversed(RULES))))
    envelope = mail("<1@x>", sender=sender, headers=headers).to_wire()
    envelope["payload"]["raw"]["labels"] = labels
    answer = await door.ingest(envelope, IMAP)
    row = await door.row(answer.request_id)
    assert (answer.triage_decision, row["request_context"]["triage_rule_id"]) == (decision, rule)
    assert row["lifecycle_state"] == state
    assert await door.count("inbox_work") == (1 if state == "accepted" else 0)
    hot = 1 if state == "accepted" and decision != "low_priority_queue" else 0
    assert len(door.hot.offered) == hot
    wanted_tier = "metadata" if state == "recorded" else "full"
    assert (row["ingestion_tier"], row["raw_payload"]["payload"]["raw"] is None) == (
        wanted_tier,
        wanted_tier == "metadata",
    )


@pytest.mark.spec("CNX-02.9")
async def test_a_metadata_message_is_stored_without_its_payload_and_never_queued(door: Door):
    envelope = mail("<1@x>", "Weekly news").to_wire()
    envelope["control"]["ingestion_tier"] = "metadata"
    envelope["payload"]["raw"] = None
    answer = await door.ingest(envelope, IMAP)
    row = await door.row(answer.request_id)
    assert (row["ingestion_tier"], row["lifecycle_state"]) == ("metadata", "recorded")
    assert row["raw_payload"]["payload"]["raw"] is None
    assert row["final_state_at"] is not None
    assert await door.count("inbox_work") == 0


async def test_a_connector_submits_only_for_its_own_source(door: Door):
    with pytest.raises(Forbidden):
        await door.ingest(telegram(1), connector("telegram_bot", "telegram:bot:other"))
    with pytest.raises(Forbidden):
        await door.ingest(telegram(1), connector("imap", BOT))
    assert await door.count("message_inbox") == 0


async def test_an_operator_hands_in_what_a_person_typed_and_that_is_on_record(door: Door):
    typed = telegram(1).model_copy(
        update={"event": telegram(1).event.model_copy(update={"external_event_id": "butlers-send:1"})}
    )
    answer = await door.ingest(typed, operator("ada"))
    [entry] = await door.pool.fetch("SELECT * FROM dashboard_audit_log")
    assert (entry["actor"], entry["operation"], entry["request_id"]) == (
        "ada",
        "message.submit",
        answer.request_id,
    )
    assert "via: operator" in entry["summary"]


async def test_an_operator_speaks_for_no_source(door: Door):
    with pytest.raises(Forbidden, match="butlers send"):
        await door.ingest(telegram(1), operator())
    assert await door.count("message_inbox") == 0
    assert await door.count("dashboard_audit_log") == 0


@pytest.mark.spec("SWB-08.1")
async def test_progress_is_written_and_shown_once_and_only_where_somebody_waits(door: Door):
    answer = await door.ingest(telegram(1))
    await door.ingest(telegram(1))
    mailed = await door.ingest(mail("<a@example.org>"), connector("imap", MAILBOX))
    edit = await door.ingest(telegram(2, supersedes="1"))
    assert door.shown.states == [(answer.request_id, Lifecycle.PROGRESS)]
    row = await door.row(answer.request_id)
    assert row["progress_at"] == row["received_at"]
    assert (await door.row(edit.request_id))["progress_at"] is not None
    assert (await door.row(mailed.request_id))["progress_at"] is None
    assert door.metrics.value("butlers.switchboard.lifecycle_transition", state="progress") == 2


@pytest.mark.spec("SWB-07.3", "CNX-02.8")
@pytest.mark.parametrize("asked", ["urgent", "DEFAULT", ""])
async def test_an_unknown_policy_tier_is_taken_in_as_default_with_a_warning_and_counted(
    door: Door, asked: str
):
    with capture_logs() as logs:
        answer = await door.ingest(telegram(1, control={"policy_tier": asked}))
    row = await door.row(answer.request_id)
    assert (row["policy_tier"], row["request_context"]["policy_tier"]) == ("default", "default")
    assert row["lifecycle_state"] == "accepted"
    assert await door.pool.fetchval("SELECT lane FROM inbox_work") == "default"
    [warning] = [log for log in logs if log["event"] == "unknown_policy_tier"]
    assert (warning["log_level"], warning["asked"]) == ("warning", asked)
    assert door.metrics.value("butlers.switchboard.tier_unknown", channel="telegram") == 1


@pytest.mark.spec("CNX-02.8")
async def test_a_tier_above_the_connectors_limit_is_lowered_and_counted(door: Door):
    envelope = telegram(1, control={"policy_tier": "high_priority"})
    answer = await door.ingest(envelope, connector(max_tier="interactive"))
    row = await door.row(answer.request_id)
    assert (row["policy_tier"], row["request_context"]["policy_tier"]) == ("interactive", "interactive")
    assert door.hot.offered == [(answer.request_id, "interactive", f"telegram:{BOT}")]
    assert door.metrics.value("butlers.switchboard.tier_clamped", channel="telegram") == 1


async def test_nobody_is_judged_before_the_household_is_known(open_door: Opened, database: Database):
    admin = await database.admin()
    try:
        await admin.execute("DELETE FROM shared.contact_info; DELETE FROM shared.contacts")
        door = await open_door()
        with pytest.raises(TargetUnavailable) as refused:
            await door.ingest(telegram(1))
        await admin.execute("REVOKE ALL ON ALL TABLES IN SCHEMA shared FROM butler_switchboard")
        without_grants = await open_door()
        with pytest.raises(TargetUnavailable) as unreadable:
            await without_grants.ingest(telegram(1))
    finally:
        await admin.close()
    assert refused.value.retryable
    assert unreadable.value.retryable
    assert await door.count("message_inbox") == 0


async def test_ids_too_long_for_an_index_fail_their_own_message_only(door: Door):
    rng = random.Random(7)
    long = telegram(1).to_wire()
    long["event"]["external_event_id"] = "".join(chr(rng.randrange(0x20000, 0x2A000)) for _ in range(998))
    neighbours = [door.ingest(telegram(number)) for number in range(2, 30)]
    answers = await asyncio.gather(door.ingest(long), *neighbours, return_exceptions=True)
    assert not any(isinstance(answer, BaseException) for answer in answers[1:]), answers
    assert isinstance(answers[0], ValidationFailed) or answers[0].request_id  # type: ignore[union-attr]


async def test_a_message_of_a_month_without_partition_gets_its_month_beside_others(open_door: Opened):
    door = await open_door()
    stray = await open_door(clock=FixedDay(datetime(2031, 1, 1, tzinfo=UTC)))
    early = await stray.ingest(telegram(1))
    assert (await door.ingest(telegram(2))).request_id
    assert (await door.row(early.request_id))["received_at"] == datetime(2031, 1, 1, tzinfo=UTC)


@pytest.mark.spec("SWB-02.3")
async def test_the_newest_messages_are_read_from_the_end_of_an_index(door: Door):
    await asyncio.gather(*(door.ingest(telegram(number)) for number in range(50)))
    await door.pool.execute("ANALYZE message_inbox")
    async with door.pool.acquire() as connection:
        await connection.execute("SET enable_seqscan = off")
        lines = await connection.fetch(
            "EXPLAIN SELECT request_id FROM message_inbox ORDER BY received_at DESC, request_id DESC LIMIT 20"
        )
    plan = "\n".join(line[0] for line in lines)
    assert "Index" in plan
    assert "Backward" in plan
    assert "Sort" not in plan
