"""A machine that answers every answer of ours ends after a bounded number of mails (RFC 3834, D23)."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import Client, Place, notify, request_context

MOST_ANSWERS = 30
ROOT = "<question@example.org>"


async def answered(messenger: Client, number: int, answer_to: str) -> bool:
    """Answer a mail of the conversation, as a butler does for every mail that it is given."""
    context: dict[str, Any] = request_context(
        "email", source_thread_identity=ROOT, source_message_identity=answer_to
    )
    response = await messenger.notify(
        notify(f"Noted {number}", intent="reply", channel="email", context=context)
    )
    if response.error is not None:
        assert response.error.error_class.value == "validation_error"
        assert not response.error.retryable
        return False
    assert response.delivery is not None
    await messenger.place.until_status(response.delivery.delivery_id, "sent")
    return True


async def test_a_machine_that_answers_every_answer_without_saying_so_ends_within_a_bound(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        rounds, answer_to = 0, ROOT
        async with asyncio.timeout(120):
            while rounds < MOST_ANSWERS * 2 and await answered(messenger, rounds, answer_to):
                rounds += 1
                # The naive responder: each of our mails gets an answer of its own, with no mark of a machine.
                answer_to = f"<away-{rounds}@example.org>"
        ours = [mail.message() for mail in place.smtp.accepted]
        other = request_context("email", source_thread_identity="<other@example.org>")
        elsewhere = await messenger.notify(notify("Noted", intent="reply", channel="email", context=other))
    LEDGER.messages += rounds
    assert rounds == MOST_ANSWERS
    assert len(ours) == MOST_ANSWERS
    # What we send says of itself that no machine should answer it.
    assert {mail["Auto-Submitted"] for mail in ours} == {"auto-replied"}
    assert elsewhere.status == "ok"
