"""What is taken back, corrected, moved or done is so in the records, and the answer says it as they have it."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

import pytest

from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

SUNDAY = datetime(2026, 11, 22, 10, 0, tzinfo=BERLIN)


async def _after(profile: str, *texts: str) -> tuple[Talk, str]:
    talk, said = Talk(profile, SUNDAY), ""
    for text in texts:
        said = (await talk.say(text)).text
    return talk, said


@pytest.mark.parametrize(
    ("told", "corrected"),
    [
        ("Spent 60 EUR at Lidl", "no, 66"),
        ("Spent 60 EUR at Lidl", "actually it was 66"),
        ("Spent 60 EUR at Lidl", "sorry, it was 66 not 60"),
        ("Spent 60 EUR at Lidl", "make it 66"),
        ("Spent 60 EUR at Lidl", "the Lidl was 66 EUR, not 60"),
        ("60 EUR bei Lidl ausgegeben", "Nein, 66"),
        ("60 EUR bei Lidl ausgegeben", "Eigentlich waren es 66,00"),
        ("Payé 60 EUR chez Lidl", "Non, 66 €"),
        ("Payé 60 EUR chez Lidl", "En fait c'était 66,00"),
        ("Gasté 60 EUR en Lidl", "No, 66"),
        ("Gasté 60 EUR en Lidl", "En realidad fue 66"),
    ],
)
async def test_a_corrected_sum_is_the_only_one_and_is_said_with_the_former_one(
    told: str, corrected: str
) -> None:
    talk, said = await _after("finance", told, corrected)
    [record] = talk.records
    assert (record.kind, record.amount, record.currency) == ("expense", Decimal(66), "EUR")
    assert "66.00 EUR" in said.replace(",", ".")
    assert "60.00 EUR" in said.replace(",", ".")


async def test_a_value_is_corrected_as_a_whole() -> None:
    talk, said = await _after("health", "Blood pressure 128/82", "no, 138/82")
    [record] = talk.records
    assert (record.quantity, record.quantity_second) == (Decimal(138), Decimal(82))
    assert said.startswith("Changed from 128/82 mmHg to 138/82 mmHg: blood pressure")
    talk, said = await _after("health", "Blood pressure 128/82", "no, 138")
    assert [row.quantity for row in talk.records] == [Decimal(128)]
    assert "stays: 128/82 mmHg" in said


@pytest.mark.parametrize(
    ("profile", "told", "moved"),
    [
        ("general", "Dentist on Thursday at 15:30", "move the dentist to Friday at 10:00"),
        ("general", "Dentist on Thursday at 15:30", "The dentist was moved from Thursday to Friday 10:00"),
        ("general", "Dentist on Thursday at 15:30", "no, on Friday at 10:00"),
        (
            "health",
            "Dentist appointment for Leo on Thursday at 15:30",
            "Leo's dentist is on Friday at 10:00, not Thursday",
        ),
        ("general", "Zahnarzt am Donnerstag um 15:30", "Verschiebe den Zahnarzt auf Freitag 10 Uhr"),
        ("general", "Dentiste jeudi à 15h30", "Déplace le dentiste à vendredi 10h00"),
        ("general", "Dentista el jueves a las 15:30", "Mueve la cita al viernes a las 10:00"),
    ],
)
async def test_what_is_moved_is_of_the_new_day_and_the_answer_has_both(
    profile: str, told: str, moved: str
) -> None:
    talk, said = await _after(profile, told, moved)
    [record] = talk.records
    assert (record.occurred_on, record.occurred_at) == (date(2026, 11, 27), time(10))
    assert not any(day in record.text for day in ("Thursday", "Donnerstag", "jeudi", "jueves"))
    assert "26" in said
    assert "27" in said


@pytest.mark.parametrize("moved", ["move the hotel to 9 April 2027", "no, on 9 April 2027"])
async def test_a_stay_that_is_moved_is_as_long_as_before(moved: str) -> None:
    told = "Booked the Hotel Mirador, Porto for 2027-04-02, three nights"
    talk, _ = await _after("travel", told, moved)
    [stay] = talk.records
    assert (stay.occurred_on, stay.details["until"]) == (date(2027, 4, 9), "2027-04-12")
    assert "to Monday, 12 April 2027 (3 nights)" in (await talk.say("Where is my hotel?")).text


@pytest.mark.parametrize(
    ("profile", "told", "deleted"),
    [
        ("finance", "Spent 23.40 EUR at Lidl", "delete the Lidl expense"),
        ("finance", "Spent 23.40 EUR at Lidl", "cancel that"),
        ("finance", "Spent 23.40 EUR at Lidl", "undo"),
        ("relationship", "Tom's birthday is on 9 June", "delete Tom's birthday"),
        ("general", "Zahnarzt am Donnerstag um 15:30", "Sag den Termin beim Zahnarzt ab"),
        ("general", "Zahnarzt am Donnerstag um 15:30", "Mach das rückgängig"),
        ("general", "Dentiste jeudi à 15h30", "Annule le rendez-vous"),
        ("general", "Dentista el jueves a las 15:30", "Cancela la cita del jueves"),
    ],
)
async def test_what_is_deleted_is_gone_and_comes_back_by_undo(profile: str, told: str, deleted: str) -> None:
    talk, _ = await _after(profile, told)
    [before] = talk.records
    assert (await talk.say(deleted)).changes
    assert talk.records == []
    if not deleted.startswith(("undo", "cancel", "Mach")):
        await talk.say("undo")
        [back] = talk.records
        assert (back.record_id, back.text, back.occurred_on) == (
            before.record_id,
            before.text,
            before.occurred_on,
        )


async def test_one_of_several_facts_of_a_message_is_meant_by_what_it_is_called() -> None:
    talk, said = await _after(
        "finance", "Paid 12 EUR for bread and 8 EUR for milk", "delete the bread expense"
    )
    assert "12.00 EUR" in said
    assert [(row.title, row.amount) for row in talk.records] == [("milk", Decimal(8))]


async def test_undo_takes_back_one_message_after_the_other_and_then_says_that_nothing_is_left() -> None:
    talk, _ = await _after("finance", "Spent 60 EUR at Lidl", "no, 66", "What did I spend this month?")
    assert (await talk.say("undo")).text.startswith("As it was before: 60.00 EUR, Lidl")
    assert [row.amount for row in talk.records] == [Decimal(60)]
    assert (await talk.say("undo")).text.startswith("Taken back: 60.00 EUR, Lidl")
    assert talk.records == []
    assert (await talk.say("undo")).text == "There is nothing of yours here that I could take back."


async def test_undo_after_a_day_says_so_and_changes_nothing() -> None:
    talk, _ = await _after("finance", "Spent 60 EUR at Lidl")
    talk.a_day_later()
    reply = await talk.say("undo")
    assert "more than a day ago" in reply.text
    assert (len(talk.records), reply.changes) == (1, ())


async def test_nobody_takes_back_what_somebody_else_said_by_that_and_a_stranger_nothing_at_all() -> None:
    talk, _ = await _after("finance", "Spent 60 EUR at Lidl")
    for sender, household in (("1002", True), ("shop@example.org", False)):
        reply = await talk.say("undo", sender=sender, household=household)
        assert reply.changes == ()
    assert (
        await talk.say("delete the Lidl expense", sender="shop@example.org", household=False)
    ).changes == ()
    assert (await talk.say("delete the Lidl expense", sender="1002")).changes != ()


async def test_what_was_changed_again_by_another_is_not_undone() -> None:
    talk, _ = await _after("finance", "Spent 60 EUR at Lidl", "no, 66")
    await talk.say("the Lidl was 70, not 66", sender="1002")
    reply = await talk.say("undo")
    assert reply.text.startswith("That was changed again since and stays as it is: 70.00 EUR, Lidl")
    assert [row.amount for row in talk.records] == [Decimal(70)]


@pytest.mark.parametrize(
    "pick", ["the second", "2", "die zweite", "le deuxième", "el segundo", "23.40 EUR", "the last one"]
)
async def test_of_several_one_question_is_asked_and_the_next_answer_picks(pick: str) -> None:
    talk, said = await _after(
        "finance", "Spent 23.40 EUR at Lidl", "Spent 12 EUR at Lidl yesterday", "delete the Lidl expense"
    )
    assert said == (
        "Which one do you mean: 1) 12.00 EUR, Lidl (Saturday, 21 November 2026); "
        "2) 23.40 EUR, Lidl (Sunday, 22 November 2026)? Nothing is changed yet."
    )
    reply = await talk.say(pick)
    assert reply.text.startswith("Deleted: 23.40 EUR, Lidl")
    assert [row.amount for row in talk.records] == [Decimal(12)]


@pytest.mark.parametrize(
    "text", ["How much did I spend at Lidl?", "Spent 5 EUR at Rewe", "Paid 12 EUR at Lidl for cake"]
)
async def test_what_is_no_answer_to_the_question_is_a_message_like_any_other(text: str) -> None:
    talk, _ = await _after(
        "finance", "Spent 23.40 EUR at Lidl", "Spent 12 EUR at Lidl", "delete the Lidl expense"
    )
    assert (await talk.say(text)).changes == ()
    assert (await talk.say("the second")).changes == ()


async def test_a_question_names_five_at_most_and_none_is_an_answer() -> None:
    talk, said = await _after(
        "finance", *(f"Spent {n} EUR at Lidl" for n in range(1, 8)), "delete the Lidl expense"
    )
    assert "5) 3.00 EUR" in said
    assert "; 6)" not in said
    assert "2 older ones fit too" in said
    assert (await talk.say("none")).text == "Nothing is changed."
    assert len(talk.records) == 7


async def test_another_day_than_the_one_that_is_named_is_asked_about_and_not_taken() -> None:
    talk, said = await _after("general", "Dentist on Thursday at 15:30", "cancel the dentist on Monday")
    assert said.startswith("Do you mean “Dentist on Thursday at 15:30”")
    assert len(talk.records) == 1
    assert (await talk.say("yes")).changes
    assert talk.records == []


@pytest.mark.parametrize(
    ("bill", "paid"),
    [
        ("The electricity bill is 82.50 EUR, due on Friday", "Paid the electricity bill"),
        ("Stromrechnung 82,50 EUR fällig am Freitag", "Stromrechnung bezahlt"),
        (
            "La facture d'électricité est de 82,50 EUR, échéance vendredi",
            "J'ai payé la facture d'électricité",
        ),
        ("La factura de la luz es de 82,50 EUR, vence el viernes", "Pagué la factura de la luz"),
        ("The electricity bill is 82.50 EUR, due on Friday", "Paid the electricity bill, 82.50 EUR"),
    ],
)
async def test_a_paid_bill_is_closed_and_its_sum_is_spent_once(bill: str, paid: str) -> None:
    talk, said = await _after("finance", bill, paid)
    rows = {row.kind: row for row in talk.records}
    assert (len(talk.records), rows["bill"].done_on) == (2, SUNDAY.date())
    assert (rows["expense"].amount, rows["expense"].occurred_on) == (Decimal("82.50"), SUNDAY.date())
    assert "82.50 EUR" in said.replace(",", ".")
    assert (await talk.say("What bills are due?")).text == "No bill is recorded from today on."
    assert (await talk.say("undo")).changes
    assert [(row.kind, row.done_on) for row in talk.records] == [("bill", None)]


@pytest.mark.parametrize(
    ("listed", "bought", "left"),
    [
        ("Add milk, eggs and bread to the shopping list", "got the eggs and milk", "bread"),
        ("Add milk, eggs and bread to the shopping list", "remove milk and eggs from the list", "bread"),
        ("Kauf Milch und Brot", "Milch gekauft", "Brot"),
        ("Kauf Milch und Brot", "streich Milch", "Brot"),
        ("Ajoute du pain et du lait à la liste de courses", "J'ai acheté le pain", "lait"),
        ("Pon pan y leche en la lista de la compra", "He comprado pan", "leche"),
        ("Pon pan y leche en la lista de la compra", "quita pan", "leche"),
    ],
)
async def test_what_was_bought_or_removed_is_off_the_list(listed: str, bought: str, left: str) -> None:
    talk, said = await _after("general", listed, bought)
    asked = (await talk.say("what's on the shopping list?")).text
    assert asked == f"On the shopping list: {left} (1 item)."
    assert left not in said
    assert (await talk.say("undo")).changes


@pytest.mark.parametrize(
    ("listed", "cleared"),
    [
        ("Add milk and bread to the shopping list", "clear the shopping list"),
        ("Kauf Milch und Brot", "Leere die Einkaufsliste"),
        ("Ajoute du pain et du lait à la liste de courses", "Vide la liste de courses"),
        ("Pon pan y leche en la lista de la compra", "Vacía la lista de la compra"),
    ],
)
async def test_a_cleared_list_is_empty_until_it_is_undone(listed: str, cleared: str) -> None:
    talk, _ = await _after("general", listed, cleared)
    assert (await talk.say("what's on the shopping list?")).text == "Nothing is on the shopping list."
    await talk.say("undo")
    assert (await talk.say("what's on the shopping list?")).text.endswith("(2 items).")


@pytest.mark.parametrize(
    ("listed", "bought", "deleted"),
    [
        ("Add bread to the shopping list", "got the bread", "delete the bread"),
        ("Setz Brot auf die Einkaufsliste", "hab Brot geholt", "lösch das Brot"),
        ("Ajoute du pain à la liste de courses", "J'ai acheté le pain", "supprime le pain"),
        ("Pon pan en la lista de la compra", "He comprado pan", "borra el pan"),
    ],
)
async def test_what_is_on_the_list_again_is_deleted_by_its_name(
    listed: str, bought: str, deleted: str
) -> None:
    talk, said = await _after("general", listed, bought, listed, deleted)
    assert [row.kind for row in talk.records] == ["list_item", "list_removal"] * 2
    assert (await talk.say("what's on the shopping list?")).text == "Nothing is on the shopping list."
    assert (await talk.say(deleted)).changes == ()
    assert len(talk.records) == 4, said


@pytest.mark.parametrize("done", ["done with the tap", "mark the tap as done", "done", "Erledigt!"])
async def test_a_task_that_is_done_is_off_the_tasks_and_comes_back_by_undo(done: str) -> None:
    talk, said = await _after("general", "Todo: fix the dripping tap in the bathroom", done)
    assert "fix the dripping tap in the bathroom" in said
    assert [row.done_on for row in talk.records] == [SUNDAY.date()]
    assert (await talk.say("what's on my to-do list?")).text == "Nothing is on the to-do list."
    await talk.say("undo")
    assert [row.done_on for row in talk.records] == [None]


async def test_whoever_cancels_an_appointment_hears_that_nobody_else_was_told() -> None:
    _, said = await _after("general", "Dentist on Thursday at 15:30", "cancel the dentist")
    assert said.endswith("I only keep notes: nobody else was told, and nothing else is cancelled.")


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("general", "got the flu"),
        ("general", "Remove the wallpaper on Saturday"),
        ("finance", "Paid the water bill"),
        ("finance", "the baker was 14, not 13"),
        ("general", "The party was moved to Friday"),
        ("relationship", "No, Clara is on holiday on Friday"),
    ],
)
async def test_what_fits_no_entry_is_noted_as_it_was_told(profile: str, text: str) -> None:
    talk = Talk(profile, SUNDAY)
    await talk.say("Add milk to the shopping list" if profile == "general" else "Spent 5 EUR at Rewe")
    reply = await talk.say(text)
    assert reply.changes == ()
    assert len(reply.records) == 1


async def test_what_stands_beside_a_change_is_kept_too() -> None:
    talk, said = await _after("finance", "Spent 5 EUR at Rewe", "no, it was 6.50, and I paid the taxi 12 EUR")
    assert sorted(row.amount or 0 for row in talk.records) == [Decimal("6.50"), Decimal(12)]
    assert said.startswith("Changed from 5.00 EUR to 6.50 EUR: Rewe")
    assert "Noted: 12.00 EUR for taxi" in said


async def test_that_of_a_message_that_only_asked_is_asked_back() -> None:
    talk, said = await _after("finance", "Spent 60 EUR at Lidl", "How much did I spend this month?", "no, 66")
    assert said.startswith("Do you mean 60.00 EUR, Lidl")
    await talk.say("yes")
    assert [row.amount for row in talk.records] == [Decimal(66)]


async def test_an_answer_is_in_the_writers_language() -> None:
    _, said = await _after(
        "general", "Zahnarzt am Donnerstag um 15:30", "Verschiebe den Zahnarzt auf Freitag 10 Uhr"
    )
    assert said == (
        "Verschoben: „Zahnarzt“, von Donnerstag, 26. November 2026 um 15:30 Uhr "
        "auf Freitag, 27. November 2026 um 10:00 Uhr."
    )


@pytest.mark.parametrize(
    ("profile", "told", "denied"),
    [
        ("travel", "We're flying to Rome on 12 May", "We're not flying to Rome on 12 May"),
        ("travel", "Flight to Rome on 12 May", "we are not flying to Rome after all"),
        ("travel", "Train to Berlin on Friday at 9:40", "We're not taking the train to Berlin"),
        ("travel", "Wir fliegen am 12. Mai nach Rom", "Wir fliegen doch nicht nach Rom"),
        ("health", "Dentist on Friday at 10", "there's no dentist on Friday"),
        ("health", "Dentist on Friday at 10", "I have no dentist appointment on Friday"),
        ("health", "Zahnarzt am Freitag um 10:30", "ich habe am Freitag keinen Zahnarzt"),
        ("health", "Dentiste vendredi à 10h30", "je n'ai pas de dentiste vendredi"),
        ("health", "Dentista el viernes a las 10:30", "no tengo dentista el viernes"),
    ],
)
async def test_what_is_denied_that_was_told_to_come_is_taken_back_and_can_be_undone(
    profile: str, told: str, denied: str
) -> None:
    talk, said = await _after(profile, told, denied)
    assert talk.records == []
    assert told in said
    await talk.say("undo")
    assert [row.text for row in talk.records] == [told]


@pytest.mark.parametrize(
    ("profile", "told", "denied"),
    [
        ("health", "Dentist on Monday at 9", "no dentist on Friday"),
        ("health", "Dentist on Friday at 10", "No appointment with the vet on Friday at 10"),
        ("health", "My weight is 80 kg", "I don't weigh 80 kg anymore"),
        ("travel", "Flight to Rome on 12 May", "We're not flying to Oslo on 12 May"),
        ("finance", "Tom owes me 20 euros", "Tom doesn't owe me 20 euros any more"),
    ],
)
async def test_what_is_denied_of_something_else_or_of_what_was_changes_no_entry(
    profile: str, told: str, denied: str
) -> None:
    talk, said = await _after(profile, told, denied)
    assert told in [row.text for row in talk.records]
    assert denied in said


@pytest.mark.parametrize(
    "again", ["hm, no, put the haircut back", "restore the haircut", "trag den Haircut bitte wieder ein"]
)
async def test_what_was_cancelled_by_name_is_put_back_by_name(again: str) -> None:
    talk = Talk("general", SUNDAY)
    for said in (
        "Haircut on Friday at 17:00",
        "Dentist on Monday at 9",
        "cancel my haircut",
        "cancel the dentist",
    ):
        await talk.say(said)
    assert talk.records == []
    await talk.say(again)
    assert [row.text for row in talk.records] == ["Haircut on Friday at 17:00"]


async def test_what_was_never_noted_is_not_put_back() -> None:
    talk, said = await _after("general", "Haircut on Friday at 17:00", "put the lid back")
    assert "Put back" not in said
    assert talk.records[0].text == "Haircut on Friday at 17:00"


async def test_two_payments_for_one_thing_are_two() -> None:
    talk, _ = await _after("finance", "I paid 50 EUR for gas", "I paid 51 EUR for gas")
    assert [row.amount for row in talk.records] == [Decimal(50), Decimal(51)]


@pytest.mark.parametrize("corrected", ["I paid 51", "no, I paid 51 for gas", "I paid 51 euros for it"])
async def test_a_sum_alone_or_behind_a_no_corrects_the_payment(corrected: str) -> None:
    talk, _ = await _after("finance", "I paid 50 EUR for gas", corrected)
    assert [row.amount for row in talk.records] == [Decimal(51)]


@pytest.mark.parametrize("corrected", ["no wait, it was 32 at the butcher's", "no, the butcher was 32"])
async def test_a_correction_that_names_its_entry_is_done_though_something_was_asked_since(
    corrected: str,
) -> None:
    talk = Talk("finance", SUNDAY)
    await talk.say("Edeka was 74.15, butcher 22, and the market 61")
    await talk.say("what does that come to?")
    assert "32.00 EUR" in (await talk.say(corrected)).text
    assert "167.15 EUR" in (await talk.say("and altogether now?")).text


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Parents' evening on Wednesday at 19:00", "wann war noch mal der Elternabend?"),
        ("Zahnarzt am Freitag um 10 Uhr", "when is my dentist appointment?"),
        ("der Tierarzt kommt am Dienstag", "when does the vet come?"),
        ("Die Leiter steht im Keller", "where is the ladder?"),
        ("Flight to Porto on 2 December at 11:15", "¿cuándo sale el vuelo?"),
    ],
)
async def test_a_question_finds_what_was_told_in_another_language(told: str, asked: str) -> None:
    talk = Talk("general", SUNDAY)
    await talk.say("Chess club on Thursday at 18:00")
    await talk.say(told)
    said = (await talk.say(asked)).text
    assert told in said
    assert "Chess" not in said


async def test_when_something_is_that_nobody_told_is_not_answered_with_other_appointments() -> None:
    _, said = await _after("general", "Chess club on Thursday at 18:00", "when is the vet appointment?")
    assert said == "I found nothing about that in what I have noted."
    _, said = await _after("general", "Chess club on Thursday at 18:00", "when is my next appointment?")
    assert "Chess club" in said


RENT = "Rent is due on 1 December, 900 EUR"


@pytest.mark.parametrize(
    ("profile", "told", "said", "answered"),
    [
        ("general", "Dentist on Monday at 9", "sag den Zahnarzt ab", "Gelöscht: „Dentist on Monday at 9“"),
        ("general", "Haircut on Friday at 17:00", "verschieb den Friseur auf Samstag 10 Uhr", "Verschoben: „Haircut“"),
        ("finance", "Electricity bill 184.30 due 20 December", "Der Strom ist bezahlt", "Bezahlt: 184,30 EUR"),
        ("finance", RENT, "ist die Miete schon bezahlt?", "Noch nicht bezahlt: 900,00 EUR"),
        ("finance", RENT, "est-ce que le loyer est payé ?", "Pas encore payé : 900,00 EUR"),
        ("general", "Dentist on Monday at 9", "cancel the vet", "I found nothing noted that fits"),
    ],
)  # fmt: skip
async def test_an_entry_is_named_in_another_language_than_it_was_told_in(
    profile: str, told: str, said: str, answered: str
) -> None:
    _, answer = await _after(profile, told, said)
    assert answer.startswith(answered)
