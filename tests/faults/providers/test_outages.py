"""Providers that are away: no answer is lost or doubled, and no outage is taken for somebody's mistake (D41, MSG-9)."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import ADA, Place, envelope, notify
from tests.support.line import Line
from tests.support.mail.smtp_server import SmtpFault
from tests.support.telegram_api import Fault

NOWHERE = "mail-and-bots.example.net"
TRIES = 5
"""More than MSR-07 allows at a provider."""


def sent(place: Place, channel: str) -> list[str]:
    """What the provider took, in its order, but for the owner's notes: they come at a time of their own."""
    if channel == "telegram":
        texts = [str(one["text"]) for one in place.telegram.sent]
        return [text for text in texts if not text.startswith("[messenger] ")]
    return [mail.message().get_content().strip() for mail in place.smtp.accepted]


def behind(place: Place, channel: str, line: Line) -> str:
    """The configuration of a Messenger whose way to one provider goes over the line."""
    target = place.telegram.url if channel == "telegram" else f"port = {place.smtp.port}"
    over = f"http://127.0.0.1:{line.port}" if channel == "telegram" else f"port = {line.port}"
    text = place.config_text("answer_wait_s = 0.0")
    assert target in text
    return text.replace(target, over)


async def tried(place: Place, times: int) -> None:
    """Wait until so many tries were made in vain."""
    async with asyncio.timeout(60):
        while len(await place.rows("SELECT 1 FROM delivery_attempts WHERE outcome = 'failed'")) < times:
            await asyncio.sleep(0.05)


def provider_port(place: Place, channel: str) -> int:
    return int(place.telegram.url.rpartition(":")[2]) if channel == "telegram" else place.smtp.port


@pytest.mark.parametrize("channel", ["telegram", "email"])
async def test_a_provider_away_for_longer_than_its_attempts_gets_every_answer_once_and_in_order(
    place: Place, channel: str
) -> None:
    async with Line(provider_port(place, channel)) as line:
        await line.cut()
        async with place.messenger(text=behind(place, channel, line)) as messenger:
            wishes = [notify(f"answer {n}", channel=channel, idempotency_key=f"a{n}") for n in range(3)]
            answers = [await messenger.notify(wish) for wish in wishes]
            await tried(place, TRIES)
            assert {answer.delivery.state for answer in answers if answer.delivery} == {"queued"}
            assert sent(place, channel) == []
            await line.mend()
            ends = [
                await place.until_status(answer.delivery.delivery_id, "sent")
                for answer in answers
                if answer.delivery
            ]
    LEDGER.outages += 1
    assert len(ends) == 3
    assert [text.partition("answer ")[2] for text in sent(place, channel)] == ["0", "1", "2"]
    assert {end["attempts_used"] for end in ends} == {1}
    assert await place.rows("SELECT 1 FROM delivery_dead_letter") == []
    vain = await place.rows("SELECT * FROM delivery_attempts WHERE outcome = 'failed'")
    assert {(row["consumed"], row["error_class"], row["retryable"]) for row in vain} == {
        (False, "target_unavailable", True)
    }


class Names:
    """The household's resolver: while it is away no name of ours can be found."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.away = True
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)

    def _look_up(self, host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (NOWHERE, NOWHERE.encode()):
            return self._real(host, *args, **kwargs)
        if self.away:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return self._real("127.0.0.1", *args, **kwargs)


@pytest.mark.parametrize("channel", ["telegram", "email"])
async def test_a_name_that_cannot_be_resolved_is_an_outage_and_never_somebodys_mistake(
    place: Place, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    before = place.telegram.url if channel == "telegram" else 'host = "127.0.0.1"'
    after = before.replace("127.0.0.1", NOWHERE)
    text = place.config_text("answer_wait_s = 0.0").replace(before, after)
    async with place.messenger(text=text) as messenger:
        answer = await messenger.notify(notify("12 euro", channel=channel, idempotency_key="x"))
        assert answer.delivery is not None
        await tried(place, TRIES)
        waiting = await place.row(answer.delivery.delivery_id)
        names.away = False
        end = await place.until_status(answer.delivery.delivery_id, "sent")
    LEDGER.outages += 1
    assert waiting["status"] in ("pending", "in_progress")
    assert (waiting["error_class"], waiting["error_retryable"]) == ("target_unavailable", True)
    assert "cannot be reached" in waiting["error_message"]
    assert end["attempts_used"] == 1
    assert len(sent(place, channel)) == 1


async def test_an_outage_of_one_channel_leaves_places_for_the_other(place: Place) -> None:
    async with Line(provider_port(place, "telegram")) as line:
        await line.cut()
        text = behind(place, "telegram", line).replace(
            "answer_wait_s = 0.0", "answer_wait_s = 0.0\nmax_in_flight = 5"
        )
        async with place.messenger(text=text) as messenger:
            first = await messenger.notify(notify("0", idempotency_key="0"))
            await tried(place, 1)
            rest = [
                await messenger.execute(envelope(notify(str(n), idempotency_key=str(n)))) for n in range(1, 6)
            ]
            mail = await messenger.notify(notify("by mail", channel="email", idempotency_key="mail"))
            assert mail.delivery is not None
            await place.until_status(mail.delivery.delivery_id, "sent")
            await line.mend()
            assert first.delivery is not None
            await place.until_status(first.delivery.delivery_id, "sent")
    LEDGER.outages += 1
    assert [answer.status for answer in rest] == ["ok"] * 3 + ["error"] * 2
    for refused in rest[3:]:
        assert refused.error is not None
        assert refused.error.error_class.value == "target_unavailable"
        assert refused.error.retryable
        assert refused.error.retry_after_s


@pytest.mark.parametrize(
    "status",
    [500, pytest.param(502, marks=pytest.mark.faults_full), pytest.param(504, marks=pytest.mark.faults_full)],
)
async def test_a_5xx_after_the_message_was_taken_is_one_visible_send_and_uncertain(
    place: Place, status: int
) -> None:
    place.telegram.script(Fault("sendMessage", "status", status=status, applied=True))
    async with place.messenger() as messenger:
        wish = notify("12 euro", idempotency_key="x")
        answer = await messenger.notify(wish)
        assert answer.delivery is not None
        end = await place.until_status(answer.delivery.delivery_id, "uncertain")
        again = await messenger.notify(wish)
        following = await messenger.notify(notify("the next", idempotency_key="y"))
        assert following.delivery is not None
        await place.until_status(following.delivery.delivery_id, "sent")
    LEDGER.uncertain += 1
    assert again.delivery is not None
    assert (again.delivery.delivery_id, again.delivery.state) == (answer.delivery.delivery_id, "uncertain")
    assert sent(place, "telegram") == ["[finance] 12 euro", "[finance] the next"]
    assert str(status) in end["error_message"]


async def test_a_5xx_is_tried_again_only_where_the_household_chose_at_least_once(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", status=503))
    chosen = {"channels": {"telegram": {"atLeastOnce": ["send"]}}}
    async with place.messenger(spec={"delivery": chosen}) as messenger:
        answer = await messenger.notify(notify("12 euro", recipient=str(ADA), idempotency_key="x"))
        assert answer.delivery is not None
        end = await place.until_status(answer.delivery.delivery_id, "sent")
    assert end["attempts_used"] == 2
    assert sent(place, "telegram") == ["[finance] 12 euro"]


async def test_a_line_that_goes_silent_in_a_call_is_uncertain_though_the_message_arrives_later(
    place: Place,
) -> None:
    async with Line(provider_port(place, "telegram")) as line:
        text = behind(place, "telegram", line).replace(
            "[delivery.channels.telegram]", "[delivery.channels.telegram]\ntimeout_s = 1.0"
        )
        async with place.messenger(text=text) as messenger:
            warm = await messenger.notify(notify("before", idempotency_key="a"))
            assert warm.delivery is not None
            await place.until_status(warm.delivery.delivery_id, "sent")
            line.hold()
            answer = await messenger.notify(notify("12 euro", idempotency_key="b"))
            assert answer.delivery is not None
            await place.until_status(answer.delivery.delivery_id, "uncertain")
            await line.mend()
            following = await messenger.notify(notify("after", idempotency_key="c"))
            assert following.delivery is not None
            await place.until_status(following.delivery.delivery_id, "sent")
    LEDGER.outages += 1
    LEDGER.uncertain += 1
    told = sent(place, "telegram")
    assert [told.count(f"[finance] {text}") for text in ("before", "12 euro", "after")] in (
        [1, 1, 1],
        [1, 0, 1],
    )


async def test_a_mail_server_that_breaks_off_before_the_content_uses_attempts_and_keeps_the_dead_letter(
    place: Place,
) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=10))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro", channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        end = await place.until_status(answer.delivery.delivery_id, "dead_lettered")
    assert end["attempts_used"] == 3
    assert place.smtp.accepted == []
    [letter] = await place.rows("SELECT * FROM delivery_dead_letter")
    assert letter["replay_eligible"]
