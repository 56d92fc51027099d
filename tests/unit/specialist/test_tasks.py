"""A task is the thing alone, with the day and hour that the words name; what a person only wishes for is none."""

from __future__ import annotations

import pytest

from butler_specialist.understanding.done_words import done_stems
from tests.support.cost import costs_less_than
from tests.support.talks import Talks


def told(text: str) -> list[tuple[str, str | None, str, str | None]]:
    return [
        (
            row.kind,
            row.title,
            f"{row.occurred_on:%d.%m.}",
            f"{row.occurred_at:%H:%M}" if row.occurred_at else None,
        )
        for row in Talks().say(text).records
    ]


@pytest.mark.parametrize(
    ("text", "title", "day", "at"),
    [
        ("remind me tomorrow at 9 to call the bank", "call the bank", "23.11.", "09:00"),
        ("erinnere mich morgen um 9 den Klempner anzurufen", "den Klempner anzurufen", "23.11.", "09:00"),
        ("rappelle-moi demain à 9h d'appeler le plombier", "appeler le plombier", "23.11.", "09:00"),
        ("recuérdame mañana a las 9 llamar al fontanero", "llamar al fontanero", "23.11.", "09:00"),
        ("remind me tomorrow to call Tom", "call Tom", "23.11.", None),
        ("wake me at 6:30", "wake up", "23.11.", "06:30"),
        ("don't forget to water the plants", "water the plants", "22.11.", None),
        (
            "vergiss nicht, am Freitag den Müll rauszubringen",
            "am Freitag den Müll rauszubringen",
            "27.11.",
            None,
        ),
        (
            "don't forget that we have to bring the car to the garage on Monday at 8",
            "bring the car to the garage on Monday at 8",
            "23.11.",
            "08:00",
        ),
        (
            "I need to call the plumber about the leaking tap before Friday",
            "call the plumber about the leaking tap before Friday",
            "27.11.",
            None,
        ),
        (
            "We have to bring the car to the garage on Monday",
            "bring the car to the garage on Monday",
            "23.11.",
            None,
        ),
        ("todo: renew the passport before 3 March", "renew the passport before 3 March", "03.03.", None),
        ("Aufgabe: Reifen wechseln bis Freitag", "Reifen wechseln bis Freitag", "27.11.", None),
        ("task: book the ferry tickets", "book the ferry tickets", "22.11.", None),
    ],
)
def test_a_task_is_the_thing_without_the_words_that_only_ask_for_it(
    text: str, title: str, day: str, at: str | None
) -> None:
    assert told(text) == [("task", title, day, at)]


def test_what_somebody_has_at_an_hour_is_no_task() -> None:
    assert told("I have to be at the office on Friday at 8:00") == [("appointment", None, "27.11.", "08:00")]


def test_what_somebody_only_wants_is_neither_a_task_nor_an_appointment() -> None:
    assert told("I want to go to the cinema on Friday") == [("note", None, "22.11.", None)]


def test_an_hour_that_is_kept_is_not_said_to_be_unclear() -> None:
    assert "No time is set" not in Talks().say("wake me at 6:30").text


def test_a_present_to_be_reminded_of_is_no_gift_for_somebody() -> None:
    kinds = [row.kind for row in Talks().say("The party is on Saturday. Remind me to buy a present").records]
    assert "gift" not in kinds


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Wasser abstellen", "wasser ist abgestellt"),
        ("Hühnerstall ausmisten", "hühnerstall ist ausgemistet"),
        ("rendre le dossier", "dossier rendu"),
        ("cancelar el gimnasio", "gimnasio cancelado"),
        ("paint the fence", "fence is painted"),
    ],
)
def test_a_task_whose_verb_is_said_to_be_done_is_done(task: str, said: str) -> None:
    talks = Talks()
    talks.say(f"todo: {task}")
    answer = talks.say(said)
    assert task in answer.text
    assert answer.records == ()


def test_a_verb_that_names_no_more_of_the_task_is_asked_about_and_a_yes_finishes_it() -> None:
    talks = Talks()
    talks.say("todo: Leo anmelden")
    assert "Meinst du" in talks.say("angemeldet ist er").text
    assert "Leo anmelden" in talks.say("ja").text


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("paint the fence", "Leo painted a picture"),
        ("Leo anmelden", "Leo hat gespuckt"),
        ("water the plants", "the plants are not watered yet"),
        ("Wasser abstellen", "das Wasser muss abgestellt werden"),
        ("Wasser abstellen", "ist das Wasser abgestellt?"),
    ],
)
def test_what_is_about_something_else_or_still_to_be_done_finishes_no_task(task: str, said: str) -> None:
    talks = Talks()
    talks.say(f"todo: {task}")
    answer = talks.say(said).text
    assert "Nothing is changed yet" not in answer
    assert "Done: " not in answer
    assert "Erledigt: " not in answer


def test_what_has_run_out_stays_to_be_bought() -> None:
    talks = Talks()
    talks.say("buy milk")
    assert "Taken off" not in talks.say("milk is gone").text


@pytest.mark.parametrize(
    "text", ["ge" * 20_000 + "t", "a" * 40_000 + "ed", "verer" * 8_000 + "t"], ids=range(3)
)
def test_a_hostile_word_is_read_for_its_verb_in_time(text: str) -> None:
    assert costs_less_than(2, lambda: done_stems(text))
