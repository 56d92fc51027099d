"""What the owner is told besides answers: of uncertain deliveries once, of strangers within bounds (D64, D22)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.actions import RemedyPressed, pressed_of, remedy_of
from butler_messenger import wiring
from tests.integration.messenger.household import ADA, BEN, Client, Place, envelope, notify, request_context
from tests.integration.messenger.test_approval_buttons import press_id
from tests.support.telegram_api import Fault


@pytest.fixture(autouse=True)
def looking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked for every five seconds is looked for at once."""
    monkeypatch.setattr(wiring, "_OWNER_EVERY_S", 0.1)


BOUNDS = "strangers_at_once = 2\nstrangers_window_s = 600.0"


def texts(place: Place, chat: int = ADA) -> list[str]:
    return [sent["text"] for sent in place.telegram.sent if sent["chat_id"] == chat]


async def until_texts(place: Place, count: int, chat: int = ADA) -> list[str]:
    async with asyncio.timeout(90):
        while len(texts(place, chat)) < count:
            await asyncio.sleep(0.05)
    return texts(place, chat)


async def window_is_over(place: Place) -> None:
    assert await place.rows(
        "UPDATE owner_window SET opened_at = opened_at - interval '601 s' WHERE collected > 0 RETURNING 1"
    )


def from_stranger(number: int, **changes: Any) -> dict[str, Any]:
    """What a specialist has to tell the owner of a stranger's message."""
    stranger = request_context(
        source_sender_identity=str(9000 + number),
        source_thread_identity=str(9000 + number),
        reply_policy="owner",
        sender_class="other",
    )
    return notify(f"Stranger {number} writes about an offer.", context=stranger, **changes)


async def lost(place: Place, messenger: Client, *, recipient: int = BEN, key: str = "x") -> str:
    """A delivery whose end nobody knows."""
    place.telegram.script(Fault("sendMessage", "status", count=1, status=502, chat_id=str(recipient)))
    answer = await messenger.notify(notify(recipient=str(recipient), idempotency_key=key))
    assert answer.delivery is not None
    await place.until_status(answer.delivery.delivery_id, "uncertain")
    return answer.delivery.delivery_id


async def test_an_uncertain_answer_is_told_to_the_owner_once_with_the_command_that_sends_it_again(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        own_id = await lost(place, messenger)
        [told] = await until_texts(place, 1)
    # Neither a restart nor a second replica tells it again; what comes next does arrive.
    async with place.messenger() as messenger, place.messenger():
        await messenger.notify(notify("next", idempotency_key="next"))
        after = await until_texts(place, 2)
        token = messenger.operator()
        command = told.partition("butlers replay ")[2]
        assert command.startswith(f"{own_id} --reason ")
        assert "--resend-uncertain" in command
        async with httpx.AsyncClient(timeout=20) as http:
            again = await http.post(
                f"{messenger.base}/ops/v1/deliveries/{own_id}/replay",
                json={"reason": "it is not there", "resend_uncertain": True},
                headers={"Authorization": f"Bearer {token}"},
            )
    assert told.startswith(
        "[messenger] A message of finance to Ben on telegram may not have arrived: Telegram failed"
    )
    assert "You spent 12 euro." not in told, "an answer to one person is not shown to another"
    assert after[1:] == ["[finance] next"]
    assert again.json()["status"] == "sent"
    assert (await place.row(own_id))["owner_told_at"] is not None


async def buttons_of(place: Place) -> dict[str, RemedyPressed]:
    """What the buttons under the note to Ada stand for, by what is written on them."""
    await until_texts(place, 1)
    [note] = [sent for sent in place.telegram.sent if sent["chat_id"] == ADA]
    found: dict[str, RemedyPressed] = {}
    for button in (one for row in note["reply_markup"]["inline_keyboard"] for one in row):
        pressed = pressed_of(button["callback_data"])
        assert pressed is not None
        remedy = remedy_of(pressed.action)
        assert remedy is not None
        assert remedy.pressed == pressed
        found[button["text"]] = remedy
    return found


async def press(
    messenger: Client, remedy: RemedyPressed, *, sender: int = ADA, number: int = 1
) -> dict[str, Any]:
    """As Switchboard routes it; the same number is the same press."""
    who = {"source_sender_identity": str(sender), "source_thread_identity": str(sender)}
    data = envelope(None, context=request_context(**who, request_id=press_id(number)))
    data["input"]["context"] = {"pressed": remedy.action}
    answer = await messenger.execute(data, token=messenger.place.keys.switchboard(origin=None))
    assert answer.status == "ok"
    assert answer.result is not None
    return answer.result


async def test_the_owner_and_nobody_else_sends_it_again_by_the_button_under_the_note_once(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        await lost(place, messenger)
        buttons = await buttons_of(place)
        assert list(buttons) == ["Send it again", "It arrived"]
        again, arrived = buttons.values()
        theirs = await press(messenger, again, sender=BEN, number=1)
        assert theirs["said"] == "This was asked of somebody else; nothing was changed."
        first = await press(messenger, again, number=2)
        assert (
            await press(messenger, again, number=2)
            == first
            == {"pressed": "resend", "said": "It is sent again."}
        )
        late = await press(messenger, arrived, number=3)
        assert late["said"].startswith("Nothing was changed: ")
        assert "it was replayed by Ada" in late["said"]
        unknown = await press(messenger, RemedyPressed("resend", uuid4()), number=4)
        assert unknown["said"] == "I do not know this question any more; nothing was changed."
        texts = await until_texts(place, 4)
    assert [text for text in texts if text.endswith("It is sent again.")] == ["[messenger] It is sent again."]
    to_ben = [sent["text"] for sent in place.telegram.sent if sent["chat_id"] == BEN]
    assert to_ben.count("[finance] You spent 12 euro.") == 1
    operations = await place.rows("SELECT action, actor, state FROM operation ORDER BY created_at")
    assert [tuple(one.values()) for one in operations] == [
        ("delivery.replay", "Ada", "done"),
        ("delivery.discard", "Ada", "refused"),
    ]


async def test_what_the_owner_says_has_arrived_is_not_sent_again(place: Place) -> None:
    async with place.messenger() as messenger:
        own_id = await lost(place, messenger)
        again, arrived = (await buttons_of(place)).values()
        assert (await press(messenger, arrived))["said"] == "Noted: it arrived, and is not sent again."
        late = await press(messenger, again, number=2)
    assert "it was discarded by Ada" in late["said"]
    [letter] = await place.rows("SELECT delivery_id, discarded_by FROM delivery_dead_letter")
    assert (str(letter["delivery_id"]), letter["discarded_by"]) == (own_id, "Ada")
    assert [sent for sent in place.telegram.sent if sent["chat_id"] == BEN] == []


async def test_a_note_that_is_uncertain_itself_is_not_followed_by_another(place: Place) -> None:
    async with place.messenger() as messenger:
        place.telegram.script(Fault("sendMessage", "status", count=1, status=502, chat_id=str(ADA)))
        own_id = await lost(place, messenger)
        async with asyncio.timeout(90):
            while not await place.rows(
                "SELECT 1 FROM delivery_requests WHERE topic = 'uncertain' AND status = 'uncertain'"
            ):
                await asyncio.sleep(0.05)
        # The next sweep has seen it: what it tells of comes after.
        second = await lost(place, messenger, key="y")
        [told] = await until_texts(place, 1)
    assert second in told
    notes = await place.rows("SELECT idempotency_key FROM delivery_requests WHERE topic = 'uncertain'")
    assert {note["idempotency_key"] for note in notes} == {f"uncertain:{own_id}", f"uncertain:{second}"}


async def test_many_uncertain_answers_are_a_few_notes_and_one_list(place: Place) -> None:
    async with place.messenger("strangers_at_once = 1\nstrangers_window_s = 600.0") as messenger:
        ids = [await lost(place, messenger, key=str(number)) for number in range(4)]
        await until_texts(place, 1)
        async with asyncio.timeout(90):
            while (
                len(await place.rows("SELECT 1 FROM delivery_requests WHERE owner_told_at IS NOT NULL")) < 4
            ):
                await asyncio.sleep(0.05)
        await window_is_over(place)
        note, digest = await until_texts(place, 2)
    assert digest.startswith("[messenger] 3 more messages may not have arrived since ")
    for own_id in ids:
        assert (f"butlers replay {own_id} --reason " in note) != (
            f"butlers replay {own_id} --reason " in digest
        )


async def test_what_strangers_write_is_told_at_once_a_few_times_and_then_as_one_digest(place: Place) -> None:
    subrequests = [uuid4() for _ in range(6)]
    async with place.messenger(BOUNDS) as messenger:
        answers = [
            await messenger.notify(from_stranger(number), subrequest_id=subrequest)
            for number, subrequest in enumerate(subrequests)
        ]
        # A member is answered as ever, and a repeat is counted once.
        wish = notify("Ben's answer", intent="reply", context=_from(BEN))
        member = await messenger.notify(wish)
        row = await place.row(_id(answers[5]))
        again = await messenger.execute(
            envelope(_wish(row), context=row["notify_request"]["request_context"])
        )
        before = await until_texts(place, 2)
        await window_is_over(place)
        told = await until_texts(place, 3)
        completions = [await place.switchboard.completed(one) for one in subrequests[2:]]
    assert [_state(answer) for answer in answers] == ["sent"] * 2 + ["queued"] * 4
    assert _state(member) == "sent"
    known = again.notify_response()
    assert known is not None
    assert known.delivery is not None
    assert known.delivery.delivery_id == _id(answers[5])
    assert [text.partition("] ")[2] for text in before] == [
        f"Stranger {n} writes about an offer." for n in range(2)
    ]
    digest = told[2]
    assert digest.startswith("[messenger] 4 more messages came from outside the household since ")
    assert "They were for finance 4." in digest
    for number in range(2, 6):
        kept = await place.row(_id(answers[number]))
        assert f"Stranger {number} writes about an offer. (request {kept['request_id']})" in digest
        assert kept["status"] == "sent"
        receipts = await place.rows(
            "SELECT evidence FROM delivery_receipts WHERE delivery_id = $1", kept["delivery_id"]
        )
        assert [receipt["evidence"] for receipt in receipts] == ["digest"]
    assert {completion.status for completion in completions} == {"ok"}


async def test_what_was_collected_outlives_a_restart_and_is_in_one_digest_over_two_replicas(
    place: Place,
) -> None:
    async with place.messenger(BOUNDS) as messenger:
        for number in range(5):
            await messenger.notify(from_stranger(number))
    await window_is_over(place)
    async with place.messenger(BOUNDS) as one, place.messenger(BOUNDS):
        told = await until_texts(place, 3)
        # A window later the count begins anew.
        answer = await one.notify(from_stranger(9))
        last = await until_texts(place, 4)
    digests = await place.rows("SELECT 1 FROM delivery_requests WHERE idempotency_key LIKE 'digest:%'")
    assert len(digests) == 1
    assert "3 more messages" in told[2]
    assert _state(answer) == "sent"
    assert last[3].endswith("Stranger 9 writes about an offer.")


async def test_a_digest_that_may_be_lost_is_told_of_once_and_what_it_told_ends_like_it(place: Place) -> None:
    async with place.messenger("strangers_at_once = 1\nstrangers_window_s = 600.0") as messenger:
        await messenger.notify(from_stranger(0))
        answers = [await messenger.notify(from_stranger(number)) for number in range(1, 4)]
        place.telegram.script(Fault("sendMessage", "status", count=1, status=502, chat_id=str(ADA)))
        await window_is_over(place)
        rows = [await place.until_status(_id(answer), "uncertain") for answer in answers]
        _, told = await until_texts(place, 2)
    assert len({row["digest_id"] for row in rows}) == 1
    assert f"butlers replay {rows[0]['digest_id']} " in told
    assert not any(str(row["delivery_id"]) in told for row in rows)


async def test_admissions_of_two_replicas_share_one_count(place: Place) -> None:
    async with place.messenger(BOUNDS) as one, place.messenger(BOUNDS) as other:
        await asyncio.gather(
            *((one, other)[number % 2].notify(from_stranger(number)) for number in range(10))
        )
        await until_texts(place, 2)
    kept = await place.rows("SELECT collected_at IS NULL AS at_once FROM delivery_requests")
    assert sum(row["at_once"] for row in kept) == 2
    assert len(kept) == 10


async def test_a_chat_that_strangers_flood_pauses_alone_and_takes_what_is_collected_all_the_same(
    place: Place,
) -> None:
    """Else a flood that the provider has stopped would come back from the specialists again and again."""
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=300))
    async with place.messenger(f"{BOUNDS}\nanswer_wait_s = 0.2") as messenger:
        await messenger.notify(from_stranger(0))
        async with asyncio.timeout(90):
            while not await place.rows("SELECT 1 FROM recipient_throttle"):
                await asyncio.sleep(0.02)
        refused = await messenger.execute(envelope(from_stranger(1)))
        await place.rows("UPDATE owner_window SET told = 2 RETURNING 1")
        collected = await messenger.notify(from_stranger(2))
        member = await messenger.notify(notify("Ben's answer", intent="reply", context=_from(BEN)))
    assert refused.error is not None
    assert refused.error.retryable
    assert refused.error.message.endswith("in this chat")
    assert _state(collected) == "queued"
    assert _state(member) == "sent"


def _from(chat: int) -> dict[str, Any]:
    return request_context(
        source_sender_identity=str(chat), source_thread_identity=str(chat), source_message_identity=None
    )


def _wish(row: dict[str, Any]) -> dict[str, Any]:
    wish: dict[str, Any] = row["notify_request"]
    return wish


def _id(answer: Any) -> str:
    return str(UUID(answer.delivery.delivery_id))


def _state(answer: Any) -> str:
    return str(answer.delivery.state)


@pytest.fixture(autouse=True)
def _no_fault_is_left(place: Place) -> Any:
    yield
    place.telegram.clear_faults()
