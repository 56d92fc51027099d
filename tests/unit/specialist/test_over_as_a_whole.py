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


def test_a_sentence_with_a_colon_that_heads_no_row_stays_whole() -> None:
    talks = Talks()
    talks.say(
        "must say: that was a lovely, long, warm evening with all of you at the lake, thank you so much for it"
    )
    assert tasks(talks) == []


@pytest.mark.parametrize(
    ("told", "done", "answer"),
    [
        (TODO, "tax lady done, she was actually nice", "Done: “reply to the tax lady by friday”"),
        (
            "Muss noch: Wasser abstellen, Rosen anhäufeln",
            "wasser ist abgestellt",
            "Erledigt: „Wasser abstellen“",
        ),
        ("to do - ring the school, hang the picture", "picture's up", "Done: “hang the picture”"),
    ],
)
def test_what_is_said_to_be_done_in_any_words_is_ticked_off(told: str, done: str, answer: str) -> None:
    talks = Talks()
    talks.say(told)
    said = talks.say(done)
    assert said.text.startswith(answer)
    assert {row.kind for row in said.records} <= {"note"}, "the aside alone is kept"


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
        f"meeting on {date(2026, 11, 12):%d/%m}",
    ],
)
def test_a_number_of_a_clause_that_tells_of_no_body_is_no_value(text: str) -> None:
    assert find_measurements(text) == ()
