"""What the rules find in a message about people: eight types in four languages, and nothing in what says nothing."""

from __future__ import annotations

import time

import pytest

from butler_switchboard.extraction.judging import signals_of
from butler_switchboard.extraction.rules.reading import calls_for
from butler_switchboard.extraction.signals import MOST_SIGNALS
from butler_switchboard.routing.rules.clean import own_ranges


def found(text: str) -> list[tuple[str, str]]:
    """Type and subject of what is recorded of a text, judged as a session's calls are."""
    own = own_ranges(text)
    return [(one.type.value, one.subject) for one in signals_of(calls_for(text, own), text, own)]


SAID = {
    "contact": (
        ("Anna's new number is 0664 1234567.", "Anna"),
        ("Meine Schwester ist unter 0664 1234567 zu erreichen", "Meine Schwester"),
        ("Le nouveau numéro d'Anna est le 06 12 34 56 78.", "Anna"),
        ("El nuevo número de Ana es el 600 123 456.", "Ana"),
        ("Ben's email is ben@example.org", "Ben"),
    ),
    "interaction": (
        ("I had lunch with Ben today.", "Ben"),
        ("Ich habe gestern mit Ben telefoniert.", "Ben"),
        ("J'ai déjeuné avec Ben.", "Ben"),
        ("He comido con Ben.", "Ben"),
        ("We visited my grandma on Sunday", "my grandma"),
    ),
    "life_event": (
        ("My brother got engaged.", "My brother"),
        ("Mein Bruder hat sich verlobt.", "Mein Bruder"),
        ("Mon frère s'est marié.", "Mon frère"),
        ("Mi hermano se ha casado.", "Mi hermano"),
    ),
    "date": (
        ("Anna's birthday is on 3 May.", "Anna"),
        ("Anna hat am 3. Mai Geburtstag.", "Anna"),
        ("L'anniversaire d'Anna est le 3 mai.", "Anna"),
        ("El cumpleaños de Ana es el 3 de mayo.", "Ana"),
        ("Annas Geburtstag ist am 4. Mai", "Anna"),
    ),
    "fact": (
        ("My sister Anna is allergic to nuts.", "My sister Anna"),
        ("Meine Schwester Anna ist allergisch gegen Nüsse.", "Meine Schwester Anna"),
        ("Ma sœur Anna est allergique aux noix.", "Ma sœur Anna"),
        ("Mi hermana Ana es alérgica a las nueces.", "Mi hermana Ana"),
        ("Remember that my boss is vegetarian", "my boss"),
    ),
    "sentiment": (
        ("Ben is angry with me.", "Ben"),
        ("Ben ist sauer auf mich.", "Ben"),
        ("Ben est fâché.", "Ben"),
        ("Ben está enfadado.", "Ben"),
        ("I miss my grandma", "my grandma"),
    ),
    "gift": (
        ("My mum gave me a scarf for Christmas.", "My mum"),
        ("Meine Mutter hat mir einen Schal geschenkt.", "Meine Mutter"),
        ("Ma mère m'a offert une écharpe.", "Ma mère"),
        ("Mi madre me regaló una bufanda.", "Mi madre"),
        ("Gift idea for Anna: a kite", "Anna"),
    ),
    "loan": (
        ("I lent Ben 20 euros.", "Ben"),
        ("Ich habe Ben 20 Euro geliehen.", "Ben"),
        ("J'ai prêté 20 euros à Ben.", "Ben"),
        ("Le presté 20 euros a Ben.", "Ben"),
        ("My neighbour owes me 15 €", "My neighbour"),
    ),
}


@pytest.mark.spec("SWB-26.1")
@pytest.mark.parametrize(
    ("kind", "text", "subject"), [(kind, text, who) for kind, said in SAID.items() for text, who in said]
)
def test_a_statement_about_somebody_is_a_signal_of_its_type(kind: str, text: str, subject: str) -> None:
    assert found(text) == [(kind, subject)]


@pytest.mark.parametrize(
    "text",
    [
        "Is Anna pregnant?",
        "Anna is not pregnant.",
        "If Anna is pregnant, she will tell us",
        "Anna ist nicht schwanger",
        "Wenn mein Bruder heiratet, feiern wir",
        "Anna n'est pas enceinte",
        "Mi hermano no se ha casado.",
        "The car died.",
        "Das Auto ist gestorben.",
        "Ich habe Entscheidungen getroffen.",
        "Je dois parler à Anna.",
        "I paid the gas bill of 40 euro",
        "My blood pressure was 120/80",
        "It is allergic to nuts",
        "Tomorrow is my day off",
        "Remind me to call Anna tomorrow",
        "Erinnere mich, Anna anzurufen",
        "",
    ],
)
def test_what_asks_denies_wishes_or_is_about_nobody_says_nothing(text: str) -> None:
    assert found(text) == []


def test_what_another_wrote_is_not_the_writers_word() -> None:
    quoted = "Thanks, I will think about it and answer soon\n> My sister Anna is allergic to nuts"
    assert found(quoted) == []
    assert found(quoted.replace("> ", "")) == [("fact", "My sister Anna")]


def test_several_statements_are_several_signals_each_with_its_own_words() -> None:
    text = "I had lunch with Ben. My sister is pregnant! I lent Ben 20 euros."
    own = own_ranges(text)
    signals = signals_of(calls_for(text, own), text, own)
    assert [text[one.start : one.end] for one in signals] == [
        "I had lunch with Ben",
        "My sister is pregnant",
        "I lent Ben 20 euros",
    ]
    assert [one.confidence for one in signals] == [0.75, 0.9, 0.75]


@pytest.mark.parametrize(
    "text",
    [
        "Sadly Anna died.",
        "Übrigens Anna ist schwanger.",
        "Malheureusement Anna est morte.",
        "Desgraciadamente Ana murió.",
    ],
)
def test_what_begins_a_sentence_is_no_name_because_it_has_a_capital(text: str) -> None:
    assert found(text) == []


def test_evidence_ends_where_something_else_begins() -> None:
    text = "Tom's birthday is 3 May and remind me on Friday"
    own = own_ranges(text)
    assert [text[one.start : one.end] for one in signals_of(calls_for(text, own), text, own)] == [
        "Tom's birthday is 3 May"
    ]


@pytest.mark.parametrize("piece", ["My sister ", "I lent Ben ", "Anna's ", "a" * 50, "mit Ben ", "Mi ", "é "])
def test_a_text_of_any_size_is_read_in_no_time(piece: str) -> None:
    text = (piece * 3_000)[:60_000]
    begun = time.process_time()
    assert len(calls_for(text, ((0, len(text)),))) <= MOST_SIGNALS
    assert time.process_time() - begun < 5
