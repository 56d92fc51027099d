"""An answer that says that nothing is kept which would answer the question (pure)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Nothing", "all_said"]


class Nothing(str):
    """Such an answer. A `vague` one says no more than that: it is left out where something is found after all."""

    __slots__ = ("vague",)

    vague: bool

    def __new__(cls, text: str, *, vague: bool = False) -> Nothing:
        said = super().__new__(cls, text)
        said.vague = vague
        return said


def all_said(answers: Sequence[str]) -> str:
    """Several answers to one question as one; it is `Nothing` where each of them is."""
    said = " ".join(answers)
    return Nothing(said) if all(isinstance(answer, Nothing) for answer in answers) else said
