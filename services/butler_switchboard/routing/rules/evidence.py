# ruff: noqa: E501 - patterns, word lists and sample texts stay on one line
"""The precise rules beside the model: shapes and words that settle a subject, and the tie-breaks (pure).

A rule adds to the log-odds of a topic; it never decides alone, so a hostile text can shift a choice between
registered butlers but nothing else (SWB-03.3, SWB-03.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from butler_kit.textmodel.entities import MOST_CHARS, Entity, entities
from butler_kit.textmodel.features import tokens
from butler_kit.textmodel.lexicon import classes_of
from butler_switchboard.routing.explanation import Evidence
from butler_switchboard.routing.rules.household import of_the_household
from butler_switchboard.routing.rules.journeys import asked_of_a_journey
from butler_switchboard.routing.rules.money_talk import money_talk
from butler_switchboard.routing.rules.vitals import asked_of_a_body, told_of_a_body

__all__ = ["Evidence", "evidence", "of_journey_alone", "of_payment_alone", "without_journey"]


_RESOLVE = re.compile(
    r"(?<![-\w])(?:refund\w*|reimburs\w*|charge[ds]? (?:us|me|my|twice|too)|charged|overcharg\w*|double[- ]charg\w*|billed (?:us|me|twice|for)|two times|twice|money back|pa(?:y|id) (?:it |us |me )?back|paid out|compensat\w*"
    r"|(?:get|getting|got|giv(?:e|en|es|ing)|gave|want(?:s|ed)?|pa(?:y|id|ying)|sen[dt])\b.{1,60}?\b(?:it|that|money|cash|deposit|fare|fee|price|half|third|part|share|rest|amount|hundred|thousand|(?<![:.\d])\d{2,5}(?![:.\d]))\b.{0,40}?\b(?:back|returned)"
    r"|claim(?:ing|ed| (?:form|for|back|against))|c[ao]mes? to (?:in (?:the end|total|all)|altogether|per (?:head|person)|each)"
    r"|dispute|chargeback|expense (?:report|claim)|expenses|unpaid|overdue|direct debit|debited|deposit back|too much|difference back|cost (?:us|me|in total)"
    r"|erstatt\w*|r[üu]ckzahlung|abgebucht|berechnet|rembours\w*|pr[ée]lev\w*|reembols\w*|cobr(?:ado|aron|[óo]))\b",
    re.IGNORECASE,
)
_ITINERARY = re.compile(
    r"\b(?:itinerary|boarding|check[- ]?in|gate|platform|terminal|coach|depart\w*|arriv\w*|e-?ticket|passengers?|nights?|booking (?:reference|code|confirm\w*)|booked|reservation"
    r"|reserved|seats?|return flight|layover|connection|outbound|abflug|ankunft|gleis|buchungsbest[äa]tigung|embarquement|d[ée]part|salida|llegada|reserva)\b",
    re.IGNORECASE,
)
_JOURNEY = re.compile(
    r"\b(?:flights?|airline|hotel|train|rail|ferry|airbnb|trip|holiday|vacation|ticket|journey|stay|room|flug|bahn|reise|vol|vuelo|viaje|[A-Z][a-z]+ trip)\b",
    re.IGNORECASE,
)
_BOOKED = re.compile(
    r"\b(?:itinerary|boarding|check[- ]?in|gate|terminal|coach|e-?ticket|passengers?|nights?|book(?:ing|ed)|reserv\w*|return flight|layover|outbound|seat"
    r"|abflug|ankunft|gleis|buchung\w*|embarquement|salida|llegada)\b",
    re.IGNORECASE,
)
_PAYING = frozenset({"bill", "bank", "money"})
_PAY = re.compile(
    r"\b(?:pa(?:y|id|yment)|spent|spend|cost|bill|invoice|receipt|total|sum|fee|owe[sd]?|transfer\w*|price|bought|card|cash|iban|rent|rechnung|bezahlt|gezahlt|ausgegeben|[üu]berweis\w*"
    r"|pay[ée]|facture|d[ée]pens[ée]|pagu[ée]|gast[ée]|factura)\b",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"\b(?:bp|blood|pressure|pulse|sys|dia|blutdruck|puls|tension|weigh\w*|weight|scale|kilos?|gewicht|peso|poids|fever|temp\w*|fieber|fi[èe]vre|fiebre)\b",
    re.IGNORECASE,
)

_ALLERGY = re.compile(
    r"\b(?:allergic|allerg(?:y|ies)|allergi(?:sch|e|en|ques?)|al[ée]rgic[oa]s?|alergias?)\b", re.IGNORECASE
)
_WHOSE = r"(?:\b(?i:mum|mom|dad|mama|papa|oma|opa|mamie|grandma|grandpa)s\b|\b(?i:my|his|her|our|meine?[rmns]?|seine?[rmns]?|ihre?[rmns]?|mon|ma|son|sa|mi|su)|\b[A-ZÄÖÜÉ][\w-]+(?:['’]s?|(?<=s)))"
_VITAL = (
    r"(?:blood (?:pressure|sugar)|bp|heart rate|pulse|temperature|fever|weight|glucose|blutdruck|blutzucker|puls|temperatur|fieber|gewicht"
    r"|tension|temp[ée]rature|fi[èe]vre|poids|pouls|glyc[ée]mie|presi[óo]n|temperatura|fiebre|peso|pulso)"
)
_ASKS = re.compile(
    r"\?\s*$|^\W*(?i:what|how|when|did|am i|on rentre|et ma|which|whats|what's|whens|hows|il (?:a|est|pese|pesait)|elle (?:a|est|p[eè]se|pesait)|jusqu|bis wann|seit wann|la r[ée]f[ée]rence|wie|was|wann|wogegen|welche|quel|quelle|combien|c'[ée]tait|qu[ée]|cu[áa]l|cu[áa]nto|cu[áa]ndo)\b"
)
_NO_BODY = re.compile(
    r"\b(?:weather|forecast|outside|tomorrow|oven|water|room|fridge|freezer|pool|engine|cpu|wetter|drau(?:ß|ss)en|(?<!heut )(?<!heute )(?<!gestern )morgen|ofen|wasser|m[ée]t[ée]o|demain|dehors|four|eau|tiempo|(?<!la )(?<!esta )ma[ñn]ana|fuera|horno|agua|dog|cat|hund|katze|chien|chat|perro|gato)\b",
    re.IGNORECASE,
)
_OWN_VITAL = re.compile(
    rf"{_WHOSE} (?:(?i:last|latest|current|body|letzte[rsn]?|derni[èe]re) )?(?i:{_VITAL})\b(?! (?:of|for) the\b)"
    r"|\b(?i:temp[ée]rature|fi[èe]vre|tension|pouls|poids|fiebre|temperatura|presi[óo]n|pulso|peso|fieber|blutdruck|puls|gewicht|temperatur|blood pressure|fever|pulse|weight)"
    r" (?i:of|von|de) [A-ZÄÖÜÉ][\w-]+"
)


def evidence(text: str) -> tuple[Evidence, ...]:
    """Return what the rules find in `text`, in the order of the rules."""
    text = text[:MOST_CHARS]
    found = entities(text)
    return (
        *_shapes(text, found),
        *money_talk(text),
        *_questions(text),
        *of_the_household(text, found),
        *_tie_break(text, found),
    )


def _shapes(text: str, found: tuple[Entity, ...]) -> Iterator[Evidence]:
    kinds = {entity.kind: entity for entity in reversed(found)}
    body = _BODY.search(text) is not None
    pay = _PAY.search(text)
    if "iban" in kinds:
        yield Evidence("iban", kinds["iban"].text, "finance", 1.5)
    if "money" in kinds:
        yield Evidence("amount with currency", kinds["money"].text, "finance", 0.9 if pay else 0.4)
    pressure = kinds.get("pressure")
    if pressure is not None and _is_pressure(pressure.text):
        yield Evidence("blood pressure", pressure.text, "health", 2.5 if body else 1.6)
    for kind, weight in (("dose", 1.2), ("lab", 1.5), ("temperature", 1.0)):
        if kind in kinds and "money" not in kinds:
            yield Evidence(f"measurement ({kind})", kinds[kind].text, "health", weight)
    if "weight" in kinds and body:
        yield Evidence("measurement (weight)", kinds["weight"].text, "health", 1.2)
    if "flight" in kinds and (_JOURNEY.search(text) or _ITINERARY.search(text)):
        yield Evidence("flight or train number", kinds["flight"].text, "travel", 0.9)
    if "route" in kinds:
        yield Evidence("airport pair", kinds["route"].text, "travel", 0.9)


def _questions(text: str) -> Iterator[Evidence]:
    """Yield what only the records of health or of journeys can answer, and what is said about a body."""
    if not _ASKS.search(text):
        yield from told_of_a_body(text) if not _NO_BODY.search(text) else ()
        return
    yield from asked_of_a_journey(text)
    yield from asked_of_a_body(text) if not _NO_BODY.search(text) else ()
    asked = _OWN_VITAL.search(text)
    if asked and not _NO_BODY.search(text):
        yield Evidence("a question for somebody's vital sign", asked.group(), "health", 6.5)
    if allergy := _ALLERGY.search(text):
        yield Evidence("a question for an allergy", allergy.group(), "health", 1.2)


def _is_pressure(text: str) -> bool:
    numbers = [int(number) for number in re.findall(r"\d{2,3}", text)]
    return (
        len(numbers) == 2 and 80 <= numbers[0] <= 230 and 40 <= numbers[1] <= 130 and numbers[0] > numbers[1]
    )


def _tie_break(text: str, found: tuple[Entity, ...]) -> Iterator[Evidence]:
    """Yield the tie-break for money and a journey in one text (SWB-03.4)."""
    if not (_JOURNEY.search(text) or _ITINERARY.search(text)):
        return
    resolve, itinerary = _RESOLVE.findall(text), _ITINERARY.findall(text)
    money = any(entity.kind == "money" for entity in found)
    if resolve:
        weight = min(7.0, 4.4 + 1.2 * (len(resolve) - 1))
        yield Evidence(
            "tie-break: billing, refund or payment is to be settled", resolve[0], "finance", weight
        )
    elif itinerary and (money or _PAY.search(text)):
        yield Evidence("tie-break: a booking or itinerary with its price", itinerary[0], "travel", 1.2)


def of_payment_alone(text: str) -> bool:
    """Return whether a part is about paying, in words of its own, and not about a journey."""
    said = _PAY.search(text) is not None or any(
        name in _PAYING for word, _ in tokens(text) for name in classes_of(word)
    )
    return said and without_journey(text)


def without_journey(text: str) -> bool:
    """Return whether a part names no journey and no booking."""
    return _JOURNEY.search(text) is None and _BOOKED.search(text) is None


def of_journey_alone(text: str) -> bool:
    """Return whether a part about a journey has nothing to be settled."""
    return _RESOLVE.search(text) is None
