"""The records of a household's specialists, newest first, narrowed as a person asks for them.

The specialists narrow by kind and time; person and text are compared here, over the newest records of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import PREFIX_MIN, beginning_with, read_id
from butler_cli.errors import UserError

__all__ = ["LOOKED_AT", "Found", "Wanted", "find_record", "names_of", "search"]

LOOKED_AT: Final = 500
"""The most records that a specialist returns at once."""
Ask = Callable[..., Mapping[str, Any]]
_WORDS: Final = ("text", "title", "party", "place", "code")


@dataclass(frozen=True)
class Wanted:
    """What is searched for; empty and None narrow nothing. All words of `text` must occur, in any case."""

    kind: str | None = None
    since: str | None = None
    person: str | None = None
    text: tuple[str, ...] = ()
    withdrawn: bool = False
    limit: int = 20


@dataclass(frozen=True)
class Found:
    """Records with `butler` and `person` added; `older` names butlers that have records not looked at."""

    records: Sequence[Mapping[str, Any]]
    older: tuple[str, ...]


def search(ask: Mapping[str, Ask], names: Mapping[tuple[str, str], str], wanted: Wanted) -> Found:
    """Ask each specialist for its newest records and keep those that are wanted."""
    found: list[Mapping[str, Any]] = []
    older = []
    for butler, get in ask.items():
        entries = entries_of(
            get("/records", kind=wanted.kind, since=wanted.since, limit=LOOKED_AT), "records"
        )
        found += [{**entry, "butler": butler, "person": _teller(entry, names)} for entry in entries]
        older += [butler] if len(entries) == LOOKED_AT else []
    fitting = [entry for entry in found if _fits(entry, wanted)]
    fitting.sort(key=lambda entry: str(entry.get("recorded_at")), reverse=True)
    return Found(fitting[: wanted.limit], tuple(older))


def find_record(ask: Mapping[str, Ask], text: str) -> Mapping[str, Any]:
    """Return the one record whose id `text` is or begins, with its `butler`. Raises `UserError`."""
    typed = read_id(
        text,
        expected=f"no id; give a whole one, or at least its first {PREFIX_MIN} digits, as `butlers records` shows it",
    )
    digits = str(typed).replace("-", "")
    known = {
        str(entry.get("record_id")): {**entry, "butler": butler}
        for butler, get in ask.items()
        for entry in entries_of(get("/records", limit=LOOKED_AT), "records")
    }
    matching = beginning_with(digits, known)
    if len(matching) == 1:
        return known[matching[0]]
    if matching:
        raise UserError(f"{typed} begins the ids of {len(matching)} records; give more digits")
    raise UserError(
        f"none of the newest {LOOKED_AT} records of each butler is {typed}; "
        "`butlers records --withdrawn` lists them, and its page on the dashboard has every one"
    )


def names_of(contacts: Sequence[Any]) -> dict[tuple[str, str], str]:
    """Channel and identifier → name, from the contacts."""
    return {
        (one.type, one.value.casefold()): person.name for person in contacts for one in person.identifiers
    }


def _teller(entry: Mapping[str, Any], names: Mapping[tuple[str, str], str]) -> str:
    channel, sender = str(entry.get("source_channel") or ""), str(entry.get("sender") or "")
    return names.get((channel, sender.casefold()), sender)


def _fits(entry: Mapping[str, Any], wanted: Wanted) -> bool:
    if entry.get("state") == "withdrawn" and not wanted.withdrawn:
        return False
    if wanted.person is not None:
        known = (entry["person"], str(entry.get("sender") or ""))
        if not any(_is_named(wanted.person, name) for name in known):
            return False
    said = " ".join(str(entry.get(word) or "") for word in _WORDS).casefold()
    return all(word.casefold() in said for word in wanted.text)


def _is_named(wanted: str, name: str) -> bool:
    """Whether `wanted` is the whole name, or a part of it such as the first."""
    name, wanted = name.casefold(), wanted.casefold()
    return wanted == name or wanted in name.split()
