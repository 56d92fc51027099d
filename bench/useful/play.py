"""Plays a set's conversations to its household, one after another, and judges each message.

Run as `python -m bench.useful.play SET ROOT [ONLY]`, or with `week ROOT SITTING`, by the bench, which sets this
process's clock; prints one JSON line per message.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from bench.useful import shift
from bench.useful.conversations import Conversation, Message, Person, Stranger
from bench.useful.envelopes import mail_of, of_mail, of_post, of_update, update_of
from bench.useful.facts import Fact, Moment, fact_of
from bench.useful.home import Ended, Place, running_home
from bench.useful.loading import EXAMPLES, Home, load_set
from bench.useful.results import Result
from bench.useful.sittings import WEEK, Ring, Sitting, load_week, sitting_home
from bench.useful.verdict import Heard, judge
from butler_kit.time import new_uuid7

__all__ = ["main"]

_RINGS_WITHIN_S: Final = 60.0

Rows = Mapping[str, list[dict[str, Any]]]
"""By table, as JSON."""


@dataclass
class _Said:
    """An earlier message of the conversation: its Telegram or mail id, and those of its answers."""

    own: Any
    answers: tuple[str, ...]


@dataclass
class _Talk:
    """One conversation with a household that has forgotten all others."""

    home: Home
    place: Place
    theme: str
    conversation: Conversation
    number: int
    said: list[_Said] = field(default_factory=list)
    refused: bool = False

    async def results(self) -> list[Result]:
        return [await self._result(message) for message in self.conversation.messages]

    async def _result(self, message: Message) -> Result:
        via = message.via or self.conversation.via
        ways = {"telegram": self._by_telegram, "mail": self._by_mail, "api": self._by_api}
        before = await self.place.facts()
        moment = Moment(self.place.clock.now(), self.home.zone)
        own, ended = await ways[via](message, moment)
        self.said.append(_Said(own, ended.answer_ids))
        after = await self.place.facts()
        return self._judged(message, ended, _fresh(before, after), after, moment)

    def _judged(self, message: Message, ended: Ended, fresh: Rows, known: Rows, moment: Moment) -> Result:
        language = message.language or self.conversation.language
        heard = Heard(ended.answers, ended.owner_told, self._facts(fresh), self._facts(known), moment)
        verdict = judge(message, heard, language=language, refused_before=self.refused)
        self.refused = self.refused or verdict.kind == "honest"
        return Result(
            home=self.home.name,
            theme=self.theme,
            conversation=self.conversation.id,
            number=len(self.said),
            language=language,
            via=message.via or self.conversation.via,
            said=_shown(message),
            answers=ended.answers,
            owner_told=ended.owner_told,
            butlers=ended.butlers,
            fresh=tuple(_line(table, row) for table, rows in fresh.items() for row in rows),
            verdict=verdict.kind,
            reasons=verdict.reasons,
            own_language=verdict.own_language,
            seconds=round(ended.seconds, 3),
        )

    async def _by_telegram(self, message: Message, moment: Moment) -> tuple[Any, Ended]:
        update = update_of(message, self._member(message), said=moment.at)
        (content,) = update.values()
        if message.edit is not None:
            content |= {"message_id": self.said[message.edit - 1].own, "edit_date": content["date"]}
        if message.reply_to is not None:
            answered = self.said[message.reply_to - 1].answers
            target = int(answered[0].partition(":")[2]) if answered else self.said[message.reply_to - 1].own
            content["reply_to_message"] = {
                "message_id": target, "date": content["date"], "chat": content["chat"]
            }  # fmt: skip
        given = self.place.providers.telegram.inject(update)
        ended = await self.place.say(of_update(given, now=moment.at), via="telegram")
        return content_of(given)["message_id"], ended

    async def _by_mail(self, message: Message, moment: Moment) -> tuple[Any, Ended]:
        own = f"<{self.theme.replace(' ', '-')}.{self.number}.{len(self.said)}@mail.example.org>"
        answers = next((one.answers for one in reversed(self.said) if one.answers), ())
        sender = self._mail_sender(message)
        mail = mail_of(
            message,
            self.conversation,
            sender=sender,
            ids=(own, answers[0] if answers and (message.subject or "").startswith("Re:") else None),
            said=moment.at,
        )
        uid = self.number * 100 + len(self.said) + 1
        return own, await self.place.say(of_mail(mail, uid=uid, now=moment.at), via="mail")

    async def _by_api(self, message: Message, moment: Moment) -> tuple[Any, Ended]:
        post_id: UUID = new_uuid7(moment.at)
        by = message.by or self.conversation.by
        sender = by.name if isinstance(by, Stranger) else by
        envelope = of_post(
            message, sender=sender, thread=self.conversation.id, post_id=post_id, now=moment.at
        )
        return str(post_id), await self.place.say(envelope, via="api")

    def _member(self, message: Message) -> Person | Stranger:
        by = message.by or self.conversation.by
        return by if isinstance(by, Stranger) else self.home.people[by]

    def _mail_sender(self, message: Message) -> tuple[str, str]:
        by = message.by or self.conversation.by
        if isinstance(by, str) and by in self.home.people:
            return self.home.people[by].name, self.home.people[by].email
        address = by if isinstance(by, str) else by.name
        return address.partition("@")[0], address

    def _facts(self, rows: Rows) -> tuple[Fact, ...]:
        return tuple(
            fact_of(table.partition(" ")[2], row, zone=self.home.zone, people=self.place.people)
            for table, found in rows.items()
            for row in found
        )


def content_of(update: Mapping[str, Any]) -> dict[str, Any]:
    """The message in an update."""
    return next(value for key, value in update.items() if key != "update_id")


def _fresh(before: Rows, after: Rows) -> dict[str, list[dict[str, Any]]]:
    """The rows that are new or changed."""
    return {table: [row for row in rows if row not in before.get(table, [])] for table, rows in after.items()}


_UNTOLD = frozenset(
    {
        "record_id", "seq", "request_id", "segment_id", "ordinal", "subrequest_id", "source_channel", "sender",
        "sender_class", "recorded_at", "text",
    }
)  # fmt: skip


def _line(table: str, row: Mapping[str, Any]) -> str:
    """Return a row for a person who investigates."""
    told = {key: value for key, value in row.items() if key not in _UNTOLD and value not in (None, {}, [])}
    return f"{table}: {json.dumps(told, ensure_ascii=False, default=str)}"


def _shown(message: Message) -> str:
    media = [
        name
        for name in ("photo", "voice", "document", "location", "contact", "sticker")
        if getattr(message, name)
    ]
    marks = [*(f"[{name}]" for name in media), *(["[edit]"] if message.edit is not None else [])]
    subject = [f"Subject: {message.subject} /"] if message.subject is not None else []
    return " ".join([*marks, *subject, message.say])


async def _play(home: Home, root: Path, only: str) -> None:
    async with running_home(home, root) as place:
        for number, (theme, conversation) in enumerate(home.conversations, 1):
            if only and only not in f"{theme}/{conversation.id}":
                continue
            await place.forget()
            for result in await _Talk(home, place, theme, conversation, number).results():
                _print(result)


async def _sit(sitting: Sitting, number: int, root: Path) -> None:
    """Run one sitting of the week's household: what rings, then what is said."""
    home = sitting_home(sitting)
    async with running_home(home, root) as place:
        for position, ring in enumerate(sitting.rings, 1):
            chat = home.people[ring.to].telegram
            told = await place.told(chat, ring.says, within_s=_RINGS_WITHIN_S)
            _print(_rung(sitting, position, ring, told))
        for result in await _Talk(home, place, sitting.id, sitting, number).results():
            _print(result)


def _rung(sitting: Sitting, position: int, ring: Ring, told: str | None) -> Result:
    return Result(
        home=WEEK.name,
        theme=sitting.id,
        conversation="rings",
        number=position,
        language=sitting.language,
        via="telegram",
        said=f"(rings for {ring.to}: {ring.says})",
        answers=(told,) if told else (),
        owner_told=(),
        butlers=(),
        fresh=(),
        verdict="useful" if told else "silent_loss",
        reasons=() if told else (f"nothing with {ring.says!r} came",),
        own_language=None,
        seconds=0.0,
    )


def _print(result: Result) -> None:
    print(json.dumps(asdict(result), ensure_ascii=False), flush=True)


def main() -> None:
    """Play one set, or one sitting of the week."""
    name, root, *more = sys.argv[1:]
    if not shift.AHEAD:
        raise SystemExit("the bench starts this, and says by how much its clock is off")
    if name == WEEK.name:
        number = int(more[0])
        asyncio.run(_sit(load_week()[number - 1], number, Path(root)))
    else:
        asyncio.run(_play(load_set(EXAMPLES / name), Path(root), "".join(more)))


if __name__ == "__main__":
    main()
