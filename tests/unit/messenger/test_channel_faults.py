"""What the last call of a channel says about its provider."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.errors import ErrorClass
from butler_messenger.tracking.channels import fault_of


def failed(**said: Any) -> dict[str, Any]:
    return {
        "outcome": "failed",
        "consumed": True,
        "error_class": ErrorClass.TARGET_UNAVAILABLE.value,
        "error_message": "no",
        "provider_response": None,
        **said,
    }


@pytest.mark.parametrize("error_class", [ErrorClass.TARGET_UNAVAILABLE, ErrorClass.TIMEOUT])
def test_a_provider_that_was_never_reached_is_a_fault_of_the_channel(error_class: ErrorClass) -> None:
    row = failed(consumed=False, error_class=error_class.value)
    assert fault_of(row) == {"kind": "connection_error", "message": "no"}


def test_a_refused_account_is_a_fault_of_the_channel() -> None:
    row = failed(provider_response={"fault": "unauthorized"})
    assert fault_of(row) == {"kind": "unauthorized", "message": "no"}


@pytest.mark.parametrize("consumed", [True, False])
def test_a_recipient_or_a_file_that_is_refused_is_none(consumed: bool) -> None:
    assert fault_of(failed(consumed=consumed, error_class=ErrorClass.VALIDATION_ERROR.value)) is None
