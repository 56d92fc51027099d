"""How much butlers know of people, and having a person forgotten."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from butler_cli.client.answers import entries_of
from butler_cli.client.ids import PREFIX_MIN, beginning_with
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["ask_memory", "forget_person", "person_of"]


def ask_memory(household: Household, person: str | None = None) -> dict[str, Any]:
    """Return how much each butler knows of whom, under `known`; of one person if given. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/memory", person=person)


def person_of(household: Household, text: str) -> str:
    """Return the id of whom a name, an id or its beginning means, among those of whom anything is known.

    A whole id stands for itself. Raises `UserError`.
    """
    try:
        return str(UUID(text.strip()))
    except ValueError:
        pass
    answer = ask_memory(household)
    found = _meant(text, entries_of(answer, "known"))
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{text!r} means {len(found)} people; name one by id: {', '.join(found)}")
    silent = ", ".join(str(name) for name in answer.get("silent") or ())
    away = f"; {silent} could not be asked" if silent else ""
    raise UserError(f"nothing is known of anybody called {text!r}{away}; `butlers memory` lists of whom")


def forget_person(household: Household, person: str, reason: str) -> dict[str, Any]:
    """Have all butlers forget a person; return Switchboard's answer. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.post(f"/memory/{person}/forget", {"reason": reason}, key=uuid4())


def _meant(text: str, known: list[dict[str, Any]]) -> list[str]:
    name, digits = text.strip().casefold(), text.strip().lower().replace("-", "")
    called = [str(one["person"]) for one in known if str(one.get("name") or "").casefold() == name]
    begun = beginning_with(digits, (str(one["person"]) for one in known)) if len(digits) >= PREFIX_MIN else []
    return list(dict.fromkeys(called or begun))
