"""What an answer does: refuse, claim to have kept, repeat the message, use a language (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bench.useful.conversations import Wanted
from bench.useful.facts import folded

__all__ = [
    "admits",
    "breaks_off",
    "claims",
    "denies",
    "echoes",
    "language_of",
    "refuses",
    "shows",
    "without_echo",
]

_REFUSALS: Final = re.compile(
    # English
    r"\b(can ?not|can't|unable to|not able to|don't know|do not know|not something i)\b"
    r"|\b(don't|do not|didn't|did not) understand\b|\bno butler (here )?(can|does)\b|\bnot possible\b"
    # German
    r"|\b(kann|können|konnte|konnten)\b[^.!?]{0,80}\b(nicht|kein\w*)\b|\bnicht verstanden\b"
    r"|\bverstehe\b[^.]{0,40}\bnicht\b|\bweiß\b[^.]{0,30}\bnicht\b|\bnicht möglich\b"
    # French
    r"|\bne (peux|peut|sais|sait|comprends|pouvons|savons) pas\b|\bn'ai pas (compris|pu)\b|\bimpossible\b"
    # Spanish
    r"|\bno (puedo|puede|sé|entiendo|entendí|podemos|he podido|he entendido|es posible)\b"
)
_SHORTFALLS: Final = re.compile(
    r"\b(could not|couldn't|could) be read\b|\bi could( not)? read\b|\bnot noted\b|\bno time is set\b"
    r"|\bnicht notiert\b|\bnicht (ge)?lesen\b|\bpas (été )?noté|\bsin anotar\b|\bno anotad|\bno (se )?ha anotado"
)
_CLAIMS: Final = re.compile(
    r"\b(noted|kept|added|recorded|remembered|saved|got it|done|will remind)\b"
    r"|\b(notiert|gemerkt|gespeichert|hinzugefügt|eingetragen|erledigt|erinnere dich|ich erinnere)\b"
    r"|\b(noté|ajouté|enregistré|retenu|c'est fait|rappellerai)\w*"
    r"|\b(anotado|apuntado|guardado|añadido|registrado|hecho|recordaré)\w*"
)
_DENIALS: Final = re.compile(
    r"\b(nothing|empty|none|no \w+|nichts|leer|kein\w*|rien|vide|aucun\w*|pas d[e']|nada|ning[uú]n\w*|no hay)\b"
)
_ENDS: Final = (
    "a an the of for at to by on last und der die das den dem bis für von am im zu de du des le la les pour à au avant",
    "del el los las para y en con hasta",
)
_UNFINISHED: Final = frozenset(" ".join(_ENDS).split())
_NEGATED: Final = re.compile(r"\b(not noted|nicht notiert|pas noté|no anotado)\b")
_QUOTED: Final = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"]*\"")
_MOSTLY: Final = 0.8
_BUTLER: Final = re.compile(r"^\[\w+\]\s*", re.MULTILINE)
_COMMON: Final = {
    "en": "the is on of for and your you i it no not was to in at this have with are been can what from so far noted",
    "de": "der die das ist am für und dein deine du ich nicht kein keine zu im um den mit sind auf was von uhr notiert",
    "fr": "le la les est du pour et votre vous je il pas de des un une était à au ce avec sont que sur dans noté tu",
    "es": "el los las es del para y su tu usted yo no de un una era en al con son que por está hay anotado",
}
_COMMON_WORDS: Final = {language: frozenset(words.split()) for language, words in _COMMON.items()}


def refuses(answer: str) -> bool:
    """Whether it says that something cannot be done, or was not understood."""
    return bool(_REFUSALS.search(folded(answer)))


def admits(answer: str) -> bool:
    """Whether it says at least that part of the message was not read or not noted."""
    return refuses(answer) or bool(_SHORTFALLS.search(folded(answer)))


def denies(answer: str) -> bool:
    """Whether it says that there is nothing of what was asked for."""
    return bool(_DENIALS.search(folded(answer)))


def breaks_off(name: str) -> bool:
    """Whether a title ends in the middle of the sentence that it was cut from, such as “gas bill of the”."""
    words = folded(name).split()
    return len(words) > 1 and words[-1] in _UNFINISHED


def claims(answer: str) -> bool:
    """Whether it says that something was kept or done."""
    return bool(_CLAIMS.search(_NEGATED.sub("", folded(answer))))


def without_echo(answer: str, said: str) -> str:
    """Return the answer without quoted passages that only repeat the message, and without a butler's mark.

    A few quoted words, such as the name of a removed item, are the answer's own.
    """
    own = _letters(said)

    def kept(found: re.Match[str]) -> str:
        quoted = _letters(found[0])
        return "" if quoted in own and len(quoted) > _MOSTLY * len(own) else found[0]

    return _BUTLER.sub("", _QUOTED.sub(kept, answer))


def echoes(answer: str, said: str) -> bool:
    """Whether it quotes the whole message, so that everything in it can be seen."""
    own = _letters(said)
    return bool(own) and any(own in _letters(found) for found in _QUOTED.findall(answer))


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", folded(text))


def shows(answer: str, wanted: Wanted) -> bool:
    """Whether a reader of the answer can see that this fact was read or repeated: by its number, time or words."""
    numbers = (*wanted.amount, *([] if wanted.number is None else [wanted.number]))
    if numbers:
        return any(re.search(_as_written(number), answer) for number in numbers)
    if wanted.time and not wanted.time.startswith("+"):
        return bool(re.search(_clock_as_written(wanted.time), folded(answer)))
    pattern = wanted.words or wanted.person
    return pattern is not None and bool(re.search(pattern, answer, re.IGNORECASE))


def _as_written(number: float) -> str:
    whole, cents = divmod(round(number * 100), 100)
    grouped = re.sub(r"\B(?=(\d{3})+$)", "[.,   ]?", str(whole))
    if not cents:
        return rf"(?<![\d.,]){grouped}(?:[.,]0+)?(?![\d])"
    return rf"(?<![\d.,]){grouped}[.,]{f'{cents:02d}'.rstrip('0')}0*(?!\d)"


def _clock_as_written(clock: str) -> str:
    hour, minute = int(clock[:2]), clock[3:]
    hours = f"0?{hour}|{(hour - 1) % 12 + 1}"
    return rf"\b({hours})([:.h]{minute}|\s?(h|uhr|am|pm|o'clock)\b{'|' + chr(92) + 'b' if minute == '00' else ''})"


def language_of(answer: str) -> str | None:
    """Return the language with the most common words in it, quotes aside; None if that is unclear."""
    words = re.findall(r"[^\W\d_]+", folded(_QUOTED.sub("", _BUTLER.sub("", answer))))
    found = {language: _count(words, common) for language, common in _COMMON_WORDS.items()}
    best, second = sorted(found.values(), reverse=True)[:2]
    return None if best < 2 or best == second else max(found, key=lambda language: found[language])


def _count(words: Iterable[str], common: frozenset[str]) -> int:
    return sum(word in common for word in words)
