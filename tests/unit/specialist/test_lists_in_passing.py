"""What goes on a list, and off it, in words that name no list."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.understanding.list_done import dropped_in, is_reason
from butler_specialist.understanding.list_questions import list_asked
from butler_specialist.understanding.lists import list_changes
from butler_specialist.understanding.reading import read
from tests.support.talks import Talks

NOW = datetime(2027, 2, 9, 19, 0, tzinfo=ZoneInfo("Europe/Brussels"))


def items(text: str) -> list[str]:
    return [item for change in list_changes(read(text, NOW)) for item in change.items if not change.removed]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't forget milk, eggs and bread", ["milk", "eggs", "bread"]),
        ("vergiss nicht Klopapier und Zahnpasta", ["Klopapier", "Zahnpasta"]),
        ("n'oublie pas le lait et les œufs", ["lait", "œufs"]),
        ("no te olvides de leche, huevos y pan", ["leche", "huevos", "pan"]),
        ("shopping list += pasta, pesto", ["pasta", "pesto"]),
        ("forgot garlic!! stick it on", ["garlic"]),
        ("Sei so lieb und schreib Butter, Mehl und Rosinen auf", ["Butter", "Mehl", "Rosinen"]),
        ("Backpulver hätt ich auch gern", ["Backpulver"]),
        ("windeln sind alle, feuchttücher auch bald", ["windeln", "feuchttücher"]),
        ("Hijo, ponme en la lista arroz y lentejas, hazme el favor", ["arroz", "lentejas"]),
        ("Auriez-vous la gentillesse d'ajouter du café moulu et deux baguettes ?", ["café moulu", "deux baguettes"]),
        ("we are out of wipes AND nappies", ["wipes", "nappies"]),
    ],
)  # fmt: skip
def test_things_are_put_on_the_list_one_by_one(text: str, expected: list[str]):
    assert items(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "don't forget to call Tom and Anna",
        "vergiss nicht Opa und Oma anzurufen",
        "don't forget mum's birthday and the bins",
        "don't forget the school meeting on Friday and the cake",
        "no te olvides de llamar a Marta",
        "vergiss nicht den Ausweis",
    ],
)
def test_what_is_to_be_done_is_no_thing_to_buy(text: str):
    assert items(text) == []


def test_one_thing_takes_the_place_of_another_on_the_list_that_was_spoken_of():
    talks = Talks(start=NOW)
    talks.say("add pasta and pesto to the shopping list")
    said = talks.say("swap the pesto for tomato sauce")
    kinds = {(record.kind, record.title) for record in said.records}
    assert kinds == {("list_removal", "pesto"), ("list_item", "tomato sauce")}


def test_another_number_of_a_thing_changes_the_thing_itself():
    talks = Talks(start=NOW)
    talks.say("get 6 eggs, 2 litres of milk and half a kilo of mince pls")
    assert "“12 eggs”" in talks.say("actually make that 12 eggs").text


def test_both_that_were_told_last_are_bought():
    talks = Talks(start=NOW)
    talks.say("windeln sind alle, feuchttücher auch bald")
    said = talks.say("hab beides mitgebracht")
    assert {record.title for record in said.records if record.kind == "list_removal"} == {
        "windeln",
        "feuchttücher",
    }


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Die Rosinen können wir uns sparen", "Die Rosinen"),
        ("Finalement, pas de baguettes, je ferai du pain.", "baguettes"),
    ],
)
def test_what_can_be_left_out_is_named(text: str, item: str):
    assert dropped_in(read(text, NOW).sentences[0]) == item


def test_why_something_is_not_needed_is_no_note():
    assert is_reason(read("the neighbour gave us some", NOW).sentences[0])


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("do i have to buy cheese or is it there already", "cheese"),
        ("¿Había apuntado ya las lentejas?", "lentejas"),
    ],
)
def test_an_item_is_asked_for_in_other_words(text: str, item: str):
    asked = list_asked(read(text, NOW))
    assert asked is not None
    assert asked.item == item


def test_what_is_left_to_do_for_me_asks_for_the_tasks():
    asked = list_asked(read("what's left for me to do", NOW))
    assert asked is not None
    assert asked.name == "to-do"
