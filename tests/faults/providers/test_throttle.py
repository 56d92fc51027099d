"""A provider that asks for an hour's pause: no attempt is used, other channels go on, the order holds (D43, MSG-10)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

from butler_contracts.errors import TargetUnavailable
from butler_contracts.notify import NotifyRequestV1
from tests.faults.ledger import LEDGER
from tests.faults.providers.test_outages import behind, provider_port, sent, tried
from tests.integration.messenger.household import ADA, BEN, Place, envelope, notify, request_context
from tests.integration.specialist import household as specialists
from tests.support.database import Provision
from tests.support.line import Line
from tests.support.telegram_api import Fault

HOUR_S = 3600
CHATS = {"ada": ADA, "ben": BEN}


async def throttled(place: Place) -> None:
    async with asyncio.timeout(60):
        while not await place.rows("SELECT 1 FROM provider_throttle"):
            await asyncio.sleep(0.05)


async def test_an_hour_of_429_uses_no_attempt_stops_no_other_channel_and_keeps_every_chats_order(
    place: Place,
) -> None:
    async with Line(provider_port(place, "telegram")) as line:
        await line.cut()
        async with place.messenger(text=behind(place, "telegram", line)) as messenger:
            waiting = []
            for number in range(4):
                for name, chat in CHATS.items():
                    context = request_context(
                        source_sender_identity=str(chat),
                        source_thread_identity=str(chat),
                        source_message_identity=None,
                    )
                    wish = notify(f"{name} {number}", context=context, recipient=str(chat))
                    answer = await messenger.notify(wish)
                    assert answer.delivery is not None
                    waiting.append(answer.delivery.delivery_id)
            await tried(place, 1)
            place.telegram.script(Fault("sendMessage", "status", status=429, retry_after_s=HOUR_S, count=2))
            await line.mend()
            await throttled(place)

            refused = await messenger.execute(envelope(notify("new", idempotency_key="new")))
            mail = await messenger.notify(notify("by mail", channel="email", idempotency_key="mail"))
            assert mail.delivery is not None
            await place.until_status(mail.delivery.delivery_id, "sent")
            told_during_the_pause = list(place.telegram.sent)
            place.telegram.clear_faults()
            await place.database.shift_clock(timedelta(seconds=HOUR_S + 60), disconnect=True)
            ends = [await place.until_status(delivery, "sent") for delivery in waiting]
    LEDGER.outages += 2
    LEDGER.messages += len(ends)
    assert told_during_the_pause == []
    assert refused.error is not None
    assert refused.error.error_class.value == "target_unavailable"
    assert refused.error.retryable
    assert (refused.error.retry_after_s or 0) > HOUR_S - 300
    assert {end["attempts_used"] for end in ends} == {1}
    for name in CHATS:
        mine = [text for text in sent(place, "telegram") if f" {name} " in text]
        assert mine == [f"[finance] {name} {number}" for number in range(4)]
    pauses = await place.rows("SELECT consumed FROM delivery_attempts WHERE outcome = 'throttled'")
    assert {row["consumed"] for row in pauses} == {False}


async def test_answers_that_wait_out_a_long_pause_are_offered_in_the_order_of_their_questions(
    provisioned: Provision, tmp_path: Path
) -> None:
    pausing, told = [True], []

    def answer(request: NotifyRequestV1) -> dict[str, Any]:
        if pausing[0]:
            pause = TargetUnavailable("telegram asks for a pause", retry_after_s=0.3)
            return specialists.refused(pause)
        told.append(str(request.delivery.message))
        return specialists.delivered(request)

    async with specialists.household(provisioned, tmp_path) as home:
        home.switchboard.notify_answer = answer
        offered = home.switchboard.notifies
        questions = [specialists.envelope(f"Paid {number}.50 EUR for tea") for number in range(1, 4)]
        async with home.specialist() as specialist:
            for question in questions:
                await specialist.execute(question)
            await home.switchboard.until(lambda: len(offered) >= 1)
            # Longer than a thread waits for an answer that nobody can say the time of.
            await home.database.shift_clock(timedelta(minutes=11), disconnect=True)
            seen = len(offered)
            await home.switchboard.until(lambda: len(offered) >= seen + 4)
            first_alone = {str(request.delivery.message) for request in offered}
            pausing[0] = False
            for question in questions:
                await home.switchboard.completed(specialists.id_of(question))
    LEDGER.outages += 1
    LEDGER.messages += 3
    assert len(first_alone) == 1
    assert [next(n for n in ("1.50", "2.50", "3.50") if n in text) for text in told] == [
        "1.50",
        "2.50",
        "3.50",
    ]
