"""What a butler says that one thing is, in its answer: additive, checked, and read tolerantly where it is stored."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from butler_contracts.claims import CLAIMS_MAX, ClaimV1, claims_of
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import RouteResponseV1

CLAIM = {"subject": "day of dentist", "value": "2026-12-01"}


def answer(claims: object) -> dict[str, Any]:
    return {
        "schema_version": "route_response.v1",
        "request_context": {"request_id": "019ca8d9-0b40-7000-8000-000000000001"},
        "subrequest_id": str(UUID(int=1)),
        "status": "ok",
        "result": {"records": 0, "claims": claims},
        "timing": {"duration_ms": 1},
    }


def test_an_answer_may_claim_and_a_newer_field_of_a_claim_is_passed_over() -> None:
    claimed = {**CLAIM, "said": "on Tuesday", "language": "en", "since": "a later release"}
    assert parse(RouteResponseV1, answer([claimed])).result == {"records": 0, "claims": [claimed]}
    assert claims_of(answer([claimed])) == (ClaimV1(**CLAIM, said="on Tuesday", language="en"),)


@pytest.mark.parametrize(
    ("claims", "where"),
    [
        ("on Tuesday", "result.claims"),
        ([CLAIM] * (CLAIMS_MAX + 1), "result.claims"),
        ([{"subject": "dentist"}], "result.claims[0].value"),
        ([CLAIM, {**CLAIM, "value": " "}], "result.claims[1].value"),
        ([{**CLAIM, "language": "xx"}], "result.claims[0].language"),
    ],
)
def test_a_claim_that_is_none_is_refused_by_its_place_and_is_none_where_it_is_stored(
    claims: object, where: str
) -> None:
    with pytest.raises(ContractViolation) as refused:
        parse(RouteResponseV1, answer(claims))
    assert refused.value.message.partition(": is ")[0].partition(": has ")[0].endswith(where)
    assert claims_of(answer(claims)) == ()


@pytest.mark.parametrize(
    "stored", [None, {}, {"result": None}, {"result": "text"}, {"result": {"reply": "x"}}]
)
def test_who_claims_nothing_claims_nothing(stored: dict[str, Any] | None) -> None:
    assert claims_of(stored) == ()


def test_case_and_blanks_make_no_other_subject_and_no_other_value() -> None:
    one, same = (
        ClaimV1(subject="Dentist  of Mia", value="5 ML"),
        ClaimV1(subject="dentist of mia", value="5  ml"),
    )
    assert (one.about, one.has) == (same.about, same.has)
