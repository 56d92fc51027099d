# ruff: noqa: E501 - word lists stay on one line
"""Whether two words, or two sayings, mean the same thing (pure). EN, DE, FR, ES.

Words are alike by their stem (a common beginning, followed by nothing but endings) or by meaning (`meanings.txt`). A
saying covers another when it has a like word for each of its content words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from importlib import resources
from typing import Final

__all__ = ["alike", "content_words", "covers", "meaning_of"]

_MEANINGS_FILE: Final = "meanings.txt"
_LEAST_STEM: Final = 3
_MOST_CHARS: Final = 2_000
_WORD: Final = re.compile(r"[^\W_]+")
_ENDED: Final = (
    "s es e en n er ern em ies y ied ed d ing ings ic ische ischen isch ie ies ique iques iker ia ias a as o os al r ers ly in innen x aux"
    " t te tes st ste ts ons ez ent ant ido ida idos idas ado ada ados adas ar ir an amos emos imos ions ion ung ungen chen lein nes ienne"
)
_ENDINGS: Final = frozenset(_ENDED.split()) | {""}
_OF_GRAMMAR: Final = (
    "whos wheres whats hows whens ins ans ausm aufm the a an and or of for to in on at by with from is are was were be been has have had do does did i we you he she they it its my our your"
    " his her their this that these those some any there here again please just also too still yet already now then so but not no yes what"
    " when where who whose which how why can could would should will much many me us him them one got get"
    " der die das den dem des ein eine einen einem einer und oder von vom zu zum zur im am auf mit bei beim fur ist sind war waren sein hat"
    " habe haben hab ich wir du ihr er sie es mein meine unser unsere unseren dein ihre sein seine dies diese noch schon mal auch doch"
    " eigentlich denn nochmal bitte ja nein nicht was wann wo wer wem wen wie welche welcher welches warum man uns mir"
    " le la les l un une des du de d et ou a au aux en dans sur avec pour par est sont etait c ce cet cette ces ca cela je j tu il elle on nous"
    " vous ils elles mon ma mes ton ta tes son sa ses notre nos votre leur deja encore stp svp y n ne pas qui que quoi qu quel quelle quels"
    " quelles quand ou comment combien est-ce me te se si oui non"
    " el los las lo uno unos unas del al y o con por para es son era esta estan este esta esto ese esa eso mi mis tu tus su sus nuestro nuestra"
    " yo nosotros ella ellos se nos le les que cual cuales cuando donde quien quienes como cuanto ya otra vez otra tambien no si hay"
)
_EMPTY: Final = frozenset(_OF_GRAMMAR.split())


def content_words(text: str, fold: Callable[[str], str]) -> frozenset[str]:
    """Return the folded words that carry a meaning."""
    found = _WORD.findall(fold(text[:_MOST_CHARS]))
    return frozenset(word for word in found if word not in _EMPTY and (len(word) > 1 or word.isdigit()))


def covers(said: Collection[str], asked: Collection[str]) -> bool:
    """Return whether each of the asked words has a like one among the said; False without asked words."""
    return bool(asked) and all(any(alike(one, other) for other in said) for one in asked)


@lru_cache(maxsize=32_768)
def alike(one: str, other: str) -> bool:
    """Return whether two folded words mean the same: forms of one word, or words of one meaning."""
    if one == other:
        return True
    if one.isdigit() or other.isdigit():
        return False
    return _same_stem(one, other) or bool(meaning_of(one) & meaning_of(other))


@lru_cache(maxsize=8192)
def meaning_of(word: str) -> frozenset[str]:
    """Return what a folded word may mean, as it stands or without its ending; empty where no list has it."""
    known = _meanings()
    forms = (word, *(word[: -len(ending)] for ending in ("s", "es", "n", "en", "e") if word.endswith(ending)))
    return next((known[form] for form in forms if form in known), frozenset())


def _same_stem(one: str, other: str) -> bool:
    common = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        common += 1
    least = max(_LEAST_STEM, (min(len(one), len(other)) + 1) // 2)
    return common >= least and one[common:] in _ENDINGS and other[common:] in _ENDINGS


@lru_cache(maxsize=1)
def _meanings() -> dict[str, frozenset[str]]:
    """Return the meanings by folded word; each line of the file is one meaning in words of four languages."""
    known: dict[str, set[str]] = {}
    text = resources.files(__package__).joinpath(_MEANINGS_FILE).read_text(encoding="utf-8")
    for line in text.splitlines():
        name, _, said = line.partition(": ")
        for word in () if line.startswith("#") else said.split():
            known.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in known.items()}
