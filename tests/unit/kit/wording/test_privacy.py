"""What says whose a thing is, in four languages, and what only sounds like it (D68, ADR 0100)."""

from __future__ import annotations

import time

import pytest

from butler_kit.textmodel.features import fold_as_long as fold
from butler_kit.wording.privacy import keeps_private, privacy_word

KNOWN = {"tom": 1, "ben": 2}
PRIVATE = {
    "Keep this to yourself: I weigh 82 kg": "I weigh 82 kg",
    "I weigh 82 kg. Please keep that to yourself.": "I weigh 82 kg.",
    "Just between us, I met Jonas": "I met Jonas",
    "Salary 3000 EUR (private)": "Salary 3000 EUR",
    "don't tell anyone that I lost the ring": "I lost the ring",
    "Behalte das für dich: ich wiege 82": "ich wiege 82",
    "Ich wiege 82 kg, das bleibt unter uns": "Ich wiege 82 kg",
    "Garde ça pour toi : je pèse 82 kg": "je pèse 82 kg",
    "Ne le dis à personne : je pèse 82 kg": "je pèse 82 kg",
    "Guárdatelo para ti: peso 82 kg": "peso 82 kg",
    "Peso 82 kg, que quede entre nosotros": "Peso 82 kg",
}
HOUSEHOLD = {
    "Tell everyone that the key is under the mat": "the key is under the mat",
    "Share that with the family": "",
    "Sag allen: der Schlüssel liegt unter der Matte": "der Schlüssel liegt unter der Matte",
    "Dis à tout le monde que la clé est dessous": "la clé est dessous",
    "compártelo con la familia": "",
}
NAMED = ("share it with Tom and Ben please", "Teile das mit Tom", "partage-le avec Ben", "compártelo con Tom")
NEITHER = (
    "split 90 EUR between us",
    "dinner for everyone 40 EUR",
    "My private pension is 300 EUR",
    "Buy a private jet",
    "secret santa gift for Tom 20 EUR",
    "What do you know about me?",
    "Tell Tom the gas is paid",
    "share it with Alice",
    "We shared the bill with the family",
)


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_to_be_kept_is_told_apart_from_what_is_said(text: str) -> None:
    word = privacy_word(text, fold, known=KNOWN)
    assert word is not None
    assert (word.audience, word.rest) == ("private", PRIVATE[text])
    assert keeps_private(text, fold)


@pytest.mark.parametrize("text", HOUSEHOLD)
def test_what_is_for_all_is_told_apart_too(text: str) -> None:
    word = privacy_word(text, fold, known=KNOWN)
    assert word is not None
    assert (word.audience, word.rest) == ("household", HOUSEHOLD[text])
    assert word.points_back is (not HOUSEHOLD[text])


@pytest.mark.parametrize("text", NAMED)
def test_people_are_named_by_names_that_are_known(text: str) -> None:
    word = privacy_word(text, fold, known=KNOWN)
    assert word is not None
    assert word.audience == "people"
    assert set(map(str.lower, word.names)) <= set(KNOWN)
    assert word.points_back


@pytest.mark.parametrize("text", NEITHER)
def test_what_only_sounds_like_it_says_nothing(text: str) -> None:
    assert privacy_word(text, fold, known=KNOWN) is None


def test_that_it_be_private_counts_before_anything_else() -> None:
    word = privacy_word("Tell everyone: keep this to yourself, I weigh 82", fold, known=KNOWN)
    assert word is not None
    assert word.audience == "private"


@pytest.mark.parametrize(
    "piece", ["keep ", "tell everyone ", ",", "share it with Tom and ", "(private", "Tom, "]
)
def test_long_texts_are_read_in_no_time(piece: str) -> None:
    began = time.process_time()
    privacy_word(piece * 20_000, fold, known=KNOWN)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("you can let Ben know about the telescope now", "the telescope"),
        ("Ben darf jetzt vom Teleskop wissen", "Teleskop"),
        ("Du darfst Ben vom Teleskop erzählen", "Teleskop"),
        ("puedes contarle a Ben lo del telescopio", "telescopio"),
    ],
)
def test_who_may_be_told_of_something_that_is_named(text: str, about: str) -> None:
    word = privacy_word(text, fold, known={"ben": 1})
    assert word is not None
    assert (word.audience, word.names, word.about, word.points_back) == ("people", ("Ben",), about, True)


def test_to_tell_somebody_of_something_is_no_word_of_whose_it_is() -> None:
    assert privacy_word("tell Ben about the dinner", fold, known={"ben": 1}) is None
    assert privacy_word("you can let Zoe know about the telescope", fold, known={"ben": 1}) is None


def test_a_secret_that_is_to_be_kept_is_private() -> None:
    word = privacy_word("can you keep a secret? I am making a card", fold)
    assert word is not None
    assert (word.audience, word.rest) == ("private", "I am making a card")
