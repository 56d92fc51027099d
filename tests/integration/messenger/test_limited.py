"""A wish that is one too many is not lost: whoever keeps it comes again when the answer says, and it is said once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from butler_contracts.errors import ErrorClass
from butler_contracts.route import RouteResponseV1
from tests.integration.messenger.household import ADA, BEN, Client, Place, envelope, notify
from tests.integration.messenger.test_telemetry import spans as spans

USUAL: dict[str, float] = {}
NEWS = [f"news {n}" for n in range(14)]


async def say(messenger: Client, text: str, to: int = ADA, origin: str = "finance") -> RouteResponseV1:
    wish = notify(text, recipient=str(to), idempotency_key=f"{origin}:{text}:{to}", origin=origin)
    return await messenger.execute(envelope(wish, origin=origin))


def texts(place: Place, chat: int) -> list[str]:
    return [sent["text"].split("] ")[-1] for sent in place.telegram.sent if sent["chat_id"] == chat]


def hint(response: RouteResponseV1) -> float:
    """Seconds after which to come again, as a refusal of the limiter says it, by both names."""
    assert response.error is not None
    assert (response.error.error_class, response.error.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
    assert response.error.retry_after_s is not None
    answer = response.notify_response()
    assert answer is not None
    assert answer.to_wire()["retry_after_seconds"] == response.error.retry_after_s
    return response.error.retry_after_s


@pytest.mark.spec("MSG-8", "MSR-05.1", "MSR-05.3")
async def test_ten_go_to_a_person_in_a_minute_by_any_replica_and_the_rest_follows_in_order(
    place: Place,
) -> None:
    async with place.messenger(limits=USUAL) as one, place.messenger(limits=USUAL) as two:
        answers = [await say((one, two)[n % 2], text) for n, text in enumerate(NEWS)]
        other = await say(two, "for Ben", BEN)
        await place.telegram.until(lambda api: len(api.sent) == 11)
    assert [answer.error is None for answer in answers] == [True] * 10 + [False] * 4
    assert other.error is None
    assert (texts(place, ADA), texts(place, BEN)) == (NEWS[:10], ["for Ben"])
    wait_s = hint(answers[10])
    # Who keeps them comes again: too early, after a restart, and then when it was told.
    await place.database.shift_clock(timedelta(seconds=wait_s / 2))
    async with place.messenger(limits=USUAL) as restarted:
        assert 0 < hint(await say(restarted, NEWS[10])) < wait_s
    rest, later_s = NEWS[10:], wait_s
    while rest:
        assert later_s < 2 * 65, f"{rest} is still refused"
        await place.database.shift_clock(timedelta(seconds=later_s + 0.1))
        async with place.messenger(limits=USUAL) as messenger:
            while rest and (refused := await say(messenger, rest[0])).error is None:
                rest = rest[1:]
        later_s += hint(refused) if rest else 0
    await place.telegram.until(lambda api: len(api.sent) == 15)
    assert texts(place, ADA) == NEWS
    assert len(await place.rows("SELECT 1 FROM delivery_requests")) == 15


@pytest.mark.spec("MSG-11.3")
async def test_a_manifest_says_what_a_minute_holds(place: Place) -> None:
    said: dict[str, Any] = {
        "limits": {"recipientPerMinute": 2},
        "channels": {"telegram": {"perMinute": 5}},
    }
    for chat in (2000, 2001, 2002):
        place.telegram.add_chat({"id": chat, "type": "private", "first_name": "Cleo"})
    async with place.messenger(spec={"delivery": said}) as messenger:
        answers = [await say(messenger, f"{n}") for n in range(3)]
        answers += [await say(messenger, "once", 2000 + n) for n in range(3)]
    refused = [n for n, answer in enumerate(answers) if answer.error is not None]
    assert refused == [2, 5]
    assert [hint(answers[n]) > 0 for n in refused] == [True, True]


async def test_a_limited_wish_is_counted_by_the_budget_that_lacked_room_and_seen_in_its_trace(
    place: Place, spans: InMemorySpanExporter
) -> None:
    async with place.messenger(limits={"recipient_per_minute": 1}) as messenger:
        await say(messenger, "one")
        hint(await say(messenger, "two"))
        metrics = (await messenger.get("/metrics")).text
    [counted] = [
        line for line in metrics.splitlines() if line.startswith("butlers_messenger_rate_limited_total{")
    ]
    for label in (
        'channel="telegram"',
        'dimension="recipient"',
        'error_class="overload_rejected"',
        'intent="send"',
        'origin_butler="finance"',
    ):
        assert label in counted
    assert counted.endswith(" 1.0")
    assert str(ADA) not in counted
    checks = [s for s in spans.get_finished_spans() if s.name == "butlers.messenger.rate_limit_check"]
    assert len(checks) == 2
