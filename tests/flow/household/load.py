"""A busy household: thirty-six messages in seven conversations over Telegram, mail and HTTP, and their end.

`Load.send` hands all of them to their channels at once, in order within each conversation; `settled` waits for the
end of every request; `check` holds the providers' own records against what was sent: each answered exactly once, in
order, kept once. Loads on one household keep to conversations of their own, so that several may be under way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

from butler_contracts.ingest import SourceChannel
from tests.support.absences import Failure, losses_of
from tests.support.household import RunningPlace, until
from tests.support.telegram_api import message_update, person

__all__ = ["End", "Findings", "Handed", "Load", "Shape"]

ADA, BEN = person(1001, "Ada"), person(1002, "Ben")
PEOPLE = {"ada": ADA, "ben": BEN}
BUTLERS = ("general", "relationship", "health", "finance", "travel")
RETRY_POST_S = 0.2
LOOKED_AT = 4
"""Open messages that one look asks for: asking for all of them would be the larger load."""


@dataclass(frozen=True)
class Shape:
    """How large a load is. Chats and mail threads are named for who writes there: `ada`, `ben` or `ada.2`."""

    chats: tuple[str, ...] = ("ada", "ben")
    per_chat: int = 8
    mail_threads: tuple[str, ...] = ("ada", "ben")
    per_mail_thread: int = 4
    post_threads: tuple[str, ...] = ("rent", "school", "garden")
    per_post_thread: int = 4

    @property
    def messages(self) -> int:
        return (
            len(self.chats) * self.per_chat
            + len(self.mail_threads) * self.per_mail_thread
            + len(self.post_threads) * self.per_post_thread
        )


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
    def butlers(self) -> tuple[str, ...]:
        """Who worked on it: order is kept per thread and target (D11)."""
        return tuple(sorted({part["target"] for part in self.request["subroutes"]}))

    @property
    def failure(self) -> Failure:
        """How it did not end well."""
        failed = {part["target"] for part in self.request["subroutes"] if part["state"] == "error"}
        error, ended_at = self.request["error"] or {}, datetime.fromisoformat(self.request["final_state_at"])
        in_chat = self.handed.channel is SourceChannel.TELEGRAM
        return Failure(str(self.handed), in_chat, error.get("error_class"), tuple(sorted(failed)), ended_at)

    @property
    def uncertain(self) -> bool:
        return any(delivery["status"] == "uncertain" for delivery in self.deliveries)


@dataclass
class Findings:
    """What differs from each message once, answered once, in order. What is uncertain was sent at most once."""

    doubles: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    disorder: list[str] = field(default_factory=list)
    uncertain: int = 0

    @property
    def problems(self) -> list[str]:
        return [*self.doubles, *self.losses, *self.disorder]


def writer(name: str) -> str:
    """Who writes in a conversation of that name."""
    return name.partition(".")[0]


def number_of(message_id: str) -> int:
    """The number of a mail within its conversation, from its Message-ID."""
    return int(message_id.partition("@")[0].rpartition("-")[2])


def text_of(thread: str, number: int) -> str:
    return f"Paid {number}.50 EUR for {thread} number {number}"


class Load:
    """One load; `number` tells it from the others on the same household."""

    def __init__(self, running: RunningPlace, *, number: int, shape: Shape | None = None) -> None:
        self.running = running
        self.shape = shape or Shape()
        self._run = f"load-{number}"
        self._chats = {name: -(1000 * number + nth) for nth, name in enumerate(self.shape.chats, start=1)}
        self.handed: list[Handed] = []
        self._posting: asyncio.Task[None] | None = None

    async def send(self) -> None:
        """Telegram and mail at once; posts go on in the background, each repeated until it is taken."""
        self._posting = asyncio.create_task(self._post_all())
        for number in range(1, self.shape.per_chat + 1):
            for name in self.shape.chats:
                self._tell_bot(name, number)
        for number in range(1, self.shape.per_mail_thread + 1):
            for name in self.shape.mail_threads:
                await self._mail(name, number)

    def abandon(self) -> None:
        """Post nothing more: its household is going away."""
        if self._posting is not None:
            self._posting.cancel()

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
            open_ones = 0
            for index, handed in enumerate(waiting):
                if index not in ended:
                    end = await self._end_of(handed)
                    if end is not None:
                        ended[index] = end
                    elif (open_ones := open_ones + 1) >= LOOKED_AT:
                        return False
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
        update = message_update(PEOPLE[writer(name)], chat=chat, text=text_of(f"{name}'s groceries", number))
        injected = self.running.providers.telegram.inject(update)
        key = f"event:telegram:telegram:telegram:bot:household:{injected['update_id']}"
        answer_to = str(injected["message"]["message_id"])
        self.handed.append(Handed(SourceChannel.TELEGRAM, name, number, answer_to, key))

    async def _mail(self, name: str, number: int) -> None:
        first, own = (f"<{self._run}-{name}-{nth}@mail.example.org>" for nth in (1, number))
        mail = EmailMessage()
        mail["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
        mail["From"], mail["To"] = f"{writer(name)}@example.org", "household@example.org"
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
            for thread in self.shape.post_threads:
                posts.create_task(self._post_thread(thread))

    async def _post_thread(self, thread: str) -> None:
        for number in range(1, self.shape.per_post_thread + 1):
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
        assert len(ends) == self.shape.messages
        found = await self.findings(ends)
        assert not found.problems, found.problems

    async def findings(self, ends: list[End]) -> Findings:
        """Hold what the providers and the database have seen against what was sent."""
        found = Findings(uncertain=sum(end.uncertain for end in ends))
        failures = [end.failure for end in ends if end.request["lifecycle_state"] != "parsed"]
        found.losses += losses_of(failures)
        self._look_at_chats(ends, found)
        self._look_at_mails(ends, found)
        self._look_at_posts(ends, found)
        await self._look_at_database(ends, found)
        return found

    def _look_at_chats(self, ends: list[End], found: Findings) -> None:
        told = self.running.providers.telegram.sent
        for name, chat in self._chats.items():
            answered = [str(one["reply_to_message_id"]) for one in told if one["chat_id"] == chat]
            mine = _of(ends, SourceChannel.TELEGRAM, name)
            _compare(f"the chat of {name}", mine, answered, key=int, found=found)

    def _look_at_mails(self, ends: list[End], found: Findings) -> None:
        told = [str(mail.message()["In-Reply-To"]) for mail in self.running.providers.smtp.accepted]
        for name in self.shape.mail_threads:
            answered = [own for own in told if own.startswith(f"<{self._run}-{name}-")]
            mine = _of(ends, SourceChannel.EMAIL, name)
            _compare(f"the mails of {name}", mine, answered, key=number_of, found=found)

    def _look_at_posts(self, ends: list[End], found: Findings) -> None:
        for end in ends:
            if end.handed.channel is SourceChannel.API:
                said = (end.request["aggregated_reply"] or {}).get("text") or ""
                if f"{end.handed.number}.50" not in said:
                    found.losses.append(f"{end.handed} was answered with '{said}'")
                if end.deliveries:
                    found.doubles.append(f"{end.handed} was also told by {end.deliveries}")

    async def _look_at_database(self, ends: list[End], found: Findings) -> None:
        """One request an event, one record a request, whichever butler kept it."""
        requests = Counter(str(end.request["request_id"]) for end in ends)
        found.doubles += [
            f"{count} messages are request {name}" for name, count in requests.items() if count > 1
        ]
        twice = "SELECT dedupe_key FROM switchboard.message_inbox GROUP BY dedupe_key HAVING count(*) > 1"
        found.doubles += [f"two requests of {row['dedupe_key']}" for row in await self.running.rows(twice)]
        union = " UNION ALL ".join(f"SELECT request_id FROM {butler}.records" for butler in BUTLERS)
        kept = Counter(str(row["request_id"]) for row in await self.running.rows(union))
        found.losses += [f"no record of request {name}" for name in requests if not kept[name]]
        found.doubles += [f"{kept[name]} records of request {name}" for name in requests if kept[name] > 1]


def _of(ends: list[End], channel: SourceChannel, thread: str) -> list[End]:
    return [end for end in ends if (end.handed.channel, end.handed.thread) == (channel, thread)]


def _compare(
    where: str, ends: list[End], answered: list[str], *, key: Callable[[str], int], found: Findings
) -> None:
    """Each certain answer is there, none twice, none of nobody, all in order."""
    seen = Counter(answered)
    found.doubles += [
        f"{where}: {one} was answered {count} times" for one, count in seen.items() if count > 1
    ]
    mine = {end.handed.answer_to: end for end in ends}
    found.losses += [
        f"{where}: {end.handed} was not answered"
        for name, end in mine.items()
        if not seen[name] and not end.uncertain
    ]
    found.doubles += [f"{where}: {one} was answered, but never asked" for one in seen if one not in mine]
    for butlers in {end.butlers for end in ends}:
        order = [one for one in answered if one in mine and mine[one].butlers == butlers]
        if order != sorted(order, key=key):
            found.disorder.append(f"{where} was answered out of order by {butlers}: {order}")
