"""What is asked for and cannot be done is recognised in four languages; what only sounds like it is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_specialist.questions.recognise import is_question
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.requests import requests_in

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)

ASKED = {
    "take_back": (
        "cancel that", "undo", "Could you please delete that?", "delete the Lidl expense", "remove bread from the list",
        "remove the last entry", "clear the shopping list", "forget that", "never mind", "sorry, cancel that",
        "Bitte den Termin löschen", "Lösche den Termin am Freitag", "Mach das rückgängig", "Sag den Termin ab",
        "Streich Brot von der Liste", "Termin beim Zahnarzt löschen",
        "Annule le rendez-vous de vendredi", "Peux-tu supprimer la dépense de Lidl ?", "Vide la liste de courses",
        "Cancela la cita del viernes", "Borra el gasto de Lidl", "¿Puedes borrar eso?", "Olvídalo",
    ),
    "change": (
        "move the dentist to Friday 10:00", "Reschedule the dentist", "can you move the standup to half past nine",
        "move it to the week after please", "change the amount to 66 EUR",
        "actually it was 32,40", "no, 66", "No, I meant Friday", "sorry, it was 66 not 60", "That's wrong",
        "Verschiebe den Zahnarzt auf Freitag 10 Uhr", "Kannst du den Termin auf Freitag verschieben?",
        "Eigentlich waren es 32,40", "Nein, 66", "Ich meinte Freitag",
        "Déplace le dentiste à vendredi 10h", "En fait c'était 32,40", "Non, 66 €", "Je voulais dire vendredi",
        "Mueve la cita al viernes a las 10", "En realidad fue 32,40", "Quise decir viernes",
    ),
    "tick": (
        "mark the tap as done", "tick off the milk", "done", "Hak die Milch ab", "Erledigt!",
        "Coche le lait", "Marca la leche como hecha",
    ),
    "remind": (
        "Remind me tomorrow at 8 to call the school", "Remind me in 2 minutes to check the oven",
        "tomorrow at 8 remind me to call Tom", "Can you remind me on Friday?", "Set a reminder for Friday",
        "Erinnere mich morgen um 18 Uhr an die Mülltonnen",
        "Bitte erinnere mich an Claras Geburtstag", "Kannst du mich morgen an den Müll erinnern?",
        "Rappelle-moi demain à 8h d'appeler l'école", "Tu peux me rappeler d'appeler l'école ?",
        "Recuérdame mañana a las 8 llamar al colegio", "Puedes recordarme la cita?",
    ),
    "tell": (
        "Remind Tom to call the plumber",
        "Tell Tom to pick up Leo at five", "Please let Tom know that I am late", "Ask Tom whether he is coming",
        "Text Clara that we are late", "Tell my mother about Friday", "Sag Tom, dass er Leo abholen soll",
        "Dis à Tom de prendre Leo à cinq heures", "Dile a Tom que recoja a Leo",
    ),
    "arrange": (
        "Book a table for two at Luigi's on Saturday at 8", "Order pizza for tonight", "Call me a taxi",
        "Pay the electricity bill", "Can you book two tickets?", "Bestell uns eine Pizza", "Bezahl die Stromrechnung",
        "Réserve une table pour deux samedi", "Paie la facture d'électricité",
        "Reserva una mesa para dos el sábado", "Paga la factura de la luz",
    ),
    "share": (
        "split 90 EUR dinner with Tom", "Split the bill with Tom", "Teile die Rechnung mit Tom",
        "Partage l'addition avec Tom", "Divide la cuenta con Tom",
    ),
    "live": (
        "What's the weather in Lisbon?", "weather tomorrow", "Will it rain tomorrow?", "what's in the news?",
        "How is the traffic to the airport?", "Wie wird das Wetter morgen?", "Regnet es morgen?",
        "Quel temps fait-il à Lisbonne ?", "¿Qué tiempo hace en Lisboa?", "¿Va a llover mañana?",
    ),
    "stop": (
        "Please stop sending me the blood pressure history", "stop", "don't send me that again",
        "Hör auf, mir das zu schicken", "Schick mir keine Nachrichten mehr", "Arrête de m'envoyer ça",
        "Deja de enviarme eso",
    ),
}  # fmt: skip

NOT_ASKED = (
    "I cancelled the gym", "Cancelled the gym", "I removed the wallpaper", "Remove the wallpaper on Saturday",
    "Moved the dentist to Friday 10:00", "The dentist was moved to Friday 10:00", "Move the sofa to the living room",
    "Move to Berlin on 1 December", "Change the sheets on Friday", "Clear the table", "What did I cancel last week?",
    "Who moved the dentist?", "Todo: cancel the gym", "todo: remove bread from the list", "Cancel anytime",
    "Don't forget to cancel the gym", "Shopping list: cancel stamps, eggs", "Forget-me-nots for the garden, 12 EUR",
    "Take back the library books on Friday", "Actually it was a lovely evening", "No milk today", "I meant to call Tom",
    "Remind list: milk", "add milk to the reminders list", "Add eggs to the remind me list",
    "Reminder: dentist on Friday",
    "That reminds me of Clara", "Tom will remind me to call the school", "I asked Tom to remind me",
    "Did you remind me of the dentist?", "Tell me about Clara", "Told Tom to pick up Leo",
    "Ask the doctor about the pills",
    "I told Tom that the plumber comes on Friday", "Remember to tell Tom about Friday", "Call the plumber on Friday",
    "Book club on Friday at 20:00", "Booked a table for two on Saturday", "Order confirmation 4711: 23.40 EUR",
    "Order 4711 has shipped", "Pay day is on Friday", "Paid the plumber 180 EUR today", "Split peas 2,40 EUR",
    "The weather was lovely at Clara's wedding", "What did the traffic fine cost?", "Any news from Clara?",
    "Stop at the bakery on the way", "Stopped taking ibuprofen", "Done with school at three: Leo",
    "Ich habe das Fitnessstudio gekündigt", "Ich habe den Termin gelöscht", "Ich muss den Termin absagen",
    "Termin am Freitag wurde verschoben", "Tom erinnert mich an meinen Vater", "Schreib Milch auf die Einkaufsliste",
    "J'ai annulé la salle de sport", "Annulé la salle de sport", "Rendez-vous reporté à vendredi",
    "Réservé une table pour deux samedi", "Commande Amazon 23,40 €", "Payé la facture de 89,90 €",
    "Cancelé el gimnasio", "He borrado las fotos", "Reserva en Casa Lucio el sábado a las 21:00",
    "Me recuerda a mi abuela",
)  # fmt: skip


@pytest.mark.parametrize(("wish", "text"), [(wish, text) for wish, texts in ASKED.items() for text in texts])
def test_what_is_asked_for_is_recognised(wish: str, text: str) -> None:
    assert [(found.wish, found.told) for found in requests_in(read(text, NOW))] == [(wish, False)]


@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_is_told_planned_listed_or_asked_about_is_no_request(text: str) -> None:
    assert [found for found in requests_in(read(text, NOW)) if not found.told] == []


@pytest.mark.parametrize(
    "text",
    [
        "got the eggs",
        "Paid the electricity bill",
        "done with the tap",
        "Eier gekauft",
        "J'ai acheté les œufs",
        "He comprado huevos",
    ],
)
def test_what_was_done_without_a_sum_may_tick_something_off(text: str) -> None:
    [found] = requests_in(read(text, NOW, currency="EUR"))
    assert (found.wish, found.told) == ("tick", True)
    assert requests_in(read(f"{text} 12.50 EUR", NOW)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "For Saturday:\n- book a table for two\n- cancel the gym",
        "---------- Forwarded message ----------\nPlease pay the invoice. Order a new card.",
        "Cancel that. " * 31,
        "Subject: Invoice 231\n\n" + "We did this. " * 8 + "Please pay the invoice.",
    ],
)
def test_a_list_a_forwarded_message_and_a_long_document_ask_nothing_of_a_butler(text: str) -> None:
    assert requests_in(read(text, NOW)) == ()


def test_what_the_writer_wants_to_be_told_again_is_a_question() -> None:
    assert is_question(read("Remind me what the wifi password is", NOW))
    assert not is_question(read("Kannst du mich morgen an den Müll erinnern?", NOW))
    assert not is_question(read("Tu peux me rappeler d'appeler l'école ?", NOW))
