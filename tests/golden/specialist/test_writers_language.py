"""What is answered to whom writes German, French or Spanish: in their language, with its days, sums and plurals."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.golden.specialist.conversations import Butlers

MOMENT = datetime(2026, 11, 22, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))

TALKS = {
    "finance": [
        (
            "Gestern 1254,20 EUR für Lampen bei Ikea bezahlt",
            "Notiert: 1.254,20 EUR für Lampen (Ikea) am Samstag, 21. November 2026. Diesen Monat bisher: 1.254,20 EUR.",
        ),
        (
            "Die Rechnung der Stadtwerke über 80 EUR ist am 5. Dezember fällig",
            "eine Rechnung über 80,00 EUR (Rechnung der Stadtwerke), fällig am Samstag, 5. Dezember 2026.",
        ),
        (
            "mein Bruder schuldet mir 15 €",
            "Notiert: dein Bruder schuldet dir 15,00 EUR (notiert für Sonntag, 22. November 2026).",
        ),
        ("Ich schulde meinem Bruder 20 EUR", "du schuldest deinem Bruder 20,00 EUR"),
        (
            "Was war die größte Ausgabe im November?",
            "Die größte Ausgabe im November 2026: 1.254,20 EUR für Lampen bei Ikea (21. November).",
        ),
        (
            "J'ai payé 23,40 EUR chez Lidl pour des pâtes",
            "Noté : 23,40 EUR pour des pâtes (Lidl) le dimanche 22 novembre 2026. Ce mois-ci jusqu'à présent : "
            "1\u202f277,60 EUR.",
        ),
        ("La facture de 64 EUR, échéance le 1er décembre", "à payer pour le mardi 1er décembre 2026."),
        (
            "Combien avons-nous dépensé ce mois ?",
            "Tu as dépensé 1\u202f277,60 EUR en novembre 2026 : 23,40 EUR pour des pâtes chez Lidl (22 novembre) et "
            "1\u202f254,20 EUR pour Lampen chez Ikea (21 novembre).",
        ),
        (
            "Pagué 23,40 EUR por fruta. El vecino estuvo muy amable.",
            "Anotado: 23,40 EUR por fruta el domingo, 22 de noviembre de 2026. Este mes hasta ahora: 1.301,00 EUR. "
            "El resto solo queda guardado como nota: «El vecino estuvo muy amable.»",
        ),
        ("¿Cuánto gasté en zapatos?", "No hay ningún gasto en zapatos anotado hasta ahora."),
    ],
    "general": [
        (
            "Setz Milch und Brot auf die Einkaufsliste",
            "Auf die Einkaufsliste gesetzt: Milch und Brot. Jetzt stehen 2 Einträge darauf.",
        ),
        ("Nimm Milch von der Einkaufsliste", "Von der Einkaufsliste gestrichen: Milch. Jetzt steht 1 Eintrag darauf."),
        (
            "Qu'est-ce qu'il y a sur la liste de courses ?",
            "Sur la liste de courses : Brot (1 article).",
        ),
        ("Pon huevos en la lista de la compra", "Añadido a la lista de la compra: huevos. Ahora hay 2 cosas en ella."),
        (
            "der Klempner kommt am Dienstag um 15 Uhr",
            "Notiert für Dienstag, 24. November 2026 um 15:00 Uhr: „der Klempner kommt am Dienstag um 15 Uhr“.",
        ),
        ("Quand passe le plombier ?", "Je n'ai rien trouvé à ce sujet dans ce que j'ai noté."),
        (
            "¿Qué tengo el martes?",
            "He encontrado «der Klempner kommt am Dienstag um 15 Uhr» (24 de noviembre a las 15:00).",
        ),
        (
            "N'oublie pas d'appeler la banque",
            "Ajouté à tes tâches (sans date) : « appeler la banque ».",
        ),
        (
            "Treffen mit dem Makler um 8",
            "Notiert: „Treffen mit dem Makler um 8“. Ohne Uhrzeit notiert: „um 8“ kann morgens oder abends sein.",
        ),
    ],
    "travel": [
        (
            "Zug ICE 579 von Berlin nach Hamburg am 12. März um 9:05 Uhr",
            "Notiert: Zug ICE 579 von Berlin nach Hamburg am Freitag, 12. März 2027 um 09:05 Uhr.",
        ),
        (
            "Wie lange noch bis zum Zug?",
            "Noch 110 Tage bis zu: Zug ICE 579 am Freitag, 12. März 2027 um 09:05 Uhr von Berlin nach Hamburg.",
        ),
        (
            "Vol AF1234 de Paris à Rome le 1er décembre à 10h20, 1189,90 EUR",
            "Noté : vol AF1234 de Paris à Rome le mardi 1er décembre 2026 à 10:20. Prix indiqué : 1 189,90 EUR.",
        ),
        (
            "Quand part mon prochain vol ?",
            "Ton prochain vol : AF1234 le mardi 1er décembre 2026 à 10:20 de Paris à Rome.",
        ),
        (
            "Le passeport de Leo est valable jusqu'au 12 mai 2027",
            "passeport (Leo) : valable jusqu'au mercredi 12 mai 2027.",
        ),
        ("Mein Reisepass ist gültig bis 12. Mai 2027", "Notiert: Reisepass: gültig bis Mittwoch, 12. Mai 2027."),
        (
            "vuelo IB3456 desde Madrid a Roma el 20 de diciembre a las 15:30",
            "Anotado: vuelo IB3456 desde Madrid a Roma el domingo, 20 de diciembre de 2026 a las 15:30.",
        ),
        (
            "Hotel Mirador in Porto vom 2. bis 3. April 2027, Buchung AB12CD",
            "von Freitag, 2. April 2027 bis Samstag, 3. April 2027 (1 Nacht) (Bestätigung AB12CD).",
        ),
    ],
    "health": [
        ("Blutdruck 128/82 gestern um 8:15", "Blutdruck 128/82 mmHg am Samstag, 21. November 2026 um 08:15 Uhr."),
        ("Mama hat Blutdruck 140/90", "Blutdruck von deiner Mutter 140/90 mmHg am Sonntag, 22. November 2026."),
        (
            "Wie hoch ist mein Blutdruck?",
            "Dein letzter Eintrag (Blutdruck): 128/82 mmHg am Samstag, 21. November 2026 um 08:15 Uhr.",
        ),
        ("Ibuprofen 400 mg um 8 Uhr genommen", "Ibuprofen 400 mg am Sonntag, 22. November 2026 um 08:00 Uhr."),
        ("Gewicht 71,5", "Es war keine Einheit genannt; ich habe kg genommen."),
        ("Maman pèse 63,2 kg", "Noté : poids (ta mère) 63,2 kg le dimanche 22 novembre 2026."),
        ("Combien pèse Maman ?", "Dernière entrée pour ta mère (poids) : 63,2 kg le dimanche 22 novembre 2026."),
        ("Léo est allergique aux arachides", "Noté : allergie chez Léo : arachides."),
        (
            "metformin 500 mg deux fois par jour",
            "Noté : metformin 500 mg deux fois par jour (08:00 et 20:00), à partir du dimanche 22 novembre 2026.",
        ),
        (
            "cita con el dentista el martes a las 9:30",
            "Anotado para el martes, 24 de noviembre de 2026 a las 09:30: «cita con el dentista el martes a las 9:30».",
        ),
        ("mi peso es 70,4 kg", "Anotado: peso 70,4 kg el domingo, 22 de noviembre de 2026."),
        ("¿Qué temperatura tengo?", "No hay ningún valor tuyo anotado hasta ahora: temperatura."),
    ],
    "relationship": [
        ("Clara hat am 17. Januar Geburtstag", "Notiert: Clara hat am Sonntag, 17. Januar 2027 Geburtstag."),
        ("Welche Geburtstage kommen?", "1 Geburtstag notiert: Clara am Sonntag, 17. Januar 2027."),
        ("Geschenkidee für Clara: ein Füller", "Notiert: Geschenk für Clara: ein Füller."),
        ("Essen mit Jonas am Freitag um 19 Uhr", "Essen mit Jonas am Freitag, 27. November 2026 um 19:00 Uhr."),
        ("Was weißt du über Clara?", "Clara: Geburtstag am 17. Januar 2027 und Geschenkidee „ein Füller“ für Clara."),
        ("dîner avec Rosa demain à 20h", "Noté : dîner avec Rosa le lundi 23 novembre 2026 à 20:00."),
        ("Quand est l'anniversaire de Rosa ?", "Aucun anniversaire n'est noté pour Rosa."),
        ("El cumpleaños de Pablo es el 9 de mayo", "El cumpleaños de Pablo es el domingo, 9 de mayo de 2027."),
        (
            "¿Cuándo es el cumpleaños de Pablo?",
            "El cumpleaños de Pablo es el domingo, 9 de mayo de 2027.",
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize("profile", TALKS)
async def test_the_answer_is_in_the_language_of_the_message(profile: str) -> None:
    butlers = Butlers(currency="EUR")
    said = []
    for number, (text, _) in enumerate(TALKS[profile]):
        reply = await butlers.tell(profile, text, MOMENT + timedelta(seconds=number))
        said.append((text, reply.text))
    wrong = [pair for pair, (_, wanted) in zip(said, TALKS[profile], strict=True) if wanted not in pair[1]]
    assert wrong == []


async def test_what_the_owner_is_told_of_a_stranger_s_message_is_in_english() -> None:
    text = "Die Rechnung über 89,90 EUR ist am 5. Dezember fällig"
    reply = await Butlers().tell("finance", text, MOMENT, household=False, sender="stranger")
    assert "a bill of 89.90 EUR" in reply.text
    assert "Recorded only: nothing was paid and nobody answered." in reply.text
