"""Whether a message reads as the answer to a question."""

from __future__ import annotations

import pytest

from butler_switchboard.routing.rules.phrases import reads_as_answer


@pytest.mark.parametrize(
    "text",
    [
        "the one beside the sofa", "In the kitchen", "on 2 December", "both", "not that one", "my old bike",
        "20 degrees", "die neben dem Sofa", "im Keller", "für Leo", "keine", "celle du salon", "l’ancienne",
        "dans la cuisine", "la del salón", "en la cocina", "para Ana", "las dos",
    ],
)  # fmt: skip
def test_a_short_phrase_answers(text: str) -> None:
    assert reads_as_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Buy milk", "the boiler is leaking again", "Remember to water the plants", "milk", "my tyre has a hole",
        "the one beside the sofa\nand buy milk", "the kitchen or the hall?", "Milch kaufen",
        "der Hahn tropft schon wieder",
        "la chaudière est en panne", "achète du pain", "la caldera está rota", "compra pan",
        "the one that stands beside the sofa in the living room",
    ],
)  # fmt: skip
def test_a_sentence_or_a_request_does_not(text: str) -> None:
    assert not reads_as_answer(text)
