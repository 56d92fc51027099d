"""The household's contacts, as the secret of `Butler(messenger).spec.contactsFrom` holds them (D22, D49).

Invariant: exactly one owner, and no identifier belongs to two contacts: sender classification at admission
and target resolution at Messenger both rely on it.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, RootModel, StringConstraints, model_validator

from butler_contracts.person_settings import MAY_BE_LIMITED, in_quiet_hours
from butler_resources.kinds.base import ResourceModel, ShortText, TimeZone, WallTime, each_once
from butler_resources.kinds.household import QuietHours

__all__ = ["Contact", "Contacts", "Identifier", "Limits"]

ButlerNames = Annotated[
    tuple[Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63)], ...],
    Field(max_length=50),
    AfterValidator(each_once),
]


class Identifier(ResourceModel):
    """One way to reach and recognise a contact."""

    type: Literal["telegram", "email", "sms", "chat", "api"] = Field(description="Channel.")
    value: ShortText = Field(description="Telegram user ID, mail address, or API sender name.")
    primary: bool = Field(default=False, description="Whether to use this identifier first.")

    @property
    def key(self) -> tuple[str, str]:
        """What makes two identifiers the same: mail addresses do not differ by case."""
        return self.type, self.value.casefold() if self.type == "email" else self.value


class Limits(ResourceModel):
    """Limits of an adult, child or guest (ADR 0100)."""

    butlers: ButlerNames | None = Field(
        default=None,
        description="Names of the butlers that they may ask. Default: all, of a guest general alone.",
    )
    ask_first: ButlerNames = Field(
        default=(), description="Names of the butlers that get a request of theirs once the owner agrees."
    )
    hours: QuietHours | None = Field(
        default=None, description="Hours during which they may ask, in their time zone. Default: always."
    )

    @model_validator(mode="after")
    def _says_each_butler_once(self) -> Limits:
        both = sorted(set(self.butlers or ()) & set(self.ask_first))
        if both:
            raise ValueError(f"{both[0]} is in butlers and in askFirst; expected one of them")
        return self


class Contact(ResourceModel):
    """A person."""

    name: ShortText = Field(description="Display name.")
    role: Literal["owner", "adult", "child", "guest", "member", "other"] = Field(
        default="adult",
        description="owner, adult, child and guest may give instructions and get answers, all but the owner within "
        "their `limits`. Messages from other are only content (D22). member is an older name for adult.",
    )
    limits: Limits | None = Field(
        default=None, description="Limits of an adult, child or guest. Default: by role."
    )
    identifiers: tuple[Identifier, ...] = Field(default=(), max_length=50, description="Ways to reach them.")
    language: Literal["en", "de", "fr", "es"] | None = Field(
        default=None,
        description="Language of unsolicited messages to them, and of answers to messages in no recognisable language. "
        "Default: the household's.",
    )
    timezone: TimeZone | None = Field(
        default=None,
        description="IANA time zone of dates and times in messages from and to them. Default: the household's.",
    )
    quiet_hours: QuietHours | None = Field(
        default=None, description="Quiet hours, in their time zone. Default: the household's."
    )
    digest_at: WallTime | None = Field(
        default=None,
        description="Time of the daily digest, in their time zone. Default: the household's.",
    )

    @model_validator(mode="after")
    def _one_primary(self) -> Contact:
        if sum(identifier.primary for identifier in self.identifiers) > 1:
            raise ValueError(f"{self.name} has more than one primary identifier; expected at most one")
        return self

    @model_validator(mode="after")
    def _is_limited_by_role(self) -> Contact:
        if self.limits is not None and self.role not in MAY_BE_LIMITED:
            raise ValueError(
                f"{self.name} has limits and role {self.role}; expected role: adult, child or guest"
            )
        return self

    @model_validator(mode="after")
    def _is_told_the_digest(self) -> Contact:
        at, quiet = self.digest_at, self.quiet_hours
        if at is not None and quiet is not None and in_quiet_hours(at, quiet.start, quiet.end):
            said = f"digestAt is {at}, in the quietHours from {quiet.start} to {quiet.end}"
            raise ValueError(f"{self.name}: {said}; expected an hour outside of them")
        return self


class Contacts(RootModel[tuple[Contact, ...]]):
    """The list of contacts."""

    @model_validator(mode="after")
    def _exactly_one_owner(self) -> Contacts:
        owners = [contact.name for contact in self.root if contact.role == "owner"]
        if len(owners) != 1:
            found = " and ".join(owners) or "none"
            raise ValueError(f"expected exactly one contact with role owner; found {found}")
        return self

    @model_validator(mode="after")
    def _names_differ(self) -> Contacts:
        names = Counter(contact.name.casefold() for contact in self.root)
        doubled = [contact.name for contact in self.root if names[contact.name.casefold()] > 1]
        if doubled:
            raise ValueError(f"{doubled[0]} is there {len(doubled)} times; names must differ")
        return self

    @model_validator(mode="after")
    def _identifiers_are_unique(self) -> Contacts:
        seen = Counter(identifier.key for contact in self.root for identifier in contact.identifiers)
        doubled = [f"{kind} {value}" for (kind, value), count in seen.items() if count > 1]
        if doubled:
            raise ValueError(f"{', '.join(doubled)} is given more than once; expected one contact each")
        return self
