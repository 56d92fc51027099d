"""More of one person than Messenger may answer in a minute: each is answered later, once, and nobody else waits."""

from __future__ import annotations

import pytest

from tests.support.household import Place, until
from tests.support.telegram_api import message_update, person

ADA, BEN = person(1001, "Ada"), person(1002, "Ben")
MESSAGES = 14
AT_ONCE = 10
"""Five a minute to one person, and a reply costs half of that."""


def lowered(place: Place) -> None:
    """The demo's manifest, whose limits are out of reach, with five a minute to one person."""
    manifest = place.manifests / "butlers.yaml"
    text = manifest.read_text("utf-8")
    assert text.count("recipientPerMinute: 100000") == 1
    manifest.write_text(text.replace("recipientPerMinute: 100000", "recipientPerMinute: 5"), "utf-8")


@pytest.mark.faults_full
@pytest.mark.spec("MSG-8")
async def test_what_is_over_the_limit_of_one_person_comes_when_the_minute_has_room_and_nobody_else_waits(
    fresh_place: Place,
) -> None:
    lowered(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram = running.providers.telegram

        def answers(to: int) -> list[str]:
            return [str(one["text"]) for one in telegram.sent if int(one["chat_id"]) == to]

        async def of_ada(count: int) -> None:
            async def there() -> bool:
                return len(answers(1001)) >= count

            await until(there, what=f"{count} answers for Ada", deadline_s=120)

        for n in range(1, MESSAGES + 1):
            telegram.inject(message_update(ADA, text=f"Paid {n} EUR for tram {n}"))
        await of_ada(AT_ONCE)
        telegram.inject(message_update(BEN, text="Paid 99 EUR for the train"))

        async def ben_has_his() -> bool:
            return bool(answers(1002))

        await until(ben_has_his, what="Ben's answer", deadline_s=30)
        assert len(answers(1001)) == AT_ONCE, "nothing more for Ada within her minute"
        await of_ada(MESSAGES)
        refused = await running.rows(
            "SELECT count(*) AS n FROM switchboard.message_inbox WHERE lifecycle_state <> 'parsed'"
        )
        assert refused == [{"n": 0}]
        assert await running.rows("SELECT 1 FROM messenger.delivery_dead_letter") == []
    told = answers(1001)
    assert len(told) == MESSAGES
    assert [sum(f" {n}.00 EUR for tram" in text for text in told) for n in range(1, MESSAGES + 1)] == [
        1
    ] * MESSAGES
