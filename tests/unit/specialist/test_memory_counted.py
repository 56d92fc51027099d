"""How much is known of each person, from what two tables say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from butler_specialist.memory.counted import counted

ADA, BEN = UUID(int=0xADA), UUID(int=0xBE)


def row(person: str, day: int, **counts: int) -> dict[str, Any]:
    empty = {"facts": 0, "preferences": 0, "episodes": 0}
    return {"person": person, **empty, **counts, "since": datetime(2026, 11, day, tzinfo=UTC)}


def test_facts_and_episodes_of_a_person_are_one_count_since_the_first_of_them() -> None:
    ada, ben = counted(
        [
            row(str(BEN), 3, facts=1),
            row(str(ADA), 9, facts=2, preferences=1),
            row(str(ADA), 2, episodes=4),
            row("telegram:1001", 1, episodes=7),
        ]
    )[::-1]
    assert (ada.person, ada.facts, ada.preferences, ada.episodes) == (ADA, 2, 1, 4)
    assert ada.since == datetime(2026, 11, 2, tzinfo=UTC)
    assert (ben.person, ben.facts, ben.episodes) == (BEN, 1, 0)
