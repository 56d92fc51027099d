"""What is left out for a target of an earlier release: what it does not know, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse
from butler_contracts.people import PeopleV1, PersonV1
from butler_contracts.route import RouteEnvelopeV1
from butler_switchboard.dispatch.clocks import Timeouts
from butler_switchboard.dispatch.envelope import route_envelope, without_unknown
from tests.integration.specialist.household import envelope, request_context
from tests.unit.switchboard.dispatch.build import branch, plan, request

PEOPLE = PeopleV1(members=(PersonV1(contact_id=uuid4(), name="Ada"),))
FRIDAY = datetime(2026, 11, 20, tzinfo=UTC)


def sent() -> RouteEnvelopeV1:
    context = request_context(observed_at=FRIDAY.isoformat())
    document = envelope("hello", context=context)
    document["input"]["context"] = {"people": PEOPLE.to_wire()}
    return parse(RouteEnvelopeV1, document)


def refusal(*paths: str) -> ValidationFailed:
    return ValidationFailed(" | ".join(f"{path}: is not a known field" for path in paths))


def test_a_target_of_the_release_before_keeps_the_moment_and_loses_the_people() -> None:
    left = without_unknown(sent(), refusal("input.context.people"))
    assert left is not None
    assert left.people is None
    assert left.request_context.observed_at == FRIDAY
    assert "context" not in left.to_wire()["input"] or left.to_wire()["input"]["context"] is None


def test_a_target_of_two_releases_before_loses_both_at_once() -> None:
    left = without_unknown(sent(), refusal("request_context.observed_at", "input.context.people"))
    assert left is not None
    assert left == sent().model_copy(
        update={"request_context": left.request_context, "input": left.input, "subrequest": left.subrequest}
    )
    assert (left.people, left.request_context.observed_at) == (None, None)


def test_a_messenger_of_the_release_before_is_asked_without_the_subject_of_the_answered_mail() -> None:
    context = request_context("email", source_subject="Plumber")
    document = envelope("deliver", context=context)
    wish = {"intent": "reply", "channel": "email", "message": "Noted."}
    notify = {"schema_version": "notify.v1", "origin_butler": "finance", "delivery": wish}
    document["input"]["context"] = {"notify_request": {**notify, "request_context": context}}
    whole = parse(RouteEnvelopeV1, document)
    left = without_unknown(whole, refusal("request_context.source_subject"))
    assert left is not None
    assert "Plumber" not in str(left.to_wire())
    assert left.input.context is not None
    assert left.input.context.notify_request is not None
    assert left.input.context.notify_request.delivery.message == "Noted."


def test_a_butler_of_the_release_before_gets_a_strangers_work_without_their_name() -> None:
    context = request_context(reply_policy="owner", sender_class="other", source_sender_name="Marc")
    whole = parse(RouteEnvelopeV1, envelope("hello", context=context))
    left = without_unknown(whole, refusal("request_context.source_sender_name"))
    assert left is not None
    assert "Marc" not in str(left.to_wire())


def test_a_messenger_of_the_release_before_gets_the_message_without_its_urgency() -> None:
    document = envelope("Execute")
    delivery = {"intent": "send", "channel": "telegram", "message": "Fire", "urgency": "high"}
    wish = {"schema_version": "notify.v1", "origin_butler": "finance", "delivery": delivery}
    document["input"]["context"] = {"notify_request": {**wish, "request_context": None}}
    whole = parse(RouteEnvelopeV1, document)
    left = without_unknown(whole, refusal("input.context.notify_request.delivery.urgency"))
    assert "urgency" in str(whole.to_wire())
    assert left is not None
    assert "urgency" not in str(left.to_wire())


def test_a_messenger_of_the_release_before_gets_the_message_without_its_buttons() -> None:
    document = envelope("Execute")
    delivery = {"intent": "send", "channel": "telegram", "message": "Reminder", "idempotency_key": "r"}
    wish = {"schema_version": "notify.v1", "origin_butler": "finance", "delivery": delivery}
    document["input"]["context"] = {"notify_request": wish}
    bare = parse(RouteEnvelopeV1, document)
    wish["delivery"] = {**delivery, "actions": [{"id": "done", "label": "Done"}]}
    left = without_unknown(
        parse(RouteEnvelopeV1, document), refusal("input.context.notify_request.delivery.actions")
    )
    assert left == bare


def test_a_messenger_of_the_release_before_is_not_told_that_a_butler_answers_alone() -> None:
    document = envelope("Execute")
    document["input"]["context"] = {"lineage": {"origin_butler": "finance"}}
    bare = parse(RouteEnvelopeV1, document)
    document["input"]["context"]["lineage"]["alone"] = True
    left = without_unknown(parse(RouteEnvelopeV1, document), refusal("input.context.lineage.alone"))
    assert left == bare
    assert "alone" not in str(bare.to_wire())
    assert without_unknown(bare, refusal("input.context.lineage.alone")) is None


def test_a_butler_of_the_release_before_gets_its_part_without_what_the_others_came_to() -> None:
    document = envelope("tell Clara")
    bare = parse(RouteEnvelopeV1, document)
    document["input"]["context"] = {"results": [{"butler": "finance", "ended": "ok", "answer": "Paid."}]}
    whole = parse(RouteEnvelopeV1, document)
    assert whole.results[0].answer == "Paid."
    left = without_unknown(whole, refusal("input.context.results"))
    assert left == bare
    assert "results" not in str(bare.to_wire())


def test_another_refusal_is_no_reason_to_send_it_again() -> None:
    assert without_unknown(sent(), refusal("input.prompt")) is None
    assert without_unknown(sent().unpeopled(), refusal("input.context.people")) is None


def test_an_edit_is_not_sent_as_a_new_message_to_a_butler_that_cannot_change_the_first() -> None:
    document = envelope("66 EUR for groceries")
    part = {"request_id": document["request_context"]["request_id"], "segment_id": "s1"}
    document["input"]["context"] = {"supersedes": {"parts": [part]}}
    edit = parse(RouteEnvelopeV1, document)
    with pytest.raises(ValidationFailed, match="it cannot change yet what it made of the message before"):
        without_unknown(edit, refusal("input.context.supersedes"))


def test_what_is_no_edit_says_nothing_of_former_versions() -> None:
    assert "supersedes" not in str(sent().to_wire())


@pytest.mark.parametrize(
    ("family", "prompt", "marked"),
    [
        ("api", "pay the gas bill", False),
        ("api", "book  the flight\npay the gas bill", False),
        ("api", "Tell Ben to pay the gas bill", True),
        ("api", "the bill book", True),
        ("rules", "Tell Ben to pay the gas bill", False),
    ],
)
def test_a_prompt_that_a_model_worded_is_marked_for_its_butler(
    family: str, prompt: str, marked: bool
) -> None:
    """Words of the message in another order are others than were said."""
    made = plan("finance")
    made = replace(made, family=family, targets=(replace(made.targets[0], prompt=prompt),))
    state = request(made, branch(1, "finance"))
    whole = route_envelope(state, made, state.subroutes[0], Timeouts(1.0, 60.0))
    assert whole.rewritten is marked
    left = without_unknown(whole, refusal("input.context.rewritten"))
    assert (left is not None and not left.rewritten) is marked
