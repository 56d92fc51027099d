"""The verbs against a running household: what a person and a script get, and what the services are asked."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from butler_cli.local.keys import ensure_keys
from butler_cli.local.state import StateDir, write_private
from butler_cli.main import run
from butler_contracts.errors import OverloadRejected, ValidationFailed
from butler_contracts.ingest import TYPED_EVENT_PREFIX, IngestEnvelopeV1
from butler_kit.auth import Role
from tests.flow.cli.household import DoubleHousehold, household
from tests.support import request_lives as lives

REQUEST = str(lives.REQUEST)
OTHER = UUID("019ca8d9-0b40-7000-8000-0000000000ff")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[DoubleHousehold]:
    with household(tmp_path) as running:
        yield running


def at(place: DoubleHousehold, *arguments: str) -> list[str]:
    return [*arguments, "--state", str(place.state.root)]


def lines(text: str) -> list[str]:
    return text.splitlines()


def one_error(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = lines(captured.err)
    assert line.startswith("butlers: ")
    assert "Traceback" not in line
    return line


def answers_at_once(place: DoubleHousehold, **life: Any) -> None:
    """Each submission is at once the request that `life` describes."""

    def admitted(_: dict[str, Any], request_id: str) -> None:
        place.told.requests[request_id] = lives.life(request_id=UUID(request_id), **life)
        place.told.deliveries[:] = [lives.delivery(request_id=request_id)]

    place.told.on_ingest = admitted


# ---- send


def test_a_telegram_message_is_submitted_as_the_households_own_bot(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(at(place, "send", "--channel", "telegram", "--from", "1001", "lunch", "12,50 €")) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert UUID(printed.out.strip()).version == 7
    ((caller, envelope),) = place.told.submitted
    assert (caller.role, caller.connector) == (Role.OPERATOR, None)
    assert envelope["source"]["endpoint_identity"] == "telegram:bot:household"
    assert envelope["event"]["external_event_id"].startswith(TYPED_EVENT_PREFIX)
    assert envelope["payload"]["normalized_text"] == "lunch 12,50 €"
    assert envelope["control"]["policy_tier"] == "interactive"
    event = envelope["event"]
    assert event["external_thread_id"] == "1001"
    assert event["external_message_id"].isdecimal()
    assert int(event["external_message_id"]) < 2**31


def test_a_mail_claims_no_proof_but_the_operators_word(place: DoubleHousehold) -> None:
    from butler_switchboard.ingress.senders import ContactBook, SenderPolicy, classify_sender

    assert run(at(place, "send", "--channel", "email", "--from", "Ada@Example.org", "flight booked")) == 0
    ((caller, document),) = place.told.submitted
    assert caller.role is Role.OPERATOR
    assert "Authentication-Results" not in document["payload"]["raw"]["headers"]
    envelope = IngestEnvelopeV1.model_validate(document)
    book = ContactBook(frozenset({("email", "ada@example.org")}), has_owner=True)
    now = envelope.event.observed_at
    decided = classify_sender(envelope, book, SenderPolicy(), now=now, vouched=True)
    assert (decided.sender_class, decided.reply_policy) == ("household", "allow")
    nobody = ContactBook(frozenset({("email", "ben@example.org")}), has_owner=True)
    stranger = classify_sender(envelope, nobody, SenderPolicy(), now=now, vouched=True)
    assert stranger.reply_policy == "owner"


def test_the_same_text_twice_is_two_messages(place: DoubleHousehold) -> None:
    for _ in range(2):
        assert run(at(place, "send", "--channel", "api", "--from", "script", "same")) == 0
    first, second = (envelope for _, envelope in place.told.submitted)
    assert first["event"]["external_event_id"] != second["event"]["external_event_id"]


def test_a_tier_above_the_connectors_is_said_to_be_lowered(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    urgent = ("--tier", "high_priority", "now")
    assert run(at(place, "send", "--channel", "api", "--from", "script", *urgent)) == 0
    (line,) = lines(capsys.readouterr().err)
    assert line == (
        "butlers: connector webhook may use tier interactive at most; high_priority is lowered to that"
    )


def test_waiting_prints_what_the_butlers_answered(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    answers_at_once(place, notifications=[lives.notification()], subroutes=[lives.subroute("finance")])
    assert run(at(place, "send", "--channel", "telegram", "--from", "1001", "--wait", "lunch 12,50 €")) == 0
    printed = capsys.readouterr()
    request_id, *rest = lines(printed.out)
    assert UUID(request_id).version == 7
    assert rest == ["[finance] Noted: 12.50 € for lunch.", "  (telegram to the sender: sent)"]
    assert printed.err == ""


def test_waiting_prints_the_answer_of_the_api(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    answers_at_once(place, channel="api", aggregated_reply={"text": "[finance] Noted.", "parts": []})
    assert run(at(place, "send", "--channel", "api", "--from", "script", "--wait", "lunch 12,50 €")) == 0
    assert lines(capsys.readouterr().out)[1:] == ["[finance] Noted."]


def test_waiting_as_json_is_one_document(place: DoubleHousehold, capsys: pytest.CaptureFixture[str]) -> None:
    answers_at_once(place, notifications=[lives.notification()], subroutes=[lives.subroute("finance")])
    assert run(at(place, "send", "--channel", "telegram", "--from", "1001", "--wait", "--json", "lunch")) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["state"], document["ended"], document["butlers"]) == ("parsed", True, ["finance"])
    (reply,) = document["replies"]
    assert (reply["text"], reply["state"]) == ("Noted: 12.50 € for lunch.", "sent")


def test_a_failed_request_is_exit_code_1_and_says_why(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    answers_at_once(place, state="errored", error=("timeout", "finance did not answer"))
    assert run(at(place, "send", "--channel", "telegram", "--from", "1001", "--wait", "lunch")) == 1
    (line,) = lines(capsys.readouterr().err)
    assert "failed after 1.0 s: no answer in time (timeout): finance did not answer" in line
    assert "`butlers trace " in line


def test_time_running_out_is_exit_code_3(place: DoubleHousehold, capsys: pytest.CaptureFixture[str]) -> None:
    answers_at_once(place, state="accepted", ended=None, work=lives.work())
    waiting = ("--wait", "--timeout", "0.2")
    assert run(at(place, "send", "--channel", "telegram", "--from", "1001", *waiting, "lunch")) == 3
    (line,) = lines(capsys.readouterr().err)
    assert line.startswith("butlers: not finished after 0.2 s; `butlers trace ")


def test_a_message_that_nobody_may_answer_says_so(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    answers_at_once(place, decisions={"sender_class": "other", "reply_policy": "owner"})
    assert run(at(place, "send", "--channel", "telegram", "--from", "666", "--wait", "hi")) == 0
    (line,) = lines(capsys.readouterr().err)
    assert "nobody was told anything: the sender is never answered" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--channel", "telegram", "--from", "ada", "hi"), "--from 'ada' is no Telegram id"),
        (("--channel", "telegram", "--from", "1", "--thread", "x", "hi"), "--thread 'x' is no Telegram chat"),
        (("--channel", "email", "--from", "ada", "hi"), "--from 'ada' is no mail address"),
        (("--channel", "api", "--from", "script", " ", ""), "the message is empty"),
        (("--channel", "api", "--from", "script", "x" * 70_000), "payload.normalized_text"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_one_line(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert run(at(place, "send", *arguments)) == 1
    assert said in one_error(capsys)
    assert place.told.submitted == []


def test_a_refusal_of_switchboard_is_told_with_advice(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.refusal = OverloadRejected("every queue is full", retry_after_s=5)
    assert run(at(place, "send", "--channel", "api", "--from", "script", "hi")) == 1
    assert one_error(capsys) == (
        "butlers: Switchboard did not take the message: every queue is full; it has too much to do; "
        "try again later (it asks for 5 s)"
    )


# ---- trace


def test_trace_merges_what_messenger_knows(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.requests[REQUEST] = lives.life(
        plan=lives.plan(("finance", lives.TEXT)),
        subroutes=[lives.subroute("finance")],
        notifications=[lives.notification()],
    )
    place.told.deliveries.append(lives.delivery())
    assert run(at(place, "trace", REQUEST)) == 0
    text = capsys.readouterr().out
    assert "finance    finished in 600 ms" in text
    assert "receipt    Telegram has it as 1001:55" in text
    assert "\x1b" not in text
    assert run(at(place, "trace", REQUEST, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["request_id"] == REQUEST
    assert document["deliveries"][0]["receipts"][0]["provider_delivery_id"] == "1001:55"


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize(("unanswered", "more"), [(False, ""), (True, ", whose model gave no answer")])
def test_trace_names_model_prompt_and_the_side_of_a_rollout(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], unanswered: bool, more: str
) -> None:
    trial = {"rollout": "468c40c0", "arm": "candidate", "unanswered": unanswered, "invalid": False}
    place.told.requests[REQUEST] = lives.life(
        plan=lives.plan(("finance", lives.TEXT), model_version="next", trial=trial)
    )
    assert run(at(place, "trace", REQUEST)) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"model next, prompt p3, candidate of rollout 468c40c0{more}" in told


def test_trace_tells_the_rest_when_messenger_is_down(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.requests[REQUEST] = lives.life(notifications=[lives.notification()])
    endpoints = json.loads(place.state.endpoints_file.read_text())
    endpoints["messenger"]["ops"] = "http://127.0.0.1:9/ops/v1"
    write_private(place.state.endpoints_file, json.dumps(endpoints))
    assert run(at(place, "trace", REQUEST)) == 0
    text = capsys.readouterr().out
    assert "Deliveries are missing here: messenger does not answer at http://127.0.0.1:9/ops/v1" in text
    assert "delivered it to Telegram" in text


def test_the_beginning_of_an_id_is_enough(place: DoubleHousehold, capsys: pytest.CaptureFixture[str]) -> None:
    third = UUID("019ca8d9-aaaa-7000-8000-000000000003")
    for request_id in (lives.REQUEST, OTHER, third):
        place.told.requests[str(request_id)] = lives.life(request_id=request_id)
    assert run(at(place, "trace", "019CA8D9-aa")) == 0
    assert str(third) in capsys.readouterr().out
    assert run(at(place, "trace", "019ca8d9-0b40")) == 1
    assert "begins 2 ids" in one_error(capsys)


@pytest.mark.parametrize(
    ("request_id", "said"),
    [
        (str(OTHER), f"request {OTHER} is not known here"),
        ("nonsense", "'nonsense' is no request id; give the whole id, or at least its first 8 digits"),
        ("0199999999", "none of the newest 500 requests begins with 0199999999"),
    ],
)
def test_a_wrong_id_says_what_to_do(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], request_id: str, said: str
) -> None:
    assert run(at(place, "trace", request_id)) == 1
    line = one_error(capsys)
    assert said in line
    assert "`butlers requests`" in line


# ---- sessions


def test_the_sessions_of_a_request_are_shown_with_what_is_kept_of_their_words(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.requests[REQUEST] = lives.life(
        subroutes=[lives.subroute("finance"), lives.subroute("messenger")]
    )
    place.told.sessions = {
        "switchboard": [lives.kept_session()],
        "finance": [
            lives.kept_session(seconds=0.4, words=("lunch 12,50 \u20ac\n\x1b[2Jsecond line", "I note it."))
        ],
    }
    assert run(at(place, "sessions", REQUEST)) == 0
    assert lines(capsys.readouterr().out) == [
        f"Request {REQUEST}",
        "",
        "switchboard  route  completed after 1.2 s",
        "  family api, model stub, prompt p3",
        f"  2026-03-01 09:30:00 UTC, session {UUID(int=7)}",
        '  called route_to_butler {"butler": "finance"}',
        "  its words are not kept (spec.runtime.transcripts)",
        "",
        "finance  route  completed after 1.2 s",
        "  family api, model stub, prompt p3",
        f"  2026-03-01 09:30:00 UTC, session {UUID(int=7)}",
        '  called route_to_butler {"butler": "finance"}',
        "  read",
        "    lunch 12,50 \u20ac",
        "    \N{REPLACEMENT CHARACTER}[2Jsecond line",
        "  wrote",
        "    I note it.",
    ]
    assert run(at(place, "sessions", REQUEST[:13], "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["butler"] for one in document["sessions"]] == ["switchboard", "finance"]
    assert document["sessions"][1]["transcript"]["output"] == "I note it."
    assert (document["request_id"], document["missing"]) == (REQUEST, None)


def test_a_butler_that_cannot_be_asked_for_its_sessions_is_named(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.requests[REQUEST] = lives.life(subroutes=[lives.subroute("finance"), lives.subroute("travel")])
    error = {"class": "timeout", "message": "the session did not finish within 120 s"}
    place.told.sessions = {"switchboard": [lives.kept_session(status="timeout", error=error)]}
    assert run(at(place, "sessions", REQUEST)) == 0
    told = capsys.readouterr().out
    assert "switchboard  route  timeout after 1.2 s\n" in told
    assert "  timeout: the session did not finish within 120 s\n" in told
    assert "Sessions are missing here: travel: " in told


def test_the_sessions_of_a_run_by_the_clock_are_found_at_its_butler(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.sessions = {"finance": [lives.kept_session(kind="schedule", words=("Say what is due.", ""))]}
    assert run(at(place, "sessions", str(OTHER))) == 0
    told = capsys.readouterr().out
    assert "finance  schedule  completed" in told
    assert "  wrote\n    nothing but its calls\n" in told
    place.told.sessions = {}
    assert run(at(place, "sessions", str(OTHER))) == 1
    assert f"no session of request {OTHER} is known here" in one_error(capsys)


def test_a_request_that_rules_routed_without_any_session_says_so(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.requests[REQUEST] = lives.life()
    assert run(at(place, "sessions", REQUEST)) == 0
    assert "no session was run for it, or none is kept any more" in capsys.readouterr().out


# ---- lists


def test_requests_are_listed_and_narrowed(place: DoubleHousehold, capsys: pytest.CaptureFixture[str]) -> None:
    failed = {"error_class": "timeout", "message": "late"}
    place.told.requests = {
        REQUEST: lives.summary(),
        str(OTHER): lives.summary(OTHER, lifecycle_state="errored", error=failed, butlers=[]),
    }
    narrowed = ("--channel", "telegram", "--since", "2026-03-01", "--limit", "7", "--state", "errored")
    assert run(at(place, "requests", *narrowed)) == 0
    heading, first, second = lines(capsys.readouterr().out)
    assert heading.split() == ["REQUEST", "AGE", "CHANNEL", "FROM", "STATE", "TOOK", "BUTLERS", "TEXT"]
    assert re.fullmatch(
        rf"{REQUEST}\s+\d+ d\s+telegram\s+1001\s+parsed\s+1\.8 s\s+finance health\s+lunch.*", first
    )
    assert second.endswith("[timeout] " + lives.TEXT)
    assert place.told.queries == [
        {"limit": "7", "state": "errored", "channel": "telegram", "since": "2026-03-01T00:00:00Z"}
    ]


def test_deliveries_are_listed_and_narrowed(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = {"class": "timeout", "message": "no answer within 15 s", "retryable": False}
    place.told.deliveries.append(lives.delivery("uncertain", error=problem))
    assert run(at(place, "deliveries", "--status", "uncertain", "--butler", "finance")) == 0
    _, row = lines(capsys.readouterr().out)
    assert row.split(maxsplit=11)[4:] == [
        "reply", "telegram", "1001", "uncertain", "1", REQUEST, "timeout:", "no answer within 15 s",
    ]  # fmt: skip
    assert place.told.queries == [{"status": "uncertain", "origin_butler": "finance", "limit": "20"}]


def test_a_delivery_that_waits_for_the_morning_says_until_when(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.deliveries.append(lives.delivery("pending", quiet_until="2026-03-01T06:00:00Z"))
    assert run(at(place, "deliveries")) == 0
    _, row = lines(capsys.readouterr().out)
    assert "quiet hours until 2026-03-01 06:00" in " ".join(row.split())


def test_connectors_show_life_counters_and_checkpoint(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.connectors.append(
        {
            "connector_type": "imap",
            "endpoint_identity": "imap:household@example.org",
            "liveness": "stale",
            "state": "degraded",
            "eligibility_state": "stale",
            "last_heartbeat_at": lives.wire(0),
            "counters": {"messages_ingested": 12, "messages_failed": 1, "dedupe_accepted": 3},
            "checkpoint_updated_at": None,
            "restarts": 2,
            "standbys": 1,
            "quarantine_reason": None,
            "error_message": "the mailbox does not answer",
        }
    )
    assert run(at(place, "connectors")) == 0
    _, row = lines(capsys.readouterr().out)
    assert re.fullmatch(
        r"imap\s+imap:household@example.org\s+stale\s+degraded\s+stale\s+\d+ d\s+12\s+1\s+3\s+-\s+2\s+1\s+"
        r"the mailbox does not answer",
        row,
    )


@pytest.mark.parametrize("verb", ["requests", "deliveries", "connectors", "circuits", "approvals"])
def test_lists_as_json_are_one_document_and_empty_ones_a_sentence(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    assert run(at(place, verb, "--json")) == 0
    assert json.loads(capsys.readouterr().out)[verb] == []
    assert run(at(place, verb)) == 0
    assert len(lines(capsys.readouterr().out)) == 1


# ---- quarantine, release


def test_a_hold_is_set_and_ended_with_its_reason(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    until = ("--until", "2030-01-01T00:00:00Z")
    assert run(at(place, "quarantine", "finance", "--reason", "wrong sums", *until)) == 0
    assert capsys.readouterr().out.startswith("finance is quarantined until 2030-01-01 00:00:00 UTC; ")
    assert run(at(place, "release", "finance", "--reason", "mended")) == 0
    assert capsys.readouterr().out == (
        "finance is stale (heartbeat_missed); `butlers status` shows its process\n"
    )
    assert place.told.holds == [
        ("finance", "quarantine", {"reason": "wrong sums", "until": "2030-01-01T00:00:00Z"}),
        ("finance", "release", {"reason": "mended"}),
    ]


def test_an_unknown_butler_gets_the_known_ones_named(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(at(place, "quarantine", "fiannce", "--reason", "x")) == 1
    assert one_error(capsys) == "butlers: no butler 'fiannce' in this household; it has finance, general"


def test_a_refused_release_says_why(place: DoubleHousehold, capsys: pytest.CaptureFixture[str]) -> None:
    place.told.refusal = ValidationFailed("'finance' is held by its manifest (x); edit it there")
    assert run(at(place, "release", "finance", "--reason", "x")) == 1
    assert one_error(capsys) == "butlers: 'finance' is held by its manifest (x); edit it there"


# ---- circuits


def test_an_open_circuit_is_shown_told_by_the_status_and_closed_with_a_reason(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    tripped = {
        "channel": "telegram",
        "state": "open",
        "consecutive_failures": 5,
        "trip_reason": "Telegram cannot be reached",
        "changed_at": lives.wire(0),
        "next_probe_at": "2030-01-01T00:00:00+00:00",
    }
    place.told.circuits[:] = [tripped, {"channel": "email", "state": "closed", "consecutive_failures": 0}]
    assert run(at(place, "circuits")) == 0
    _, telegram, email = lines(capsys.readouterr().out)
    assert re.match(r"telegram\s+open\s+5\s.+2030-01-01 00:00:00 UTC\s+Telegram cannot be reached", telegram)
    assert re.match(r"email\s+closed\s+0\s", email)
    run(at(place, "status"))
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "note: the circuit of telegram is open: Telegram cannot be reached; what is to go out waits" in told
    )
    assert "circuit of email" not in told
    assert run(at(place, "reset-circuit", "telegram", "--reason", "the line is back")) == 0
    assert capsys.readouterr().out == "the circuit of telegram is closed; it was open\n"
    assert place.told.resets == [("telegram", {"reason": "the line is back"})]
    assert run(at(place, "reset-circuit", "telegram", "--reason", " ")) == 1
    assert one_error(capsys) == "butlers: --reason is empty; say why, for who asks later"


# ---- service levels


def test_a_tight_channel_is_told_by_the_status_and_let_go_with_a_reason(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    tight = {"channel": "telegram", "state": "tight", "cause": "success", "changed_at": lives.wire(0)}
    place.told.levels[:] = [tight, {"channel": "email", "state": "kept"}]
    run(at(place, "status"))
    told = " ".join(capsys.readouterr().out.split())
    assert "note: telegram is tight since " in told
    assert "because of success: what answers nothing goes out more slowly" in told
    assert "email is tight" not in told
    assert run(at(place, "reset-slo", "telegram", "--reason", "it was one broken chat")) == 0
    assert capsys.readouterr().out == "the service level of telegram is let go; it was tight\n"
    assert place.told.resets == [("telegram", {"reason": "it was one broken chat"})]
    assert run(at(place, "reset-slo", "telegram", "--reason", " ")) == 1
    assert one_error(capsys) == "butlers: --reason is empty; say why, for who asks later"


@pytest.mark.spec("SWB-41.1")
def test_a_tight_switchboard_is_told_by_the_status_and_with_its_objectives_and_let_go_with_a_reason(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    window = {"seconds": 3600.0, "events": 100, "bad": 20, "good": 0.8, "burn": 20.0}
    place.told.own_levels[:] = [
        {
            "name": "switchboard",
            "state": "tight",
            "cause": "success",
            "changed_at": lives.wire(0),
            "burn": 20.0,
            "objectives": [
                {"objective": "success", "target": 0.99, "windows": [window], "budget_left": -19.0}
            ],
        }
    ]
    place.told.levels[:] = [{"channel": "email", "state": "kept"}]
    run(at(place, "status"))
    told = " ".join(capsys.readouterr().out.split())
    assert "note: switchboard is tight since " in told
    assert "because of success: tier default has less room, and no backfill goes on (`butlers slo`)" in told
    assert run(at(place, "slo")) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[:2] for row in rows if row and row[0] in ("switchboard", "email")] == [
        ["switchboard", "tight"],
        ["email", "kept"],
        ["switchboard", "success"],
    ]
    success = next(row for row in rows if row[:2] == ["switchboard", "success"])
    assert success[3:8] == ["99", "%", "80", "%", "100"]
    assert run(at(place, "slo", "--json")) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["slo"]] == ["switchboard", "email"]
    assert run(at(place, "reset-slo", "switchboard", "--reason", "the model is back")) == 0
    assert capsys.readouterr().out == "the service level of switchboard is let go; it was tight\n"
    assert place.told.resets == [("switchboard", {"reason": "the model is back"})]


# ---- quality

_SMALL = {
    "dimension": "model", "name": "small", "measure": "corrected", "recent": {"count": 42, "of": 84},
    "before": {"count": 0, "of": 336}, "p": 0.0001,
}  # fmt: skip
_SPAN = {"decisions": 84, "segments": 168, "counts": {"corrected": 42, "divided": 21}}


@pytest.mark.spec("SWB-37.1")
def test_a_drift_of_routing_is_told_by_the_status_and_its_slices_by_a_verb(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    run(at(place, "status"))
    assert "drifted" not in capsys.readouterr().out
    assert run(at(place, "quality")) == 0
    assert capsys.readouterr().out == "no day with a routed message is over\n"
    place.told.quality = {
        "drifts": [_SMALL],
        "slices": [
            {"dimension": "model", "name": "small", "recent": _SPAN, "before": {**_SPAN, "counts": {}}}
        ],
    }
    drift = "messages said to be another butler's, model small: 42 of 84 in 7 days, 0 of 336 in the 28 before"
    run(at(place, "status"))
    assert f"note: routing has drifted: {drift} (`butlers quality`)" in " ".join(
        capsys.readouterr().out.split()
    )
    assert run(at(place, "quality", "--by", "model")) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "model small 84 (84) 50.0 (0.0)" in told
    assert f"drift: {drift}" in told
    assert place.told.qualities[-1] == {"by": "model"}


def _rollout(state: str, **more: object) -> dict[str, object]:
    usual = {"model": "stub", "prompt_version": "p-1", "decisions": 270, "signals": {}}
    tried = {"model": "next", "prompt_version": "p-1", "decisions": 30, "signals": {}}
    return {
        "key": "468c40c0ebee38f8", "state": state, "percent": 10, "minimum_decisions": 30, "usual": usual,
        "candidate": tried, "worse": None, **more,
    }  # fmt: skip


_WORSE = {
    "signal": "errors",
    "candidate": {"count": 12, "of": 30},
    "usual": {"count": 3, "of": 270},
    "p": 0.0,
}


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize(
    ("state", "more", "told"),
    [
        ("collecting", {}, "10 % of the threads, 30 decisions, 270 as usual; judged from 30 of either"),
        (
            "no_worse",
            {},
            "10 % of the threads, 30 decisions, 270 as usual; nothing shows that it is worse",
        ),
        (
            "rolled_back",
            {"worse": _WORSE},
            "rolled back for messages for which its model gave no answer: 12 of 30, as usual 3 of 270; it gets no"
            " thread. Remove it from the manifest, name another, or raise `attempt`",
        ),
    ],
)
def test_how_a_candidate_stands_is_told_by_the_status_and_below_the_quality_of_routing(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], state: str, more: dict[str, object], told: str
) -> None:
    run(at(place, "status"))
    assert "rollout of" not in capsys.readouterr().out
    place.told.quality = {"drifts": [], "slices": [], "rollout": _rollout(state, **more)}
    line = f"rollout of model next: {told}"
    run(at(place, "status"))
    assert f"note: {line}" in " ".join(capsys.readouterr().out.split())
    run(at(place, "status", "--json"))
    document = json.loads(capsys.readouterr().out)
    assert line in document["notes"]
    assert document["rollout"]["state"] == state
    assert run(at(place, "quality")) == 0
    assert line in " ".join(capsys.readouterr().out.split())


@pytest.mark.spec("SWB-36.1")
def test_a_family_that_is_tried_is_named_and_what_keeps_it_away(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = {"kind": "no_key", "message": "the model needs a key", "since": "2026-03-01T09:30:00Z"}
    rollout: Any = _rollout("collecting", fault=fault)
    rollout["usual"] |= {"family": "rules", "model": "rules-7"}
    rollout["candidate"]["family"] = "codex"
    place.told.quality = {"drifts": [], "slices": [], "rollout": rollout}
    run(at(place, "status"))
    shown = " ".join(capsys.readouterr().out.split())
    assert "rollout of family codex, model next: 10 % of the threads" in shown
    assert "its runtime cannot be had (no_key), so that what is usual decides: the model needs a key" in shown


# ---- approvals

HELD = "01a22079-a1cc-7718-a2f2-024f833c0242"


def test_what_waits_for_an_approval_is_listed_and_decided_by_its_id_or_the_beginning_of_it(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.approvals[:] = [
        {
            "approval_id": HELD,
            "state": "waiting",
            "origin_butler": "finance",
            "channel": "telegram",
            "target_identity": "1002",
            "person": "Ben",
            "preview": "Dinner at eight",
            "requested_at": lives.wire(0),
            "expires_at": "2030-01-01T00:00:00Z",
        }
    ]
    assert run(at(place, "approvals")) == 0
    _, row = lines(capsys.readouterr().out)
    assert "finance" in row
    assert "Dinner at eight" in row
    assert run(at(place, "approve", HELD[:13])) == 0
    assert capsys.readouterr().out == f"delivery {HELD} is approved; it is sent as soon as there is room\n"
    assert run(at(place, "deny", HELD, "--reason", "not by mail")) == 0
    assert capsys.readouterr().out == f"delivery {HELD} is denied; it is never sent\n"
    assert place.told.verdicts == [
        (HELD, "approve", {"reason": "approved at the command line"}),
        (HELD, "deny", {"reason": "not by mail"}),
    ]
    assert run(at(place, "approve", "ffffffffff")) == 1
    assert one_error(capsys).endswith(
        "no approval that waits begins with 'ffffffffff'; `butlers approvals` lists them"
    )


RULE = "01a22079-b2dd-7718-a2f2-024f833c0243"


def test_what_needs_no_approval_is_made_with_one_listed_and_ended(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(at(place, "approvals", "rules")) == 0
    assert capsys.readouterr().out == "no rule waives an approval\n"
    place.told.rules[:] = [
        {
            "rule_id": RULE,
            "state": "in_force",
            "origin_butler": "finance",
            "tool": "telegram_send_message",
            "channel": "telegram",
            "target_identity": "1002",
            "person": "Ben",
            "created_at": lives.wire(0),
            "created_by": "ana",
            "reason": "always right",
            "expires_at": "2030-01-01T00:00:00Z",
        }
    ]
    assert run(at(place, "approve", HELD, "--always", "30d")) == 0
    assert f"`butlers approvals end {RULE}` ends that" in capsys.readouterr().out
    assert run(at(place, "approvals", "rules")) == 0
    _, row = lines(capsys.readouterr().out)
    assert all(word in row for word in ("finance", "Ben", "in force", "ana"))
    assert run(at(place, "approvals", "end", RULE[:13], "--reason", "no more")) == 0
    assert capsys.readouterr().out == f"rule {RULE} is ended; what it allowed waits for an approval again\n"
    assert place.told.verdicts == [
        (HELD, "approve", {"reason": "approved at the command line", "always_for_s": 30 * 86_400}),
        (RULE, "end", {"reason": "no more"}),
    ]
    assert run(at(place, "approve", HELD, "--always", "91d")) == 2
    assert "at most 90d" in capsys.readouterr().err


def test_who_is_not_written_to_is_listed_added_and_ended(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(at(place, "suppressions")) == 0
    assert capsys.readouterr().out == "everybody may be written to\n"
    place.told.suppressions[:] = [
        {
            "suppression_id": RULE,
            "state": "in_force",
            "channel": "email",
            "target_identity": "ben@example.org",
            "person": "Ben",
            "reason": "bounced",
            "evidence": "5.1.1",
            "created_at": lives.wire(0),
            "created_by": "messenger",
        }
    ]
    assert run(at(place, "suppressions", "add", "email", "cy@example.org", "--reason", "moved")) == 0
    assert capsys.readouterr().out == (
        f"nothing is sent to cy@example.org on email unasked; `butlers suppressions end {RULE}` ends that\n"
    )
    assert run(at(place, "suppressions", "--all")) == 0
    _, row = lines(capsys.readouterr().out)
    assert all(word in row for word in ("Ben", "bounced", "in force"))
    assert run(at(place, "suppressions", "end", RULE[:13])) == 0
    assert capsys.readouterr().out == "ben@example.org on email is written to again\n"
    assert place.told.verdicts == [
        ("email", "suppress", {"reason": "moved", "recipient": "cy@example.org"}),
        (RULE, "end", {"reason": "ended at the command line"}),
    ]


def test_what_was_learned_is_listed_ended_and_tried(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    stands = "3 examples (version 0123456789ab)"
    assert run(at(place, "learned")) == 0
    assert capsys.readouterr().out == f"no rules\n{stands} decide nothing (`spec.routing.learn` is off)\n"
    place.told.learned[:] = [
        {
            "rule_id": RULE,
            "state": "in_force",
            "person": "01a22079-a1cc-7718-a2f2-024f833c0999",
            "name": "Ben",
            "butler": "finance",
            "texts": ["Paid the plumber 40 euro"],
            "offered_at": lives.wire(0),
            "answered_at": lives.wire(1),
            "ended_by": None,
        }
    ]
    assert run(at(place, "learned", "--all")) == 0
    _, row, _ = lines(capsys.readouterr().out)
    assert all(word in row for word in ("Ben", "finance", "in force", "plumber"))
    assert run(at(place, "learned", "end", RULE[:13], "--reason", "they moved")) == 0
    assert capsys.readouterr().out == "such messages do not go to finance by rule any more\n"
    assert place.told.verdicts == [(RULE, "end", {"reason": "they moved"})]
    assert run(at(place, "route", "--learned", "--days", "7")) == 0
    assert capsys.readouterr().out == f"0 of 40 messages would go elsewhere by {stands} and the rules\n"
    place.told.differences[:] = [
        {
            "request_id": REQUEST,
            "received_at": lives.wire(0),
            "text": "Paid the plumber 70 euro",
            "went_to": ["finance"],
            "would_go_to": "general",
            "reason": f"learned_rule:{RULE}",
        }
    ]
    assert run(at(place, "route", "--learned")) == 0
    _, row, last = lines(capsys.readouterr().out)
    assert all(word in row for word in ("finance", "general", "plumber"))
    assert last.startswith("1 of 40 messages")
    assert place.told.queries[-2:] == [{"days": "7"}, {"days": "30"}]
    assert run(at(place, "route", "--learned", "Paid the plumber")) == 1
    assert "give it no text and no file" in capsys.readouterr().err


BEN, GONE = "01a22079-a1cc-7718-a2f2-024f833c0999", "01a22079-a1cc-7718-a2f2-024f833c0888"


def known_of(person: str, name: str | None, butler: str = "general") -> dict[str, Any]:
    counts = {"facts": 2, "preferences": 1, "episodes": 4}
    return {"person": person, "name": name, "butler": butler, **counts, "since": lives.wire(0)}


def test_how_much_is_known_of_whom_is_listed_and_somebody_is_forgotten(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(at(place, "memory")) == 0
    assert capsys.readouterr().out == "nothing is known\n"
    place.told.known[:] = [known_of(BEN, "Ben"), known_of(BEN, "Ben", "health"), known_of(GONE, None)]
    place.told.silent[:] = ["travel"]
    assert run(at(place, "memory")) == 0
    _, first, second, gone, silent = lines(capsys.readouterr().out)
    assert all("Ben" in row for row in (first, second))
    assert "no contact any more" in gone
    assert silent == "travel could not be asked"
    assert run(at(place, "memory", "ben", "--json")) == 0
    assert len(json.loads(capsys.readouterr().out)["known"]) == 2
    assert run(at(place, "memory", GONE[:36], "--json")) == 0
    assert [one["person"] for one in json.loads(capsys.readouterr().out)["known"]] == [GONE]
    assert run(at(place, "memory", "Ben", "--forget-everything", "--reason", "he moved out")) == 0
    assert capsys.readouterr().out == "all that was known of Ben is forgotten: general (7), health (0)\n"
    assert place.told.verdicts == [(BEN, "forget", {"reason": "he moved out"})]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["memory", "Cleo"], "nothing is known of anybody called 'Cleo'; travel could not be asked"),
        (["memory", "01a22079"], "means 2 people"),
        (["memory", "Ben", "--forget-everything"], "--reason is empty"),
        (["memory", "--forget-everything", "--reason", "x"], "say of whom"),
    ],
)
def test_nobody_is_forgotten_whom_nobody_meant(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    place.told.known[:] = [known_of(BEN, "Ben"), known_of(GONE, None)]
    place.told.silent[:] = ["travel"]
    assert run(at(place, *arguments)) == 1
    assert said in one_error(capsys)
    assert place.told.verdicts == []


# ---- what goes wrong around them

EVERY = [
    ["send", "--channel", "api", "--from", "script", "hi"],
    ["trace", REQUEST],
    ["sessions", REQUEST],
    ["requests"],
    ["deliveries"],
    ["connectors"],
    ["circuits"],
    ["reset-circuit", "telegram", "--reason", "x"],
    ["reset-slo", "telegram", "--reason", "x"],
    ["slo"],
    ["quality"],
    ["approvals"],
    ["approvals", "rules"],
    ["approvals", "end", "01a22079-a1cc-7718-a2f2-024f833c0242"],
    ["suppressions"],
    ["suppressions", "add", "email", "ben@example.org", "--reason", "x"],
    ["suppressions", "end", "01a22079-a1cc-7718-a2f2-024f833c0242"],
    ["learned"],
    ["learned", "end", "01a22079-a1cc-7718-a2f2-024f833c0242"],
    ["route", "--learned"],
    ["memory"],
    ["memory", "01a22079-a1cc-7718-a2f2-024f833c0242", "--forget-everything", "--reason", "x"],
    ["approve", "01a22079-a1cc-7718-a2f2-024f833c0242"],
    ["deny", "01a22079-a1cc-7718-a2f2-024f833c0242"],
    ["quarantine", "finance", "--reason", "x"],
    ["release", "finance", "--reason", "x"],
]


@pytest.mark.parametrize("arguments", EVERY, ids=lambda arguments: arguments[0])
def test_nothing_up_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    root = tmp_path / "elsewhere"
    assert run([*arguments, "--state", str(root)]) == 1
    assert f"{root} is not a state directory" in one_error(capsys)
    StateDir.at(root).create()
    assert run([*arguments, "--state", str(root)]) == 1
    assert f"nothing is up in {root}; start a household with `butlers up -f DIR`" in one_error(capsys)


@pytest.mark.parametrize("arguments", EVERY, ids=lambda arguments: arguments[0])
def test_a_closed_port_is_one_line(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    closed = {"mcp": "http://127.0.0.1:9/mcp", "ops": "http://127.0.0.1:9/ops/v1"}
    write_private(place.state.endpoints_file, json.dumps({"switchboard": closed, "messenger": closed}))
    assert run(at(place, *arguments)) == 1
    line = one_error(capsys)
    assert "does not answer at http://127.0.0.1:9/" in line
    assert "`butlers status` shows what is up" in line


@pytest.mark.parametrize("arguments", EVERY[1:], ids=lambda arguments: arguments[0])
@pytest.mark.parametrize("garbage", [b"<html>hello</html>", b"[1]", b"", b"\xff\xfe{", b"[" * 100_000])
def test_garbage_is_one_line(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], arguments: list[str], garbage: bytes
) -> None:
    place.told.garbage = garbage
    assert run(at(place, *arguments)) == 1
    assert "does another program listen there?" in one_error(capsys)


def test_json_of_another_shape_is_one_line(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    place.told.garbage = b'{"requests": 7}'
    assert run(at(place, "requests")) == 1
    assert "the answer holds no list of requests" in one_error(capsys)


@pytest.mark.parametrize("arguments", EVERY, ids=lambda arguments: arguments[0])
def test_another_households_state_directory_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    other = StateDir.at(tmp_path / "other")
    other.create()
    ensure_keys(other)
    with household(tmp_path, keys_of=other) as place:
        assert run(at(place, *arguments)) == 1
        line = one_error(capsys)
    assert "is this the state directory of the household that runs there?" in line


@pytest.mark.parametrize("content", ["", "{", "[]", '{"switchboard": 7}', '{"switchboard": {"ops": null}}'])
def test_an_unreadable_endpoints_file_is_one_line(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    write_private(place.state.endpoints_file, content)
    assert run(at(place, "requests")) == 1
    assert str(place.state.endpoints_file) in one_error(capsys)


@pytest.mark.parametrize(
    "arguments",
    [
        ["requests", "--since", "yesterday"],
        ["requests", "--state", "errored", "--state", "parsed"],
        ["quarantine", "finance"],
        ["connectors", "-w", "--json"],
        ["send", "--channel", "fax", "--from", "x", "hi"],
    ],
)
def test_a_mistyped_option_is_exit_code_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert run(arguments) == 2
    assert "See `butlers " in one_error(capsys)


def test_an_unknown_state_is_named_and_a_directory_is_still_one(
    place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(at(place, "requests", "--state", "erored")) == 2
    line = one_error(capsys)
    assert "--state 'erored' is neither a state (" in line
    assert "errored" in line
    assert run(at(place, "requests")) == 0


# ---- as a process


def process(place: DoubleHousehold, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "butler_cli.main", *at(place, *arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **env},
    )


def test_as_a_process_json_is_alone_on_stdout(place: DoubleHousehold) -> None:
    answers_at_once(place, notifications=[lives.notification()])
    sent = process(place, "send", "--channel", "telegram", "--from", "1001", "--json", "lunch")
    assert (sent.returncode, sent.stderr) == (0, "")
    request_id = json.loads(sent.stdout)["request_id"]
    traced = process(place, "trace", request_id, "--json")
    assert (traced.returncode, traced.stderr) == (0, "")
    assert json.loads(traced.stdout)["request_id"] == request_id
    lost = process(place, "trace", str(OTHER))
    assert (lost.returncode, lost.stdout, lost.stderr.count("\n")) == (1, "", 1)


def on_a_terminal(place: DoubleHousehold, *arguments: str, **env: str) -> str:
    """What a terminal of 80 columns gets."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "butler_cli.main", *at(place, *arguments)],
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **env},
    )
    os.close(theirs)
    chunks: list[bytes] = []
    try:
        while chunk := os.read(ours, 65_536):
            chunks.append(chunk)
    except OSError:
        pass  # Linux: the other side is closed.
    os.close(ours)
    assert child.wait(timeout=300) == 0
    return b"".join(chunks).decode()


def test_a_terminal_gets_colours_and_its_width_and_no_color_is_obeyed(place: DoubleHousehold) -> None:
    place.told.requests[REQUEST] = lives.summary(excerpt="very long text " * 30)
    coloured = on_a_terminal(place, "requests", NO_COLOR="")
    assert "\x1b[32mparsed" in coloured
    plain = on_a_terminal(place, "requests", NO_COLOR="1")
    assert "\x1b" not in plain
    (row,) = plain.splitlines()[1:]
    assert len(row) <= 80
    assert row.startswith(f"{REQUEST[:18]}  ")
    assert "parsed" in row
    assert row.rstrip().endswith("…")
