"""A mail that is passed on stays, in the style of every mail program; one that is answered is cut."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_kit.mail.forwards import MARK
from butler_kit.mail.replies import own_part
from butler_specialist.understanding.prose import own_prose
from butler_switchboard.routing.rules.clean import own_ranges

BILL = "Total: 75.10 EUR, due on 5 December."
EN = "From: Shop <s@example.net>\nSent: Friday, 20 November 2026 08:00\nTo: Mara <m@example.com>\nSubject: Bill"
DE = "Von: Shop <s@example.net>\nGesendet: Freitag, 20. November 2026 08:00\nAn: Mara\nBetreff: Rechnung"
FR = "De : Shop <s@example.net>\nEnvoyé : vendredi 20 novembre 2026 08:00\nÀ : Mara\nObjet : Facture"
ES = "De: Shop <s@example.net>\nEnviado: viernes, 20 de noviembre de 2026\nPara: Mara\nAsunto: Factura"
BIRD = "Subject: Bill\nDate: Fri, 20 Nov 2026 08:00:00 +0000\nFrom: Shop <s@example.net>\nTo: m@example.com"
APPLE = "> From: Shop <s@example.net>\n> Subject: Bill\n> Date: 20 November 2026\n>\n> "
SAID_SO = [
    f"---------- Forwarded message ---------\n{EN}",
    f"-------- Forwarded Message --------\n{BIRD}",
    f"-------- Weitergeleitete Nachricht --------\n{DE}",
    f"-------- Message transféré --------\n{FR}",
    f"-------- Mensaje reenviado --------\n{ES}",
    f"Begin forwarded message:\n\n{EN}",
    f"Anfang der weitergeleiteten Nachricht:\n\n{DE}",
    f"Début du message transféré :\n\n{FR}",
    f"Inicio del mensaje reenviado:\n\n{ES}",
]
LOOK_LIKE_ANSWERS = [
    f"-----Original Message-----\n{EN}",
    f"-------- Original Message --------\n{BIRD}",
    f"-----Ursprüngliche Nachricht-----\n{DE}",
    f"-----Message d'origine-----\n{FR}",
    f"-----Mensaje original-----\n{ES}",
    EN, DE, FR, ES,
    f"________________________________\n{EN}",
]  # fmt: skip
OWN = [
    "",
    "Please remember\n\n",
    "Please remember this\n\n-- \nMara\n\n",
    "Please remember this\n\nThanks\nMara\n\n",
]


def read(text: str) -> str:
    """What a butler and the router read of it, both of them."""
    prompt = f"Subject: Bill\n\n{text}"
    routed = "\n".join(prompt[start:end] for start, end in own_ranges(prompt))
    understood = own_prose(prompt).text
    assert (BILL in routed) == (BILL in understood)
    return understood


@pytest.mark.parametrize(("style", "own"), list(product(SAID_SO, OWN)))
@pytest.mark.parametrize("subject", ["Fwd: Bill", "Bill"])
def test_what_is_said_to_be_passed_on_is_kept_and_read(style: str, own: str, subject: str) -> None:
    found = own_part(f"{own}{style}\n\n{BILL}", subject=subject, refers=True)
    assert BILL in read(found)
    assert found.startswith(own.strip())
    assert "Shop <s@example.net>" in found


@pytest.mark.parametrize(("style", "own"), list(product(LOOK_LIKE_ANSWERS, OWN)))
@pytest.mark.parametrize(
    ("subject", "refers"),
    [
        ("FW: Bill", True),
        ("WG: Rechnung", True),
        ("TR: Facture", False),
        ("RV: Factura", True),
        ("Bill", False),
    ],
)
def test_a_style_of_answers_and_forwards_is_kept_unless_it_is_an_answer(
    style: str, own: str, subject: str, refers: bool
) -> None:
    found = own_part(f"{own}{style}\n\n{BILL}", subject=subject, refers=refers)
    assert BILL in read(found)
    assert found.startswith((own + MARK).strip())


@pytest.mark.parametrize("style", LOOK_LIKE_ANSWERS)
@pytest.mark.parametrize(
    ("subject", "refers"), [("Re: Bill", False), ("AW: Rechnung", False), ("Bill", True)]
)
def test_the_mail_that_is_answered_is_cut_in_the_same_styles(style: str, subject: str, refers: bool) -> None:
    assert own_part(f"Paid it.\n\n{style}\n\n{BILL}", subject=subject, refers=refers) == "Paid it."


def test_an_answer_to_a_mail_that_was_passed_on_is_an_answer() -> None:
    history = f"On Fri, 20 Nov 2026 at 08:00, Ben <b@x.org> wrote:\n> {MARK}\n> {BILL}"
    assert own_part(f"Paid it.\n\n{history}", subject="Re: Fwd: Bill") == "Paid it."
    assert own_part(f"Paid it.\n\n{EN}\n\n{MARK}\n{BILL}", subject="Re: Fwd: Bill") == "Paid it."


def test_a_mail_that_is_passed_on_as_a_quotation_is_read_without_its_signs() -> None:
    quoted = APPLE + BILL
    assert BILL in read(own_part(f"See:\n\nBegin forwarded message:\n\n{quoted}", subject="Fwd: Bill"))
    history = f"On Fri, 20 Nov 2026 at 08:00, Shop <s@example.net> wrote:\n> {BILL}"
    assert BILL in read(own_part(f"Please remember\n\n{history}", subject="Fwd: Bill"))
    assert own_part(f"Please remember\n\n{history}", subject="Bill") == "Please remember"


def test_fields_without_a_mail_below_them_are_the_senders_own_words() -> None:
    text = "From: Vienna\nI fly on Friday."
    assert own_part(text, subject="Trip") == text


@given(st.text(alphabet="FromSentTo:Subject \n->*_Forwarded message", max_size=400), st.booleans())
def test_something_is_left_of_any_text(text: str, refers: bool) -> None:
    for subject in ("Re: x", "Fwd: x", "x"):
        assert own_part(f"a\n{text}", subject=subject, refers=refers).strip()
