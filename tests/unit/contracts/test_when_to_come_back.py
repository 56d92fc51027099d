"""When a refused notify may come again, by both names that there are for it (MSR-05.1)."""

from __future__ import annotations

import pytest

from butler_contracts.errors import ButlerError, InternalFailure, OverloadRejected
from butler_contracts.notify import NotifyResponseV1
from butler_contracts.parse import parse


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (OverloadRejected("too much", retry_after_s=12.5), {"retry_after_seconds": 12.5}),
        (InternalFailure("broken"), {}),
    ],
)
def test_a_response_says_when_to_come_back_as_its_error_does(
    refused: ButlerError, said: dict[str, float]
) -> None:
    response = NotifyResponseV1(status="error", error=refused.to_detail())
    wire = response.to_wire()
    assert {key: value for key, value in wire.items() if key == "retry_after_seconds"} == said
    assert parse(NotifyResponseV1, wire) == response
    wire.pop("retry_after_seconds", None)
    assert parse(NotifyResponseV1, wire) == response
