"""What most likely says that something is done ticks off what it names; a row of things to do is one task each."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from butler_specialist.understanding.measurements import find_measurements
from tests.support.talks import Talks

TODO = "todo: reply to the tax lady by friday, chase the builder, book the kennel"


def tasks(talks: Talks) -> list[str]:
    return [row.title or "" for row in talks.kept["general"].rows if row.kind == "task"]


@pytest.mark.parametrize(
    ("told", "items"),
    [
        (TODO, ["reply to the tax lady by friday", "chase the builder", "book the kennel"]),
        (
            "Im Garten muss ich noch: Wasser abstellen, Rosen anhäufeln, Laube winterfest machen",
            ["Wasser abstellen", "Rosen anhäufeln", "Laube winterfest machen"],
        ),
        ("to do - ring the school, hang the picture", ["ring the school", "hang the picture"]),
        ("à faire : appeler le plombier, rendre les livres", ["appeler le plombier", "rendre les livres"]),
        ("add to my tasks: paint the kitchen", ["paint the kitchen"]),
        ("setz auf meine Aufgaben: Reifen wechseln", ["Reifen wechseln"]),
        ("por hacer: coser el disfraz, colgar el cuadro", ["coser el disfraz", "colgar el cuadro"]),
    ],
)
def test_each_of_a_row_of_things_to_do_is_a_task(told: str, items: list[str]) -> None:
    talks = Talks()
    talks.say(told)
    assert tasks(talks) == items


def test_a_task_of_a_row_has_the_day_that_it_names_and_the_others_none() -> None:
    talks = Talks()
    said = talks.say(TODO)
    days = {row.title: (row.occurred_on.weekday(), row.details) for row in talks.kept["general"].rows}
    assert days["reply to the tax lady by friday"] == (4, {})
    assert days["chase the builder"][1] == {"day": "of the message"}
    assert "Added to your tasks (no date): “chase the builder” and “book the kennel”." in said.text


@pytest.mark.parametrize(
    "told",
    [
        "I have to: thank you all so very much for that long lovely warm evening down by the lake, dear Anna",
        "jobs: Tom starts at Bosch in May, Anna is still looking",
        "chores - Tom did the dishes, Anna the floors",
        "must - no, wait, that was Tom, sorry",
        "to do: what is open, what is done?",
        "Wir müssen noch: Milch, Eier, Brot kaufen",
    ],
)
def test_what_is_no_row_of_things_to_do_stays_as_it_is(told: str) -> None:
    talks = Talks()
    talks.say(told)
    assert tasks(talks) == []


@pytest.mark.parametrize(
    ("told", "done", "answer"),
    [
        (TODO, "tax lady done, she was actually nice", "Done: “reply to the tax lady by friday”"),
        ("to do - ring the school, paint the fence", "fence is painted", "Done: “paint the fence”"),
    ],
)
def test_what_is_said_to_be_done_in_any_words_is_ticked_off(told: str, done: str, answer: str) -> None:
    talks = Talks()
    talks.say(told)
    said = talks.say(done)
    assert said.text.startswith(answer)
    assert {row.kind for row in said.records} <= {"note"}, "the aside alone is kept"


@pytest.mark.parametrize("said", ["bread is stale", "milk's out", "milk's finished", "eggs are gone"])
def test_what_only_speaks_of_a_thing_takes_nothing_off_a_list(said: str) -> None:
    talks = Talks()
    talks.say("shopping list: milk, bread, eggs")
    assert "list_removal" not in {row.kind for row in talks.say(said).records}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("to do: wash the car, water plants", "car is not washed yet"),
        ("to do: wash the car, water plants", "car isn't washed"),
        ("to do: wash the car, water plants", "the plants are dead"),
        ("to do: paint the fence, feed cat", "fence nearly painted"),
        ("to do: paint the fence, feed cat", "cat's gone"),
        ("muss noch: Rosen gießen, Auto waschen", "Rosen sind nicht gegossen"),
        ("todo: book the kennel, call mum", "kennel rang back, all booked up"),
    ],
)
def test_what_is_not_done_or_is_something_else_ticks_nothing_off(told: str, said: str) -> None:
    talks = Talks()
    talks.say(told)
    assert not talks.say(said).text.startswith(("Done", "Erledigt"))


def test_a_bill_is_not_paid_by_a_likelihood() -> None:
    talks = Talks()
    talks.say("rent 900 EUR due on 1 december")
    assert "expense" not in {row.kind for row in talks.say("rent is in").records}


@pytest.mark.parametrize(
    "text",
    [
        "demander à Marie combien coûte le stage",
        "check what size Leo wears",
        "how we fix the boiler press reset twice",
    ],
)
def test_what_is_to_be_asked_and_how_something_is_done_is_kept(text: str) -> None:
    assert Talks().say(text).records


@pytest.mark.parametrize("told", ["the kids are in bed", "die haben angerufen", "we bought a new car"])
def test_what_names_nothing_open_is_only_noted(told: str) -> None:
    talks = Talks()
    talks.say(TODO)
    assert [row.text for row in talks.say(told).records] == [told]


@pytest.mark.parametrize(
    ("text", "kind", "value", "second"),
    [
        ("waage sagt 93,8 kg aber mit schuhen", "weight", "93.8", None),
        ("again now after some sleep, 131 over 84", "blood_pressure", "131", "84"),
        ("vale, después de la pastilla 139/88", "blood_pressure", "139", "88"),
        ("Zucker Papa heut früh 187 nüchtern", "glucose", "187", None),
    ],
)
def test_a_value_that_no_word_names_is_read_where_the_clause_tells_of_one(
    text: str, kind: str, value: str, second: str | None
) -> None:
    [found] = find_measurements(text)
    assert (found.kind, found.value) == (kind, Decimal(value))
    assert found.second == (Decimal(second) if second else None)


@pytest.mark.parametrize(
    "text",
    [
        "bought 2 kg of potatoes",
        "12 kg Paket an Jonas geschickt, 9 Euro Porto",
        "we live at 12/14 Mill Lane",
        "the recipe needs 250/180 degrees",
        "120 over 80 km",
        "deadlift 120 kg today",
        "squats 100 kg",
        "Leo lost 3 kg",
        "suitcase 22.4 kg",
        "bed 200/140",
        "Zucker 250 g, Mehl 500 g",
        f"meeting on {date(2026, 11, 12):%d/%m}",
    ],
)
def test_a_number_of_a_clause_that_tells_of_no_body_is_no_value(text: str) -> None:
    assert find_measurements(text) == ()
