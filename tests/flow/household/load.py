"""A busy household: thirty-six messages in seven conversations over Telegram, mail and HTTP, and their end.

`Load.send` hands all of them to their channels at once, in order within each conversation; `settled` waits for the
end of every request; `check` holds the providers' own records against what was sent: each answered exactly once, in
order, kept once. Loads on one household keep to conversations of their own, so that several may be under way.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

from butler_contracts.ingest import SourceChannel
from tests.support.household import RunningPlace, until
from tests.support.telegram_api import message_update, person

__all__ = ["End", "Load"]

ADA, BEN = person(1001, "Ada"), person(1002, "Ben")
PEOPLE = {"ada": ADA, "ben": BEN}
CHATS = ("ada", "ben")
MAIL_THREADS = ("ada", "ben")
POST_THREADS = ("rent", "school", "garden")
PER_CHAT, PER_MAIL_THREAD, PER_POST_THREAD = 8, 4, 4
RETRY_POST_S = 0.2


@dataclass(frozen=True)
class Handed:
    """One message that its channel has taken. `number` counts within the conversation; `answer_to` is the provider's
    own name of it: Telegram's message id, the mail's Message-ID, the request id of a post."""

    channel: SourceChannel
    thread: str
    number: int
    answer_to: str
    dedupe_key: str | None


@dataclass(frozen=True)
class End:
    """A message with its request and the deliveries that came of it, reactions left out."""

    handed: Handed
    request: dict[str, Any]
    deliveries: list[dict[str, Any]]

    @property
    def uncertain(self) -> bool:
        return any(delivery["status"] == "uncertain" for delivery in self.deliveries)


def text_of(thread: str, number: int) -> str:
    return f"Paid {number}.50 EUR for {thread} number {number}"


class Load:
    """One load; `number` tells it from the others on the same household."""

    def __init__(self, running: RunningPlace, *, number: int) -> None:
        self.running = running
        self._run = f"load-{number}"
        self._chats = {name: -(1000 * number + nth) for nth, name in enumerate(CHATS, start=1)}
        self.handed: list[Handed] = []
        self._posting: asyncio.Task[None] | None = None

    async def send(self) -> None:
        """Telegram and mail at once; posts go on in the background, each repeated until it is taken."""
        self._posting = asyncio.create_task(self._post_all())
        for number in range(1, PER_CHAT + 1):
            for name in CHATS:
                self._tell_bot(name, number)
        for number in range(1, PER_MAIL_THREAD + 1):
            for name in MAIL_THREADS:
                await self._mail(name, number)

    async def answers_begin(self, count: int = 3) -> None:
        """Wait until some of the answers have reached Telegram: the rest is under way."""
        chats = set(self._chats.values())
        await self.running.providers.telegram.until(
            lambda api: sum(one["chat_id"] in chats for one in api.sent) >= count, timeout_s=60
        )

    async def settled(self, *, deadline_s: float = 100.0) -> list[End]:
        """Wait until every post was taken, every request has ended and every delivery is settled."""
        async with asyncio.timeout(deadline_s):
            if self._posting is not None:
                await self._posting
        waiting = list(self.handed)
        ended: dict[int, End] = {}

        async def look() -> bool:
            for index, handed in enumerate(waiting):
                if index not in ended:
                    end = await self._end_of(handed)
                    if end is not None:
                        ended[index] = end
            return len(ended) == len(waiting)

        await until(look, what="every message has come to its end", deadline_s=deadline_s)
        return [ended[index] for index in range(len(waiting))]

    async def _end_of(self, handed: Handed) -> End | None:
        request_id = handed.answer_to if handed.dedupe_key is None else await self._find(handed.dedupe_key)
        if request_id is None:
            return None
        view = await self.running.ask("switchboard", f"requests/{request_id}")
        if view is None or view["final_state_at"] is None or view["work"] is not None:
            return None
        found = await self.running.ask("messenger", "deliveries", request_id=request_id, limit="100")
        if found is None or any(item["status"] in ("pending", "in_progress") for item in found["deliveries"]):
            return None
        told = [item for item in found["deliveries"] if item["intent"] != "react"]
        return End(handed, view, told)

    async def _find(self, dedupe_key: str) -> str | None:
        found = await self.running.ask("switchboard", "requests", dedupe_key=dedupe_key)
        return str(found["requests"][0]["request_id"]) if found and found["requests"] else None

    def _tell_bot(self, name: str, number: int) -> None:
        chat = {"id": self._chats[name], "type": "group", "title": f"{self._run} of {name}"}
        update = message_update(PEOPLE[name], chat=chat, text=text_of(f"{name}'s groceries", number))
        injected = self.running.providers.telegram.inject(update)
        key = f"event:telegram:telegram:telegram:bot:household:{injected['update_id']}"
        answer_to = str(injected["message"]["message_id"])
        self.handed.append(Handed(SourceChannel.TELEGRAM, name, number, answer_to, key))

    async def _mail(self, name: str, number: int) -> None:
        first, own = (f"<{self._run}-{name}-{nth}@mail.example.org>" for nth in (1, number))
        mail = EmailMessage()
        mail["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
        mail["From"], mail["To"] = f"{name}@example.org", "household@example.org"
        mail["Subject"], mail["Message-ID"] = "Bills", own
        mail["Date"] = format_datetime(datetime.now(UTC))
        if number > 1:
            mail["In-Reply-To"], mail["References"] = first, first
        mail.set_content(text_of(f"{name}'s bills", number))
        await self.running.providers.imap.deliver(mail.as_bytes())
        key = f"event:email:imap:imap:household@example.org:{own}"
        self.handed.append(Handed(SourceChannel.EMAIL, name, number, own, key))

    async def _post_all(self) -> None:
        async with asyncio.TaskGroup() as posts:
            for thread in POST_THREADS:
                posts.create_task(self._post_thread(thread))

    async def _post_thread(self, thread: str) -> None:
        for number in range(1, PER_POST_THREAD + 1):
            body = {"text": text_of(thread, number), "sender": "ada", "thread": f"{self._run}-{thread}"}
            request_id = await self._post(f"{self._run}-{thread}-{number}", body)
            self.handed.append(Handed(SourceChannel.API, thread, number, request_id, None))

    async def _post(self, key: str, body: dict[str, Any]) -> str:
        while True:
            answer = await self.running.post(key, body)
            if answer is not None and answer.status_code == 202:
                return str(answer.json()["request_id"])
            assert answer is None or answer.status_code == 503, answer.text
            await asyncio.sleep(RETRY_POST_S)

    async def check(self, ends: list[End]) -> None:
        """Everything was answered exactly once, in order, and kept once; what is uncertain was sent at most once."""
        assert (
            len(ends)
            == len(CHATS) * PER_CHAT
            + len(MAIL_THREADS) * PER_MAIL_THREAD
            + len(POST_THREADS) * PER_POST_THREAD
        )
        not_parsed = {
            end.handed: end.request["error"] for end in ends if end.request["lifecycle_state"] != "parsed"
        }
        assert not not_parsed
        requests = {end.request["request_id"] for end in ends}
        assert len(requests) == len(ends)
        self._check_chats(ends)
        self._check_mails(ends)
        self._check_posts(ends)
        await self._check_records(requests)

    def _check_chats(self, ends: list[End]) -> None:
        told = self.running.providers.telegram.sent
        for name, chat in self._chats.items():
            answered = [one["reply_to_message_id"] for one in told if one["chat_id"] == chat]
            mine = [
                end
                for end in ends
                if (end.handed.channel, end.handed.thread) == (SourceChannel.TELEGRAM, name)
            ]
            certain = {int(end.handed.answer_to) for end in mine if not end.uncertain}
            assert len(answered) == len(set(answered)), f"{name} was answered twice: {answered}"
            assert certain <= set(answered) <= {int(end.handed.answer_to) for end in mine}
            assert answered == sorted(answered), f"{name} was answered out of order: {answered}"

    def _check_mails(self, ends: list[End]) -> None:
        told = [str(mail.message()["In-Reply-To"]) for mail in self.running.providers.smtp.accepted]
        answered = [answer_to for answer_to in told if answer_to.startswith(f"<{self._run}-")]
        assert len(answered) == len(set(answered)), f"a mail was answered twice: {answered}"
        mine = [end for end in ends if end.handed.channel is SourceChannel.EMAIL]
        certain = {end.handed.answer_to for end in mine if not end.uncertain}
        assert certain <= set(answered) <= {end.handed.answer_to for end in mine}
        for name in MAIL_THREADS:
            order = [own for own in answered if f"-{name}-" in own]
            assert order == sorted(order), f"{name}'s mails were answered out of order: {order}"

    def _check_posts(self, ends: list[End]) -> None:
        for end in ends:
            if end.handed.channel is SourceChannel.API:
                said = end.request["aggregated_reply"]["text"]
                assert f"{end.handed.number}.50" in said, said
                assert not end.deliveries

    async def _check_records(self, requests: set[str]) -> None:
        """One record a message, whichever butler kept it."""
        butlers = ("general", "relationship", "health", "finance", "travel")
        union = " UNION ALL ".join(f"SELECT request_id FROM {butler}.records" for butler in butlers)
        kept = [str(row["request_id"]) for row in await self.running.rows(union)]
        mine = sorted(request for request in kept if request in requests)
        assert mine == sorted(requests)
