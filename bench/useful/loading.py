"""Loads a set of `examples/conversations/`: `household.yaml`, and a file for each theme.

Anything that cannot be judged raises a `ValueError` that names file, conversation, message and what was expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import yaml
from pydantic import BaseModel, ValidationError

from bench.useful.conversations import Conversation, Household, Person, Stranger, Theme

__all__ = ["EXAMPLES", "Home", "check_people", "load_set", "read_model"]

EXAMPLES = Path(__file__).parents[2] / "examples" / "conversations"

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Home:
    """A set: its household, the time at which everything in it is said, its conversations by theme."""

    name: str
    now: datetime
    zone: ZoneInfo
    people: dict[str, Person]
    conversations: tuple[tuple[str, Conversation], ...]
    butlers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Additions to the specs of the demo's butlers, by name."""

    @property
    def messages(self) -> int:
        """Number of messages."""
        return sum(len(conversation.messages) for _, conversation in self.conversations)


def load_set(folder: Path) -> Home:
    """Load a set of conversations; `ValueError` lists everything that is wrong in one file."""
    household = read_model(folder / "household.yaml", Household)
    zone = ZoneInfo(household.timezone)
    if household.now.tzinfo is not None:
        raise ValueError(f"{folder.name}/household.yaml: now: expected local time, without a zone")
    themes = [
        (file, read_model(file, Theme))
        for file in sorted(folder.glob("*.yaml"))
        if file.name != "household.yaml"
    ]
    seen: set[str] = set()
    for file, theme in themes:
        for conversation in theme.conversations:
            check_people(file, conversation, household.people)
            if (key := f"{theme.theme}/{conversation.id}") in seen:
                raise ValueError(f"{folder.name}/{file.name}: {key}: the id is used twice")
            seen.add(key)
    return Home(
        name=folder.name,
        now=household.now.replace(tzinfo=zone),
        zone=zone,
        people=household.people,
        conversations=tuple((theme.theme, one) for _, theme in themes for one in theme.conversations),
    )


def check_people(file: Path, conversation: Conversation, people: dict[str, Person]) -> None:
    """Check the senders: on Telegram a member's name, by mail a member's or an address, through the API anything."""
    for number, message in enumerate(conversation.messages, 1):
        by, via = message.by or conversation.by, message.via or conversation.via
        known = isinstance(by, Stranger) or by in people or via == "api" or (via == "mail" and "@" in by)
        if not known:
            place = f"{file.parent.name}/{file.name}: {conversation.id}, message {number}"
            raise ValueError(f"{place}: by: {by!r} is nobody of {', '.join(people)}")


def read_model(file: Path, model: type[_Model]) -> _Model:
    """Read a file into the model; `ValueError` lists everything that is wrong in it, by the file's own names."""
    place = f"{file.parent.name}/{file.name}"
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{place}: {error}") from None
    try:
        return model.model_validate(document)
    except ValidationError as failed:
        lines = [f"{place}: {'; '.join(_problem(error, document))}" for error in failed.errors()]
        raise ValueError("\n".join(lines)) from None


def _problem(error: Any, document: Any) -> Iterator[str]:
    """Yield where it is, by the file's own names, then what is wrong."""
    named, at = [], document
    for step in error["loc"]:
        at = at[step] if isinstance(at, list | dict) and _holds(at, step) else None
        if isinstance(step, int):
            named.append(str(at["id"]) if isinstance(at, dict) and "id" in at else f"{step + 1}")
        elif step not in ("conversations", "Stranger", "str"):
            named.append(str(step))
    yield f"{', '.join(named) or 'the file'}: {error['msg'].removeprefix('Value error, ')}"


def _holds(at: list[Any] | dict[str, Any], step: object) -> bool:
    return isinstance(step, int) and step < len(at) if isinstance(at, list) else step in at
