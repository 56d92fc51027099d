"""Questions about what was spoken of are read in four languages; what was discussed with others is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_kit.textmodel.features import fold as fold_of_routing
from butler_kit.wording.folding import fold
from butler_kit.wording.talked_about import talked_about


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What did we talk about?", ""),
        ("what did we talk about last week?", "last week"),
        ("what did we talk about about the boiler?", "the boiler"),
        ("remind me what we discussed yesterday", "yesterday"),
        ("did we ever talk about the trip to Rome?", "the trip to rome"),
        ("when did we talk about the boiler?", "the boiler"),
        ("Worüber haben wir letzte Woche gesprochen?", "letzte woche"),
        ("Was haben wir über den Boiler besprochen?", "den boiler"),
        ("Weißt du noch, worüber wir gestern gesprochen haben?", "gestern"),
        ("Haben wir schon über den Boiler geredet?", "schon uber den boiler"),
        ("De quoi avons-nous parlé la semaine dernière ?", "la semaine derniere"),
        ("Est-ce qu'on a parlé de la chaudière ?", "la chaudiere"),
        ("¿De qué hablamos la semana pasada?", "la semana pasada"),
        ("¿Hemos hablado de la caldera?", "la caldera"),
    ],
)
def test_what_is_asked_about_is_what_the_question_names(text: str, topic: str) -> None:
    assert talked_about(text, fold) == topic
    assert talked_about(text, fold_of_routing) == topic


@pytest.mark.parametrize(
    "text",
    [
        "we talked about the boiler",
        "wir haben über den Boiler gesprochen",
        "on a parlé de la chaudière",
        "hemos hablado de la caldera",
        "did we talk to the school?",
        "haben wir mit der Schule gesprochen?",
        "avons-nous parlé à la maîtresse ?",
        "¿hemos hablado con el fontanero?",
        "what did we talk about? I paid 20 euro for lunch",
        "what did we spend last week?",
        "haben wir Milch?",
        "",
    ],
)
def test_what_states_something_or_is_about_others_is_no_such_question(text: str) -> None:
    assert talked_about(text, fold) is None


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ("what", "did we", "talk", "about", "haben wir", "gesprochen", "?", ".", "\n", "ß", "hey,")
        ),
        max_size=12,
    ).map(" ".join)
    | st.text(max_size=200)
)
def test_any_text_is_read(text: str) -> None:
    topic = talked_about(text, fold)
    assert topic is None or len(topic) <= 2 * len(text)
