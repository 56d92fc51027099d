# ruff: noqa: E501 - patterns stay on one line
"""Clauses about what may be, another time of life, or a sum derived from another (pure). EN, DE, FR, ES.

"Maybe we fly on 12 May", "in 2019 I weighed 80 kg", "half of the 80 euros": taken as current, or as the sum, each
would be false. Invariant: an estimate ("about 80 kg", "I think it is on Friday") still counts as stated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from butler_specialist.understanding.money import Amount
from butler_specialist.understanding.sentence import Sentence

__all__ = ["is_of_a_past_period", "is_of_another_sum", "is_of_another_time", "is_of_now", "may_be"]

_MAY_BE: Final = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|could(?! (?:you|we please|i get|i have))|(?:would|'d) (?:like|love|rather|prefer)(?! you)|thinking (?:of|about)|considering|not sure (?:if|whether)|(?:hope|hoping|hopes) to|tempted to|toying with|tentative(?:ly)?|tbc|to be confirmed|provisional(?:ly)?)\b"
    r"|\b(?:vielleicht|eventuell|evtl|moglicherweise|womoglich|wahrscheinlich|vermutlich|wurden? (?:\w+ ){0,2}?(?:gern|gerne|lieber)|mochten?|konnten?(?! (?:du|ihr|sie))|uberleg(?:e|en|t)|noch nicht sicher|unter vorbehalt)\b"
    r"|\b(?:peut[- ]etre|probablement|sans doute|eventuellement|aimer(?:ais|ait|ions|aient)|voudr(?:ais|ait|ions|aient)|pourr(?:ais|ait|ions|aient)|songe(?:ons)? a|pas encore sure?s?)\b"
    r"|\b(?:quizas?|tal vez|a lo mejor|puede que|posiblemente|probablemente|gustaria|quisier(?:a|amos|an)|podri(?:a|amos|an)|pensando en|no (?:es|esta) seguro)\b"
)
_TRAVELS: Final = (
    r"(?:fly|travel|drive|go (?:on|to(?! (?:the|see|a|my|our)\b))|take the|book|stay|visit|fliegen|reisen|verreisen|fahren|buchen|ubernachten|besuchen"
    r"|partir|voyager|prendre|aller (?:en|a(?! (?:la|l')))|reserver|dormir|visiter|volar|viajar|ir a(?! l[ao]s?\b)|coger|reservar|irnos|visitar)"
)
_WANTED: Final = re.compile(
    rf"\b(?:wants? to|wanna|hope to) (?:\w+ ){{0,2}}?{_TRAVELS}\b|\b(?:will|wollen|willst|wollt) (?:\S+ ){{1,8}}?{_TRAVELS}\b|\b(?:veux|veut|voulons|veulent) (?:\w+ )?{_TRAVELS}\b|\b(?:quiero|quiere|queremos|quieren) {_TRAVELS}\b"
)
"""A journey that somebody wants is not booked."""
_ONCE_WANTED: Final = re.compile(
    r"\b(?:wanted to|was going to|were going to|was gonna|were gonna|meant to)(?! (?:say|ask|tell|let you|mention|note|remind))"
    r"|\b(?:wollte|wollten)\b(?!.{0,60}\b(?:sagen|fragen|wissen|erzahlen|erinnern|bescheid|notieren))"
    r"|\b(?:voulais|voulait|voulions|devais|devait|devions)(?! (?:te |vous |juste )*(?:dire|demander|savoir|noter|rappeler))"
    r"|\b(?:queria|queriamos|iba a|ibamos a)(?! (?:decir|preguntar|saber|recordar|contar|pedir))"
)
"""A former wish is not said to come true."""
_PAST_PERIOD: Final = re.compile(
    r"\b(?:(?<!than )last (?:week|month|year|summer|winter|spring|autumn|fall|christmas)|(?:weeks?|months?|years?) ago|back in (?:january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d))\b"
    r"|\b(?:(?<!als )letzte[sn]? (?:woche|jahr|monat|sommer|winter|fruhjahr|fruhling|herbst)|vor (?:\w+ )?(?:wochen|monaten|jahren)|damals)\b"
    r"|\b(?<!qu')(?<!que )(?:la semaine (?:derniere|passee)|le mois (?:dernier|passe)|l'an(?:nee)? (?:dernier|derniere|passee?)|il y a \w+ (?:semaines?|mois|ans?))\b"
    r"|\b(?<!que )(?:la semana pasada|el ano pasado|el mes pasado|hace \w+ (?:semanas?|mes(?:es)?|anos?))\b"
)
_ANOTHER_TIME: Final = re.compile(
    rf"{_PAST_PERIOD.pattern}"
    r"|\b(?:used to|formerly|back then|in the past|in (?:19|20)\d\d|(?:when|while|before) (?:i|he|she|we) (?:was|were|had)|as a (?:child|kid|teenager|student|baby)|at birth)\b"
    r"|\b(?:fruher|(?:im jahre? |\b)(?:19|20)\d\d (?:wog|hatte|war)|als (?:ich|er|sie|wir) [^.!?]{1,30}(?:war|waren|hatte)|als kind|bei der geburt)\b"
    r"|\b(?<!qu')(?<!que )(?:autrefois|a l'epoque|quand (?:j'|il |elle )(?:etais|etait|avais|avait)|en (?:19|20)\d\d|avant,? (?:je|il|elle) \w+ait|a la naissance)\b"
    r"|\b(?<!que )(?:antes (?:pesaba|tenia|media)|cuando (?:era|tenia)|de (?:nino|nina|joven)|al nacer)\b"
)
"""A past week, month or year, or a time of life."""
_NOW: Final = re.compile(
    r"\b(?:now|today|this morning|jetzt|heute|mittlerweile|maintenant|aujourd'hui|ahora|hoy)\b"
)
_SELF_RIGHTED: Final = re.compile(
    r"\d[^.!?\d]{0,40}[,;–-] ?(?:(?:oh|ach|ah|bueno|wait|sorry|ups|oops|er|um|nee)\b[ ,]*)*(?:no|nein|nee|non|quatsch|actually|scratch that|make that|enfin|perdon|pardon|mejor dicho|je veux dire)\b[ ,:]*(?:wait|warte|attends|espera|halt|moment|stop|doch)?[ ,:]*(?:it was |es waren |c'etait |fueron |eran )?[€$£]?\d"
)
"""A sum that the same sentence corrects."""
_GIVEN_BACK: Final = re.compile(
    r"\b(?:and|und|et|y|but|aber|mais|pero)\b.{0,20}\b(?:(?:returned|sent|took|gave|brought) (?:it|them) back|returned (?:it|them)|(?:habe? |hab )?(?:sie|es|ihn)? ?(?:wieder )?(?:zuruckgeschickt|zuruckgegeben|zuruckgebracht|umgetauscht)|(?:les|l'|le|la) ?(?:ai|avons|a) (?:rendue?s?|renvoyee?s?|rapportee?s?)|(?:l[oa]s? (?:he|hemos) )(?:devuelto|cambiado))\b"
)
_EACH: Final = re.compile(
    r"\d ?(?:€|euros?|eur|quid|pounds?|dollars?)? ?(?:each|apiece|a head|(?:per|pro|par|por) (?:head|person|kopf|nase|personne|tete|persona|cabeza|stuck|piece)|das stuck|chacune?s?|(?:la )?piece|l'unite|cada un[oa])\b"
    r"|\b(?:je|jeweils) [€$£]?\d[\d.,]* ?(?:€|euros?|eur)?(?! ?(?:uhr|mg|ml|g|kg|stunden?|min))"
    r"|\b(?:charged?|debited|billed|took|abgebucht|belastet|berechnet|debitee?|prelevee?|facturee?|cobrado|cargado)\b[^.!?]{0,40}\b(?:twice|double|zweimal|doppelt|deux fois|dos veces)\b"
)
"""The price of one of several things, or of one taken several times, is not what was paid."""
_BEHIND_A_SUM: Final = re.compile(
    r" ?(?:euros?|eur|€)? ?(?:(?:a|per) month |im monat |pro monat |par mois |al mes )?(?:dearer|cheaper|more expensive|teurer|billiger|plus chere?s?|moins chere?s?|mas car[oa]|mas barat[oa])\b"
    r"| ?(?:euros?|eur|€)? ?(?:less|more|cheaper|dearer|mehr|weniger|teurer|billiger|de plus|de moins|mas|menos) (?:than|als|qu[e']|que)\b"
)
_BEFORE_A_SUM: Final = re.compile(
    r"\b(?:half|a third|a quarter|two thirds|part|die halfte|ein drittel|ein viertel|einen teil|la moitie|un tiers|un quart|une partie|la mitad|un tercio|una parte)(?: (?:of|von|der|des|de|d'|the|those|these|my|our|den|dem|les|los|las))*\W*$"
    r"|\b(?:more|less|fewer|mehr|weniger|plus|moins|mas|menos) (?:than|als|de)\W*$|\b(?:between|zwischen|entre)(?: \W?\d[\d.,]*(?: ?(?:euros?|eur|€))? (?:and|und|et|y))?\W*$"
    r"|\b(?:went|gone|goes|going|go|rose|risen|rises|increased|increases|raised|dropped|fell|cheaper|dearer) (?:up |down )?by\W*$|\b(?:augmente|baisse|monte) de\W*$|\b(?:subido|bajado|sube|subio|bajo)\W*$"
    r"|\b(?:paid|pay|pays|bezahlt|zahlen|zahle|zahlte|paye|payer|pague|pagado) \W?\d[\d.,]*(?: ?(?:euros?|eur|€))? (?:out of|of|von|sur|de)(?: (?:the|den|les|los))?\W*$"
)
_RAISED: Final = re.compile(r"\b(?:gestiegen|gesunken|erhoht|teurer|billiger|steigt|sinkt)\b")
_BY: Final = re.compile(r"\bum\W*$")
_BEFORE: Final = 48
_MOST: Final = 16


def may_be(sentence: Sentence) -> bool:
    """Return whether it says that what it states is not settled."""
    return sentence.has(_MAY_BE) or sentence.has(_WANTED) or sentence.has(_ONCE_WANTED)


def is_of_another_time(sentence: Sentence) -> bool:
    """Return whether it is about another time and names no day in it."""
    return not sentence.named_days and sentence.has(_ANOTHER_TIME)


def is_of_a_past_period(sentence: Sentence) -> bool:
    """Return whether it is about a past week, month or year, and names no day in it."""
    return not sentence.named_days and sentence.has(_PAST_PERIOD)


def is_of_now(sentence: Sentence) -> bool:
    """Return whether it says that it is about now."""
    return sentence.has(_NOW)


def is_of_another_sum(sentence: Sentence) -> bool:
    """Return whether one of its sums is only the basis of another."""
    folded = sentence.folded
    told = sentence.amounts or sentence.unmarked
    if _is_righted(sentence, told) or sentence.has(_GIVEN_BACK) or sentence.has(_EACH):
        return True
    return any(
        _BEHIND_A_SUM.match(folded, one.end)
        or _BEFORE_A_SUM.search(before := folded[max(0, one.start - _BEFORE) : one.start])
        or (_BY.search(before) and sentence.has(_RAISED))
        for one in islice(sentence.amounts, _MOST)
    )


def _is_righted(sentence: Sentence, told: Sequence[Amount]) -> bool:
    """Return whether the only sum read is the one that the same sentence takes back."""
    righted = _SELF_RIGHTED.search(sentence.folded)
    return righted is not None and len(told) == 1 and told[0].start <= righted.start()
