# ruff: noqa: E501 - patterns stay on one line
"""Whether a whole message says that the one before went to the wrong butler: "no, that was for finance" (pure; D71).

Invariant: a correction is short, of one line, and names a registered butler. A message that only says what something
was for ("it was for travel") is none, unless it opens with a "no". Linear. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from butler_contracts.language import Language
from butler_kit.textmodel.features import fold

__all__ = ["Correction", "correction_in"]

_MOST_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Correction:
    """The right butler, the wrong one if it is named, and the language of the message."""

    to: str
    of: str | None
    language: Language


_NO: Final[dict[Language, str]] = {
    "en": r"no+|nope|nah|sorry|wait|oops|whoops|actually|hang on|hold on|not that",
    "de": r"nein|nee+|ne|no|sorry|halt|moment|warte|ups|hoppla|entschuldigung|stopp|eigentlich",
    "fr": r"non|nan|pardon|attends|oups|desolee?|en fait|mais non",
    "es": r"no+|perdon|perdona|espera|uy|en realidad|disculpa",
}
_SURE: Final[dict[Language, tuple[str, ...]]] = {
    "en": (
        r"(?:(?:that|this|it)(?: one)?(?:'s| is| was) )?meant for {to}",
        r"i meant (?:that|this|it)(?: one)? for {to}",
        r"(?:that|this|it)(?: one)? (?:belongs?|goes|should go|should(?: have|'ve) gone|was supposed to go|was meant to go) to {to}",
        r"wrong butler\W+(?:(?:that|this|it)(?:'s| is| was) )?(?:for )?{to}",
        r"(?:send|give|move|pass|forward|hand) (?:that|this|it)(?: one)?(?: on| over)? to {to}",
        r"(?:(?:move|send|pass) (?:that|this|it) )?from {of} to {to}",
    ),
    "de": (
        r"(?:das|dies|es) (?:war|ist) (?:eigentlich |doch )?f(?:u|ue)r {to} (?:gedacht|bestimmt|gemeint)",
        r"(?:das|dies|es) (?:geh(?:o|oe)rt|soll(?:te)?|m(?:u|ue)sste|muss) (?:eigentlich |doch )?(?:zu|zur|zum|an|bei|nach) {to}(?: gehen| gehoren)?",
        r"falscher butler\W+(?:(?:das|es) (?:war|ist) )?(?:f(?:u|ue)r )?{to}",
        r"(?:schicke?|sende?|gib|leite?|verschiebe?) (?:das|es)(?: bitte)? (?:an|zu|nach) {to}(?: weiter)?",
        r"von {of} (?:an|zu|nach) {to}",
    ),
    "fr": (
        r"(?:ca|cela) (?:va|devait aller|doit aller|aurait du aller|appartient) (?:a|chez|au) {to}",
        r"mauvais (?:butler|majordome)\W+(?:c'(?:est|etait) )?(?:pour )?{to}",
        r"(?:envoie|donne|passe|transmets|deplace)[ -](?:le|la|ca|cela) (?:a|chez|au) {to}",
        r"de {of} (?:a|chez) {to}",
    ),
    "es": (
        r"(?:eso|esto) (?:va|iba|deberia ir|tenia que ir|pertenece|corresponde) (?:a|para|con) {to}",
        r"(?:butler|mayordomo) equivocado\W+(?:(?:eso |esto )?(?:es|era) )?(?:para )?{to}",
        r"(?:envialo|mandalo|pasalo|dalo|muevelo|(?:envia|manda|pasa) eso) a {to}",
        r"de {of} a {to}",
    ),
}
"""Phrases that say by themselves that a message went to the wrong butler."""
_AFTER_NO: Final[dict[Language, tuple[str, ...]]] = {
    "en": (r"(?:that|this|it)(?: one)?(?:'s| is| was) (?:actually )?(?:for|one for|a matter for) {to}",),
    "de": (r"(?:das|dies|es) (?:war|ist|ware?) (?:eigentlich |doch )?(?:was |etwas )?f(?:u|ue)r {to}",),
    "fr": (r"(?:ca |cela )?(?:c'est|c'etait|etait) pour {to}",),
    "es": (r"(?:eso |esto )?(?:era|es) para {to}",),
}
"""Phrases that may also just say what something was for."""
_NOT: Final = r"(?:[\s,]+(?:and |und |et |y )?(?:not|nicht|pas|no) (?:for |f(?:u|ue)r |pour |para )?{of})?"
_END: Final = r"(?:[\s,]+(?:please|instead|thanks|thank you|bitte|danke|stattdessen|stp|svp|s'il te plait|merci|plutot|por favor|porfa|gracias|mejor))*[\s.!)]*"
_PARTED: Final = r"[\s,.!;:–—-]+"


def correction_in(text: str, names: Sequence[str]) -> Correction | None:
    """Return the correction that `text` is, or None. `names` are the registered butlers'."""
    said = fold(text.strip())
    if not names or not 0 < len(said) <= _MOST_CHARS or "\n" in said or said.endswith("?"):
        return None
    for language, pattern in _patterns(tuple(names)):
        found = pattern.fullmatch(said)
        if found is not None:
            return _read(found, language, names)
    return None


def _read(found: re.Match[str], language: Language, names: Sequence[str]) -> Correction | None:
    named = {fold(name): name for name in names}
    said = found.groupdict()
    to, of = (
        next((value for key, value in said.items() if value and key.startswith(side)), None)
        for side in ("to", "of")
    )
    if to is None or to == of:
        return None
    return Correction(named[to], named[of] if of else None, language)


@lru_cache(maxsize=8)
def _patterns(names: tuple[str, ...]) -> tuple[tuple[Language, re.Pattern[str]], ...]:
    made: list[tuple[Language, re.Pattern[str]]] = []
    for language, no in _NO.items():
        opened = rf"(?:(?:{no}){_PARTED})"
        forms = [rf"{opened}*{form}{_NOT}" for form in _SURE[language]]
        forms += [rf"{opened}+{form}{_NOT}" for form in _AFTER_NO[language]]
        made += [(language, _compiled(form, names)) for form in forms]
    return tuple(made)


def _compiled(form: str, names: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a form. A name may have its article, or be "the finance butler"; each is a group of its own."""
    known = "|".join(re.escape(fold(name)) for name in sorted(names, key=len, reverse=True))
    places = iter(range(form.count("{to}") + form.count("{of}")))

    def named(place: re.Match[str]) -> str:
        group = f"{place[1]}{next(places)}"
        return rf"(?:the |le |la |l'|el |den |die |das |der )?(?:butler )?(?P<{group}>{known})(?:[ -]butler)?"

    return re.compile(rf"\W*{re.sub(r'{(to|of)}', named, form)}{_END}")
