"""What Switchboard's answer means for a mail that Messenger hands over (D47)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.errors import ErrorClass, ErrorDetail, TargetUnavailable
from butler_kit.mail.normalize import NormalisedMail
from butler_kit.mcp import AuthenticationRefused, ToolError
from butler_kit.sources.events import Malformed
from butler_messenger.inbox.handing import handed_over
from tests.support.switchboard import mail

MAIL = NormalisedMail("<a@example.org>", None, mail("<a@example.org>"))


class Answering:
    """A Switchboard that gives one answer, or fails in one way."""

    def __init__(self, answer: dict[str, Any] | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None
    ) -> dict[str, Any]:
        self.asked.append(tool)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def refusal(error_class: ErrorClass, *, retryable: bool) -> ToolError:
    detail = ErrorDetail.model_validate(
        {"class": error_class, "message": "so it is", "retryable": retryable, "retry_after_s": 3.0}
    )
    return ToolError("ingestion.ingest", "", detail)


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionRefusedError("no route"),
        AuthenticationRefused("HTTP 401"),
        TimeoutError(),
        refusal(ErrorClass.OVERLOAD_REJECTED, retryable=True),
        ToolError("ingestion.ingest", "in free text"),
    ],
)
async def test_what_may_pass_ends_the_call_and_says_that_it_may_be_made_again(failure: Exception) -> None:
    with pytest.raises(TargetUnavailable, match="call again") as raised:
        await handed_over(Answering(failure), MAIL)
    assert raised.value.retryable


async def test_a_mail_that_is_refused_for_good_is_told_of_and_the_others_go_on() -> None:
    answering = Answering(refusal(ErrorClass.VALIDATION_ERROR, retryable=False))
    assert await handed_over(answering, MAIL) == {"status": "refused", "reason": "so it is"}


async def test_a_mail_that_is_none_is_not_handed_over() -> None:
    answering = Answering({})
    broken = NormalisedMail("uid 1", None, Malformed("malformed_mail", "no header"))
    assert await handed_over(answering, broken) == {"status": "refused", "reason": "malformed_mail"}
    assert answering.asked == []
