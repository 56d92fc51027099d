"""What is left out for a target of an earlier release: what it does not know, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse
from butler_contracts.people import PeopleV1, PersonV1
from butler_contracts.route import RouteEnvelopeV1
from butler_switchboard.dispatch.envelope import without_unknown
from tests.integration.specialist.household import envelope, request_context

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


def test_another_refusal_is_no_reason_to_send_it_again() -> None:
    assert without_unknown(sent(), refusal("input.prompt")) is None
    assert without_unknown(sent().unpeopled(), refusal("input.context.people")) is None
