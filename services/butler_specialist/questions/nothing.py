"""An answer that says that no record answers the question (pure)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Nothing", "all_said"]


class Nothing(str):
    """The answer. A `vague` one says no more than that: it is left out if something is found after all.

    A `settled` one also says what may be meant, so that nothing more is looked for.
    """

    __slots__ = ("settled", "vague")

    vague: bool
    settled: bool

    def __new__(cls, text: str, *, vague: bool = False, settled: bool = False) -> Nothing:
        said = super().__new__(cls, text)
        said.vague = vague
        said.settled = settled
        return said


def all_said(answers: Sequence[str]) -> str:
    """Return several answers to one question as one; it is `Nothing` if each of them is."""
    said, none = " ".join(answers), [one for one in answers if isinstance(one, Nothing)]
    if len(none) < len(answers):
        return said
    return Nothing(said, vague=all(one.vague for one in none), settled=any(one.settled for one in none))
