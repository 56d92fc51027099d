"""Whatever a target answers becomes an acknowledgement or an end with a class."""

from __future__ import annotations

import json
from typing import Any

import pytest

from butler_contracts.errors import ErrorClass
from butler_contracts.keys import subrequest_id
from butler_kit.time import new_uuid7
from butler_switchboard.dispatch.responses import Acknowledged, Answered, read_response
from tests.unit.switchboard.dispatch.build import NOW, REQUEST

SUB = subrequest_id(REQUEST, "s1", "finance", 1)


def document(**more: Any) -> dict[str, Any]:
    return {
        "schema_version": "route_response.v1",
        "request_context": {"request_id": str(REQUEST)},
        "subrequest_id": str(SUB),
        "status": "ok",
        "result": {"reply": "done"},
        "timing": {"duration_ms": 12.5},
        **more,
    }


def read(body: dict[str, Any]) -> Acknowledged | Answered:
    return read_response(body, REQUEST, SUB)


def test_an_acknowledgement_is_not_an_end():
    assert read(document(status="accepted", result=None)) == Acknowledged()


@pytest.mark.spec("SWB-05.1")
def test_a_success_keeps_result_and_duration_and_must_belong_to_the_request():
    answer = read(document())
    assert isinstance(answer, Answered)
    assert (answer.error, answer.duration_ms, answer.document["result"]) == (None, 12.5, {"reply": "done"})
    foreign = read(document(request_context={"request_id": str(new_uuid7(NOW))}))
    assert foreign.error is not None
    assert foreign.error.error_class is ErrorClass.VALIDATION_ERROR


def test_a_failure_keeps_class_message_and_retryable_and_the_foreign_word_for_it():
    body = document(
        status="error", result=None, error={"class": "quota", "message": "no more", "retryable": True}
    )
    answer = read(body)
    assert answer.error is not None
    assert (answer.error.error_class, answer.error.original_class) == (ErrorClass.INTERNAL_ERROR, "quota")
    assert (answer.error.message, answer.error.retryable) == ("no more", True)
    assert isinstance(answer, Answered)
    assert answer.document == body


@pytest.mark.spec("SWB-05.3")
@pytest.mark.parametrize("version", ["route_response.v2", "", None, 7])
def test_an_unknown_or_missing_version_is_always_a_validation_error(version: object):
    body = document(schema_version=version)
    if version is None:
        del body["schema_version"]
    answer = read(body)
    assert answer.error is not None
    assert (answer.error.error_class, answer.error.retryable) == (ErrorClass.VALIDATION_ERROR, False)


@pytest.mark.spec("SWB-05.3")
@pytest.mark.parametrize(
    ("broken", "where"),
    [
        ({"result": {"reply": "ok \ud83d"}}, "result.reply"),
        ({"timing": {"duration_ms": float("nan")}}, "timing.duration_ms"),
        ({"result": {"reply": "a\x00b"}}, "result.reply"),
    ],
)
def test_of_an_answer_that_cannot_be_stored_it_is_kept_what_is_wrong(broken: dict[str, Any], where: str):
    answer = read(document(**broken))
    assert isinstance(answer, Answered)
    assert answer.error is not None
    assert answer.error.error_class is ErrorClass.VALIDATION_ERROR
    assert json.dumps(answer.document, ensure_ascii=False, allow_nan=False).encode()
    assert where in answer.document["unreadable"]


@pytest.mark.parametrize(
    "body", [{}, {"status": "ok"}, {"schema_version": "route_response.v1", "status": []}]
)
def test_garbage_is_a_validation_error_of_the_target(body: dict[str, Any]):
    answer = read(body)
    assert answer.error is not None
    assert answer.error.error_class is ErrorClass.VALIDATION_ERROR
