# ruff: noqa: E501 - lists of messages
"""Whole messages that answer what was told: done, later, in so many minutes; in four languages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_kit.textmodel.features import fold
from butler_kit.wording.answers import Answer, answer_in
from tests.support.cost import costs_less_than

DONE = Answer()
HOUR = Answer(timedelta(hours=1))


@pytest.mark.parametrize(
    "text",
    [
        "done", "Done!", "ok done", "Done, thanks", "did it", "I did it already", "yes, took it", "taken", "all done", "✅ done",
        "erledigt", "Erledigt!", "hab ich gemacht", "schon genommen", "ist erledigt, danke", "ja, gemacht",
        "fait", "C’est fait", "c'est fait merci", "pris", "je l'ai pris", "déjà fait",
        "packed it, thanks", "they're out", "fed him", "I've already called them", "turned it off", "paid!", "it's all packed now",
        "steht draußen", "hab ich schon gegossen", "ist abgeschickt", "sind draußen, danke", "je l'ai envoyé", "déjà payé", "ya está pagado",
        "hecho", "ya está", "Ya lo hice", "listo", "tomado", "sí, hecho",
    ],
)  # fmt: skip
def test_what_says_that_it_is_done(text: str) -> None:
    assert answer_in(text, fold) == DONE


@pytest.mark.parametrize(
    "text",
    ["later", "Remind me later", "not now", "ok, later", "später", "nicht jetzt", "Erinner mich später", "plus tard",
     "pas maintenant", "más tarde", "luego", "ahora no", "in an hour", "in einer Stunde", "dans une heure", "en una hora", "1h"],
)  # fmt: skip
def test_what_puts_it_off_by_an_hour(text: str) -> None:
    assert answer_in(text, fold) == HOUR


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("in 10 minutes", 10), ("10 min", 10), ("snooze 15 minutes", 15), ("remind me again in 20 minutes", 20),
        ("half an hour", 30), ("in half an hour please", 30), ("in two hours", 120), ("3h", 180),
        ("in zehn Minuten", 10), ("nochmal in 20 Minuten", 20), ("in einer halben Stunde", 30), ("in 2 Stunden nochmal", 120),
        ("dans dix minutes", 10), ("dans une demi-heure", 30), ("rappelle-moi dans 2 heures", 120),
        ("en 10 minutos", 10), ("dentro de media hora", 30), ("recuérdame en 2 horas", 120),
    ],
)  # fmt: skip
def test_what_names_the_time_after_which_it_is_to_come_again(text: str, minutes: int) -> None:
    assert answer_in(text, fold) == Answer(timedelta(minutes=minutes))


@pytest.mark.parametrize(
    "text",
    ["done with the tap", "paid the rent", "got it, thanks", "put it off", "called it off", "packed the car", "called mum back",
     "steht im Keller", "he's out of milk", "payé le loyer", "is it done?", "later this week we go to Rome", "buy milk", "in 10 minutes the bus comes",
     "in 0 minutes", "in 9999 hours", "10 minutes late", "done\ndone", "", "not done", "später mehr dazu", "fait beau", "listo el informe"],
)  # fmt: skip
def test_what_has_a_meaning_of_its_own_answers_nothing(text: str) -> None:
    assert answer_in(text, fold) is None


@given(st.text(max_size=200))
def test_any_text_is_read_in_no_time(text: str) -> None:
    assert costs_less_than(0.5, lambda: (answer_in(text, fold), answer_in(f"done {text}", fold)))
