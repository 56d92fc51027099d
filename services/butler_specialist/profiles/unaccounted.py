# ruff: noqa: E501 - patterns stay on one line
"""Whether a fact read from a clause leaves words of it unread that may change it (pure; ADR 0125). EN, DE, FR, ES.

"Saturday, not this one, the other", "4 x 12.50", "it was 1.31", "the hive weighs 38 kg": a day, a sum and a value are
each read alone, and the words beside them say that it is another day, no total, of nothing named, nobody's. Such a
clause is kept in its own words.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from butler_kit.tellings.sorts import share_of, sorts_of
from butler_kit.textmodel.lexicon import classes_of
from butler_kit.wording.folding import words
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.doubts import says_spent
from butler_specialist.understanding.household import kin_of
from butler_specialist.understanding.medicines import medicines_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.tense import is_moved

__all__ = ["leaves_open", "may_leave_open"]

_MOST_CLAUSES: Final = 8
"""The most clauses; a longer message is a document."""
_SUMS: Final = frozenset({"expense", "bill", "subscription", "refund", "income", "debt"})
_OURS: Final = frozenset({"expense", "bill", "subscription"})
_DATED: Final = frozenset({"appointment", "note", "birthday", "meeting"})
_ANOTHER_DAY: Final = re.compile(
    r"[ ,(]{0,3}(?:(?:but |aber |mais |pero )?(?:not|nicht|pas|no) (?:this|the next|the coming|diese[rnsm]?|(?:der|die|das|den) (?:nachste[nrsm]?|kommende[nrsm]?)|ce(?:lui|tte|lle)?|est[ea])\b"
    r"|the (?:other|one after|following) one\b|the one after\b|(?:der|die|das|den) (?:andere[nrsm]?|ubernachste[nrsm]?|danach)\b|(?:el|la) (?:otr[oa]|siguiente)\b|(?:drauf|darauf|danach|d'apres|suivante?|siguiente)\b|(?:l'autre|celui d'apres|le suivant)\b)"
)
"""Words right behind a day that say it is another one."""
_OR: Final = re.compile(
    r"[ ,]*(?:or|oder|ou|o|bzw\.?|/)(?: (?:else|maybe|perhaps|vielleicht|peut-etre|quizas?))?(?: (?:on|am|le|el))? ?"
)
"""Between two days of which only one is meant."""
_OR_BEFORE: Final = re.compile(
    r"(?<![\w.,:])\d{1,2}(?:st|nd|rd|th|\.)? (?:or|oder|ou|o) (?:on |am |the |den |le |el )?$"
)
_NOT_ON: Final = re.compile(
    r"\b(?:not|isn't|isnt|nicht|n'est pas|c'est pas|est pas|no es|no)(?: (?:on|am|der|den|the|le|el))*\s*$"
)
"""Words before a day that is denied, while none is named instead."""
_AWAY_FROM: Final = re.compile(r"\b(?:from|vom|von|du|de|del|desde)(?: (?:the|dem|le|el))*\s*$")
_MOVING: Final = re.compile(
    r"\b(?:moving|shifting|pushing|postponing|verschieb\w*|verleg\w*|deplac\w*|decal\w*|report\w*|mover|movemos|cambiamos|pasamos)\b"
)
_ORDINAL: Final = re.compile(r"(?<![\w.,:/])\d{1,2}(?:st|nd|rd|th)\b|(?<![\w.,:/-])\d{1,2}/\d{1,2}(?![\w/])")
"""What looks like a day though none was read."""
_N: Final = r"[€$£]?\d+(?:[.,]\d{1,2})?"
_TIMES: Final = re.compile(
    rf"(?<![\w.,:/])\d{{1,3}} ?(?:x|×|\*|mal|times|fois|veces) ?{_N}(?! ?(?:mg|ml|g|kg|cm|m|l)\b)"
    rf"|(?<![\w.,:/])(?:[2-9]|[1-9]\d) (?!uhr\b|h\b|heures?\b)[^\W\d_]{{3,}}(?: [^\W\d_]{{3,}})? (?:a|at|zu|je|@) {_N} ?(?:€|eur\b|euros?\b|quid\b|chf\b|franken\b|$|[,;.!)]|(?:au|on|in|auf|am|en)\b)"
    r"|(?<![\w.,])\d{1,2} (?:months?|monate?|mois|meses|weeks?|wochen|semaines?|semanas)\b[^.!?]{0,60}\b(?:(?:a|per|each) (?:month|week)|(?:im|pro) monat|(?:pro|in der) woche|par (?:mois|semaine)|(?:al|por) (?:mes|semana)|a la semana)\b"
    r"|(?<![\w.,])(?:\d{1,2} ?(?:x|times|mal|fois|veces)|twice|zweimal|dreimal|deux fois) (?:a|per|die|pro|in der|im|par|la|por|a la|al) (?:week|woche|semaine|semana|month|monat|mois|mes|day|tag|jour|dia)\b"
)
"""A count and a unit price, which are no total."""
_PARTS: Final = re.compile(
    rf"\b(?:minus|less|abzuglich|moins|menos) {_N}(?! ?(?:kg|kilos?|%|degrees?|grad))"
    rf"|{_N} ?(?:€|eur|euros?|quid|£|\$)? (?:a|zu|entre|durch|geteilt durch|split by|divided by|between|among) (?:the |los |las |les )?(?:[2-9]|1\d)(?! ?(?:h\b|uhr|[ap]\.?m\b|€|eur|%))(?![\w:.,]*\d)"
    r"|\b(?:my (?:share|half|part)|mein(?:en|e)? (?:teil|anteil|halfte)|ma (?:part|moitie)|mi (?:parte|mitad))\b"
)
"""A sum that several share, or that is taken off another."""
_IT_WAS: Final = re.compile(
    r"\b(?:(?:it|that|they) (?:was|is|were)|it's|(?:es|das|dies) (?:war|waren|ist|sind)|c'(?:etait|est)|ca fai(?:t|sait)|era|eran|fue|fueron)\b"
)
"""Words that say what something named elsewhere came to."""
_PLUS: Final = re.compile(
    rf"{_N} ?(?:€|eur|euros?|quid|£|\$)? ?(?:[^\W\d_]+ ){{0,3}}?(?:\+|plus|mas) ?(?:[^\W\d_]+ )?{_N}"
)
_BY: Final = re.compile(
    r"\b(?:by|before|until|till|bis|vor|avant|d'ici|antes|hasta|para)(?: (?:the|next|zum|dem|le|la|del?|el))*\s*$"
)
"""Words before the day on which something has to be paid."""
_THIRD_PERSON: Final = re.compile(
    r"^\W*(?:(?:and|und|et|y|but|aber|mais|pero|now|jetzt) )?(?:weighs?|wiegt|wog|pesa|pesaba|hat|hatte|has|tiene)\b|\b(?:wiegt|weighs|pesa)\b"
)
"""A verb about him, her or it."""
_MINE: Final = re.compile(r"\b(?:i|i'm|me|my|ich|mein\w*|mir|mich|je|mon|ma|mes|moi|yo|mi|mis)\b|\b(?:j|m)'")
_NUMBER: Final = re.compile(
    r"\b(?:of|de|von|and|und|et|y|the|el|la|die|das|le|then|dann|puis|luego) (?P<n>\d{1,4}(?:[.,]\d{1,2})?)(?= ?(?:$|[,;!?)+]|\.(?!\d)|(?:por|al?|en|in|am|at|on|im|le|la|before|after|nach|vor|avant|apres|antes|despues)\b))"
)
"""Another number, of which no word behind it says what it counts."""
_PAYS: Final = re.compile(
    r"^\W*(?P<who>(?:[^\W\d_][\w'-]* ){1,3}?)(?:now |always |jetzt |immer |nun |just )?(?:pays|zahlt|uberweist|paie|paga|ingresa)\b"
)
"""Somebody who pays again and again."""
_US: Final = words(
    "i we you one who he she it and ich wir man wer er sie es und je on nous qui il elle et yo nosotros quien el ella y se"
    " jetzt heute nun dann monatlich jeden jede jedes always now so ahora maintenant"
)
_WEIGHS: Final = re.compile(
    r"\b(?:the|our|my|a|an|der|die|das|unser\w*|mein\w*|eine?|la|le|les|ma|mon|mes|notre|nos|une?|el|los|las|mis?|nuestr\w+) (?P<what>[^\W\d_]{3,})(?: (?:no\.? ?|nr\.? ?)?[\w']+){0,2} (?:weighs?|weighed|wiegt|wog|wiegen|pese|pesent|pesait|pesa|pesan|pesaban?)\b"
)
"""A noun of which a weight is told."""
_SOMEBODY: Final = frozenset({"kin", "pet"})
_BEEN: Final = ("past", "spent", "received", "talk", "value_me", "value_other", "value_not", "off")
_SCARCELY: Final = 0.1
_EVENT: Final = ("event", "remind", "task", "due", "change", "off", "ask")
_HARDLY: Final = 0.05


def may_leave_open(sentence: Sentence, reading: Reading) -> bool:
    """Return whether to look closer: a clause of a short message with a figure or a day."""
    if reading.subject or len(reading.sentences) > _MOST_CLAUSES:
        return False
    return bool(sentence.named_days) or any(character.isdigit() for character in sentence.folded)


def leaves_open(sentence: Sentence, draft: RecordDraft, reading: Reading) -> bool:
    """Return whether words of the clause that the fact does not account for may make it false."""
    if draft.kind in _SUMS:
        return _is_no_total(sentence, draft, reading) or _is_paid_by_another(sentence, draft, reading)
    if draft.kind == "measurement":
        return draft.party is None and (_is_of_a_thing(sentence) or _is_of_nobody_named(sentence))
    if draft.kind == "medication":
        return _has_another_number(sentence, draft)
    return draft.kind in _DATED and _is_another_day(sentence, draft, reading)


def _is_no_total(sentence: Sentence, draft: RecordDraft, reading: Reading) -> bool:
    """Return whether it is the price of one of several, a part, due, or of something that nobody named."""
    if sentence.has(_TIMES) or sentence.has(_PARTS) or _lacks_a_part(sentence, reading):
        return True
    if draft.kind == "expense" and _is_to_be_paid(sentence):
        return True
    named = draft.title or draft.party
    return named is None and "currency" in draft.details and sentence.has(_IT_WAS)


def _lacks_a_part(sentence: Sentence, reading: Reading) -> bool:
    """Return whether only one of two sums that belong together was read: "780 + 60"."""
    read = sentence.in_currency(reading.currency, of_money="alone").amounts
    return any(
        sum(both.start() <= one.start < both.end() for one in read) < 2
        for both in _PLUS.finditer(sentence.folded)
    )


def _is_to_be_paid(sentence: Sentence) -> bool:
    """Return whether it is due by a day, and no word says that it was paid."""
    due = any(_BY.search(sentence.folded, 0, day.start) for day in sentence.days)
    return due and not says_spent(sentence)


def _has_another_number(sentence: Sentence, draft: RecordDraft) -> bool:
    """Return whether a medicine's clause has a number that is none of its doses, hours and days: "and the 5 at night"."""
    found = (
        sentence.days,
        sentence.times,
        sentence.measurements,
        sentence.doses,
        medicines_in(sentence.text),
    )
    held = [(one.start, one.end) for kind in found for one in kind]
    hours = {hour.partition(":")[0].lstrip("0") for hour in str(draft.details.get("hours", "")).split()}
    return any(
        number["n"] not in hours
        and not any(start < number.end() and number.start("n") < end for start, end in held)
        for number in _NUMBER.finditer(sentence.folded)
    )


def _is_paid_by_another(sentence: Sentence, draft: RecordDraft, reading: Reading) -> bool:
    """Return whether somebody outside the household pays it, as far as its words go."""
    pays = _PAYS.match(sentence.folded) if draft.kind in _OURS else None
    if pays is None:
        return False
    who = set(pays["who"].split())
    members = {part.casefold() for name in reading.whose.names.values() for part in name.split()}
    return not who & (_US | members)


def _is_of_a_thing(sentence: Sentence) -> bool:
    """Return whether the weight is that of something that is neither a relative nor an animal of the house."""
    found = _WEIGHS.search(sentence.folded)
    if found is None:
        return False
    what = found["what"]
    return kin_of(what) is None and not _SOMEBODY.intersection(classes_of(what))


def _is_of_nobody_named(sentence: Sentence) -> bool:
    """Return whether a verb says that the value is not the writer's: "and weighs 22 kg now"."""
    return sentence.has(_THIRD_PERSON) and not sentence.has(_MINE)


def _is_another_day(sentence: Sentence, draft: RecordDraft, reading: Reading) -> bool:
    """Return whether the day of a dated fact is qualified, one of two, unread, or on an unlikely side of today."""
    days = [day for day in sentence.days if draft.occurred_on in (day.before, day.after)]
    if _is_qualified(sentence):
        return True
    if draft.kind != "note" and draft.occurred_at is not None and not sentence.days:
        return _ORDINAL.search(sentence.folded) is not None
    return _is_on_the_wrong_side(sentence, draft, days, reading)


def _is_qualified(sentence: Sentence) -> bool:
    """Return whether the words around a day say that it is another one, one of two, or none."""
    folded, days = sentence.folded, sentence.days
    if any(_ANOTHER_DAY.match(folded, day.end) or _OR_BEFORE.search(folded[: day.start]) for day in days):
        return True
    if any(_OR.fullmatch(folded, first.end, second.start) for first, second in pairwise(days)):
        return True
    if len(days) != 1:
        return False
    before = folded[: days[0].start]
    away = _AWAY_FROM.search(before) or folded.startswith("from ", days[0].start)
    return bool(_NOT_ON.search(before) or (away and (sentence.has(_MOVING) or is_moved(folded))))


def _is_on_the_wrong_side(sentence: Sentence, draft: RecordDraft, days: list[Day], reading: Reading) -> bool:
    """Return whether its clause as a whole tells neither of an event nor of what has been."""
    sorts = sorts_of(sentence.text)
    if draft.occurred_on < reading.today:
        return any(day.bare for day in days) and share_of(sorts, _BEEN) < _SCARCELY
    return draft.kind == "appointment" and bool(sorts) and share_of(sorts, _EVENT) < _HARDLY
