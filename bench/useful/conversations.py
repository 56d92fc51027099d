"""Messages to a household, and the records and answers a person would accept: the models of the YAML files.

Invariant: what validates can be judged, because every message says what it expects.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic import model_validator as validated

__all__ = ["Conversation", "Household", "Message", "Person", "Stranger", "Strict", "Theme", "Wanted"]

Language = Literal["en", "de", "fr", "es"]
Channel = Literal["telegram", "mail", "api"]


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    return pattern


def _a_clock(text: object) -> object:
    if isinstance(text, int):
        raise ValueError('expected "HH:MM" in quotes, or +20min')
    return text


def _several(given: object) -> object:
    return given if isinstance(given, list | tuple) else (given,)


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_compiles)]
Patterns = Annotated[tuple[Pattern, ...], BeforeValidator(_several)]
Clock = Annotated[str, BeforeValidator(_a_clock), Field(pattern=r"^(\d\d:\d\d|\+\d{1,3}min)$")]


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Wanted(Strict):
    """One fact that has to be kept: everything given must be in one row, whatever its kind.

    A `reminder` rings, an `item` is on a list; `unlike` is a kind that would be false, such as an expense for
    something earned.
    """

    amount: Annotated[tuple[float, ...], BeforeValidator(_several)] = ()
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None = None
    day: Annotated[tuple[date, ...], BeforeValidator(_several)] = ()
    time: Clock | None = None
    number: float | None = None
    second: float | None = None
    words: Pattern | None = None
    person: str | None = None
    reminder: bool = False
    item: bool = False
    unlike: Pattern | None = None

    @validated(mode="after")
    def _says_something(self) -> Wanted:
        if self == Wanted.model_construct() or (self.reminder and self.model_fields_set == {"reminder"}):
            raise ValueError("a wanted fact says at least one of amount, day, time, number, words, person")
        return self


class Stranger(Strict):
    """Somebody not in the contacts, as Telegram names them."""

    telegram: int
    name: str


class Card(Strict):
    name: str
    phone: str


class Message(Strict):
    """A message, and what a person would accept.

    `never` is false, `unwelcome` is merely not what was asked for; `owner` is what the owner must be told about a
    stranger. With `refusal: only`, nobody can do what is asked, and the best answer says so.
    """

    say: str = ""
    by: str | Stranger | None = None
    via: Channel | None = None
    language: Language | None = None
    subject: str | None = None
    photo: bool = False
    voice: int | None = None
    document: str | None = None
    location: tuple[float, float] | None = None
    contact: Card | None = None
    sticker: str | None = None
    edit: int | None = None
    reply_to: int | None = None
    kept: tuple[Wanted, ...] = ()
    answer: Patterns = ()
    never: Patterns = ()
    unwelcome: Patterns = ()
    owner: Patterns = ()
    refusal: Literal["may", "only"] = "may"
    silent: bool = False
    note: str = ""

    @validated(mode="after")
    def _can_be_judged(self) -> Message:
        if not (self.kept or self.answer or self.owner or self.silent or self.refusal == "only"):
            raise ValueError(
                "nothing to judge it by; expected kept, answer, owner, silent: true or refusal: only"
            )
        if not (self.say or self.subject or self.has_media):
            raise ValueError("nothing is said; expected say, subject or a photo, voice, document, …")
        return self

    @property
    def has_media(self) -> bool:
        """Whether it has more than text."""
        media = (self.photo, self.voice, self.document, self.location, self.contact, self.sticker)
        return any(media)


class Conversation(Strict):
    """Messages that belong together, sent to a household that knows nothing else."""

    id: Annotated[str, Field(pattern="^[a-z0-9-]+$")]
    by: str | Stranger
    via: Channel = "telegram"
    language: Language = "en"
    proof: bool = True
    headers: dict[str, str] = Field(default_factory=dict)
    messages: Annotated[tuple[Message, ...], Field(min_length=1)]

    @validated(mode="after")
    def _points_backwards(self) -> Conversation:
        for number, message in enumerate(self.messages, 1):
            for name, target in (("edit", message.edit), ("reply_to", message.reply_to)):
                if target is not None and not 0 < target < number:
                    raise ValueError(f"message {number}: {name}: {target} is no earlier message")
        return self


class Person(Strict):
    """A member of the household: name, identifiers, and `limits` as in a contacts file."""

    name: str
    role: Literal["owner", "member", "adult", "child", "guest"]
    telegram: int
    email: str
    api: str | None = None
    speaks: Language = "en"
    limits: dict[str, Any] = Field(default_factory=dict)


class Household(Strict):
    """The household's people and time zone, and the local time at which everything is said."""

    now: datetime
    timezone: str
    people: Annotated[dict[str, Person], Field(min_length=1)]


class Theme(Strict):
    """A file: conversations of one theme."""

    theme: str
    conversations: Annotated[tuple[Conversation, ...], Field(min_length=1)]
