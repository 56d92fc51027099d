"""An acceptance is a stored message, and soon given (CON-4.1)."""

from __future__ import annotations

import time

import pytest

from tests.integration.switchboard.ingress.conftest import Door
from tests.support.switchboard import telegram

SOON_S = 0.010


@pytest.mark.spec("CON-4.1", "CON-5")
async def test_an_accepted_message_is_stored_and_queued_when_its_answer_is_given(door: Door):
    """The quickest of thirty: a machine that is busy with something else makes single ones late, never all."""
    took = []
    for number in range(1, 31):
        began = time.perf_counter()
        answer = await door.ingest(telegram(number, chat=str(number)))
        took.append(time.perf_counter() - began)
        row = await door.row(answer.request_id)
        assert row["lifecycle_state"] == "accepted"
        assert await door.count("inbox_work") == number
    assert min(took) < SOON_S
