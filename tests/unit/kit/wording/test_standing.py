"""Which messages ask to be reminded of all records of a kind, or no more, in four languages."""

from __future__ import annotations

import pytest

from butler_kit.textmodel.features import fold as fold_a_word
from butler_kit.wording.folding import fold
from butler_kit.wording.standing import Standing, Topic, standing_in

WANTED: dict[Topic, str] = {
    "bills": """\
Remind me of bills
Please remind me about my bills from now on.
remind us when bills are due
Erinnere mich bitte an Rechnungen
Rappelle-moi les factures
Recuérdame las facturas""",
    "birthdays": """\
Tell me the day before birthdays
remind me of birthdays
Sag mir einen Tag vor Geburtstagen Bescheid
Erinnere uns an Geburtstage
Préviens-moi la veille des anniversaires
Rappelle-moi les anniversaires""",
    "departures": """\
Remind me of departures
remind me before my flights
Erinnere mich an Abreisen
Rappelle-moi les départs
Recuérdame las salidas""",
    "tablets": """\
remind me of my tablets
Please remind me of my medication
Erinnere mich an meine Tabletten
Rappelle-moi mes médicaments
Recuérdame mis pastillas""",
}
UNWANTED: dict[Topic, str] = {
    "bills": """\
Stop reminding me of bills
no more bill reminders
Hör auf, mich an Rechnungen zu erinnern
Erinnere mich nicht mehr an Rechnungen
Ne me rappelle plus les factures
Deja de recordarme las facturas""",
    "birthdays": """\
stop the reminders about birthdays
Keine Erinnerungen mehr an Geburtstage
Plus de rappels d'anniversaires
No me recuerdes más los cumpleaños""",
    "departures": """\
Stop reminding me of departures
Erinnere mich nicht mehr an Abreisen
Ne me rappelle plus les départs
No me recuerdes más las salidas""",
    "tablets": """\
Stop reminding me of my tablets
no more tablet reminders
Erinnere mich nicht mehr an Medikamente
Ne me rappelle plus les médicaments
Deja de recordarme las pastillas""",
}
LEADS: dict[str, Standing] = {
    "remind me of bills three days before": Standing("bills", True, (3,)),
    "Remind me 3 days before bills are due": Standing("bills", True, (3,)),
    "remind me of birthdays a week before and on the day": Standing("birthdays", True, (7, 0)),
    "Tell me a week before birthdays": Standing("birthdays", True, (7,)),
    "Remind me of flights two days before": Standing("departures", True, (2,)),
    "Erinnere mich drei Tage vorher an Rechnungen": Standing("bills", True, (3,)),
    "Erinnere mich an Geburtstage eine Woche vorher und am Tag selbst": Standing("birthdays", True, (7, 0)),
    "Rappelle-moi les factures trois jours avant": Standing("bills", True, (3,)),
    "Rappelle-moi les anniversaires une semaine avant et le jour même": Standing("birthdays", True, (7, 0)),
    "Recuérdame las facturas tres días antes": Standing("bills", True, (3,)),
    "Recuérdame los cumpleaños una semana antes y el mismo día": Standing("birthdays", True, (7, 0)),
}
OTHERS = """\
Remind me of bills on Friday
Remind me of the bill
remind me to pay bills
Remind me of Tom's birthday
Tell me about birthdays
do you remind me of bills?
stop reminders
Erinnere mich morgen an Rechnungen
bills
Remind me of tablets three days before
Remind me of flights on the day
Remind me of birthdays 45 days before
remind me of the bill three days before
remind me to take my tablets at 8
"""


def said(wishes: dict[Topic, str]) -> list[tuple[str, Topic]]:
    return [(line, topic) for topic, lines in wishes.items() for line in lines.splitlines()]


@pytest.mark.parametrize(("text", "topic"), said(WANTED))
def test_a_wish_to_be_reminded_of_all_of_a_kind(text: str, topic: Topic) -> None:
    wish = standing_in(text, fold)
    assert wish is not None
    assert standing_in(text, fold_a_word) == wish
    assert (wish.topic, wish.wanted, wish.leads or (1,)) == (topic, True, (1,))


@pytest.mark.parametrize(("text", "topic"), said(UNWANTED))
def test_a_wish_not_to_be_reminded_of_them_any_more(text: str, topic: Topic) -> None:
    assert standing_in(text, fold) == standing_in(text, fold_a_word) == Standing(topic, wanted=False)


@pytest.mark.parametrize(("text", "wish"), LEADS.items())
def test_how_many_days_before_is_a_part_of_the_wish(text: str, wish: Standing) -> None:
    assert standing_in(text, fold) == standing_in(text, fold_a_word) == wish


@pytest.mark.parametrize("text", OTHERS.splitlines())
def test_anything_with_words_of_its_own_is_none(text: str) -> None:
    assert standing_in(text, fold) is None
