"""Which parts of a message wait for each other, and on what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.order import order_of, without_order
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.verdict import Verdict, verdict


def registry(*barred: str) -> RegistryView:
    names = ("finance", "health", "general")
    return RegistryView.of(ButlerProfile(name=name, eligible=name not in barred) for name in names)


def judged(first: str, second: str, *barred: str) -> Verdict:
    """The verdict on a message of two parts, for finance and health."""
    text = f"{first}{second}"
    parts = [Segment(((0, len(first)),)), Segment(((len(first), len(text)),))]
    calls = [
        RouteCall(name, part.excerpt(text).strip(), part)
        for name, part in zip(("finance", "health"), parts, strict=True)
    ]
    return verdict(calls, registry(*barred), RoutingMessage(text=text), 0.0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Pay the gas bill", ", and if that works tell the doctor"),
        ("Pay the gas bill. ", "Once that's done, tell the doctor"),
        ("Zahl die Gasrechnung", " und wenn das klappt, sag es dem Arzt"),
        ("Zahl die Gasrechnung, ", "sobald das erledigt ist, sag es dem Arzt"),
        ("Paie la facture", " et si ça marche préviens le médecin"),
        ("Paga la factura", ", y si funciona avisa al médico"),
        ("Pay the gas bill and if that works, ", "tell the doctor"),
    ],
)
def test_a_condition_between_two_parts_makes_the_second_depend_on_the_first(first: str, second: str) -> None:
    made = judged(first, second)
    assert made.order == "conditional"
    assert [target.butler for target in made.targets] == ["finance", "health"]
    assert made.targets[0].prompt.strip(" .,") == first.removesuffix(" and if that works, ").strip(" .,")
    assert made.targets[1].prompt.startswith(("tell", "sag", "préviens", "avisa"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("First pay the gas bill", ", then tell the doctor"),
        ("Pay the gas bill. ", "After that tell the doctor"),
        ("Zuerst die Gasrechnung zahlen", ", dann dem Arzt schreiben"),
        ("D'abord paie la facture", ", puis préviens le médecin"),
        ("Primero paga la factura", ", luego avisa al médico"),
    ],
)
def test_first_and_then_is_an_order_without_a_condition(first: str, second: str) -> None:
    assert judged(first, second).order == "ordered"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I paid the gas bill", " and then ran 5 km"),
        ("If that works for you I pay on Friday. ", "My weight is 80 kg"),
        (
            "I paid the gas bill. ",
            "Remind me to call the doctor about the pills, and only if that works out pay",
        ),
        ("Note the gas bill of 40 euro. First of all", " my weight is 80 kg"),
        ("The gas bill is paid. If it is done. ", "My weight is 80 kg"),
        ("Zahl die Gasrechnung, wenn es regnet. ", "Mein Gewicht ist 80 kg"),
    ],
)
def test_words_inside_a_part_are_no_order(first: str, second: str) -> None:
    made = judged(first, second)
    assert made.order == "parallel"
    assert [target.prompt for target in made.targets] == [first.strip(), second.strip()]


def test_parts_that_overlap_or_say_no_place_have_no_order() -> None:
    text = "Pay it, and if that works tell Clara"
    assert order_of(text, [Segment.whole(text, "x"), Segment.whole(text, "y")]) == "parallel"
    assert order_of(text, [Segment(((0, 6),)), Segment((), "the rest")]) == "parallel"


def test_one_condition_among_several_joints_holds_for_the_whole_plan() -> None:
    parts = ("Note my weight. ", "Pay the bill ", "and if that works tell Clara")
    starts = [sum(map(len, parts[:n])) for n in range(3)]
    segments = [Segment(((at, at + len(part)),)) for at, part in zip(starts, parts, strict=True)]
    assert order_of("".join(parts), segments) == "conditional"


PAY_AND_TELL = "Pay the gas bill, and if that works tell the doctor"


def called(*after: str | None, text: str = PAY_AND_TELL, barred: tuple[str, ...] = ()) -> Verdict:
    """The verdict on calls that name no place in the message, as some models make them."""
    names = ("finance", "health", "general")
    calls = [
        {"butler": name, "prompt": f"for {name}", **({"after": one} if one else {})}
        for name, one in zip(names, after, strict=False)
    ]
    return verdict(calls, registry(*barred), RoutingMessage(text=text), 0.0)


@pytest.mark.spec("SWB-30.3")
@pytest.mark.parametrize(
    ("after", "order"),
    [
        ((None, "success"), "conditional"),
        ((None, "always", "success"), "conditional"),
        ((None, "always", "always"), "ordered"),
        ((None, "always"), "ordered"),
        ((None, "always", None), "parallel"),
        ((None, None), "parallel"),
        (("success", None), "parallel"),
        (("success",), "parallel"),
    ],
)
def test_a_session_that_names_no_place_says_itself_what_waits_for_what(
    after: tuple[str | None, ...], order: str
) -> None:
    assert called(*after).order == order


def test_where_a_session_and_the_words_differ_the_stricter_order_holds() -> None:
    text = "Pay the bill, and if that works tell Clara"
    pay, tell = text.index("Pay"), text.index("tell")
    calls = [
        {"butler": "finance", "prompt": "Pay the bill", "segment": {"char_ranges": [[pay, 12]]}},
        {
            "butler": "health",
            "prompt": "tell Clara",
            "segment": {"char_ranges": [[tell, len(text)]]},
            "after": "always",
        },
    ]
    assert verdict(calls, registry(), RoutingMessage(text=text), 0.0).order == "conditional"


@pytest.mark.parametrize("after", ["maybe", 1, True, ["success"]])
def test_a_wait_that_nobody_knows_makes_a_call_malformed(after: object) -> None:
    calls: list[Mapping[str, Any]] = [
        {"butler": "finance", "prompt": "pay"},
        {"butler": "health", "prompt": "tell", "after": after},
    ]
    made = verdict(calls, registry(), RoutingMessage(text=PAY_AND_TELL), 0.0)
    assert made.reason == "invalid_output:malformed_call"


def test_what_a_session_says_depends_on_a_butler_that_is_held_goes_whole_to_the_catch_all() -> None:
    made = called(None, "success", text="Book it; Clara should hear of it then", barred=("finance",))
    assert [(target.butler, target.prompt) for target in made.targets] == [
        ("general", "Book it; Clara should hear of it then")
    ]


@pytest.mark.spec("SWB-10.4")
@pytest.mark.parametrize(
    ("barred", "expected"),
    [("finance", ["general", "health"]), ("health", ["finance", "general"])],
)
def test_the_catch_all_takes_the_turn_of_a_butler_that_is_held(barred: str, expected: list[str]) -> None:
    first, second = "First pay the gas bill", ", then tell the doctor"
    made = judged(first, second, barred)
    assert (made.order, [target.butler for target in made.targets]) == ("ordered", expected)
    assert {target.butler: target.prompt for target in made.targets}["general"] == first + second


@pytest.mark.parametrize("barred", ["finance", "health"])
def test_where_a_part_of_a_conditional_message_has_no_butler_the_whole_goes_to_the_catch_all(
    barred: str,
) -> None:
    made = judged("Pay the gas bill", ", and if that works tell the doctor", barred)
    assert [target.butler for target in made.targets] == ["general"]
    assert made.targets[0].prompt == "Pay the gas bill, and if that works tell the doctor"


@pytest.mark.parametrize("barred", ["finance", "health"])
def test_where_the_catch_all_is_away_too_no_part_of_a_conditional_message_is_begun(barred: str) -> None:
    made = judged("Pay the gas bill", ", and if that works tell the doctor", barred, "general")
    assert made.targets == ()
    assert made.error is not None
    assert made.error.retryable
    assert barred in made.error.message
    assert made.error.message.endswith("its parts depend on each other, so none of them was tried")


def test_parts_that_depend_on_nothing_are_begun_though_the_catch_all_is_away() -> None:
    made = judged("Pay the gas bill", ", and tell the doctor", "finance", "general")
    assert [(target.butler, target.away) for target in made.targets] == [("finance", True), ("health", False)]


def test_words_of_order_are_left_alone_where_nothing_else_would_be_left() -> None:
    assert without_order("and if that works") == "and if that works"
