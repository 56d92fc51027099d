"""PURE: the contacts file: a YAML list of `{name, role, identifiers: [{type, value, primary}]}` (D49).

Each may have `language`, `timezone`, `quietHours` and `digestAt` of their own (D83), all but the owner also `limits`
(ADR 0100). The stored roles are owner, member and other, which every release knows; the settings say which members
are children or guests.

Invariant: the result has exactly one owner, each person once, each identifier once; all problems of the file are
reported together, by entry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from uuid import UUID, uuid5

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from butler_contracts.errors import ValidationFailed
from butler_contracts.person_settings import LIMITED, MAY_BE_LIMITED, PersonSettings, with_owner
from butler_contracts.text import Identity
from butler_messenger.admission.identity import deliverable_identity, normalised_identity

__all__ = ["ContactsFileError", "Person", "read_contacts", "with_known_ids"]

_NAMESPACE: Final = UUID("6f0f6d1e-2c0c-5d0f-9a55-6b1f3a4d7c21")
"""The namespace in which a new contact's id is derived from the name, the same in every database."""

_ACCOUNT: Final = re.compile(r"-?[0-9]{1,20}")
_NOTHING_OWN: Final = PersonSettings()
_DELIVERABLE: Final = frozenset({"telegram", "email"})


class ContactsFileError(ValidationFailed):
    """The contacts file cannot be used; the message names every entry to correct."""


class _Identifier(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    type: Literal["telegram", "email", "sms", "chat", "api"]
    value: Identity
    primary: bool = False


class _Entry(PersonSettings):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False)

    name: Identity
    role: Literal["owner", "adult", "child", "guest", "member", "other"] = "adult"
    identifiers: tuple[_Identifier, ...] = Field(default=(), max_length=50)

    @property
    def stored_role(self) -> str:
        return self.role if self.role in ("owner", "other") else "member"

    @property
    def settings(self) -> PersonSettings:
        """The person's own settings."""
        said = {name: getattr(self, name) for name in PersonSettings.model_fields}
        return PersonSettings(**{**said, "standing": self.role if self.role in LIMITED else None})

    @model_validator(mode="after")
    def _is_limited_by_role(self) -> _Entry:
        if self.standing is not None:
            raise ValueError("standing is not a key of the file; expected role: child or role: guest")
        if self.limits is not None and self.role not in MAY_BE_LIMITED:
            raise ValueError(
                f"limits of a contact with role {self.role}; expected role: adult, child or guest"
            )
        return self


@dataclass(frozen=True, slots=True)
class Person:
    """One contact with normalised identifiers `(type, value, primary)`."""

    contact_id: UUID
    name: str
    role: str
    identifiers: tuple[tuple[str, str, bool], ...]
    settings: PersonSettings = _NOTHING_OWN


def read_contacts(text: str) -> tuple[Person, ...]:
    """Parse and check the file's text; `ContactsFileError` otherwise."""
    problems: list[str] = []
    people = tuple(_people(_entries(text), problems))
    problems = problems or list(_household_problems(people))
    if problems:
        raise ContactsFileError("contacts file: " + "; ".join(problems))
    return people


def _entries(text: str) -> list[Any]:
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f" at line {place.line + 1}" if place is not None else ""
        raise ContactsFileError(f"contacts file: not YAML{where}") from None
    if not isinstance(loaded, list):
        raise ContactsFileError("contacts file: expected a list of {name, role, identifiers}")
    entries: list[Any] = with_owner(loaded)
    return entries


def _people(entries: list[Any], problems: list[str]) -> Iterator[Person]:
    for number, data in enumerate(entries, start=1):
        try:
            entry = _Entry.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join(str(part) for part in first["loc"]) or "entry"
            problems.append(f"entry {number}: {path}: {first['msg']}")
            continue
        try:
            identifiers = tuple((i.type, _value(i, entry.stored_role), i.primary) for i in entry.identifiers)
        except ValidationFailed as error:
            problems.append(f"entry {number} ({entry.name}): {error.message}")
            continue
        name = entry.name.strip()
        own = uuid5(_NAMESPACE, name.casefold())
        yield Person(own, name, entry.stored_role, identifiers, entry.settings)


def _value(identifier: _Identifier, role: str) -> str:
    """Return the identifier as compared; messages carry account numbers, so nothing else matches a member."""
    kind, written = identifier.type, identifier.value
    if kind == "telegram" and role != "other" and not _ACCOUNT.fullmatch(written.strip()):
        raise ValidationFailed(f"telegram '{written}' is no account's number; expected one such as 123456789")
    if kind not in _DELIVERABLE:
        return normalised_identity(kind, written)
    try:
        return deliverable_identity(kind, written)
    except ValidationFailed as error:
        raise ValidationFailed(f"{kind} '{written}': {error.message}") from None


def _household_problems(people: tuple[Person, ...]) -> Iterator[str]:
    owners = [person.name for person in people if person.role == "owner"]
    if len(owners) != 1:
        found = ", ".join(owners) or "none"
        yield f"exactly one contact must have the role owner, found: {found}"
    for person_id, count in Counter(person.contact_id for person in people).items():
        if count > 1:
            name = next(person.name for person in people if person.contact_id == person_id)
            yield f"'{name}' is there {count} times; names must differ"
    known = Counter((kind, value) for person in people for kind, value, _ in person.identifiers)
    for (kind, value), count in known.items():
        if count > 1:
            yield f"the {kind} identifier '{value}' is there {count} times; it can be one person's only"


def with_known_ids(
    people: tuple[Person, ...], names: Mapping[str, UUID], identifiers: Mapping[tuple[str, str], UUID]
) -> tuple[Person, ...]:
    """Return the people with their stored ids: by name, else by an identifier of a name that is gone.

    `names` and `identifiers` are the stored ones. A renamed person has an identifier of somebody who is no longer in
    the file and a name that is not stored: they stay the same contact.
    """
    stored = {name.casefold(): contact_id for name, contact_id in names.items()}
    by_name = {p.name: stored[p.name.casefold()] for p in people if p.name.casefold() in stored}
    free, used = set(stored.values()) - set(by_name.values()), set(by_name.values())
    found: list[Person] = []
    for person in people:
        contact_id = by_name.get(person.name) or _former(person, identifiers, free) or person.contact_id
        while contact_id in used and person.name not in by_name:
            contact_id = uuid5(contact_id, person.name.casefold())  # a renamed contact has this one
        free.discard(contact_id)
        used.add(contact_id)
        found.append(replace(person, contact_id=contact_id))
    return tuple(found)


def _former(
    person: Person, identifiers: Mapping[tuple[str, str], UUID], free: Collection[UUID]
) -> UUID | None:
    known = (identifiers.get((kind, value)) for kind, value, _ in person.identifiers)
    return next((contact_id for contact_id in known if contact_id in free), None)
