# ruff: noqa: E501 - patterns and word lists stay on one line
"""Words that say a thing is done by the verb of what was to be done: "abgestellt" of "abstellen" (pure).

EN, DE, FR, ES. Invariant: a participle says nothing by itself; only the verb of an open task makes it that task's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.negations import NEGATION
from butler_specialist.understanding.sentence import Sentence

__all__ = ["done_stems", "is_verb", "may_be_done"]

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_MOST_WORDS: Final = 7
_FEWEST_CHARS: Final = 3
_NOT_YET: Final = re.compile(
    r"\b(?:must|should|needs?|has to|have to|will|won't|would|could|can|going to|to be|being|gets?|if|when|once|until"
    r"|muss|mussen|soll\w*|wird|werden|kann|konnen|wenn|sobald|bis|fast|bald|doit|doivent|faut|va|vont|sera|quand|si|presque|debe|deben|hay que|tiene que|sera|cuando|casi)\b"
)
"""What is still to be done, or only under a condition."""
_GERMAN: Final = re.compile(
    r"(?P<pre>ab|an|auf|aus|bei|durch|ein|fest|fort|frei|her|hin|hoch|los|mit|nach|um|unter|vor|vorbei|weg|weiter|zu|zuruck|zusammen)?ge(?P<stem>\w{2,24}?)(?:e?t|en)"
)
_GERMAN_WHOLE: Final = re.compile(r"(?P<stem>(?:be|ver|er|ent|zer|uber|unter)\w{2,24}?)(?:e?t|en)")
_ENGLISH: Final = re.compile(r"(?P<stem>\w{3,24}?)ed")
_FRENCH: Final = re.compile(r"(?P<stem>\w{3,24}?)(?:ée?s?|ue?s?|ie?s?|ite?s?)")
_SPANISH: Final = re.compile(r"(?P<stem>\w{3,24}?)(?:ad|id)[oa]s?")
_IRREGULAR: Final[Mapping[str, str]] = {
    "sent": "send", "bought": "buy", "brought": "bring", "made": "make", "taken": "take", "written": "writ", "told": "tell", "built": "build",
    "fed": "feed", "swept": "sweep", "hung": "hang", "found": "find", "paid": "pay", "shut": "shut", "put": "put", "cut": "cut",
    "gebracht": "bring", "weggebracht": "wegbring", "zuruckgebracht": "zuruckbring", "geschrieben": "schreib", "gegossen": "giess", "gestrichen": "streich",
    "geschnitten": "schneid", "geschlossen": "schliess", "abgeschlossen": "abschliess", "unterschrieben": "unterschreib", "uberwiesen": "uberweis",
    "fait": "fai", "mis": "mett", "mise": "mett", "pris": "prend", "prise": "prend", "ecrit": "ecri", "inscrit": "inscri", "ouvert": "ouvr",
    "hecho": "hac", "puesto": "pon", "escrito": "escrib", "abierto": "abr", "devuelto": "devolv", "recogido": "recog",
}  # fmt: skip
_INFINITIVE: Final = re.compile(r"(?:en|n|er|re|ir|ar|e)$")


def may_be_done(sentence: Sentence) -> bool:
    """Return whether a short clause without a day may say that something is done."""
    if sentence.days or sentence.times or sentence.text.rstrip().endswith("?"):
        return False
    if len(_WORD.findall(sentence.folded)) > _MOST_WORDS:
        return False
    if sentence.has(_NOT_YET) or sentence.has(NEGATION):
        return False
    return bool(done_stems(sentence.text))


def done_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that say what was done."""
    return frozenset(stem for word in _WORD.findall(text.lower()) for stem in _stems(word))


def _stems(word: str) -> Iterator[str]:
    folded = fold(word)
    if folded in _IRREGULAR:
        yield _IRREGULAR[folded]
    if (found := _GERMAN.fullmatch(folded)) is not None:
        yield f"{found['pre'] or ''}{found['stem']}"
    for pattern in (_GERMAN_WHOLE, _ENGLISH, _SPANISH):
        if (found := pattern.fullmatch(folded)) is not None:
            yield _single(found["stem"])
    if (found := _FRENCH.fullmatch(word)) is not None:
        yield fold(found["stem"])


def _single(stem: str) -> str:
    """Return the stem without a doubled last letter: "cancell" of "cancelled"."""
    return stem[:-1] if len(stem) > _FEWEST_CHARS and stem[-1] == stem[-2] and stem[-1] not in "sfe" else stem


def is_verb(word: str, stems: frozenset[str]) -> bool:
    """Return whether a folded word of a task is the verb of one of them."""
    verb = _INFINITIVE.sub("", word)
    return any(
        min(len(verb), len(stem)) >= _FEWEST_CHARS and (verb.startswith(stem) or stem.startswith(verb))
        for stem in stems
    )
