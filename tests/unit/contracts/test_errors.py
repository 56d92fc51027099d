"""Seven classes, whatever a peer calls its failure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.errors import (
    ButlerError,
    ClassificationFailed,
    ErrorClass,
    ErrorDetail,
    InternalFailure,
    OverloadRejected,
    RoutingFailed,
    TargetUnavailable,
    TimedOut,
    ValidationFailed,
    normalise_error_class,
)
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import RouteResponseV1
from butler_contracts.route_answer import parse_route_response
from tests.unit.contracts import envelopes as make
from tests.unit.contracts.envelopes import changed

SHARED = {"validation_error", "target_unavailable", "timeout", "overload_rejected", "internal_error"}
OWNED = {"classification_error", "routing_error"}
KINDS = (
    ValidationFailed,
    TargetUnavailable,
    TimedOut,
    OverloadRejected,
    InternalFailure,
    RoutingFailed,
    ClassificationFailed,
)


def failed(error_class: str) -> dict[str, object]:
    response = changed(changed(make.route_response(), "status", "error"), "result", None)
    return {**response, "error": {**make.error(), "class": error_class}}


@pytest.mark.spec("SWB-16.1")
@given(st.one_of(st.sampled_from(sorted(SHARED | OWNED)), st.text()))
def test_every_failure_maps_to_one_of_seven_classes_of_which_two_are_switchboards(word: str) -> None:
    assert {kind.value for kind in ErrorClass} == SHARED | OWNED
    assert {kind.error_class for kind in KINDS} == set(ErrorClass)
    assert normalise_error_class(word).error_class.value in SHARED | OWNED
    downstream = normalise_error_class(word, shared_only=True)
    assert downstream.error_class.value in SHARED
    assert (downstream.original is None) == (word in SHARED)


@pytest.mark.spec("SWB-16.2")
@pytest.mark.parametrize("word", ["quota_exceeded", "Timeout", "routing_error", "classification_error", ""])
def test_a_class_that_a_downstream_butler_may_not_use_is_internal_and_its_word_is_kept(word: str) -> None:
    error = parse(RouteResponseV1, failed(word)).error
    assert error is not None
    assert error.error_class is ErrorClass.INTERNAL_ERROR
    assert error.original_class == word
    assert error.message == "Telegram cannot be reached"  # what a user sees does not show the word
    assert ButlerError.from_detail(error).message == "Telegram cannot be reached"


@pytest.mark.parametrize("word", sorted(SHARED))
def test_a_shared_class_passes_unchanged(word: str) -> None:
    error = parse(RouteResponseV1, failed(word)).error
    assert error is not None
    assert (error.error_class.value, error.original_class) == (word, None)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_survives_the_wire_with_its_class_and_hint(kind: type[ButlerError]) -> None:
    error = kind("Wait a little", retryable=True, retry_after_s=2.5)
    again = ButlerError.from_detail(ErrorDetail.model_validate(error.to_detail().to_wire()))
    assert type(again) is kind
    assert (again.message, again.retryable, again.retry_after_s) == ("Wait a little", True, 2.5)
    assert error.to_wire()["error"]["class"] == kind.error_class.value


def test_only_failures_that_may_pass_are_retryable_by_default() -> None:
    retryable = {kind.error_class.value for kind in KINDS if kind("x").retryable}
    assert retryable == {"target_unavailable", "timeout", "overload_rejected"}


def test_the_wire_form_of_a_failed_call_has_only_what_is_known() -> None:
    assert ValidationFailed("No").to_wire() == {
        "error": {"class": "validation_error", "message": "No", "retryable": False}
    }
    full = OverloadRejected("Full", retry_after_s=1, details={"depth": 5}).to_wire()["error"]
    assert (full["retry_after_s"], full["details"]) == (1, {"depth": 5})


def test_an_error_of_any_text_can_be_told() -> None:
    for text in ("", "\x00", "\ud800", "x" * 1_000_000):
        detail = InternalFailure(text).to_detail()
        assert 1 <= len(detail.message) <= 2_000
        assert ErrorDetail.model_validate(detail.to_wire()) == detail


@pytest.mark.parametrize("version", ["route_response.v2", "", None, 1, "route.v1", "missing"])
def test_a_response_of_unknown_version_always_fails_the_same_way(version: object) -> None:
    response = changed(make.route_response(), "schema_version", version)
    if version == "missing":
        del response["schema_version"]
    messages = set()
    for _ in range(2):
        with pytest.raises(ContractViolation) as caught:
            parse_route_response(response)
        assert caught.value.error_class is ErrorClass.VALIDATION_ERROR
        assert not caught.value.retryable
        messages.add(str(caught.value))
    assert len(messages) == 1
