"""A sentence is read as the clauses that state something of their own, and no further."""

from __future__ import annotations

from datetime import date

import pytest

from butler_specialist.understanding.clauses import clauses

SUNDAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    "said",
    [
        "cancel the dentist | and | add bread to the shopping list",
        "add milk to the list | and | remove bread from the list",
        "buy milk | and | call Tom",
        "Please buy milk | and | remind Tom that the car is at the garage",
        "it's Leo's birthday on Saturday |,| buy a cake and balloons",
        "My mother comes to visit on 12 December |,| book a hotel",
        "lost my card |,| call the bank",
        "Kauf Brot und Milch | und | hol das Paket ab",
        "Achète du pain | et | appelle mamie",
        "Compra pan | y | llama a la abuela",
        "the school trip is on 3 December | and then | paid 35.50 EUR for the taxi",
        "Dentist appointment on Thursday at 15:30 | and | I spent 12 EUR on parking",
        "Zahnarzt am Donnerstag um 15:30 |, dann | habe heute 20 Euro für Benzin bezahlt",
        "got 200 EUR back from the insurance |,| paid 35 for the vet",
        "I paid 20 EUR | and | got 5 back",
        "The rent is paid | and | the insurance costs 45 EUR",
        "Leo's shoe size is 31 |,| Clara is allergic to nuts |, and | the wifi is called Garden",
        "Leo has a fever, 38.9 |,| Clara is fine",
        "Max hat 38,5 Fieber | und | Leo hat Husten",
        "paid 20 EUR for petrol | then | BP 130/85",
        "habe 20 Euro für Benzin bezahlt |, dann | Blutdruck 130/85",
        "gasté 18 euros en gasolina |, luego | la tensión 122/79",
        "The plumber comes on Thursday at 9 |, and then | dinner with Jonas on Friday at 19:00",
    ],
)
def test_what_states_something_of_its_own_is_a_clause_of_its_own(said: str) -> None:
    parts = said.split("|")
    assert clauses("".join(parts), SUNDAY) == tuple(part.strip() for part in parts[::2])


@pytest.mark.parametrize(
    "said",
    [
        "remind me to call Tom and buy milk",
        "we need to call Tom and pay the rent",
        "Add call the plumber and buy milk to the todo list",
        "I went to the shop and bought milk",
        "please go and get milk",
        "Yesterday I went to Rewe and paid 20 EUR",
        "Leo and Clara have a fever, 38.5",
        "paid 20 for petrol, 12 for parking and 8 for coffee",
        "Buy milk, and the thermos",
        "rappelle-moi demain d'appeler Tom et acheter du lait",
        "vergiss nicht, Brot zu kaufen und hol das Paket",
    ],
)
def test_what_goes_on_with_the_words_before_it_is_one_with_them(said: str) -> None:
    assert clauses(said, SUNDAY) == (said,)
