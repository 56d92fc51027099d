"""What a hostile text can make a specialist do is bounded: sentences, sums, days, items, what is said to be carried.

Each text is half as long as one may be. One of which each part costs more the longer it is shows as processor time: it
takes five specialists more than a few seconds, and twice as much of it takes much more than twice as long.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime
from itertools import pairwise
from uuid import UUID

import pytest

from butler_contracts.ingest import NORMALIZED_TEXT_MAX
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.profiles.health.profile import HealthProfile
from butler_specialist.profiles.profile import MOST_FACTS, Answering, Profile
from butler_specialist.profiles.relationship.profile import RelationshipProfile
from butler_specialist.profiles.travel.profile import TravelProfile
from butler_specialist.store.model import Asker, Record, Reminder
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.lists import list_changes
from butler_specialist.understanding.money import find_amounts
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.reading import read

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CARRIED = "(Said before in the same message: "
PROFILES: tuple[Profile, ...] = (
    FinanceProfile(), GeneralProfile(), HealthProfile(), RelationshipProfile(), TravelProfile()
)  # fmt: skip
CPU_CEILING_S = 4.0
MOST_CPU_S = 8.0
"""However busy the machine is."""
SOON_S = 1.5
"""What takes longer is looked at half as long."""
GROWS = 3.5
"""Twice the text takes less than so many times as long; four times, where each part looks through all others."""
LENGTH = NORMALIZED_TEXT_MAX // 2
UNITS = (
    "1. ", "Aa-", "Aa ", "9", "9 ", "1 eur ", "12/12/12 ", "1,000,", "5 mg of a ", "from Aa to Bb ", "a@", "'\"", "(",
    "list ", "we need a ", "no more a ", "packing list ",
    "Fwd: ", "the 3rd ", "paid 9.50 ", "Tom owes me 9 ", "9 USD for ", "bill ",
    "lent to ", "von 1,50 geliehen ", "twenty euros fifty ", "every morning ", "Friday: a 9:00, ",
    "weight is ", "Check-in\n",
    "please cancel that. ", "tell Tom to remind me ",
    "remind me ", "remind me every Monday at 7 ", "kannst du mich ", "stop the reminder ", "two days before ", "=",
    "$1", "paid 1 eur, flew, ate. ", "hello ", "👍", "no chest pain ",
    "swallowed the ", "my husband ", "huele a ", "had a stroke in 2015 ", "not ", "help! ",
)  # fmt: skip


@pytest.fixture(autouse=True)
def only_what_the_text_makes_is_looked_through() -> Iterator[None]:
    """The collector does not go through everything that the tests before have left, at each text's expense."""
    gc.freeze()
    yield
    gc.unfreeze()


class NoRecords:
    """A reader of an empty store."""

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> list[Record]:
        return []


class NoReminders:
    """A reader that knows of none."""

    async def find_reminders(self, person: Asker) -> list[Reminder]:
        return []

    async def find_stopped(self, person: Asker, request_id: UUID) -> list[Reminder]:
        return []


def answering() -> Answering:
    """A member's, who can be reminded."""
    asker = Asker(None, "telegram", "1001")
    return Answering(
        NOW, True, NoRecords(), currency="EUR", reminders=NoReminders(), asker=asker, reachable=True
    )


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "form", ["{}", "Subject: {}\n\nx", "pay\n" + CARRIED + "{})"], ids=["text", "subject", "carried"]
)
async def test_every_specialist_understands_a_very_long_text_of_anything_in_a_moment(
    unit: str, form: str
) -> None:
    whole = await understood(unit, form, LENGTH)
    assert whole < MOST_CPU_S
    assert whole < SOON_S or whole < GROWS * await understood(unit, form, LENGTH // 2)


async def understood(unit: str, form: str, length: int) -> float:
    """Processor seconds in which every specialist has answered so much of it."""
    text = form.replace("{}", (unit * (length // len(unit) + 1))[:length])
    before = time.process_time()
    for profile in PROFILES:
        reply = await profile.respond(text, answering())
        assert reply.text
        assert len(reply.records) <= MOST_FACTS + 1
    return time.process_time() - before


@pytest.mark.parametrize("lead", ["", "remind me ", "stop ", "erinnere mich "])
@pytest.mark.parametrize("sign", ["=", "> ", "\u0301", "\u200b", "\n", "_", "-", ": ", "1 "])
async def test_a_long_run_of_one_sign_and_a_letter_is_read_in_a_moment(sign: str, lead: str) -> None:
    """What matches the run in two ways tries all of them when the letter comes."""
    before = time.process_time()
    await GeneralProfile().respond(f"{lead}{sign * 60_000}x", answering())
    assert time.process_time() - before < CPU_CEILING_S


def test_a_text_names_only_so_many_days_but_every_item() -> None:
    assert len(find_days("12/12/12 " * 10_000, NOW.date())) == 64
    assert len(find_days("tomorrow " * 10_000, NOW.date())) == 64
    (change,) = list_changes(read("shopping list: " + ", ".join(f"item {n}" for n in range(2_000)), NOW))
    assert len(change.items) == 2_000


@pytest.mark.parametrize("text", ["$1" * 20_000, "1 eur " * 10_000, "5 eur for a " * 5_000])
def test_one_sentence_names_no_sum_twice(text: str) -> None:
    found = find_amounts(text)
    assert found
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_a_message_names_every_sum_that_it_states() -> None:
    assert len(read("I paid 5 euro for lunch. " * 1_700, NOW).sums) == 1_700


@pytest.mark.parametrize("text", ["a" * 60_000, "\n" * 60_000 + "x", "pay " * 15_000, "a\n" * 30_000])
def test_sentences_are_few_and_none_is_longer_than_a_person_writes(text: str) -> None:
    sentences = own_prose(text).sentences
    assert len(sentences) <= 2_000
    assert max((len(sentence) for sentence in sentences), default=0) <= 1_000


def test_what_was_said_before_is_kept_apart_however_often_its_mark_is_repeated() -> None:
    assert own_prose(f"pay it\n{CARRIED}the rent is due)\n").carried == "the rent is due"
    assert own_prose(f"pay it\n{CARRIED}never closed").carried == ""
    assert len(own_prose(f"pay it\n{CARRIED}{'on 3/12 ' * 1_000})").carried) == 1_000
    repeated = own_prose(CARRIED * 1_500 + "x")
    assert repeated.carried == ""
    assert repeated.sentences
