"""What a model answers as it is read: on Telegram with what stands out, by mail as a plain text (MSG-6.3, ADR 0102)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.chats import Chats
from tests.support.household import RunningPlace, place, until
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.telegram_api import message_update, person

ADA = person(1001, "Ada")
WORDS = "the kitchen lamp *blinks* at 2*3*4 and snake_case"
TELL_BEN = f"Tell Ben {WORDS}"
WHICH = "Which lamps are on?"
ON = "**2 lamps** are on:\n\n* kitchen, see [its page](https://example.org/lamp_1)\n* `hall_2`, 2*3*4 W"
ON_PLAIN = "2 lamps are on:\n\n• kitchen, see its page (https://example.org/lamp_1)\n• hall_2, 2*3*4 W"
ALL = "Describe all our lamps to me"
BULBS = "💡" * 40
"""Two units each: what a model may answer is then longer than one message."""
LAMPS = [f"- **{BULBS} {n}** [see](https://example.org/{n}_)" for n in range(49)]


def thinks(asked: Asked) -> Answer:
    if asked.payload == TELL_BEN:
        told = Call.of("notify", person="Ben", quote=WORDS)
        return Answer(calls=(told, Call.of("answer", text="**Done**, I _tell_ him.")))
    if asked.payload == ALL:
        return Answer(calls=(Call.of("answer", text="\n".join(LAMPS)),))
    return Answer(calls=(Call.of("answer", text=ON),))


def write_general(manifests: Path, model: ModelServer) -> None:
    """What nobody else is asked goes to this model."""
    file = manifests / "butlers.yaml"
    documents = [one for one in yaml.safe_load_all(file.read_text("utf-8")) if one]
    [general] = [one for one in documents if one["metadata"]["name"] == "general"]
    general["spec"]["runtime"] = {
        "family": "api",
        "provider": "openai",
        "baseUrl": model.base_url("openai"),
        "model": "stub",
    }
    file.write_text(yaml.safe_dump_all(documents, allow_unicode=True), encoding="utf-8")


def shown(sent: dict[str, Any]) -> list[tuple[str, str]]:
    """What stands out in a message, and how."""
    wire = str(sent["text"]).encode("utf-16-le")
    return [
        (one["type"], wire[2 * one["offset"] : 2 * (one["offset"] + one["length"])].decode("utf-16-le"))
        for one in sent.get("entities", ())
    ]


@pytest.mark.spec("MSG-6.3")
async def test_a_models_answer_stands_out_on_telegram_reads_well_by_mail_and_words_of_people_stay_theirs(
    tmp_path: Path,
) -> None:
    async with ModelServer(thinks) as model, place(tmp_path / "household") as made:
        write_general(made.manifests, model)
        async with made.up() as up:
            await up.back({})
            chats = Chats(up.providers.telegram)
            await with_words_of_a_person(up, chats)
            await in_parts(up, chats)
            await by_mail(up)


async def with_words_of_a_person(up: RunningPlace, chats: Chats) -> None:
    up.providers.telegram.inject(message_update(ADA, text=TELL_BEN))
    to_ben, to_ada = await chats.next(), await chats.next()
    assert (to_ben["chat_id"], to_ben["text"]) == (1002, f"[general] Ada Example lets you know: “{WORDS}”")
    assert "entities" not in to_ben
    assert to_ada["text"].startswith(f"[general] Done, I tell him.\n\nTold Ben Example: “{WORDS}”")
    assert shown(to_ada) == [("bold", "Done"), ("italic", "tell")]


async def in_parts(up: RunningPlace, chats: Chats) -> None:
    """The double refuses a text that is too long, and entities that it could not show."""
    up.providers.telegram.inject(message_update(ADA, text=ALL))
    first = await chats.next()
    count = int(str(first["text"]).partition("/")[2].partition(")")[0])
    parts = [first, *[await chats.next() for _ in range(count - 1)]]
    texts = [str(part["text"]).partition(") ")[2] for part in parts]
    assert "\n".join(texts).split("\n") == [f"- {BULBS} {n} see" for n in range(49)]
    for part in parts:
        found = shown(part)
        assert {kind for kind, _ in found} == {"bold", "text_link"}
        assert all(text.startswith(BULBS) or text == "see" for _, text in found)


async def by_mail(up: RunningPlace) -> None:
    mail = EmailMessage()
    mail["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
    mail["From"], mail["To"], mail["Subject"] = "Ada <ada@example.org>", "household@example.org", "Lamps"
    mail["Message-ID"], mail["Date"] = "<lamps@mail.example.org>", format_datetime(datetime.now(UTC))
    mail.set_content(WHICH)
    await up.providers.imap.deliver(mail.as_bytes())

    async def answered() -> bool:
        return bool(up.providers.smtp.accepted)

    await until(answered, what="the mail that answers")
    answer = up.providers.smtp.accepted[0].message()
    assert answer.get_content_type() == "text/plain"
    assert answer.get_content().strip().replace("\r\n", "\n") == ON_PLAIN
