"""What a clause says of another matter beside its fact is quoted, and kept in its words."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles.reply import Reply
from tests.golden.specialist.conversations import Butlers

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
FACTS = {
    "health": ("blood pressure 130/85 today", "la tensión de hoy 122/79", "took ibuprofen 400 mg"),
    "travel": ("flight OS451 from Vienna to Lisbon on Friday at 10:15", "Flug OS451 nach Rom am Freitag um 10:15 Uhr"),
    "relationship": ("Clara's birthday is on 17 January", "Claras Geburtstag ist am 17. Januar"),
}  # fmt: skip
OTHERS = (
    "we're out of sun cream",
    "the boiler is leaking",
    "buy milk",
    "faltan huevos",
    "die Waschmaschine ist kaputt",
)
JOINTS = {"en": " and ", "de": " und ", "es": " y ", "comma": ", "}
PAIRS = [(profile, fact, other) for profile, facts in FACTS.items() for fact in facts for other in OTHERS]


async def heard(profile: str, text: str) -> Reply:
    return await Butlers(currency="EUR").tell(profile, text, NOW)


@pytest.mark.parametrize(("profile", "fact", "other"), PAIRS)
@pytest.mark.parametrize("joint", JOINTS.values())
async def test_the_other_half_of_a_clause_is_quoted_and_kept(
    profile: str, fact: str, other: str, joint: str
) -> None:
    reply = await heard(profile, f"{fact}{joint}{other}")
    # Some of them are read as facts, such as what is to be bought.
    kept = [draft for draft in reply.records if other in draft.text]
    assert kept
    assert other in reply.text or any(draft.title and draft.title in reply.text for draft in kept)


async def test_a_row_of_things_beside_a_value_is_kept_whole() -> None:
    reply = await heard("health", "faltan huevos y arroz y la tensión de hoy 122/79")
    assert "«faltan huevos y arroz»" in reply.text
    assert [draft.text for draft in reply.records if draft.kind == "note"] == ["faltan huevos y arroz"]


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("health", "blood pressure 130/85, left arm, after breakfast"),
        ("health", "Blutdruck 130/85, im Sitzen, vor dem Frühstück"),
        ("health", "tension 13/8, bras gauche, à jeun"),
        ("health", "Leo 39.1 and Mia 38.2, both in bed"),
        ("travel", "flight OS451 from Vienna to Lisbon on Friday at 10:15, window seat"),
        ("travel", "Zug nach Rom am Freitag um 10:15 Uhr, Gleis links"),
    ],
)
async def test_a_detail_of_the_fact_itself_is_no_rest(profile: str, text: str) -> None:
    assert all(draft.kind != "note" for draft in (await heard(profile, text)).records)
