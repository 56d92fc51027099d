"""What strangers to the rules wrote, and what was once kept of it falsely: days, sums, persons, kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from butler_kit.wording.amends import amend_in
from butler_kit.wording.folding import fold
from butler_specialist.changes.case import Case
from butler_specialist.changes.correct import put_right
from butler_specialist.changes.wording import Words
from butler_specialist.store.model import Record
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.requests import Request, Wish
from tests.support.talks import SUNDAY, Said, Talks


def told(*messages: str) -> Said:
    """What came of the last of the messages of one conversation."""
    talks = Talks()
    return [talks.say(message) for message in messages][-1]


def _number(row: Record) -> str:
    number = row.amount if row.amount is not None else row.quantity
    return f"{number.normalize():f}" if number is not None else ""


def facts(said: Said) -> list[tuple[str, str]]:
    """Kind and number of what is more than a note."""
    return [(row.kind, _number(row)) for row in said.records if row.kind != "note"]


def days(said: Said) -> set[str]:
    """Day, and hour where there is one, of everything that is kept."""
    return {
        f"{row.occurred_on:%d.%m.}{row.occurred_at:%H:%M}" if row.occurred_at else f"{row.occurred_on:%d.%m.}"
        for row in said.records
    }


@pytest.mark.parametrize(
    "text",
    [
        "Der Nachbar hat erzählt, sein neues Auto hätte 38.000 gekostet.",
        "my sister told me her new kitchen cost 12000",
        "Mum said her phone was 800 euros",
        "Jonas said his new bike cost 900",
        "Meine Schwester hat für ihre Küche 12.000 bezahlt, irre",
        "les voisins ont eu 3000 euros d'amende, tu te rends compte",
        "le garagiste m'annonce 600 € pour les freins, je réfléchis",
        "Hätte ich im Lotto gewonnen, wären das 10.000 Euro gewesen haha",
        "Rechnung Nr. 77 an Fa. Löhr raus: 1.850 €, zahlbar bis 6.12.",
        "son 18 euros del taxi, bueno no, 16",
        "me he comprado unos vaqueros por 39,99 y los he devuelto",
        "bought a coat for 120 and sent it back",
        "3 tickets at 9 each plus popcorn 7.50",
        "Hab 50 Euro am Automaten geholt",
        "I was charged twice for Netflix, 13.99 each.",
        "split groceries w/ jonas n mo, 36 total, i paid, so 12 each",
        "Hoffmann finally paid the invoice, 1,932.40 landed today",
        "Tom lent Andreas from the third floor 60 quid in cash last night",
        "Andreas gave 20 back",
        "la voisine a gagné 500 euros au loto, quelle chance",
        "letzten Monat hab ich 120 für Schuhe ausgegeben",
        "le mois dernier on a payé 60 € pour le plombier",
        "Bought a second-hand bike for Ida for £85 when we were in Kent last month",
        "Für die Nähmaschine war die Reparatur 95 Euro, nein halt, 89",
        "Leos Schnitt ist 2,35",
    ],
)
def test_a_sum_that_nobody_here_paid_is_no_fact(text: str) -> None:
    said = told(text)
    assert facts(said) == []
    assert said.records, "and yet it is kept in its own words"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hab beim Edeka 63,27 gelassen, davon 12 Euro für Wein", [("expense", "63.27")]),
        ("J'ai payé 27,50 € à la pharmacie, dont 12 non remboursés.", [("expense", "27.5")]),
        ("Tax advisor invoice 640 euro came in, pay within 14 days.", [("bill", "640")]),
        ("Dinner at Luigi's came to 78, plus 8 tip.", [("expense", "78"), ("expense", "8")]),
        ("46,50 beim Inder bezahlt, plus 4 Trinkgeld", [("expense", "46.5"), ("expense", "4")]),
        ("Die Apotheke hat heute 14,85 Euro für Toms Salbe verlangt.", [("expense", "14.85")]),
        ("Me han devuelto 35 euros de la tienda", [("refund", "35")]),
        ("Tom said his new shoes cost 90", [("expense", "90")]),
        ("Leo pesa 31 kilos y medio", [("measurement", "31.5")]),
        ("Leo wiegt 31 einhalb Kilo", [("measurement", "31.5")]),
        ("He comprado fruta en el mercado por 13 con 50", [("expense", "13.5")]),
        (
            "J'ai donné 10 euros à Leo pour le kebab et il m'en a rendu 3",
            [("expense", "10"), ("refund", "3")],
        ),
        ("Leo hat mir die 15 Euro fürs T-Shirt zurückgegeben", [("refund", "15")]),
        ("Die Werkstattversicherung zieht am 1.12. 346 Euro ab", [("bill", "346")]),
        ("El vuelo a Valencia sale el 20 de diciembre a las 18:55, Ryanair FR 2712", [("flight", "")]),
        (
            "Tanken 58,12, Waschanlage 11 und ein Kaffee 2,90",
            [("expense", "58.12"), ("expense", "11"), ("expense", "2.9")],
        ),
        ("bread rolls 4.35, then petrol 52", [("expense", "4.35"), ("expense", "52")]),
        ("Mon client a payé la facture, 640 euros", [("income", "640")]),
        ("El gas, 88,30, se paga el 30", [("bill", "88.3")]),
        ("sent Clara flowers for her birthday, 39,90 €", [("expense", "39.9")]),
    ],
)
def test_a_sum_or_value_is_the_one_that_was_told(text: str, kept: list[tuple[str, str]]) -> None:
    assert facts(told(text)) == kept


def test_a_hotels_price_by_the_night_is_not_spent() -> None:
    said = told("Nous dormons à l'hôtel du Lac à Annecy du 27 au 29 décembre, 2 nuits à 110 euros")
    assert [kind for kind, _ in facts(said)] == ["stay"]


@pytest.mark.parametrize(
    "text",
    [
        "Seit Montag nehme ich statt Ramipril 5 mg nur noch 2,5 mg morgens.",
        "El médico me ha cambiado la pastilla: ahora Enalapril 10 mg por la noche en vez de por la mañana.",
    ],
)
def test_what_is_taken_instead_of_what_was_is_not_kept_as_both(text: str) -> None:
    assert facts(told(text)) == []


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("Bin am Dienstag von 9 bis 17 Uhr auf Fortbildung in Potsdam.", {"24.11.09:00"}),
        ("und donnerstags um 17 Uhr Gitarre", {"26.11.17:00"}),
        ("Lent the drill to Uwe on Saturday", {"21.11."}),
        ("Tom hat am Freitag die Bohrmaschine an Uwe verliehen.", {"20.11."}),
        ("Mein Bruder Klaus ist am Mittwoch gestorben", {"18.11."}),
        ("bis Freitag muss die Anmeldung weg", {"27.11."}),
        ("Oma Hilde hat am 2. Weihnachtstag Geburtstag", {"26.12."}),
        ("Silvester essen wir bei Jonas um 19 Uhr", {"31.12.19:00"}),
        ("Wir treffen uns am ersten Advent zum Kaffee, 15 Uhr.", {"29.11.15:00"}),
        ("j'ai rendez-vous chez le cardiologue le mardi 8 décembre à 9 h 15", {"08.12.09:15"}),
        ("j'ai pris un doliprane 1000 à midi moins le quart", {"22.11.11:45"}),
        ("appointment hairdresser 28.11. 14h, cut and colour", {"28.11.14:00"}),
        ("Zahnarzt Leo Do 26.11. 15 Uhr 20, Tom fährt", {"26.11.15:20"}),
        ("Hotel Wedina in Hamburg 27.-29.11., 238 € mit Frühstück", {"27.11."}),
        ("puede que el viernes vaya al cine con Marta", {"22.11."}),
        ("i hate mondays", set()),
        ("Opa hier, mir geht's gut", {"22.11."}),
        ("Ich wünschte, ich hätte am Dienstag frei", {"22.11."}),
        ("Ojalá pudiera ir a la playa este sábado", {"22.11."}),
        ("Bus pass renewed, 49 euro, valid until 31 December", {"31.12."}),
        ("Der Elternabend ist vom 24. auf den 26. verschoben", {"26.11."}),
        ("La reunión del cole pasa del miércoles al jueves a las cinco", {"26.11.17:00"}),
        ("Der Keller wird am 30. November zwischen 9 und 13 Uhr entrümpelt", {"30.11.09:00"}),
        ("No more piano lessons for Leo on Mondays from now on", {"22.11."}),
        ("Leo's got basketball every Wednesday 5 to 6.30pm", {"25.11.17:00"}),
        ("Leo a son cours de guitare tous les mardis de 17h à 17h45", {"24.11.17:00"}),
        ("los sábados a las 10 natación", {"28.11.10:00"}),
        ("El gato ha ido al veterinario el jueves", {"19.11."}),
        ("Frau Dr. Lindner ist vom 23.12. bis 3.1. im Urlaub", {"23.12."}),
        ("Hotel booked in advance for 18 to 20 December, 312 EUR already paid", {"22.11.", "18.12."}),
    ],
)
def test_a_day_and_hour_are_those_that_were_meant(text: str, when: set[str]) -> None:
    assert days(told(text)) == when


def test_who_comes_back_on_a_weekday_comes_back_after_they_left() -> None:
    said = told("Der Zug nach Hamburg geht Freitag um 7.06 von Gleis 8, Rückfahrt Sonntag 18.34")
    rides = [(f"{row.occurred_on:%d.%m.}", row.place) for row in said.records if row.kind == "train"]
    assert rides == [("27.11.", None), ("29.11.", "Hamburg")]


@pytest.mark.parametrize(
    ("text", "party"),
    [
        ("Sugar was 6.8 before breakfast today", None),
        ("Mein Zucker war heute nüchtern 124.", None),
        ("Leo ha crecido, mide ya 1,33", "Leo"),
        ("leo weighs 23.4 kilos and is 121 cm tall now", "Leo"),
        ("Tom's mum's birthday is the day after tomorrow", "Tom's mum"),
        ("Wir waren am Samstag bei Tante Gerda", "Tante Gerda"),
        ("die Beerdigung ist am Freitag um 13 Uhr", None),
        ("Margaret's golden wedding anniversary is on the 12th June 2027.", "Margaret"),
        ("Start Leo on amoxicillin 500 mg three times a day for a week", "Leo"),
        ("Oma soll morgens und abends je eine Ramipril 5 mg nehmen", "grandmother"),
        ("Remind me on weekdays at 7:15 to give Leo his inhaler", "Leo"),
        ("tom's birthday is feb 17 1984", "Tom"),
        ("der nächste Termin beim Augenarzt ist am 9. Dezember um 10:20 Uhr", None),
        ("Unsere Enkelin Paula wird am dritten Februar sieben Jahre alt.", "Paula"),
    ],
)
def test_a_fact_is_about_whom_the_words_name(text: str, party: str | None) -> None:
    assert {row.party for row in told(text).records} == {party}


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (("Jonas owes me 40 from the concert", "Jonas gave me 15 back"), "Still owed: 25.00 EUR"),
        (("Jonas owes me 40 from the concert", "he gave me 15 back today"), "Still owed: 25.00 EUR"),
        (("mi hermano Pablo me debe 60 euros", "me ha devuelto 20"), "Aún se debe: 40,00 EUR"),
        (("Tom schuldet mir noch 35 für die Karten", "Tom hat bezahlt"), "erledigt: 35,00 EUR"),
        (("Ich schulde Mert 12,50 fürs Klopapier", "hab ihm 10 gegeben"), "Noch offen: 2,50 EUR"),
        (("je dois 15 euros à chloé pour le resto", "c bon je lui ai rendu"), "Remboursé, réglé : 15,00 EUR"),
        (("Frau Schulze schuldet mir noch 45 Euro", "sie hat heute 30 gezahlt"), "Noch offen: 15,00 EUR"),
        (("Iker me debe 80 euros", "me ha dado 50"), "Aún se debe: 30,00 EUR"),
        (("Tom me doit 27 euros", "il m'a remboursée"), "Remboursé, réglé : 27,00 EUR"),
        (("Denise me doit 22,50 pour le cadeau", "elle m'en a rendu 10"), "12,50 EUR"),
        (("Spent 43.18 at Lidl", "the Lidl one was actually 34.18"), "Changed from 43.18 EUR to 34.18 EUR"),
        (("Der Klempner kommt am Donnerstag um 8 Uhr", "Wann kommt der Klempner?"), "Donnerstag um 8 Uhr"),
        (("Termin beim Augenarzt am 9. Dezember", "Wann muss ich nochmal zum Augenarzt?"), "9. Dezember"),
        (
            ("Hotel Avenida Palace in Lissabon vom 24. bis 27. November", "Wie heißt das Hotel in Lissabon?"),
            "Avenida",
        ),
        (("Leo wiegt 24 Kilo", "wie viel wiegt leo?"), "24 kg"),
        (("Il faut du beurre et des piles AA", "j'ai pris les piles"), "piles AA"),
        (("don't forget milk", "never mind the milk"), "Deleted: “milk”"),
        (("Night shift Tuesday through Thursday, starting 21:15",), "Only the first of these days is noted."),
        (("coffee 3.80", "no wait 4.80"), "Changed from 3.80 EUR to 4.80 EUR"),
        (
            ("Dinner at Luigi's came to 78, plus 8 tip.", "No, sorry, the tip was 10."),
            "Changed from 8.00 EUR to 10.00 EUR: tip",
        ),
        (
            ("Erinnere mich jeden Abend um 21 Uhr an die Tablette", "Ach, lieber um 20 Uhr."),
            "Geändert von 21:00 auf 20:00",
        ),
        (("cena con los García el viernes", "al final la cena con los García no se hace"), "Borrado"),
        (
            ("Leo hat jeden Dienstag um 16 Uhr Fußball",),
            "Nur dieser eine Tag ist notiert; „erinnere mich jeden …“",
        ),
        (("Storniert bitte den Zahnarzttermin von Leo.",), "nichts Notiertes gefunden"),
        (("Kannst du bitte Spülmaschinentabs auf die Liste tun?",), "gesetzt: Spülmaschinentabs"),
        (("peux-tu mettre du beurre sur la liste ?",), "Ajouté à la liste de courses : beurre"),
        (("puedes poner leche y pan en la lista?",), "Añadido a la lista de la compra: leche y pan"),
        (("Milch, Eier und zwei Päckchen Hefe fehlen",), "gesetzt: Milch, Eier und zwei Päckchen Hefe"),
        (("Have I taken my blood pressure pill today?",), "No medication of yours"),
        (("Liebe Butler, bitte erinnert mich übermorgen um halb neun ans Packen.",), "nicht erinnern"),
        (("in 20 mins tell me the washing is done",), "can't remind you"),
        (
            ("Leo had a temperature of 38.9, gave him paracetamol syrup",),
            "only kept as a note: “gave him paracetamol syrup”",
        ),
    ],
)
def test_the_answer_is_one_that_whoever_wrote_would_accept(messages: tuple[str, ...], answer: str) -> None:
    assert answer in told(*messages).text


@pytest.mark.parametrize("text", ["Muchas gracias, eso es todo por hoy.", "Danke, das war's für heute."])
def test_who_says_that_this_is_all_has_told_nothing(text: str) -> None:
    assert told(text).records == ()


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("no 4.80", "4.80", ""),
        ("not 4.80, 5.20", "5.20", "4.80"),
        ("no Tuesday. Wednesday", "Wednesday", "Tuesday"),
    ],
)
def test_a_decimal_point_parts_no_correction(text: str, right: str, wrong: str) -> None:
    found = amend_in(text, fold)
    assert found is not None
    assert (found.right, found.wrong) == (right, wrong)


def test_an_hour_that_is_put_right_is_no_assumed_one_any_more() -> None:
    row = told("I take ramipril 5 mg every evening").records[0]
    row = replace(row, details={**row.details, "hours_assumed": "yes"})
    sentence = read("no, at 20:00", SUNDAY).sentences[0]
    reading = read(sentence.text, SUNDAY)
    case = Case(Request(sentence, Wish.CHANGE), reading, [row], (), Words(sentence.text, "en"))
    [change] = put_right(case, [row]).changes
    assert change.after is not None
    assert change.after.details["hours"] == "20:00"
    assert "hours_assumed" not in change.after.details


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("Jeden zweiten Freitag Biotonne", {"27.11."}),
        ("Der Impftermin ist in drei Wochen, Montag 8:40", {"14.12.08:40"}),
        ("Jeden Dienstag und Donnerstag 18 Uhr Yoga", {"24.11.18:00", "26.11.18:00"}),
        ("Leo's got basketball every Monday and Wednesday 5 to 6.30pm", {"23.11.17:00", "25.11.17:00"}),
        ("cada lunes y miércoles natación de Leo a las 17:15", {"23.11.17:15", "25.11.17:15"}),
        ("Le colis Vinted est au relais, à retirer avant samedi", {"28.11."}),
        ("Réunion de copropriété le 10 décembre à 20 h dans la buanderie", {"10.12.20:00"}),
        ("Este sábado no hay cuadrilla, quedamos el domingo a las dos", {"22.11.", "29.11."}),
        ("every Sunday at 18:00 choir", {"22.11.18:00"}),
        ("the gig's on the 11th of dec, doors 7", {"11.12."}),
        ("I met Tom at 8", {"22.11.08:00"}),
        ("Took my thyroid tablet at 6:10", {"22.11.06:10"}),
        ("I am meeting Tom at 8", {"22.11."}),
        ("Camille et Hugo se marient le 12 juin !!", {"12.06."}),
        ("Ha llegado el recibo de la luz 73,15, lo cobran el día 28", {"28.11."}),
    ],
)
def test_of_what_comes_again_or_is_over_the_day_and_hour_are_told_by_the_words(
    text: str, when: set[str]
) -> None:
    assert days(told(text)) == when


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (("appointment hairdresser 28.11. 14h, cut and colour", "hairdresser is at 3 not 2"), "15:00"),
        (
            (
                "Der Klempner kommt am Donnerstag zwischen 8 und 10.",
                "Doch nicht, er kommt erst Freitag, gleiche Zeit.",
            ),
            "27. November",
        ),
        (("Rendez-vous chez l'ophtalmo jeudi à 9 h 40", "déplace-le à vendredi, même heure"), "27 novembre"),
        (("Réunion de copropriété le 10 décembre à 20 h", "finalement c'est à 19 h"), "19:00"),
        (
            (
                "Mañana a las nueve y media tengo médico con la doctora Arrieta",
                "cámbialo al martes a las diez",
            ),
            "24 de noviembre",
        ),
        (
            ("Mañana a las nueve y media tengo médico con la doctora Arrieta", "cuándo tengo médico?"),
            "Arrieta",
        ),
        (("Am Mittwoch um halb fünf hat Ida Kinderarzt", "Wann muss Ida zum Arzt?"), "16:30"),
        (("priya owes me 23 for the concert tix", "she gave me 15 of it"), "Still owed: 8.00 EUR"),
        (
            ("rdv dentiste lundi à 16h30", "ah non mince c'est mardi en fait"),
            "à mardi 24 novembre 2026 à 16:30",
        ),
        (("I take Metformin 500 with breakfast", "When do I take my Metformin?"), "Metformin 500 at 08:00"),
        (
            ("I need to call the insurance and order firewood", "insurance is done"),
            "Done: “call the insurance”",
        ),
        (
            ("Hay que llamar al seguro y renovar el padrón", "lo del seguro ya está"),
            "Hecho: «llamar al seguro»",
        ),
        (
            ("Il faut ramasser les feuilles et appeler le notaire", "le notaire c'est fait"),
            "Fait : « appeler le notaire »",
        ),
        (("I need to call the insurance", "what do I still have to do?"), "call the insurance"),
        (
            ("Muss noch: Steuerbelege sortieren, Fenster putzen", "was muss ich noch machen?"),
            "Fenster putzen",
        ),
        (("Hay que renovar el padrón", "qué me queda?"), "renovar el padrón"),
        (("Il faut du pain, des poireaux et deux bouteilles de cidre", "j'ai pris le cidre"), "cidre"),
    ],
)
def test_what_is_said_next_is_about_what_was_told(messages: tuple[str, ...], answer: str) -> None:
    assert answer in told(*messages).text


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("il faut du pain, des poireaux et du cidre", ["pain", "poireaux", "cidre"]),
        (
            "Je dois appeler le notaire et ramasser les feuilles",
            ["appeler le notaire", "ramasser les feuilles"],
        ),
        ("Ich muss noch die Steuer machen und Oma anrufen", ["die Steuer machen", "Oma anrufen"]),
        ("Tengo que llamar al dentista y comprar pan", ["llamar al dentista", "comprar pan"]),
        ("Ajoute « arroser les plantes » à mes tâches", ["arroser les plantes"]),
        ("Füge „Blumen gießen“ zu meinen Aufgaben hinzu", ["Blumen gießen"]),
        (
            "someone needs to take the bins out and descale the kettle",
            ["take the bins out", "descale the kettle"],
        ),
        ("I need to sleep", []),
        ("I must be at work by nine", []),
        ("Ich muss arbeiten", []),
    ],
)
def test_what_somebody_has_to_do_or_to_buy_is_listed(text: str, items: list[str]) -> None:
    kept = [row.title for row in told(text).records if row.kind in ("task", "list_item")]
    assert kept == items


@pytest.mark.parametrize(
    ("messages", "party", "kept"),
    [
        (("Leo has 38.6", "and 37.9 now"), "Leo", [("measurement", "37.9")]),
        (("Ida hat 39,1 Fieber", "heute früh 38,4"), "Ida", [("measurement", "38.4")]),
        (("mi temperatura es 38,1", "ahora 38,5"), None, [("measurement", "38.5")]),
        (("Ida temp 38.9 at 7am", "gave her 5 ml ibuprofen at 8"), "Ida", [("medication", "5")]),
        (("my temperature is 38.1", "gave her 5 ml ibuprofen at 8"), None, []),
        (("weight 80 kg", "and 37.9 now"), None, []),
        (("leo threw up twice, temp 38.2 this morning",), "Leo", [("measurement", "38.2")]),
        (("Hugo est allergique aux noix il faut que je m'en rappelle",), "Hugo", [("allergy", "")]),
        (("me tomé la pastilla de la alergia a las 9",), None, []),
        (("took my allergy tablet at 9",), None, []),
        (("Leo was 38.6 at ten this morning",), "Leo", [("measurement", "38.6")]),
        (("Léo fait 38,2 depuis ce matin",), "Léo", [("measurement", "38.2")]),
        (("lunch was 38.5",), None, []),
        (("Resting pulse 58",), None, [("measurement", "58")]),
    ],
)
def test_a_value_is_of_whoever_was_spoken_of(
    messages: tuple[str, ...], party: str | None, kept: list[tuple[str, str]]
) -> None:
    said = told(*messages)
    assert facts(said) == kept
    assert {row.party for row in said.records} <= {party}


def test_both_debts_of_one_sentence_are_kept() -> None:
    assert facts(told("marcos me debe 25 de la luz y 10 del agua")) == [("debt", "25"), ("debt", "10")]
