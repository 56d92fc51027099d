"""The life of a request in words: every kind of life against a file that a person has read and approved.

A changed wording is approved with `REWRITE_GOLDEN=1 pytest tests/unit/cli`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from butler_cli.client.life import life_of
from butler_cli.errors import UserError
from butler_cli.output import words
from butler_cli.output.screen import line_of, show
from butler_cli.output.steps import steps_of
from butler_cli.output.timeline import timeline
from tests.support import request_lives as lives

GOLDEN = Path(__file__).parent / "golden"
NOW: datetime = lives.moment(42)

TWO = (("finance", "lunch 12,50 €"), ("health", "book the dentist"))


def answered() -> dict[str, Any]:
    reaction = lives.delivery(
        delivery_id="react",
        origin_butler="switchboard",
        intent="react",
        created_at=lives.wire(0.05),
        attempts=[lives.attempt("sent", provider_response={"reaction": "👀"})],
        receipts=[],
    )
    return {
        **lives.life(
            plan=lives.plan(("finance", lives.TEXT)),
            sessions=[lives.session()],
            subroutes=[lives.subroute("finance")],
            notifications=[lives.notification()],
        ),
        "deliveries": [reaction, lives.delivery()],
    }


def partly_failed() -> dict[str, Any]:
    return lives.life(
        channel="api",
        sender="script",
        state="errored",
        error=("timeout", "health: health did not answer within 120 s"),
        plan=lives.plan(*TWO),
        subroutes=[
            lives.subroute("finance", response={"result": {"reply": "Noted: 12.50 €.", "records": 1}}),
            lives.subroute(
                "health",
                position=2,
                state="error",
                error_class="timeout",
                error_message="health did not answer within 120 s",
                retryable=True,
                response=None,
                duration_ms=None,
                late_response={"status": "ok"},
            ),
        ],
        aggregated_reply={"text": "[finance] Noted: 12.50 €.\n\nNot done: health (timeout)", "parts": []},
    )


def called_outside() -> dict[str, Any]:
    home = {"butler": "home", "server": "lamps", "tool": "switch", "args_shown": "room: hall, on: true"}
    door = {"butler": "home", "server": "door", "tool": "unlock", "args_shown": "door: front"}
    held = {**door, "held_at": lives.wire(0.65)}
    return {
        **lives.life(plan=lives.plan(("home", lives.TEXT)), subroutes=[lives.subroute("home")]),
        "outside_calls": [
            {
                **home,
                "tool": "list",
                "args_shown": "",
                "read_only": True,
                "state": "returned",
                "begun_at": lives.wire(0.4),
            },
            {**home, "state": "returned", "begun_at": lives.wire(0.5)},
            {**home, "state": "failed", "begun_at": lives.wire(0.51)},
            {**home, "state": "unsent", "begun_at": lives.wire(0.52)},
            {**door, "state": "begun", "begun_at": lives.wire(30.1)},
        ],
        "held_calls": [
            {
                **held,
                "verdict": "approved",
                "decided_by": "Ada",
                "decided_at": lives.wire(30),
                "outcome": "unknown",
            },
            {**held, "verdict": "denied", "decided_by": "Ada", "decided_at": lives.wire(31)},
            {**held, "verdict": "expired", "decided_at": lives.wire(32)},
            {**held, "verdict": "refused", "decided_at": lives.wire(33)},
            {
                **held,
                "verdict": "approved",
                "decided_by": "rule\x1b[31m",
                "decided_at": lives.wire(34),
                "outcome": "late",
                "outcome_at": lives.wire(35),
            },
            held,
        ],
    }


def retried() -> dict[str, Any]:
    return lives.life(
        plan=lives.plan(("finance", lives.TEXT)),
        calls=[lives.call("finance", "finance does not answer", seconds=0.26)],
        subroutes=[
            lives.subroute(
                "finance",
                state="error",
                transport_tries=2,
                error_class="overload_rejected",
                error_message="finance has too much to do",
                retryable=True,
                response=None,
                finished_at=0.5,
                duration_ms=None,
            ),
            lives.subroute("finance", attempt=2, first_sent_at=0.6, accepted_at=0.65, started_at=0.7),
        ],
        dedupe_conflicts=[lives.conflict("lunch 13,50 €", seconds=0.4)],
        audit=[
            lives.audit("butler.quarantine", "finance is quarantined", seconds=0.55, reason="maintenance")
        ],
    )


def stranger() -> dict[str, Any]:
    said = "From billing@shop.example: 12 €"
    to_owner = lives.notification("general", intent="send", message_excerpt=said)
    return {
        **lives.life(
            channel="email",
            sender="billing@shop.example",
            decisions={"sender_class": "other", "reply_policy": "owner", "policy_tier": "default"},
            plan=lives.plan(("general", lives.TEXT), fallback=True, reason="ambiguous", confidence=0.31),
            subroutes=[lives.subroute("general")],
            notifications=[to_owner],
        ),
        "deliveries": [lives.delivery(intent="send")],
    }


def automatic_mail() -> dict[str, Any]:
    return lives.life(
        channel="email",
        sender="noreply@airline.example",
        state="recorded",
        ended=0.0,
        decisions={
            "sender_class": "other",
            "reply_policy": "none",
            "automatic": True,
            "triage_decision": "metadata_only",
            "triage_rule_id": "routing.rules[2]",
            "triage_rule_type": "sender_domain",
            "ingestion_tier": "metadata",
            "policy_tier": "default",
        },
    )


def uncertain() -> dict[str, Any]:
    lost = lives.attempt("uncertain", error_class="timeout", error_message="no answer", retryable=False)
    paused = lives.attempt("throttled", number=1, seconds=0.63)
    return {
        **lives.life(
            plan=lives.plan(("finance", lives.TEXT)),
            subroutes=[lives.subroute("finance")],
            notifications=[lives.notification(delivery_state="uncertain")],
        ),
        "deliveries": [
            lives.delivery(
                "uncertain",
                attempts=[paused, {**lost, "attempt": 2}],
                error={"class": "timeout", "message": "no answer within 15 s", "retryable": False},
            )
        ],
    }


def nobody_there() -> dict[str, Any]:
    return lives.life(
        state="errored",
        ended=120.0,
        error=("routing_error", "no butler can take this message: routed; start general or release it"),
        sessions=[lives.session(status="timeout", error={"message": "no verdict within 30 s"})],
        plan=lives.plan(fallback=True, reason="classification_failed:timeout", confidence=0.0, seconds=119.9),
        notifications=[
            lives.notification(
                "switchboard",
                purpose="error_reply",
                seconds=120.1,
                status="error",
                delivery_id=None,
                delivery_state=None,
                message_excerpt="Not done (routing_error)",
                error_class="target_unavailable",
                error_message="messenger does not answer",
            )
        ],
    )


def waiting() -> dict[str, Any]:
    return lives.life(state="accepted", ended=None, work=lives.work())


def at_work() -> dict[str, Any]:
    return lives.life(
        state="accepted",
        ended=None,
        work=lives.work(blocking=False),
        plan=lives.plan(*TWO),
        subroutes=[
            lives.subroute("finance", state="started", finished_at=None, deadline_at=120.3, response=None),
            lives.subroute(
                "health",
                position=2,
                state="pending",
                accepted_at=None,
                started_at=None,
                finished_at=None,
                next_try_at=44.0,
                transport_tries=3,
                response=None,
            ),
        ],
    )


def rerouted() -> dict[str, Any]:
    stopped = lives.subroute(
        "finance", state="skipped", error_message="rerouted to health by ada: a bill of the dentist",
        started_at=None, response=None, duration_ms=None,
    )  # fmt: skip
    again = lives.subroute(
        "health", attempt=2, first_sent_at=1.0, accepted_at=1.1, started_at=1.1, finished_at=1.5
    )
    return lives.life(ended=1.6, plan=lives.plan(("finance", lives.TEXT)), subroutes=[stopped, again])


def read_for_people() -> dict[str, Any]:
    late = {"kind": "extract", "ended_at": lives.moment(1.9), "started_at": lives.moment(1.5)}
    failed = lives.session(
        **late, session_id=UUID(int=71), status="timeout", error={"message": "no end within 30 s"}
    )
    return lives.life(
        text="my sister Anna is allergic to nuts",
        plan=lives.plan(("general", "my sister Anna is allergic to nuts")),
        sessions=[lives.session(), failed],
        subroutes=[lives.subroute("general")],
        signals=[lives.signal("my sister Anna is allergic to nuts", "my sister Anna")],
    )


def contradicted() -> dict[str, Any]:
    def part(butler: str, value: str, standing: str) -> dict[str, Any]:
        claim = {
            "subject": "day of dentist",
            "value": value,
            "standing": standing,
            "decided_by": "priority",
        }
        return {"target_butler": butler, "status": "ok", "claims": [claim]}

    return lives.life(
        text="when is the dentist?",
        plan=lives.plan(("health", "when is the dentist?"), ("general", "when is the dentist?")),
        subroutes=[lives.subroute("health"), lives.subroute("general", position=2)],
        dispatch_outcomes=[part("health", "2026-03-03", "lost"), part("general", "2026-03-05", "won")],
        notifications=[
            lives.notification("switchboard", purpose="contradiction", message_excerpt="I go by what …")
        ],
    )


def without_its_model() -> dict[str, Any]:
    reply = {
        "result": {
            "reply": "Noted: 12.50 €.",
            "records": 1,
            "runtime": "rules",
            "runtime_reason": "model_no_answer",
        }
    }
    return lives.life(
        plan=lives.plan(("finance", lives.TEXT), reason="routed:model_budget_day_cents"),
        subroutes=[lives.subroute("finance", response=reply)],
    )


LIVES: list[Callable[[], dict[str, Any]]] = [
    answered,
    partly_failed,
    called_outside,
    retried,
    stranger,
    automatic_mail,
    uncertain,
    nobody_there,
    waiting,
    at_work,
    rerouted,
    read_for_people,
    contradicted,
    without_its_model,
]


def told(document: dict[str, Any], capsys: pytest.CaptureFixture[str], missing: str | None = None) -> str:
    life = life_of(document)
    show(timeline(life, steps_of(life, now=NOW), missing=missing))
    return capsys.readouterr().out


@pytest.mark.parametrize("kind", LIVES, ids=lambda kind: kind.__name__)
def test_a_life_is_told_as_a_person_approved_it(
    kind: Callable[[], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    text = told(kind(), capsys)
    file = GOLDEN / f"{kind.__name__}.txt"
    if os.environ.get("REWRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.spec("SWB-34.1")
def test_what_the_tier_allowed_then_is_told_where_it_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    policy = {"session_timeout_s": 30.0, "run_timeout_s": 120.0, "patience_s": 4.5, "max_attempts": 3}
    made = lives.plan(("finance", lives.TEXT), policy=policy)
    shown = told(lives.life(plan=made, subroutes=[lives.subroute("finance")]), capsys)
    said = "its tier allowed then: routing 30 s, a run 120 s, trying 4.5 s; attempts: 3"
    assert said in " ".join(shown.split())


@pytest.mark.parametrize("kind", LIVES, ids=lambda kind: kind.__name__)
def test_steps_are_told_in_the_order_of_time(kind: Callable[[], dict[str, Any]]) -> None:
    steps = steps_of(life_of(kind()), now=NOW if kind in (waiting, at_work) else lives.moment(500))
    assert [step.at for step in steps] == sorted(step.at for step in steps)


def test_deliveries_that_could_not_be_read_are_named_as_missing(capsys: pytest.CaptureFixture[str]) -> None:
    document = {**answered(), "deliveries": []}
    text = told(document, capsys, missing="messenger does not answer at http://127.0.0.1:1")
    assert "Deliveries are missing here: messenger does not answer at http://127.0.0.1:1" in text
    assert "delivered it to Telegram" in text


def test_a_message_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    document = lives.life(text="\x1b[2J\x1b]0;owned\x07 hi \u202eeht", sender="1001\x1b[31m")
    text = told(document, capsys)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "hi" in text


def test_family_emoji_stay_whole() -> None:
    assert line_of("👨‍👩‍👧 ok") == "👨‍👩‍👧 ok"


def test_a_document_of_another_shape_is_an_error_in_words() -> None:
    with pytest.raises(UserError, match=r"not a request's life \(received_at: Field required\)"):
        life_of({"request_id": "x", "lifecycle_state": "parsed"})


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            "ambiguous:model_rate_limited",
            "not sure enough of any subject, so the catch-all gets the whole text; "
            "rules stood in for the model (rate limited)",
        ),
        (
            "ineligible_target:health; model_no_key",
            "health may get nothing at the moment; rules stood in for the model (no key)",
        ),
        (
            "classification_failed:model_not_found",
            "the decision failed (model not found), so the catch-all gets the whole text",
        ),
        ("something_new:model_no_key", "something_new; rules stood in for the model (no key)"),
    ],
)
def test_a_plan_says_why_another_family_than_the_configured_one_made_it(reason: str, said: str) -> None:
    plan = life_of(lives.life(plan=lives.plan(("general", lives.TEXT), reason=reason))).plan
    assert plan is not None
    assert words.routing(plan).endswith(f": {said}")
