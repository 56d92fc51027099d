"""A call to route mails gets further each time, however slow the mailbox is (D47, ADR 0088)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, cast

from butler_kit.mail.normalize import MailSource, NormalisedMail
from butler_kit.mail.session import MailSize
from butler_kit.sources.events import Skipped
from butler_kit.time import ManualClock
from butler_messenger.inbox.desk import ROUTING_S, InboxDesk
from butler_messenger.inbox.mailbox import Mailbox
from butler_messenger.inbox.questions import Place, RouteQuestion, place_of

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
READ = NormalisedMail("<a@example.org>", None, Skipped("not for us"))


class Box:
    """An open mailbox that answers one look after another."""

    uid_validity = 7

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)

    async def run(self, _: object) -> Any:
        return self._answers.pop(0)

    def place(self, reference: str) -> Place:
        return place_of(reference)


class SlowMailbox:
    """Takes longer to open than a call goes on."""

    def __init__(self, clock: ManualClock, box: Box) -> None:
        self._clock = clock
        self._box = box

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Box]:
        self._clock.advance(ROUTING_S + 1)
        yield self._box


class Nobody:
    """A Switchboard that is not asked."""

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None
    ) -> dict[str, Any]:
        raise AssertionError(tool)


def desk(*answers: object) -> InboxDesk:
    clock = ManualClock(NOON)
    mailbox = cast(Mailbox, SlowMailbox(clock, Box(*answers)))
    return InboxDesk(mailbox, MailSource("imap:home@butlers.test"), Nobody(), clock)


async def test_a_mailbox_that_is_slow_to_open_hands_over_one_mail_a_call_and_says_that_there_are_more() -> (
    None
):
    one, two, three = (MailSize(uid, 100, NOON) for uid in (1, 2, 3))
    first = await desk([1, 2, 3], [one, two, three], READ).check_and_route(RouteQuestion())
    assert (first["looked_at"], first["next"]) == (1, "7/1")
    then = await desk([1, 2, 3], [two, three], READ).check_and_route(RouteQuestion(after="7/1"))
    assert (then["looked_at"], then["next"]) == (1, "7/2")
    last = await desk([1, 2, 3], [three], READ).check_and_route(RouteQuestion(after="7/2"))
    assert (last["looked_at"], last["next"]) == (1, None)
