"""Messages that state nothing and ask for no action (pure): a greeting, thanks, help, gibberish.

Invariant: it is small talk only if all of it is; one word more, and it is a message like any other. The one
exception is a name directly after a greeting or thanks. English, German, French, Spanish; some Russian.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Final

from butler_kit.wording.folding import fold, unstretched
from butler_specialist.understanding.gibberish import is_gibberish

__all__ = ["Talk", "talk_of"]


class Talk(StrEnum):
    """The kinds; of several in a message, the first listed is answered. `FILLER` goes with any of them."""

    START = "start"
    HELP = "help"
    WHO = "who"
    STOP = "stop"
    NIGHT = "night"
    BYE = "bye"
    THANKS = "thanks"
    MORNING = "morning"
    EVENING = "evening"
    HOW = "how"
    HELLO = "hello"
    NOD = "nod"
    NOISE = "noise"
    FILLER = "filler"


_BEFORE_A_NAME: Final = frozenset(
    {Talk.NIGHT, Talk.BYE, Talk.THANKS, Talk.MORNING, Talk.EVENING, Talk.HOW, Talk.HELLO}
)
_MOST_CHARS: Final = 120
_MOST_WORDS: Final = 6
"""The most words of one phrase."""
_WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_NODDING: Final = frozenset("👍👌🙏❤♥💕💙💚💛🧡💜😊🙂😀😃😄😁😂🤣😉😍🥰😘🤗😎🎉🥳✅✔💪👏🙌🤝✨⭐💯")
_COMMAND: Final = re.compile(
    r"/(?P<name>[a-z_]{1,32})(?:@\w{1,64})?(?P<rest>\s.*)?", re.IGNORECASE | re.DOTALL
)
_COMMANDS: Final = {"start": Talk.START, "help": Talk.HELP, "stop": Talk.STOP}
"""Commands of a Telegram client; what it adds after them is nobody's words."""
_JOINED: Final = frozenset("\u200d\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Characters that are no sign themselves: joiners, and skin colours."""


def talk_of(text: str) -> Talk | None:
    """Return the kind of small talk; None for any text that says something."""
    text = text.strip()
    if not text or len(text) > _MOST_CHARS:
        return None
    command = _COMMAND.fullmatch(text)
    if command is not None and (known := _COMMANDS.get(command["name"].lower())):
        return known
    if command is not None:
        return None if command["rest"] else Talk.NOISE
    spoken = [match.group() for match in _WORD.finditer(text.replace("’", "'"))]
    if not spoken:
        return _sign(text)
    found = _phrases_of(spoken)
    if found is not None:
        return min(found - {Talk.FILLER}, key=list(Talk).index, default=None)
    return Talk.NOISE if is_gibberish(spoken) else None


def _sign(text: str) -> Talk:
    """Return the kind of a message without a letter or a digit."""
    if set(text) <= {"?", "¿", " "}:
        return Talk.HELP
    signs = {char for char in text if not char.isspace()} - _JOINED
    return Talk.NOD if signs and signs <= _NODDING else Talk.NOISE


def _phrases_of(spoken: list[str]) -> set[Talk] | None:
    """Return the kinds of the phrases that make up the words; None if a word is in none."""
    said = [fold(word) for word in spoken]
    said = [word if word in _known_words() else unstretched(word) for word in said]
    found: set[Talk] = set()
    before: Talk | None = None
    place = 0
    while place < len(said):
        length, kind = _longest(said, place)
        if kind is None and not (before in _BEFORE_A_NAME and _may_be_a_name(spoken[place])):
            return None
        found |= {kind} if kind is not None else set()
        before = kind
        place += max(length, 1)
    return found


def _longest(said: list[str], place: int) -> tuple[int, Talk | None]:
    for length in range(min(_MOST_WORDS, len(said) - place), 0, -1):
        kind = _phrases().get(" ".join(said[place : place + length]))
        if kind is not None:
            return length, kind
    return 0, None


def _may_be_a_name(word: str) -> bool:
    return word[0].isupper() and word.isalpha()


@cache
def _known_words() -> frozenset[str]:
    """The single words of all phrases."""
    return frozenset(word for phrase in _phrases() for word in phrase.split())


@cache
def _phrases() -> dict[str, Talk]:
    """Return the phrases of `small_talk.txt`: a kind and a colon, then its phrases separated by commas."""
    lines = resources.files(__package__).joinpath("small_talk.txt").read_text(encoding="utf-8").splitlines()
    kinds = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {
        " ".join(_WORD.findall(fold(phrase))): Talk(kind)
        for kind, _, phrases in kinds
        for phrase in phrases.split(",")
    }
