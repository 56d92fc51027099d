"""What a butler claims of what it was told, where another is asked the same: read off fields, never out of words."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.claims import claims_of
from butler_contracts.errors import ValidationFailed
from butler_contracts.route import TogetherV1
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.work.ledger import claims_args, claims_from
from tests.golden.specialist.conversations import MemoryRecords

FRIDAY = datetime(2026, 11, 27, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
FIRST = TogetherV1(answered=0, last=False, of="told")
BEHIND = TogetherV1(answered=1, last=True, of="told")


async def asked(butler: str, text: str, *told: str, together: TogetherV1 | None = FIRST) -> Reply:
    """What the butler says to a question, after it was told."""
    records, profile = MemoryRecords(), load_profile(butler)
    for one in told:
        heard = await profile.respond(one, Answering(FRIDAY, True, records, currency="EUR"))
        records.add(heard.records, sender="1001")
    return await profile.respond(text, Answering(FRIDAY, True, records, currency="EUR", together=together))


def claimed(reply: Reply) -> dict[str, str]:
    return {claim.subject: claim.value for claim in reply.claims}


@pytest.mark.parametrize(
    ("butler", "told", "text", "claims"),
    [
        (
            "health",
            "Leo's dentist appointment is on Tuesday at 10:00",
            "when is Leo's dentist appointment?",
            {"day of dentist leo": "2026-12-01", "hour of dentist leo on 2026-12-01": "10:00"},
        ),
        (
            "general",
            "Zahnarzt für Leo am Donnerstag um 9 Uhr",
            "wann ist der Zahnarzt für Leo?",
            {"day of leo zahnarzt": "2026-12-03", "hour of leo zahnarzt on 2026-12-03": "09:00"},
        ),
        (
            "finance",
            "The plumber's bill of 80 EUR is due on Wednesday",
            "how much is the plumber's bill?",
            {"sum of bill plumber": "80 EUR"},
        ),
        (
            "health",
            "Mia takes 5 ml of Nurofen at night",
            "how much Nurofen does Mia take?",
            {"dose of mia nurofen take": "5 ml 21:00"},
        ),
        (
            "health",
            "Mia's weight is 13.2 kg",
            "what's Mia's weight?",
            {"weight of mia weight on 2026-11-27": "13.2 kg"},
        ),
    ],
)
async def test_the_one_thing_that_a_question_asks_for_is_claimed_as_it_is_kept(
    butler: str, told: str, text: str, claims: dict[str, str]
) -> None:
    reply = await asked(butler, text, told)
    assert claimed(reply) == claims
    assert all(claim.said is not None and told[:20] in claim.said for claim in reply.claims)


async def test_whoever_is_silent_behind_another_claims_what_they_would_have_said() -> None:
    told = "Leo's dentist appointment is on Tuesday at 10:00"
    reply = await asked("health", "when is Leo's dentist appointment?", told, together=BEHIND)
    assert (reply.silent, reply.text, reply.keeps) == (True, "", False)
    assert claimed(reply)["day of dentist leo"] == "2026-12-01"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("when is Leo's dentist appointment?", ()),
        (
            "when is Leo's dentist appointment?",
            ("Leo's dentist appointment is on Tuesday at 10:00", "Leo's dentist appointment is on 14 December at 9:00"),
        ),
        ("when is Mia's eye test?", ("Leo's dentist appointment is on Tuesday at 10:00",)),
    ],
)  # fmt: skip
async def test_of_nothing_of_two_and_of_something_else_nothing_is_claimed(
    text: str, told: tuple[str, ...]
) -> None:
    assert (await asked("health", text, *told)).claims == ()


async def test_what_is_kept_of_another_person_is_another_matter_where_the_question_names_none() -> None:
    of_leo = await asked("health", "when is the dentist?", "Leo's dentist appointment is on Tuesday at 10:00")
    of_mia = await asked("general", "when is the dentist?", "dentist for Mia on Thursday at 9")
    of_both = [set(claimed(reply)) for reply in (of_leo, of_mia)]
    assert of_both[0] >= {"day of dentist (leo)"}
    assert of_both[1] >= {"day of dentist (mia)"}


async def test_a_dose_is_nothing_of_which_one_is_preferred() -> None:
    reply = await asked("health", "how much Nurofen does Mia take?", "Mia takes 5 ml of Nurofen at night")
    assert [claim.decidable for claim in reply.claims] == [False]


async def test_whoever_is_asked_alone_claims_nothing() -> None:
    told = "Leo's dentist appointment is on Tuesday at 10:00"
    assert (await asked("health", "when is Leo's dentist appointment?", told, together=None)).claims == ()


async def test_claims_come_through_a_session_and_a_stored_answer_as_they_were() -> None:
    told = "Leo's dentist appointment is on Tuesday at 10:00"
    claims = (await asked("health", "when is Leo's dentist appointment?", told)).claims
    assert claims_from(claims_args(claims)) == claims
    assert claims_of({"result": claims_args(claims)}) == claims
    assert claims_args(()) == {}
    with pytest.raises(ValidationFailed, match="claims"):
        claims_from({"claims": [{"subject": "x"}]})
