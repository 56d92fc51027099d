"""Keeps what no fact was taken from in a household's message as notes, and says so (pure).

Invariant: in a message with facts every clause of the sender's own is in a fact, quoted in the answer, or a courtesy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.tellings.sorts import tells_of_an_event
from butler_specialist.locale import say
from butler_specialist.questions.recognise import asks
from butler_specialist.questions.wording import ended, joined, more_text, quoted
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.day import Side
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = [
    "is_courtesy",
    "left_out",
    "left_out_text",
    "notes_of",
    "own_clauses",
    "says_something",
    "unsaid_sums",
]

_COURTESY: Final = re.compile(
    r"^\W*(?:thanks|thank you|thx|cheers|danke|vielen dank|merci|gracias|best|regards|love|bye|ok(?:ay)?|yes|no"
    r"|ja|nein|oui|non"
    r"|si|sorry|fyi|please (?:keep|note|save|find|see|remember|record|add|log)\b|bitte (?:merken|notieren|speichern)"
    r"|see (?:below|attached)|fwd|fw|forwarding|for (?:the|my|our) records?|have a (?:nice|good|great)"
    r"|hope (?:you|all)"
    r"|how are you|no reply|we look forward|i hope|by the way|hello|hi|hey|hallo|bonjour|hola|dear"
    r"|kind)\b[^\d]{0,60}$"
    r"|^\W*(?:from|to|cc|sent|date|subject|von|an|datum|gesendet|betreff|objet|de|asunto|para|enviado)\s*:"
)
_OF_SOMEBODY: Final = re.compile(
    r"^\W*(?:(?:and|but|und|aber|et|mais|y|pero) )?(?:he|she|his|her|er|sein\w*|il|elle|ella)(?:'s|'d|'ll)?\b"
)
_FORWARDED: Final = re.compile(
    r"forwarded message|begin forwarded|weitergeleitete nachricht|message transfere|mensaje reenviado"
    r"|original message"
)
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_SHOWN: Final = 5
_LOOKED_AT: Final = 60
"""The most clauses checked; a longer message is a document, and a list of its other content helps nobody."""
_QUOTED_CHARS: Final = 100


def left_out(reading: Reading, used: Callable[[Sentence], bool]) -> tuple[Sentence, ...]:
    """Return the sender's clauses that no fact was taken from."""
    if not 1 < len(reading.sentences) <= _LOOKED_AT:
        return ()
    return tuple(one for one in own_clauses(reading) if says_something(one) and not used(one))


def own_clauses(reading: Reading) -> tuple[Sentence, ...]:
    """Return the clauses before the forwarded part."""
    marks = (place for place, one in enumerate(reading.sentences) if _FORWARDED.search(one.folded))
    return reading.sentences[: next(marks, len(reading.sentences))]


def notes_of(
    sentences: Sequence[Sentence], reading: Reading, about: str | None = None
) -> tuple[RecordDraft, ...]:
    """Return each as a note of its own day, except questions.

    One that says "he" is about the person of the facts.
    """
    found = []
    for sentence in sentences:
        usual: Side = "future" if tells_of_an_event(sentence.text) else "nearest"
        when = reading.when(sentence, usual, usual=usual)
        day = reading.today if sentence.measurements and not sentence.days else when.day
        if not asks(sentence):
            who = about if sentence.has(_OF_SOMEBODY) else None
            found.append(RecordDraft("note", day, sentence.text, occurred_at=when.at, party=who))
    return tuple(found)


def is_courtesy(sentence: Sentence) -> bool:
    """Return whether it is a greeting, a thank-you, a bare "no": nothing to keep."""
    return _COURTESY.search(sentence.folded) is not None


def left_out_text(sentences: Sequence[Sentence], language: Language = "en") -> str:
    """Return ` I kept the rest as a note: “…”`; a question beside a fact was not answered."""
    asked = [sentence for sentence in sentences if asks(sentence)]
    told = [sentence for sentence in sentences if not asks(sentence)]
    kept = say(language, "The rest is only kept as a note: {quotes}", quotes=_shown(told, language))
    unanswered = say(
        language,
        "Please ask this on its own, I did not answer it: {quotes}",
        quotes=_shown(asked, language),
    )
    return (f" {ended(kept)}" if told else "") + (f" {ended(unanswered)}" if asked else "")


def unsaid_sums(drafts: Sequence[RecordDraft], said: str, reading: Reading) -> str:
    """Return the sums of a message that neither a fact nor the answer mentions."""
    if any(draft.amount is not None for draft in drafts):
        return ""
    language = reading.language
    texts = [
        text
        for sentence, amount in reading.sums
        if (text := amount_text(amount.value, amount.currency, language)) not in said
        and sentence.text[amount.start : amount.end] not in said
    ]
    shown = _first(texts, len(texts), language)
    return " " + say(language, "Not noted here: {sums}.", sums=shown) if texts else ""


def _shown(sentences: Sequence[Sentence], language: Language) -> str:
    first = [quoted(one.text, most=_QUOTED_CHARS, language=language) for one in sentences[:_SHOWN]]
    return _first(first, len(sentences), language)


def _first(parts: Sequence[str], of: int, language: Language) -> str:
    """Return the first of them, and the number of the others."""
    shown = list(parts[:_SHOWN])
    return joined([*shown, more_text(of - len(shown), language)] if of > len(shown) else shown, language)


def says_something(sentence: Sentence) -> bool:
    """Return whether it is more than a heading, a courtesy or a single word."""
    if sentence.is_heading or is_courtesy(sentence):
        return False
    return len(_WORDS.findall(sentence.folded)) >= 2 or any(char.isdigit() for char in sentence.text)
