"""What the dashboard says of orders that Switchboard did not answer: done, not done, or nobody knows."""

from __future__ import annotations

import asyncio

import pytest

from butler_contracts.errors import TargetUnavailable, ValidationFailed
from butler_dashboard.acting.orders import Orders, known_of

NOBODY = "http://127.0.0.1:9/mcp"
CALL = ("approval.approve", {"approval_id": "1"})


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes a request and gives no answer."""
    await reader.readuntil(b"\r\n\r\n")
    writer.close()


async def test_of_an_order_that_was_sent_and_not_answered_nobody_knows():
    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(TargetUnavailable) as away:
            await Orders(f"http://127.0.0.1:{port}/mcp").call_each("token", [CALL])
    assert "nobody knows whether it was done" in away.value.message
    assert "nothing was done" not in away.value.message


async def test_an_order_that_reached_nobody_was_not_done():
    with pytest.raises(TargetUnavailable, match="nothing was done"):
        await Orders(NOBODY).call_each("token", [CALL])


def test_an_order_that_was_refused_is_not_counted_as_done():
    answers = [None, ValidationFailed("it was decided meanwhile"), None]
    assert known_of(answers, 5, unsent=True) == "2 of 5 were done"
    assert known_of(answers[1:2], 5, unsent=True) == "nothing was done"
    assert known_of(answers, 5, unsent=False).startswith("2 of 5 were done, and of one more nobody knows")
