"""The next step of routed work is decided from its stored state alone (D12, D17, SWB-17.3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from butler_contracts.errors import ErrorClass
from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_contracts.people import PeopleV1
from butler_contracts.route import RouteEnvelopeV1, RouteInputV1, SubrequestV1, TargetV1
from butler_kit.time import new_uuid7
from butler_specialist.store.model import RoutedWork, Scheduled, Telling
from butler_specialist.work.decide import (
    KEEP_ORDER,
    MAX_RUNS,
    MISSED,
    OFFERED_AGAIN_S,
    PATIENCE,
    PATIENCE_FOR_OTHERS,
    Close,
    Complete,
    Ended,
    Fail,
    Meet,
    Run,
    Tell,
    TellOther,
    keeps_order,
    next_step,
    offered_again_in_s,
    run_again_in_s,
)
from butler_switchboard.dispatch.clocks import Timeouts

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ENVELOPE = RouteEnvelopeV1.model_validate(
    {
        "request_context": {
            "request_id": str(new_uuid7(NOW)),
            "received_at": NOW,
            "source_channel": "api",
            "source_endpoint_identity": "webhook:household",
            "source_sender_identity": "ada",
        },
        "subrequest": SubrequestV1(subrequest_id=uuid4(), segment_id="s1"),
        "target": TargetV1(butler="finance"),
        "input": RouteInputV1(prompt="Paid 5 EUR for tea"),
    }
)
ANSWER = NotifyRequestV1(
    origin_butler="finance", delivery=NotifyDelivery(intent="send", channel="telegram", message="Noted.")
)
NEW = RoutedWork(
    envelope=ENVELOPE,
    lifecycle_state="accepted",
    accepted_at=NOW,
    queue_deadline_at=NOW + timedelta(minutes=15),
    now=NOW,
)
DECIDED = replace(NEW, lifecycle_state="processing", runs=1, outcome_at=NOW, result={"records": 1})


def test_new_work_is_run_and_work_that_broke_off_is_run_again() -> None:
    assert next_step(NEW) == Run()
    assert next_step(replace(NEW, runs=MAX_RUNS - 1, lifecycle_state="processing")) == Run()


def test_runs_are_bounded() -> None:
    step = next_step(replace(NEW, runs=MAX_RUNS))
    assert isinstance(step, Fail)
    assert step.error.error_class == "internal_error"


def test_the_queue_clock_ends_only_what_has_not_begun() -> None:
    late = replace(NEW, now=NEW.queue_deadline_at + timedelta(seconds=1))
    step = next_step(late)
    assert isinstance(step, Fail)
    assert step.error.error_class == "overload_rejected"
    assert next_step(replace(late, runs=1)) == Run()


def test_the_answer_comes_before_the_completion_and_is_told_once() -> None:
    told = replace(DECIDED, notify_request=ANSWER)
    assert next_step(told) == Tell(ANSWER, last=False)
    assert next_step(replace(told, notify_response={"status": "ok"})) == Complete(last=False)
    assert next_step(DECIDED) == Complete(last=False)


def test_nothing_is_offered_for_ever() -> None:
    later = NOW + PATIENCE
    assert next_step(replace(DECIDED, notify_request=ANSWER, now=later)) == Tell(ANSWER, last=True)
    assert next_step(replace(DECIDED, now=later)) == Complete(last=True)


def test_a_thread_waits_for_an_answer_for_a_while_only() -> None:
    assert keeps_order(NEW)
    assert keeps_order(DECIDED)
    assert not keeps_order(replace(DECIDED, now=NOW + KEEP_ORDER))


def test_an_answer_that_is_waited_for_is_offered_again_soon_however_often_it_failed() -> None:
    assert offered_again_in_s(DECIDED, 64.0, asked=False) == OFFERED_AGAIN_S
    assert offered_again_in_s(DECIDED, 2.0, asked=False) == 2.0
    assert offered_again_in_s(DECIDED, 20.0, asked=True) == 20.0
    assert offered_again_in_s(replace(DECIDED, now=NOW + KEEP_ORDER), 64.0, asked=False) == 64.0


def test_an_hours_pause_is_waited_out_in_parts_shorter_than_the_time_of_a_run() -> None:
    run_clock_s = Timeouts().run_s
    for asked_s in (60.0, 300.0, 3600.0):
        assert offered_again_in_s(DECIDED, asked_s, asked=True) < run_clock_s
        assert offered_again_in_s(replace(DECIDED, now=NOW + KEEP_ORDER), asked_s, asked=True) < run_clock_s


def test_what_has_ended_stays_so() -> None:
    assert next_step(replace(DECIDED, finished_at=NOW)) == Ended()


def test_others_are_told_in_turn_before_the_answer_which_waits_for_them_a_minute() -> None:
    one = Telling("Ben", "the gas is paid", "en", ANSWER)
    done = replace(one, response={"status": "ok"})
    work = replace(DECIDED, notify_request=ANSWER, tellings=(one, one))
    assert next_step(work) == TellOther(0, ANSWER, last=False)
    late = replace(work, now=NOW + PATIENCE_FOR_OTHERS, tellings=(done, one))
    assert next_step(late) == TellOther(1, ANSWER, last=True)
    assert next_step(replace(late, tellings=(done, done))) == Tell(ANSWER, last=False)


ADA = uuid4()
BY_THE_CLOCK = replace(
    NEW, scheduled=Scheduled("bills", NOW, NOW + timedelta(hours=1)), queue_deadline_at=NOW
)
MET = replace(BY_THE_CLOCK, people=PeopleV1(sender=ADA))


def test_whom_a_schedule_is_for_is_asked_before_anything_and_for_a_day() -> None:
    assert next_step(BY_THE_CLOCK) == Meet(last=False)
    assert next_step(replace(BY_THE_CLOCK, now=NOW + PATIENCE)) == Meet(last=True)
    assert next_step(MET) == Run()


def test_a_schedule_begins_within_its_grace_however_often_and_not_after_it() -> None:
    assert next_step(replace(MET, now=NOW + timedelta(hours=1), runs=3)) == Run()
    late = next_step(replace(MET, now=NOW + timedelta(minutes=61), runs=1))
    assert isinstance(late, Fail)
    assert (late.error.error_class, late.error.original_class) == (ErrorClass.TIMEOUT, MISSED)
    assert isinstance(next_step(replace(MET, runs=MAX_RUNS)), Fail)


def test_nobody_but_whom_it_is_for_is_told_of_its_end() -> None:
    over = replace(MET, outcome_at=NOW)
    assert next_step(replace(over, notify_request=ANSWER)) == Tell(ANSWER, last=False)
    assert next_step(replace(over, notify_request=ANSWER, notify_response={"status": "ok"})) == Close()
    assert next_step(over) == Close()


def test_the_tries_of_a_schedule_are_spread_over_its_grace() -> None:
    scheduled = MET.scheduled
    assert scheduled is not None
    pauses = [run_again_in_s(scheduled, runs) for runs in range(MAX_RUNS - 1)]
    assert pauses == sorted(pauses)
    assert round(sum(pauses)) == 3600
