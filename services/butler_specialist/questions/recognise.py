# ruff: noqa: E501 - word lists stay on one line
"""Recognises questions, and their kind: English, German, French, Spanish (pure)."""

from __future__ import annotations

import re
from typing import Final

from butler_kit.tellings.sorts import tells
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.tense import side_of

__all__ = ["asks", "asks_plans", "asks_when", "is_question"]

_OPENERS: Final = re.compile(
    r"^(?:(?:and|so|please|hey|bitte|und|et|y|could you|can you|kannst du|peux-tu|puedes)\b[, ]*(?:me )?)*"
    r"(?:what(?:'s|s)?|when(?:'s)?|where(?:'s)?|who(?:se)?|which|how (?:much|many|high|heavy|long|old|often|do"
    r"|did|was|is)|is \d(?!\d? (?:years?|months?|weeks?) old\b)|do i|did i|did we|have i|have we|is there"
    r"|are there|show(?: me)?|list(?: me)?|tell me (?:what|when|how|which|about)|remind me (?:what|where|who"
    r"|which|how)|give me|read me|say me|tell me (?:the|my|our)\b"
    r"|(?:has|have|did|does) (?:anyone|anybody|everyone|he|she|they|(?:the |my |our )?[a-z]+) (?:already |ever |really |actually |still )?(?:paid?|owes?|called?|sen[dt]|come|came|gone?|sa(?:y|id)|take[n]?|had|get|got|eat(?:en)?|book(?:ed)?|given?|arrived?|finish(?:ed)?|brought|bring|slept|sleep|return(?:ed)?)\b"
    r"|whens|am i|are we|is my|was\b|wann\b|wo\b|wer\b|welche[rsn]?|wogegen|worauf|wohin|wie ?viele?"
    r"|wie (?:hoch|lange|alt|oft|war|waren|ist|heisst|schwer)|habe? ich|haben wir|zeig"
    r"|gibt es|was steht"
    r"|(?:um|wait|so|hm+|ok|okay|well)\W+(?:what|how much|when|where|who|which|did|do|does|(?:is|are|was|were) (?:the|it|my|our|he|she|that|there|this))\b|sag(?: mir|e mir| mal)? (?:was|wann|wo|wer|wie|ob|die|den|das)\b"
    r"|(?:dis|dites|rappelle[sz]?|rappelez)(?:-moi| moi)? (?:ce que|ce qu'|quand|ou\b|combien|comment|a quelle|quel)|dime (?!que\b)|recuerdame (?:que|cuando|cuanto|donde|quien|cual)\b(?= (?:era|fue|he|hemos|dia|hora|me|nos|paga|gast))"
    r"|c'est (?:a quelle heure|quel jour|deja)\b|remind me which"
    r"|combien|quand|quel(?:le)?s?\b|qu'est-ce|qu'ai-je|ou est|qui\b|montre|est-ce que|quoi"
    r"|who'?s\b|wheres\b|do (?:you|we) (?:know|remember|have)|have (?:you|we) got|(?:elle|il) (?:aime|adore|deteste|fait|habite) (?:quoi|ou|combien)|any idea|how (?:big|tall|long|far|can|could)|whats\b"
    r"|wie (?!immer|gesagt|besprochen|gewohnt|du weisst|vereinbart|abgemacht|versprochen)|weisst du|weißt du|kannst du mir sagen|hast du"
    r"|c'est (?:quoi|ou|quand|qui|combien|lequel|laquelle)|(?:il|elle|ils|elles) (?:est|sont) ou\b|tu (?:as|sais|connais|te souviens)|t'as\b"
    r"|as-tu|comment\b|me (?:dices|pasas|das|recuerdas)|sabes\b|tienes\b|como (?:se|era|es|puedo|llamo|entro)\b|(?:entonces )?donde"
    r"|cuanto|cuanta|cuantos|cuando|donde|que\b|cual|quien|muestra|что|когда|сколько|где)"
)
_SURELY: Final = 0.85
_FEWEST: Final = 3
_FOR_ONESELF: Final = re.compile(
    r"\W*(?:how (?:we|i)\b|check\b|find out|look (?:up|into)|ask\b|demander|voir|verifier|regarder|(?:nach)?fragen|(?:nach)?schauen|prufen|mirar|preguntar|comprobar|ver\b)"
)
"""Asking somebody or looking something up is a task, and how something is done is a statement."""
_MOST: Final = 14
"""The most words of a question recognised by its words as a whole; prose ends with a stop."""
_HOW: Final = re.compile(r"(?<!know )(?<!tell me )(?<!remember )\bhow (?:do|can) (?:i|we)\b")
_ASKED_AT_THE_END: Final = re.compile(
    r"\b(?:(?:c'est|c'etait|est|etait|vient|part|commence|pese|finissent|finit|rentre|a) (?:quand|combien|quoi|ou)"
    r"|quand|combien|a quelle heure)(?: deja| encore| exactement)?\W*$|^\W*c'(?:est|etait) (?:quand|combien|quoi)\b"
)
"""A casual French question: "le train est à quelle heure"."""
_ASKED_POLITELY: Final = re.compile(
    r"^\W*(?:(?:et|and|und|y) )?(?:la|le|les|l'|the|der|die|das|el|los|las|ma|mon|my|mein\w*|mi) ?(?:numero|reference|ref|code|adresse|address|number|nummer|adresse|passwort|password|mot de passe|clave|direccion|telefono|numero de telefono|buchungsnummer|hora|heure|date|datum|uhrzeit)\b[^.!,;\d]{0,60} (?:stp|svp|s'il (?:te|vous) plait|please|pls|plz|bitte|porfa|por favor)\W*$"
)
"""A thing that can only be told, with a "please"."""
_TAG: Final = re.compile(
    r"(?:,|[–—-]) *(?:(?:is that |that'?s )?(?:ok(?:ay)?|right|all ?right|fine)(?: (?:with|for) (?:you|everyone|everybody|all))?|(?:every(?:body|one)|who'?s|all|anyone|(?:are )?(?:you|u)(?: all)?) in|deal|agreed"
    r"|(?:does that )?(?:works?|suits?)(?: for)?(?: (?:you|everyone|everybody|all))?|(?:passt|geht|klappt)(?: (?:das|es|euch|dir|so|allen)){0,2}|(?:seid ihr|bist du|wer ist|alle) dabei|einverstanden|oder|gell|gut so"
    r"|d'accord|ca (?:(?:vous |te )?va|marche)|qui en est|vale|de acuerdo|(?:os|te) (?:va bien|parece(?: bien)?)|quien se apunta)\s*\?+\W*$"
)
"""A tag that only asks for agreement with a statement: "pizza on Friday at 6, everybody in?"."""
_VERB_AT_ONCE: Final = re.compile(
    r"\W*(?:(?:and|so|but|und|aber|et|y) )?(?:is|are|was|were|do|does|did|can|could|will|would|has|have|shall|should|ist|sind|war|waren|hat|haben|habt|kann|konnen|wird|soll|est|sont|es|son|hay)\b"
)
_VERB_FIRST: Final = re.compile(r"(?:habe? ich|haben wir)\b")
_TASK: Final = re.compile(
    r"\b(?:remind (?:me|us)(?! (?:what|where|who|which|how)\b)|erinner\w*|rappell?e[rz]?(?!(?:-moi| moi)? (?:ce qu|quand|ou\b|combien|comment|a quelle|quel))|recuerda(?:me|nos)"
    r"|recordar(?:me|nos)"
    r"|set (?:me )?an? (?:reminder|alarm|timer)|wake (?:me|us))\b"
)
_PLANS: Final = re.compile(
    r"\b(?:have (?:i|we) (?:got )?(?:anything|something|any)|(?:do|have) (?:i|we) have (?:anything|something|any)"
    r"|is there (?:anything|something)|(?:hab|habe|haben) (?:ich|wir)\b[^.!?]{0,40}\b(?:was|etwas|irgendwas|termine?)"
    r"|gibt(?:'s| es)\b[^.!?]{0,40}\b(?:was|etwas)|(?:ai-je|avons-nous|j'ai|on a|nous avons) quelque chose"
    r"|(?:tengo|tenemos|hay) (?:algo|alguna|algun))\b"
)
_WHEN: Final = re.compile(
    r"\W*(?:and |so |und |et |y )?(?:when|what time|what day|which day|until when|wann|bis wann|um wie ?viel uhr|quand|c'est quand|a quelle heure|jusqu'a quand|cuando|a que hora|hasta cuando)\b"
)


def asks_when(reading: Reading) -> bool:
    """Return whether it opens by asking for a moment: "when", "what time", "wann"."""
    return _WHEN.match(reading.folded) is not None


def asks_plans(reading: Reading) -> bool:
    """Return whether it asks if anything is on; a question about the past has a verb of the past."""
    return reading.has(_PLANS) and side_of(reading.folded, None) != "past"


def is_question(reading: Reading) -> bool:
    """Return whether it has a final question mark or an opening that asks; a request is not a question."""
    return any(asks(sentence) for sentence in reading.sentences if not _goes_on(sentence, reading))


def _goes_on(sentence: Sentence, reading: Reading) -> bool:
    """Return whether its verb is first as it continues carried words: "Gestern | haben wir Jonas besucht"."""
    goes_on = sentence is reading.sentences[0] and _VERB_FIRST.match(sentence.folded) is not None
    return goes_on and bool(reading.carried) and not sentence.text.rstrip().endswith("?")


def _is_surely_asked(sentence: Sentence) -> bool:
    """Return whether people who type this ask, without a question mark or an opening question word."""
    said = sentence.text.strip()
    if "," in said or ":" in said or _FOR_ONESELF.match(sentence.folded):
        return False
    if sentence.amounts or sentence.measurements:
        return False
    words = said.count(" ") + 1
    return (
        _FEWEST <= words <= _MOST
        and said[-1:] not in ("", ".", "!", ":", ",")
        and tells("ask", said, _SURELY)
    )


def _is_told_for_a_nod(sentence: Sentence) -> bool:
    """Return whether it is a statement, and only its tail asks for agreement."""
    return sentence.has(_TAG) and _VERB_AT_ONCE.match(sentence.folded) is None


def asks(sentence: Sentence) -> bool:
    """Return whether this clause asks."""
    marked = (
        (sentence.text.rstrip(" \"'»”)").endswith("?") and not _is_told_for_a_nod(sentence))
        or _OPENERS.match(sentence.folded.lstrip("¿ "))
        or sentence.has(_HOW)
        or _ASKED_AT_THE_END.search(sentence.folded)
        or _ASKED_POLITELY.match(sentence.folded)
        or _is_surely_asked(sentence)
    )
    return bool(marked) and not sentence.has(_TASK)
