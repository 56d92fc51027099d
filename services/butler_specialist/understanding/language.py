"""Which of the four languages a text is written in (pure): English unless its words or letters say another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from butler_specialist.understanding.folding import fold, words

__all__ = ["LANGUAGES", "Language", "language_of"]

Language = Literal["en", "de", "fr", "es"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "de", "fr", "es")

_WORDS: Final[Mapping[Language, frozenset[str]]] = {
    "en": words(
        "the a an and or is are was were i you he she it we they my your our to of in on at for with what who how"
        " can do does did has have had he him her me no not this"
        " that please help hello hi hey thanks thank good night morning evening bye stop"
    ),
    "de": words(
        "der die das den dem ein eine einen und oder ist sind war ich du er sie es wir ihr mein meine dein unser zu von"
        " mit fur auf im am bei nicht kein keine was wer wie kannst kann hat haben habe bin bist mir mich sich atmet"
        " bitte hilfe hallo danke guten gute nacht morgen abend tschuss stopp servus moin moment schmerzen"
    ),
    "fr": words(
        "le la les un une des du de et ou est sont etait je tu il elle nous vous mon ma mes ton ta notre a au aux en"
        " avec pour sur pas ne que qui quoi comment peux peut ai as j'ai c'est s'il qu'est-ce plus dans arrete d'accord"
        " aide bonjour bonsoir salut merci bonne nuit revoir coucou svp parfait"
    ),
    "es": words(
        "el la los las un una unos y o es son esta estan era yo tu ella nosotros mi mis su nuestro a al en con para por"
        " no que quien como puedes puede he ha hay tiene tengo me se del mas cuando"
        " ayuda hola gracias buenas buenos noches dias tardes adios vale basta perfecto muchas"
    ),
}
_LETTERS: Final[Mapping[Language, re.Pattern[str]]] = {
    "de": re.compile("[äöüß„]", re.IGNORECASE),
    "fr": re.compile("[çèàùêâîôœ«]", re.IGNORECASE),
    "es": re.compile("[ñ¿¡íóá]", re.IGNORECASE),
}
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_MOST_CHARS: Final = 1_000


def language_of(text: str) -> Language:
    """The language with the most of its common words and letters; English where two have as many."""
    text = text[:_MOST_CHARS]
    said = _WORD.findall(fold(text))
    counts = {
        language: sum(word in known for word in said) + _has_letters(language, text)
        for language, known in _WORDS.items()
    }
    most = max(counts.values())
    best = [language for language in LANGUAGES if counts[language] == most]
    return best[0] if len(best) == 1 else "en"


def _has_letters(language: Language, text: str) -> bool:
    letters = _LETTERS.get(language)
    return letters is not None and letters.search(text) is not None
