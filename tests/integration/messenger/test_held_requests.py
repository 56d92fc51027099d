"""A child's request that needs a grown-up: shown to who decides, decided once, withdrawn for good (ADR 0124)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from butler_contracts.request_approvals import written_request
from butler_kit.mcp import ToolError
from butler_messenger.approvals.calls import MOST_OF_ONE
from tests.integration.messenger.household import ADA, BEN, Client, Place
from tests.integration.messenger.test_approval_buttons import asked, press
from tests.integration.messenger.test_approvals import OPERATOR, decided, told
from tests.integration.messenger.test_call_approvals import ask, call
from tests.integration.messenger.test_quiet_hours import morning, waiting, with_quiet
from tests.support.switchboard_service import until

TEXT = "Can I buy the blue bike?\nIt costs 40 euro"


def request(text: str = TEXT, *, urgent: bool = False, **more: Any) -> dict[str, Any]:
    """As Switchboard asks about a message of Ben's."""
    said = written_request(("finance",), text, urgent=urgent)
    own = {"origin_butler": "switchboard", "server": "switchboard", "tool": "route", "arguments": said}
    return call(**{**own, **more})


async def withdraw(messenger: Client, wanted: dict[str, Any]) -> bool:
    said = {"approval_id": wanted["call_id"], "reason": "the message does not wait any more"}
    token = messenger.place.keys.switchboard(origin=None)
    answer = await messenger.tool("messenger_approval_withdraw", said, token=token)
    return bool(answer["withdrawn"])


async def answers(place: Place, count: int) -> list[str]:
    """What Ada was told, the questions aside."""

    def of() -> list[str]:
        return [text for text in told(place, ADA) if "needs your approval" not in text]

    await place.telegram.until(lambda api: len(of()) >= count)
    return of()


async def test_the_owner_reads_who_asks_whom_in_their_own_words_and_one_press_decides(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted = request()
        first = await ask(messenger, wanted)
        assert (await ask(messenger, wanted))["state"] == "waiting"
        buttons = await asked(place)
        [question] = told(place, ADA)
        await press(messenger, buttons["Approve"])
        [said] = await answers(place, 1)
        after = await ask(messenger, wanted)
        await press(messenger, buttons["Deny"], number=2)
        _, late = await answers(place, 2)
    assert (first["state"], first["asked"]) == ("waiting", ["Ada"])
    assert question.startswith(
        "[messenger] Ben asks finance and needs your approval:\n\n| Can I buy the blue bike?\n| It costs 40 euro\n\n"
    )
    assert f"butlers approve {wanted['call_id']}" in question
    assert said == "[messenger] Approved: finance gets it now, once."
    assert (after["state"], after["decided_by"]) == ("approved", "Ada")
    assert "it was approved by Ada at" in late
    operations = await place.rows("SELECT action, actor, state FROM operation ORDER BY created_at")
    assert [tuple(one.values()) for one in operations] == [
        ("approval.approve", "Ada", "done"),
        ("approval.deny", "Ada", "refused"),
    ]


async def test_a_no_is_answered_and_an_operator_decides_it_like_a_call(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted, other = request(), request("May I go to the cinema?")
        await ask(messenger, wanted)
        await press(messenger, (await asked(place))["Deny"])
        [said] = await answers(place, 1)
        await ask(messenger, other)
        listed = (await messenger.get("/ops/v1/approvals")).json()["approvals"]
        assert (await decided(messenger, other["call_id"], "approve")).status_code == 200
        states = [(await ask(messenger, one))["state"] for one in (wanted, other)]
    assert said == "[messenger] Denied: finance does not get it."
    [shown] = listed
    assert (shown["kind"], shown["tool"], shown["person"]) == ("call", "switchboard.route", "Ben")
    assert "May I go to the cinema?" in shown["preview"]
    assert states == ["denied", "approved"]


async def test_nobody_approves_of_what_they_ask_for_themselves(place: Place) -> None:
    spec = {"modules": {"approvals": {"approvers": ["Ada", "Ben"]}}}
    async with place.messenger(spec=spec) as messenger:
        mine, hers = request(), request(sender=str(ADA))
        assert (await ask(messenger, mine))["asked"] == ["Ada"]
        buttons = await asked(place)
        await press(messenger, buttons["Approve"], sender=BEN)
        assert (await ask(messenger, mine))["state"] == "waiting"
        assert (await ask(messenger, hers))["asked"] == ["Ben"]
        await place.telegram.until(
            lambda api: any(one["chat_id"] == BEN and "reply_markup" in one for one in api.sent)
        )
    assert len([text for text in told(place, ADA) if "needs your approval" in text]) == 1


async def test_a_request_waits_for_the_morning_of_the_owner_unless_it_is_urgent(place: Place) -> None:
    await with_quiet(place, who="Ada")
    async with place.messenger() as messenger:
        await ask(messenger, request("It can wait"))
        await until(lambda: waiting(place), what="the question is kept")
        await ask(messenger, request("Urgent!", urgent=True))
        await place.telegram.until(lambda _: bool(told(place, ADA)))
        [at_night] = told(place, ADA)
    await morning(place)
    async with place.messenger():
        await place.telegram.until(lambda _: len(told(place, ADA)) == 2)
    assert "| Urgent!" in at_night
    assert "| It can wait" in told(place, ADA)[1]


async def test_what_is_withdrawn_is_decided_by_nobody_and_an_unsent_question_is_never_sent(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        wanted, decided_ = request(), request("Decided")
        await ask(messenger, wanted)
        buttons = await asked(place)
        assert await withdraw(messenger, wanted)
        assert not await withdraw(messenger, wanted)
        await press(messenger, buttons["Approve"])
        [late] = await answers(place, 1)
        await ask(messenger, decided_)
        assert (await decided(messenger, decided_["call_id"], "approve")).status_code == 200
        assert not await withdraw(messenger, decided_)
        states = [(await ask(messenger, one))["state"] for one in (wanted, decided_)]
    assert "it was denied by switchboard at" in late
    assert states == ["denied", "approved"]


async def test_a_question_that_waits_for_the_morning_is_withdrawn_with_its_request(place: Place) -> None:
    await with_quiet(place, who="Ada")
    async with place.messenger() as messenger:
        wanted, other = request(), request("Another")
        await ask(messenger, wanted)
        await ask(messenger, other)

        async def both() -> bool:
            return len(await waiting(place)) == 2

        await until(both, what="both questions are kept")
        assert await withdraw(messenger, wanted)
        assert len(await waiting(place)) == 1
    await morning(place)
    async with place.messenger():
        await place.telegram.until(lambda _: bool(told(place, ADA)))
    [sent] = told(place, ADA)
    assert "| Another" in sent


async def test_one_member_is_asked_about_no_more_than_somebody_can_read_and_a_butlers_calls_do_not_count(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        await ask(messenger, call())
        for number in range(MOST_OF_ONE):
            await ask(messenger, request(f"Request {number}"))
        with pytest.raises(ToolError, match="requests of this member wait already"):
            await ask(messenger, request("One more"))
        assert (await ask(messenger, request("Hers", sender=str(ADA))))["state"] == "waiting"
        assert (await ask(messenger, call({"door": "back"})))["state"] == "waiting"


async def test_no_rule_allows_a_request_for_a_while(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted = request()
        await ask(messenger, wanted)
        body = {**OPERATOR, "always_for_s": 86_400}
        answer = await messenger.post(f"/ops/v1/approvals/{wanted['call_id']}/approve", body)
        assert answer.status_code == 400
        assert (await ask(messenger, wanted))["state"] == "waiting"
        assert (await ask(messenger, request()))["state"] == "waiting"


async def test_a_request_of_nobody_known_is_asked_about_without_a_name(place: Place) -> None:
    async with place.messenger() as messenger:
        await ask(messenger, request(sender=str(uuid4().int % 10**9)))
        await asked(place)
    [question] = told(place, ADA)
    assert question.startswith("[messenger] A member of the household asks finance and needs your approval:")


async def test_what_nobody_decides_in_time_expires(place: Place) -> None:
    spec = {"modules": {"approvals": {"expiresAfterSeconds": 600}}}
    async with place.messenger(spec=spec) as messenger:
        wanted = request()
        await ask(messenger, wanted)
        await asked(place)
        await place.database.shift_clock(timedelta(minutes=11), disconnect=True)
        assert (await ask(messenger, wanted))["state"] == "expired"
