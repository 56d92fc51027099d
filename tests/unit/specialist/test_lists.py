# ruff: noqa: E501 - sayings stay on one line
"""Lists as people speak of them: what is used up or wanted, what is asked, what is bought, in four languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_specialist.understanding.list_questions import ListAsked, list_asked
from butler_specialist.understanding.lists import PACKING, SHOPPING, TASKS, list_changes
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.requests import Wish, requests_in
from tests.support.talks import Talks

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)

PUT = (
    ("we're out of milk", SHOPPING, ("milk",)),
    ("were out of milk again", SHOPPING, ("milk",)),
    ("Milk and eggs on the shopping list please", SHOPPING, ("Milk", "eggs")),
    ("cat food onto the list", SHOPPING, ("cat food",)),
    ("Milch und Eier auf die Einkaufsliste bitte", SHOPPING, ("Milch", "Eier")),
    ("Lait et oeufs sur la liste de courses", SHOPPING, ("Lait", "oeufs")),
    ("leche y huevos en la lista de la compra, por favor", SHOPPING, ("leche", "huevos")),
    ("add milk to the list", SHOPPING, ("milk",)),
    ("setz Milch auf die Liste", SHOPPING, ("Milch",)),
    ("ajoute du lait à la liste", SHOPPING, ("lait",)),
    ("añade leche a la lista", SHOPPING, ("leche",)),
    ("añade a la lista de la compra: huevos, pan", SHOPPING, ("huevos", "pan")),
    ("apunta en la lista de la compra leche y aceite", SHOPPING, ("leche", "aceite")),
    ("mets sur la liste de courses : lait, pain", SHOPPING, ("lait", "pain")),
    ("luego comprar pan y leche", SHOPPING, ("pan", "leche")),
    ("then buy bread", SHOPPING, ("bread",)),
    ("Socks and the charger on the packing list", PACKING, ("Socks", "charger")),
    ("We are running low on tea bags and there is no marmalade left.", SHOPPING, ("tea bags", "marmalade")),
    ("need eggs and butter", SHOPPING, ("eggs", "butter")),
    ("can you grab some bananas and two tins of tomatoes?", SHOPPING, ("bananas", "two tins of tomatoes")),
    ("stick bin bags on there too", SHOPPING, ("bin bags",)),
    ("Milch ist alle", SHOPPING, ("Milch",)),
    ("und klopapier geht auch zur neige", SHOPPING, ("klopapier",)),
    ("Wir haben keine Eier mehr", SHOPPING, ("Eier",)),
    ("Bring bitte 500 g Hackfleisch und drei Becher Sahne mit", SHOPPING, ("500 g Hackfleisch", "drei Becher Sahne")),
    ("on a plus de café", SHOPPING, ("café",)),
    ("rajoute aussi du beurre et 6 yaourts stp", SHOPPING, ("beurre", "6 yaourts")),
    ("il faut du lait", SHOPPING, ("lait",)),
    ("hay que comprar pilas", SHOPPING, ("pilas",)),
    ("se nos ha acabado el aceite", SHOPPING, ("aceite",)),
    ("apunta medio kilo de gambas y una docena de huevos", SHOPPING, ("medio kilo de gambas", "una docena de huevos")),
    ("packing list: passport, charger, 3 t-shirts", PACKING, ("passport", "charger", "3 t-shirts")),
    ("auf die Packliste noch Sonnencreme", PACKING, ("Sonnencreme",)),
    ("à mettre dans la valise : brosse à dents, maillot", PACKING, ("brosse à dents", "maillot")),
    ("en la lista de la maleta pon el pasaporte y las gafas", PACKING, ("pasaporte", "gafas")),
    ("someone needs to take the bins out and descale the kettle", TASKS, ("take the bins out", "descale the kettle")),
)  # fmt: skip
NOTHING_TO_BUY = (
    "Milk is on the shopping list", "what's on the shopping list", "Nothing on the list", "Is milk on the list?",
    "I saw a dress on the wish list", "Leo put milk on the list", "we are on the waiting list", "alles auf der Liste",
    "We're out of town next week", "we need to talk", "I need a holiday", "need the number of the plumber",
    "pick up Leo from school at 5", "get a haircut on Friday at 10", "Paid 30 for petrol", "the battery is almost empty",
    "Ich habe keine Zeit mehr", "Wir sind alle müde", "Hol Leo um 5 ab", "ich brauche Hilfe",
    "on a plus de 20 invités samedi", "j'ai besoin de toi", "il faut payer le loyer",
    "apunta que mañana viene el técnico", "hay que pagar la luz", "do we need milk?",
)  # fmt: skip
ASKED = (
    ("what's left on the list?", ListAsked(SHOPPING)),
    ("is there anything on the shopping list?", ListAsked(SHOPPING)),
    ("was steht noch auf der Liste?", ListAsked(SHOPPING)),
    ("qu'est-ce qui reste sur la liste ?", ListAsked(SHOPPING)),
    ("qué queda en la lista?", ListAsked(SHOPPING)),
    ("at the shop now, what do we need?", ListAsked(SHOPPING)),
    ("anything left on the packing list?", ListAsked(PACKING)),
    ("what chores are left", ListAsked(TASKS)),
    ("read me the groceries", ListAsked(SHOPPING)),
    ("is milk on it?", ListAsked(SHOPPING, "milk")),
    ("do we need milk?", ListAsked(SHOPPING, "milk")),
    ("was brauchen wir ausm laden?", ListAsked(SHOPPING)),
    ("Haben wir schon Zwiebeln auf dem Zettel?", ListAsked(SHOPPING, "Zwiebeln")),
    ("qu'est-ce qu'on doit acheter ?", ListAsked(SHOPPING)),
    ("y a des éponges sur la liste ?", ListAsked(SHOPPING, "éponges")),
    ("qué hace falta del súper?", ListAsked(SHOPPING)),
    ("está el pan en la lista?", ListAsked(SHOPPING, "pan")),
    ("qué falta por meter en la maleta?", ListAsked(PACKING)),
)
OF_NO_LIST = (
    "what do we need for the visa?",
    "what's left of the budget?",
    "brauchen wir einen Termin?",
    "was fehlt dir?",
)


@pytest.mark.parametrize(("text", "name", "items"), PUT)
def test_what_is_used_up_or_wanted_goes_on_a_list(text: str, name: str, items: tuple[str, ...]) -> None:
    assert [(change.name, change.items) for change in list_changes(read(text, NOW))] == [(name, items)]


@pytest.mark.parametrize("text", NOTHING_TO_BUY)
def test_what_only_sounds_like_it_goes_on_no_list(text: str) -> None:
    assert list_changes(read(text, NOW)) == ()


@pytest.mark.parametrize(("text", "asked"), ASKED)
def test_a_list_is_asked_for_in_other_words_than_list(text: str, asked: ListAsked) -> None:
    assert list_asked(read(text, NOW)) == asked


@pytest.mark.parametrize("text", OF_NO_LIST)
def test_another_question_asks_for_no_list(text: str) -> None:
    assert list_asked(read(text, NOW)) is None


@pytest.mark.parametrize(
    "text",
    [
        "I have bought the tea.", "charger and swimsuit are packed", "did the bins", "hab milch geholt", "sonnencreme ist drin",
        "alles besorgt", "c'est bon j'ai pris le café", "le maillot c'est fait", "ya compré las pilas", "gafas ya en la maleta",
    ],
)  # fmt: skip
def test_what_is_bought_packed_or_done_is_ticked_off(text: str) -> None:
    assert [(one.wish, one.told) for one in requests_in(read(text, NOW))] == [(Wish.TICK, True)]


@pytest.mark.parametrize(
    ("put", "done", "asked", "left", "gone"),
    [
        ("need eggs and tea bags", "I have bought the tea", "what do we need?", "eggs", "tea"),
        ("need eggs and butter", "scrap the butter, we've got some", "read me the groceries", "eggs", "butter"),
        ("Wir brauchen Milch und Zwiebeln", "Streich die Milch wieder", "Was fehlt noch?", "Zwiebeln", "Milch"),
        ("Packliste: Badehose, Creme", "Creme ist drin", "was fehlt noch auf der Packliste", "Badehose", "Creme"),
        ("il faut du lait et des éponges", "enlève les éponges", "il reste quoi à acheter ?", "lait", "éponges"),
        ("apunta pan y gambas", "quita las gambas que salen carísimas", "qué queda por comprar", "pan", "gambas"),
        ("lista de la maleta: gafas de sol, pasaporte", "gafas ya en la maleta", "qué falta en la maleta?", "pasaporte",
         "gafas"),
    ],
)  # fmt: skip
def test_what_is_taken_or_not_needed_is_off_the_list_and_kept_as_no_note(
    put: str, done: str, asked: str, left: str, gone: str
) -> None:
    talks = Talks()
    talks.say(put)
    assert {record.kind for record in talks.say(done).records} == {"list_removal"}
    answer = talks.say(asked).text
    assert left in answer
    assert gone not in answer


def test_a_message_that_goes_on_means_the_list_before_it() -> None:
    talks = Talks()
    talks.say("packing list: passport")
    assert "Added to the packing list: charger" in talks.say("oh and my charger").text
    assert "Already on the packing list: passport" in talks.say("put passport on there too").text


def test_words_after_no_list_go_on_none() -> None:
    assert [record.kind for record in Talks().say("oh and eggs").records] == ["note"]


def test_everything_bought_empties_the_one_list() -> None:
    talks = Talks()
    talks.say("Für den Baumarkt brauchen wir Dübel, Schrauben und weiße Farbe")
    assert [record.title for record in talks.say("alles besorgt").records] == [
        "Dübel",
        "Schrauben",
        "weiße Farbe",
    ]


def test_one_thing_is_asked_for_singly() -> None:
    talks = Talks()
    talks.say("need 6 eggs")
    assert talks.say("are eggs on the list?").text.endswith("Yes, on the shopping list: 6 eggs.")
    assert talks.say("do we need butter?").text.endswith("No, not on the shopping list: butter.")


def test_two_changes_of_one_list_are_counted_one_after_the_other() -> None:
    said = Talks().say("add milk and eggs to the list, then remove the eggs from the list").text
    assert said.endswith("Taken off the shopping list: eggs. 1 item is on it now.")


@pytest.mark.parametrize("text", ["bring out the blue bin", "put it on the list"])
def test_what_is_no_thing_goes_on_no_list(text: str) -> None:
    assert all(row.kind != "list_item" for row in Talks().say(text).records)


def test_who_clears_a_list_hears_that_it_is_empty() -> None:
    talks = Talks()
    talks.say("add milk and bread to the shopping list")
    said = talks.say("clear the shopping list").text
    assert said.endswith("Taken off the shopping list: milk and bread. That list is empty now.")
    assert talks.say("clear the shopping list").text.endswith("That list is empty already.")


@pytest.mark.parametrize(
    ("then", "gone"),
    [
        ("empty the packing list for the party", {"charger"}),
        ("clear the party list", {"candles"}),
        ("clear the garden list", set()),
        ("packing is done", {"charger"}),
        ("alles eingepackt", {"charger"}),
        ("chores are done", set()),
        ("got everything on the hardware list", set()),
        ("got everything on the party list", {"candles"}),
        ("got everything", {"milk"}),
    ],
)
def test_only_the_list_that_is_named_is_emptied(then: str, gone: set[str]) -> None:
    talks = Talks()
    for put in ("packing list: charger", "add candles to the party list", "add milk to the shopping list"):
        talks.say(put)
    assert {row.title for row in talks.say(then).records if row.kind == "list_removal"} == gone


@pytest.mark.parametrize("then", ["clear the packing list", "everything packed"])
def test_who_is_done_with_an_empty_list_keeps_the_other_one(then: str) -> None:
    talks = Talks()
    talks.say("add milk and bread to the shopping list")
    said = talks.say(then)
    assert (said.text, said.records) == ("That list is empty already.", ())


def test_what_is_packed_may_be_on_a_list_of_another_name() -> None:
    talks = Talks()
    talks.say("add candles to the party list")
    talks.say("add milk to the shopping list")
    assert {row.title for row in talks.say("everything packed").records} == {"candles"}


@pytest.mark.parametrize(
    "then", ["clear the list", "clear the whole list", "leere die ganze Liste", "vide toute la liste"]
)
def test_a_list_without_a_name_is_the_only_one_there_is(then: str) -> None:
    talks = Talks()
    talks.say("packing list: charger")
    assert {row.title for row in talks.say(then).records} == {"charger"}


@pytest.mark.parametrize(
    ("then", "gone"),
    [
        ("got the milk and the bags", {"oat milk", "poo bags"}),
        ("bought the milk and the poo bags", {"oat milk", "poo bags"}),
        ("got the bags", {"poo bags"}),
        ("got the oat milk", {"oat milk"}),
        ("got the milk, the bread and the bags", {"oat milk", "poo bags"}),
    ],
)
def test_each_thing_that_was_got_is_taken_off_by_a_part_of_its_name(then: str, gone: set[str]) -> None:
    talks = Talks()
    talks.say("need oat milk, crackers and poo bags")
    assert {row.title for row in talks.say(then).records if row.kind == "list_removal"} == gone


def test_of_two_things_that_a_word_may_mean_none_is_taken_off() -> None:
    talks = Talks()
    talks.say("need green tea, black tea and milk")
    assert {row.title for row in talks.say("got the tea and the milk").records} == {"milk"}
