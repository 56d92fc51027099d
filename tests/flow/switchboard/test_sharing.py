"""A butler that works on a message is told what another shares with it of the writer (D69, ADR 0116)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.memory import SHARE_TOOL
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.auth import Caller
from butler_kit.mcp import ToolError
from butler_kit.mcp.server import ToolServer
from tests.support.butlers import FakeButler, accepts_then_answers
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household

BILL = "I paid the gas bill of 40 euro"


class Sharing(FakeButler):
    """It shares one fact, and keeps who asked about whom."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.asked: list[tuple[str | None, UUID]] = []

    async def register(self, *, tools: tuple[str, ...] = ("route.execute", SHARE_TOOL)) -> dict[str, Any]:
        return await super().register(tools=tools)

    def offer(self, server: ToolServer) -> None:
        @server.tool(SHARE_TOOL, {"type": "object"}, roles=("switchboard",))
        async def share(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.asked.append((caller.origin, UUID(args["person"])))
            known = {
                "record_id": str(uuid4()), "kind": "fact", "statement": "I am vegetarian", "said": "I am vegetarian",
                "said_by": "1001", "said_through": "telegram", "said_at": "2026-11-02T08:00:00Z",
                "request_id": str(uuid4()), "confidence": 0.9,
            }  # fmt: skip
            return {"memories": [known], "episodes": []}


async def test_the_writer_of_the_message_is_whom_the_other_butler_is_asked_about(home: Household):
    memo = Sharing("memo", home.keys)
    await memo.start()
    home.butlers["memo"] = memo
    told: list[dict[str, Any]] = []
    finance = home.butler("finance")
    usual = accepts_then_answers()

    async def asks(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        part = str(envelope.subrequest.subrequest_id)
        told.append(await butler.tell("memory.recall", subrequest_id=part))
        return await usual(butler, envelope)

    finance.behaviour = asks
    try:
        async with home.run() as running:
            await home.settled(await running.accepted(telegram(1, BILL)))
            person = await home.pool.fetchval(
                "SELECT contact_id FROM shared.contact_info WHERE type = 'telegram' AND value = '1001'"
            )
            assert memo.asked == [("finance", person)]
            [answer] = told
            assert (answer["by"], answer["memories"][0]["butler"]) == (["memo"], "memo")
            with pytest.raises(ToolError, match="does not work on a part"):
                part = str(finance.got[0].subrequest.subrequest_id)
                await finance.tell("memory.recall", subrequest_id=part)
    finally:
        await memo.aclose()
