"""What a household tells and asks about money, one message after the other, and what it is answered."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.golden.specialist.conversations import Butlers

MOMENT = datetime(2026, 11, 22, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))
TAKEN = "No currency was named; I took EUR, the household's."

TALK = [
    ("Spent 23,40 at Lidl, groceries", f"Noted: 23.40 EUR for groceries (Lidl) on Sunday, 22 November 2026. {TAKEN}"),
    ("How much on groceries?", "You spent 23.40 EUR on groceries so far: 23.40 EUR for groceries at Lidl"),
    ("Wie viel habe ich für Lebensmittel ausgegeben?", "23,40 EUR hast du bisher für Lebensmittel ausgegeben"),
    ("actually it was 32,40", "I found nothing noted that fits “actually it was 32,40”; nothing is changed."),
    ("Netflix is 17.99 a month, renews on the 5th", "a subscription of 17.99 EUR for Netflix, on Saturday, 5 December"),
    ("Which subscriptions do we have?", "Subscriptions of 17.99 EUR are noted so far: 17.99 EUR for Netflix"),
    ("receipt from the garden centre 64.50", "64.50 EUR (receipt from the garden centre)"),
    ("Paid 35 for Leo's swimming course", f"35.00 EUR for Leo's swimming course on Sunday, 22 November 2026. {TAKEN}"),
    ("What did I spend this month?", "You spent 122.90 EUR in November 2026"),
    ("Tom owes me 20 euros for the concert tickets", "Noted: Tom owes you 20.00 EUR for concert tickets"),
    ("I owe my brother 50 EUR for the tickets", "you owe your brother 50.00 EUR for tickets"),
    ("Ich habe Tom 20 Euro geliehen", "Tom schuldet dir 20,00 EUR (notiert für Sonntag, 22. November 2026)."),
    ("What did I spend this month?", "You spent 122.90 EUR in November 2026"),
    ("Who owes us money?", "Tom owes you 20.00 EUR (22 November) and Tom owes you 20.00 EUR for concert tickets"),
    ("What does Tom owe me?", "Tom owes you 20.00 EUR (22 November) and Tom"),
    ("What do we owe the electrician?", "No debt on electrician is recorded."),
    ("Tom paid me back 20 euros", "Settled, paid back: 20.00 EUR, Tom"),
    ("Salary came in: 3200 EUR", "Noted: income of 3,200.00 EUR (Salary) on Sunday, 22 November 2026."),
    (
        "how much do we have left this month?",
        "I keep no balance and no budget, so I cannot say what is left. Of what I was told: you received 3,200.00 EUR "
        "and you spent 122.90 EUR in November 2026.",
    ),
    (
        "split 90 EUR dinner with Tom and Jonas",
        "90.00 EUR for dinner with Tom and Jonas on Sunday, 22 November 2026. That is the whole sum: I do not work out "
        "who owes which share. This month so far: 212.90 EUR.",
    ),
    ("Bought a sofa for £450 at Ikea last Friday", "450.00 GBP for sofa (Ikea) on Friday, 20 November 2026."),
    ("Was hat das Sofa gekostet?", "450,00 GBP hast du bisher für Sofa ausgegeben"),
    ("Paid 180 EUR to the plumber", "180.00 EUR for plumber"),
    ("Combien j'ai payé le plombier ?", "Tu as dépensé 180,00 EUR pour plombier jusqu'ici : 180,00 EUR pour plumber"),
    ("Wie viel habe ich dem Klempner bezahlt?", "180,00 EUR hast du bisher für Klempner ausgegeben"),
    ("¿Cuánto pagué al fontanero?", "Has gastado 180,00 EUR en fontanero hasta ahora"),
    ("How much did I pay the plumber?", "You spent 180.00 EUR on plumber so far"),
    ("How much did I pay the gardener?", "No expense on gardener is recorded so far."),
    ("54,20 € für Schuhe ausgegeben", "54,20 EUR für Schuhe"),
    ("How much did we spend on shoes?", "You spent 54.20 EUR on shoes so far: 54.20 EUR for Schuhe"),
    ("Paid 12 EUR for lunch and 3.50 EUR for coffee", "12.00 EUR for lunch"),
    ("How much did I spend on coffee?", "You spent 3.50 EUR on coffee so far: 3.50 EUR for coffee"),
    ("Combien j'ai dépensé pour le café ce mois ?", "Tu as dépensé 3,50 EUR pour café en novembre 2026"),
    ("J'ai payé 12,80 € à la boulangerie hier", "12,80 EUR pour boulangerie le samedi 21 novembre 2026."),
    ("spent $25 on an ebook", "25.00 USD for ebook"),
    (
        "Subject: Miete\n\nLieber Butler, die Miete von 1.250,00 EUR ist am 1.12. fällig.\nGruß Tom",
        "Notiert: eine Rechnung über 1.250,00 EUR für Miete, fällig am Dienstag, 1. Dezember 2026.",
    ),
    (
        "Subject: Swimming club\n\nPlease pay 80 EUR by 5 December.",
        "a bill of 80.00 EUR for Swimming club, due on Saturday, 5 December 2026.",
    ),
    (
        "Please find attached invoice 2231 over 180.00 EUR, payable by 6 December.",
        "a bill of 180.00 EUR (invoice no. 2231), due on Sunday, 6 December 2026.",
    ),
    ("Which bills are open?", "1,250.00 EUR for Miete (1 December)"),
]  # fmt: skip


async def test_every_answer_says_what_was_told_and_counts_what_was_spent() -> None:
    butlers = Butlers(currency="EUR")
    said = []
    for number, (text, _) in enumerate(TALK):
        reply = await butlers.tell("finance", text, MOMENT + timedelta(seconds=number))
        said.append((text, reply.text))
    wrong = [
        (text, answer) for (text, answer), (_, wanted) in zip(said, TALK, strict=True) if wanted not in answer
    ]
    assert wrong == []


async def test_without_a_currency_the_answer_names_the_setting_and_nothing_is_counted() -> None:
    butlers = Butlers()
    reply = await butlers.tell("finance", "Spent 23,40 at Lidl, groceries", MOMENT)
    assert reply.text == (
        "Noted: no currency is named for 23.40 in “Spent 23,40 at Lidl, groceries” and the household has none "
        "(`household.currency` of the Switchboard), so it is kept as a note and not counted; "
        "“23.40 EUR” would be."
    )
    assert [record.kind for record in reply.records] == ["note"]
    asked = await butlers.tell("finance", "What did I spend this month?", MOMENT + timedelta(seconds=1))
    assert asked.text == "No expense is recorded in November 2026."
