"""What a household's corrections agree on: like texts, enough of them, nothing against it (D71, ADR 0111)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_switchboard.learning.examples import (
    LIKE,
    Example,
    agreed,
    example_of,
    likeness,
    taught,
    version_of,
)

ADA, BEN = UUID(int=1), UUID(int=2)
PLUMBER = ("Paid the plumber 40 euro", "I paid 55 euro to the plumber", "We paid the plumber 60 euro")
OTHERS = (
    "My blood pressure was 120/80",
    "the boiler is leaking again",
    "Mila has her piano lesson on Thursday",
)


def examples(*texts: str, butler: str = "home", person: UUID = ADA, first: int = 10) -> tuple[Example, ...]:
    return tuple(
        Example(UUID(int=first + number), "s1", person, text, butler) for number, text in enumerate(texts)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLUMBER[0], PLUMBER[1]),
        ("the boiler is leaking again", "the boiler leaks again"),
        ("guinea pig weighs 900 g", "Guinea pig weighs 950 g today"),
        ("Nessie's feed was 30 euro", "Nessie's feed 28 euro this time"),
    ],
)
def test_texts_of_the_same_words_are_alike_whatever_their_figures(one: str, other: str) -> None:
    assert likeness(one, other) >= LIKE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("remind me to call mum on Friday", "Remind me to call the dentist on Friday"),
        ("remind me to call mum on Friday", "remind me to buy milk on Friday"),
        (PLUMBER[0], "paid 40 euro for lunch"),
        (PLUMBER[0], "Paid the plumber 40 euro and my blood pressure was 120/80"),
        ("Mila has her swimming lesson on Tuesday", "Mila has her piano lesson on Thursday"),
    ],
)
def test_texts_that_share_only_their_frame_or_a_part_are_not(one: str, other: str) -> None:
    assert likeness(one, other) < LIKE


def test_three_examples_of_one_person_agree_and_two_do_not() -> None:
    found = agreed("Paid the plumber 70 euro", examples(*PLUMBER))
    assert found is not None
    assert (found.butler, len(found.by)) == ("home", 3)
    assert found.likest.text == "Paid the plumber 40 euro"
    assert agreed("Paid the plumber 70 euro", examples(*PLUMBER[:2])) is None


def test_one_example_of_each_of_two_persons_is_enough() -> None:
    both = (*examples(PLUMBER[0]), *examples(PLUMBER[1], person=BEN, first=20))
    assert agreed("Paid the plumber 70 euro", both) is not None


def test_one_like_example_that_says_otherwise_is_enough_against_it() -> None:
    against = examples("Paid the plumber 90 euro", butler="finance", first=50)
    assert agreed("Paid the plumber 70 euro", (*examples(*PLUMBER), *against)) is None


def test_examples_of_other_things_neither_agree_nor_disagree() -> None:
    more = examples(*OTHERS, butler="health", first=50)
    assert agreed("Paid the plumber 70 euro", (*examples(*PLUMBER), *more)) is not None
    assert agreed("My weight is 81.5 kg this morning", (*examples(*PLUMBER), *more)) is None


@pytest.mark.parametrize(
    "text",
    ["", "ok", "thanks", "and that too", "x " * 200, "keep that between us"],
)
def test_what_is_long_or_points_back_or_says_too_little_teaches_nothing(text: str) -> None:
    assert taught(text) is None


def test_of_a_mail_only_what_its_writer_wrote_counts() -> None:
    mail = "Subject: The plumber\nPaid the plumber 40 euro\n\nOn Monday Ben wrote:\n> how much was it?"
    assert taught(mail, "The plumber") == taught(mail) == "Paid the plumber 40 euro"


@pytest.mark.parametrize(
    "text",
    [
        "Paid the plumber 40 euro, keep that between us",
        "keep that between us\nPaid the plumber 40 euro",
        "Den Klempner mit 40 Euro bezahlt, das bleibt unter uns",
    ],
)
def test_what_was_said_in_confidence_is_never_an_example(text: str) -> None:
    assert example_of(request_id=UUID(int=1), segment_id="s1", person=ADA, text=text, butler="home") is None


TEXTS = st.sampled_from([*PLUMBER, *OTHERS, "Paid the electrician 90 euro", "the boiler leaks again"])
EXAMPLES = st.lists(
    st.builds(
        Example,
        st.integers(1, 40).map(lambda number: UUID(int=number)),
        st.sampled_from(["s1", "s2"]),
        st.sampled_from([ADA, BEN]),
        TEXTS,
        st.sampled_from(["home", "finance"]),
    ),
    max_size=20,
    unique_by=lambda one: (one.request_id, one.segment_id),
)


@settings(deadline=None, max_examples=60)
@given(known=EXAMPLES, text=TEXTS, seed=st.integers(0, 1_000))
def test_the_order_of_the_examples_changes_neither_decision_nor_version(
    known: Sequence[Example], text: str, seed: int
) -> None:
    shuffled = random.Random(seed).sample(list(known), len(known))
    assert agreed(text, shuffled) == agreed(text, known)
    assert version_of(shuffled) == version_of(known)


@settings(deadline=None, max_examples=60)
@given(known=EXAMPLES, text=TEXTS)
def test_an_agreement_has_enough_like_examples_and_none_against_it(
    known: Sequence[Example], text: str
) -> None:
    found = agreed(text, known)
    like = [one for one in known if likeness(text, one.text) >= LIKE]
    if found is None:
        assert len({one.butler for one in like}) != 1 or (len(like) < 3 and len({x.person for x in like}) < 2)
    else:
        assert {one.butler for one in like} == {found.butler}
        assert len(like) >= 3 or len({one.person for one in like}) == 2
        assert set(found.by) == set(like)


def test_another_example_or_another_butler_is_another_version() -> None:
    known = examples(*PLUMBER)
    other = (*known[:2], replace(known[2], butler="finance"))
    assert len({version_of(known), version_of(known[:2]), version_of(other)}) == 3
