"""A fact of the home or of a person is found again in other words than it was told; another fact is not."""

from __future__ import annotations

import pytest

from tests.support.talks import Talks

FOUND = (
    ("number plate of the Skoda is 1-ABC-234", "the car's registration?", "1-ABC-234"),
    ("The car needs its MOT by 12 February", "when is the MOT due?", "12 February"),
    ("lent the drill to Pete from number 12", "whos got our drill", "Pete"),
    (
        "I put everyone's passports in the grey box under our bed",
        "where did i put the passports??",
        "grey box",
    ),
    ("wall colour in the hall is Skimming Stone", "which paint did we use in the hall", "Skimming Stone"),
    ("Das Fenster im Bad ist 82 mal 110", "wie groß war nochmal das badfenster", "82 mal 110"),
    ("Der Kellerschlüssel hängt an der Speisekammertür", "wo is der schlüssel vom keller", "Speisekammertür"),
    ("Hab den Akkuschrauber dem Jens geliehen", "Wer hat eigentlich unseren Akkuschrauber?", "Jens"),
    ("Sperrmüll muss man unter 115 anmelden", "Wie melde ich Sperrmüll an?", "115"),
    ("le code de la porte d'en bas c'est 58B2", "c'est quoi le digicode en bas ?", "58B2"),
    ("Le compteur d'eau se trouve derrière les vélos", "il est où le compteur d'eau déjà", "vélos"),
    ("la clave del wifi es Girasol2020", "cuál es la contraseña de internet", "Girasol2020"),
    (
        "los papeles del seguro están en la carpeta azul",
        "dónde tenemos los papeles del seguro",
        "carpeta azul",
    ),
)
OF_SOMEBODY = (
    ("btw Amara can't eat nuts, she's coming saturday", "what can't amara eat?", "nuts"),
    ("Marta takes her coffee black no sugar", "how does marta take her coffee", "black"),
    ("Uncle Stan's landline is 01632 960 111", "have you got uncle stan's phone number", "960 111"),
    ("Anna rang this afternoon, she wants to come at Easter.", "When did Anna call?", "22 November"),
    ("Tomek moved, he lives at Rue Haute 14 in Namur now", "where does Tomek live?", "Rue Haute 14"),
    ("Omas Handynummer ist 0171 555 6677", "wie war omas nummer nochmal", "555 6677"),
    (
        "Tante Gerda hat heute angerufen, sie liegt im Krankenhaus",
        "Wann hat Gerda angerufen?",
        "22. November",
    ),
    ("le numéro de mamie c'est le 06 12 34 56 78", "tu as le tel de mamie ?", "34 56 78"),
    ("La copine de Marek, Julie, adore les orchidées", "qu'est-ce qu'elle aime, Julie ?", "orchidées"),
    ("Sarah est intolérante au gluten", "qu'est-ce que Sarah ne peut pas manger ?", "gluten"),
    ("Pablo vive ahora en la calle Mayor 8", "dónde vive Pablo?", "calle Mayor 8"),
    ("Amara can't eat nuts, she's coming saturday", "does amara have any allergies?", "nuts"),
    ("Jana verträgt keine Milch", "Was darf Jana nicht essen?", "Milch"),
    ("Pau no puede comer marisco", "¿tiene Pau alguna alergia?", "marisco"),
    ("a mi prima Carla le encanta el flamenco", "qué le gusta a Carla?", "flamenco"),
)


@pytest.mark.parametrize(("told", "asked", "answer"), FOUND + OF_SOMEBODY)
def test_a_fact_is_found_in_other_words(told: str, asked: str, answer: str) -> None:
    talks = Talks()
    talks.say(told)
    said = talks.say(asked)
    assert answer in said.text
    assert said.records == ()


@pytest.mark.parametrize(
    ("told", "asked", "never"),
    [
        ("the extractor hood takes filters 47 x 26 cm", "which size is the vacuum bag?", "47"),
        ("the combination of my bike lock is 7391", "what's the code for the shed?", "7391"),
    ],
)
def test_a_fact_about_something_else_is_no_answer(told: str, asked: str, never: str) -> None:
    talks = Talks()
    talks.say(told)
    assert never not in talks.say(asked).text


@pytest.mark.parametrize(
    ("told", "asked", "nothing"),
    [
        (
            "Le compteur d'eau se trouve derrière les vélos",
            "Où est le compteur de gaz ?",
            "Je n'ai rien trouvé à ce sujet dans ce que j'ai noté. Le plus proche : « Le compteur d'eau",
        ),
        (
            "Uncle Stan's landline is 01632 960 111",
            "what did uncle stan want for xmas",
            "Nothing is recorded about that. What comes nearest: “Uncle Stan's landline",
        ),
    ],
)
def test_what_is_about_something_else_is_only_said_to_come_nearest(
    told: str, asked: str, nothing: str
) -> None:
    talks = Talks()
    talks.say(told)
    assert talks.say(asked).text.startswith(nothing)
