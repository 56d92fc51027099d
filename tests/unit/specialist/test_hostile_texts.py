"""What a hostile text can make a specialist do is bounded: sentences, sums, days, items, what is said to be carried.

Each text is as long as a prompt may be, and is read by the specialist whose subject it imitates, or by what all of them
share; a `#` is another word each time, so that no two clauses are alike. What costs more the longer it is shows as
processor time, or as the calls that twice the text takes, which no busy machine changes.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime
from itertools import count, pairwise, product
from types import FrameType
from uuid import UUID

import pytest

from butler_contracts.route import PROMPT_MAX
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.profiles.health.profile import HealthProfile
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.relationship.profile import RelationshipProfile
from butler_specialist.profiles.subject import MOST_FACTS
from butler_specialist.profiles.travel.profile import TravelProfile
from butler_specialist.store.model import Asker, Record, Reminder
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.emergencies import alarm_in
from butler_specialist.understanding.lists import list_changes
from butler_specialist.understanding.money import MOST_SUMS, find_amounts
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.requests import requests_in

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CARRIED = "(Said before in the same message: "
PROFILES: tuple[Profile, ...] = (
    FinanceProfile(), GeneralProfile(), HealthProfile(), RelationshipProfile(), TravelProfile()
)  # fmt: skip
FINANCE, GENERAL, HEALTH, RELATIONSHIP, TRAVEL = PROFILES
DEAREST = 5.0
"""Of one text, times what as much plain prose takes: the dearest takes 1.5, what is tried in two ways dozens."""
RUN, RUN_DEAREST = 30_000, 2.0
"""Signs of a run, and what it may take beside plain prose: what tries each two of them needs many times that."""
PLAIN, SAMPLE = "we met # at the lake and the weather was nice. ", PROMPT_MAX // 4
"""Prose that states little, and how much of it is read to know what it takes here and now."""
LONG = 24_000
"""Characters, of fewer sentences and facts than are read and noted at most."""
GROWS = 2.1
"""Twice the text takes less than so many times the calls; more, where each part looks through all others."""
FRESH = count()
"""Words of plain prose that was not read before."""
SHARED = (
    "1. ", "9", "1,000,", "=", "(", "'\"", "12/12/12 ", "bill ", "lent to ", "list ", "hello ", "👍",
    "two days before ", "kannst du mich ", "stop the reminder ", "tell Tom to remind me ", "help! ", "not ",
    "my husband ", "huele a ", "had a stroke in 2015 ", "Fwd: ", "1 eur ", "twenty euros fifty ",
    "packing list ", "the 3rd ", "weight is ", "Check-in\n",
)  # fmt: skip
"""What is dear, if anything of it is, before any specialist looks for what is its own."""
UNITS = {
    FINANCE: (
        "paid 9.50 ", "Tom owes me 9 ", "9 USD for ", "von 1,50 geliehen ", "$1",
        "paid 1 eur, flew, ate. ", "I paid 5 euro for #. ",
    ),
    GENERAL: (
        "add a # ", "we need a ", "no more a ", "every morning ", "Friday: a 9:00, ",
        "please cancel that #. ", "remind me ", "remind me every Monday at 7 ",
    ),
    HEALTH: (
        "Aa ", "5 mg of a ", "Leo # weighs 12 kg. ", "no chest pain ", "a course on chest pain ",
        "swallowed the ",
    ),
    RELATIONSHIP: ("Aa-", "a@", "# has her birthday on 3 May. "),
    TRAVEL: ("from Aa to Bb ", "flight to # on 3 May at 9:00. "),
}  # fmt: skip


def text_of(unit: str, length: int, words: Iterator[int] | None = None) -> str:
    """So much of it, a `#` as another word each time."""
    if "#" not in unit:
        return (unit * (length // len(unit) + 1))[:length]
    syllables = [first + second for first, second in product("bdfgklmnprst", "aeiou")]
    said, left, words = [], length, words or count()
    while left > 0:
        one, other = divmod(next(words), len(syllables))
        said.append(unit.replace("#", f"{syllables[one % len(syllables)]}{syllables[other]}zo"))
        left -= len(said[-1])
    return "".join(said)[:length]


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


@pytest.mark.parametrize(
    ("profile", "unit"),
    [pytest.param(one, unit, id=f"{one.name}-{unit}") for one, units in UNITS.items() for unit in units],
)
async def test_a_specialist_understands_the_longest_prompt_of_anything_in_a_moment(
    profile: Profile, unit: str
) -> None:
    assert await cost(profile, text_of(unit, PROMPT_MAX)) < DEAREST


@pytest.mark.parametrize("unit", SHARED)
def test_what_every_specialist_looks_for_is_found_in_the_longest_prompt_in_a_moment(unit: str) -> None:
    text = text_of(unit, PROMPT_MAX)
    before = time.process_time()
    look_through(text)
    took = time.process_time() - before
    look_through(text_of(PLAIN, SAMPLE, FRESH))
    plain = time.process_time() - before - took
    assert took < DEAREST * plain * PROMPT_MAX / SAMPLE


def look_through(text: str) -> None:
    reading = read(text, NOW)
    alarm_in(reading)
    requests_in(reading)
    for one in reading.sentences:
        assert len(one.days) + len(one.times) + len(one.measurements) + len(one.doses) <= len(one.text)
        assert len(one.amounts) + len(one.unmarked) <= 2 * MOST_SUMS


@pytest.mark.parametrize("profile", [FINANCE, GENERAL], ids=lambda profile: profile.name)
@pytest.mark.parametrize("form", ["Subject: {}\n\nx", "pay\n" + CARRIED + "{})"], ids=["subject", "carried"])
async def test_the_longest_subject_and_what_was_said_before_are_understood_in_a_moment(
    form: str, profile: Profile
) -> None:
    text = form.replace("{}", text_of("paid # 9.50 on 3 May, ", PROMPT_MAX - len(form)))
    assert await cost(profile, text) < DEAREST


@pytest.mark.parametrize(
    ("profile", "unit"),
    [
        pytest.param(FINANCE, "I paid 5 euro for #. ", id="sums"),
        pytest.param(GENERAL, "please cancel that #. ", id="wishes"),
    ],
)
async def test_each_clause_of_a_long_message_costs_as_much_as_in_one_of_half_its_length(
    profile: Profile, unit: str
) -> None:
    whole = text_of(unit, LONG)
    half = await calls_in(profile, whole[LONG // 2 :])
    assert await calls_in(profile, whole) < GROWS * half


async def calls_in(profile: Profile, text: str) -> int:
    """How many calls it takes to answer."""
    calls = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        await understood(profile, text)
    finally:
        sys.setprofile(None)
    return calls


async def cost(profile: Profile, text: str) -> float:
    """What it takes, times what as much plain prose as the longest prompt takes, here and now."""
    before = time.process_time()
    await understood(profile, text)
    took = time.process_time() - before
    await understood(profile, text_of(PLAIN, SAMPLE, FRESH))
    plain = time.process_time() - before - took
    return took * SAMPLE / (plain * PROMPT_MAX)


async def understood(profile: Profile, text: str) -> None:
    reply = await profile.respond(text, answering())
    assert reply.text
    assert len(reply.records) <= MOST_FACTS + 1


@pytest.mark.parametrize("lead", ["", "remind me ", "stop ", "erinnere mich "])
@pytest.mark.parametrize("sign", ["=", "> ", "\u0301", "\u200b", "\n", "_", "-", ": ", "1 "])
async def test_a_long_run_of_one_sign_and_a_letter_is_read_in_a_moment(sign: str, lead: str) -> None:
    """What matches the run in two ways tries all of them when the letter comes."""
    assert await cost(GENERAL, f"{lead}{sign * RUN}x") < RUN_DEAREST


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
