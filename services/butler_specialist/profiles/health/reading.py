# ruff: noqa: E501 - patterns stay on one line
"""What a message states about health, each fact with the person whom it is about (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from butler_kit.wording.medicines import GENERIC
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.course_parts import Part, parts_of
from butler_specialist.understanding.courses import Course, course_in
from butler_specialist.understanding.folding import fold, words
from butler_specialist.understanding.measurements import Dose, Measurement
from butler_specialist.understanding.medicines import Medicine, medicines_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.recurrence import recurrence_in
from butler_specialist.understanding.repeats import repeat_in
from butler_specialist.understanding.subjects import UNKNOWN, Mention, about, mentions
from butler_specialist.understanding.tense import is_appointment

__all__ = ["ALLERGY", "CANNOT_EAT", "OF_NOBODY", "drafts_of", "substance_in"]

Placed = tuple[RecordDraft, int, int]
"""A fact, and where it stands in its sentence."""

ALLERGY: Final = re.compile(
    r"(?:\b|[a-z])(?:allerg\w+|alergi\w+)|\bvertragt keine?n?\b|\bintoleran\w++|\bsupporte(?:nt)? pas\b|\bno tolera\b"
)
CANNOT_EAT: Final = re.compile(
    r"\b(?:intoleran\w*|c(?:o)?eliac|unvertraglichkeit\w*"
    r"|(?:can't|cant|cannot|mustn't|doesn't|doesnt|won't) (?:\w+ )?(?:eat|drink)\b"
    r"|vertragt (?:\w+ )?kein\w*|was (?:darf|vertragt|kann) \w+ nicht\b"
    r"|darf (?:\w+ )?(?:kein\w*|nicht)\b.{0,20}\bessen|isst (?:\w+ )?kein\w*"
    r"|(?:peut|doit|mange) (?:pas|plus) (?:manger|boire|de |d')|no puede (?:comer|tomar|beber)|no come|supporte(?:nt)? pas|bad reaction to|swells? (?:me|my \w+|him|her) up|sienta(?:n)? (?:muy )?mal|reagi\w+ (?:stark |schlecht )?auf)\b"
)
"""What is asked and answered like an allergy."""
OF_NOBODY: Final = {"person": "not named"}
"""On a note that would be a value, if its message said whose."""
_SUBSTANCE: Final = (
    re.compile(
        r"\b(?:allergic (?:reaction )?to|allergy to|allergisch (?:gegen|auf)|allergie (?:gegen|auf|a(?:ux?)?)"
        r"|allergique a(?:ux?)?|alergic[oa] al?|alergia al?) (?:the |la |le |les |l'|los |las |el )?"
        r"(?P<what>[^\W\d_][\w' -]{1,60})"
    ),
    re.compile(r"\bgegen (?P<what>[^\W\d_][\w' -]{1,60}?) allergisch\b"),
    re.compile(r"\b(?P<what>[^\W\d_][\w-]{2,30})[ -](?:allergy|allergie)\b"),
    re.compile(r"\b(?P<what>[a-z]{3,30}?)allergie\b"),
)
_NO_MORE: Final = re.compile(
    r"\b(?:no more|no longer(?: taking)?|not|stopped(?: taking)?|instead of|without|ohne|statt|anstatt|keine?n?|nicht mehr|plus de|au lieu d[eu]|sans|ya no (?:tom\w+ )?|sin|en vez de)\W+(?:(?:the|my|das|mein|die|le|la|el) )?$"
)
"""Before a medicine that is not taken."""
_ENDS: Final = re.compile(
    r"\b(?:and|und|et|y) [^.!?,]{1,30}? (?:to|gegen|auf|aux?|a l'|al|a los|a las)\b|\b(?:ist|bin|sind|since|and has|and gets|since|seit|depuis|desde|according|says|sagt)\b"
)
_NONE: Final = re.compile(r"\b(?:not|no|isn't|never|without|nicht|keine?|pas|aucune|no es|sin|ninguna)\b")
_NO_SUBSTANCE: Final = words(
    "something anything what any an the my his her this food skin etwas irgendetwas was quelque quoi algo que"
    " everything alguna bekannte une eine seine ihre meine"
)
_ILL: Final = re.compile(
    r"\b(?:ill|sick|unwell|threw up|vomit\w*|gespuckt|erbrochen|rash|fever|flu|cough\w*|krank|fieber|husten|malade|fievre|enferm[oa]|fiebre|temperatur\w*"
    r"|medic\w+|medikament\w*|blood|blut\w*|allerg\w+|alergi\w+)\b"
)
_APART: Final = frozenset({"blood_pressure", "weight", "glucose"})
_OWN_PART: Final = re.compile(r"[,;.]\s*$")
_SINCE: Final = re.compile(r"\b(?:since|seit(?: dem)?|depuis(?: le)?|desde(?: el)?)\s*$")
"""What began on a day was not measured on it."""
_UNTIL: Final = re.compile(r"\b(?:until|till|bis(?: zum)?|jusqu'au|hasta(?: el)?)\s*$")


def drafts_of(reading: Reading) -> list[RecordDraft]:
    """The facts in their order; "she" is who was named last in a sentence about health, or in a mail's subject."""
    known, found = reading.whose.known, list[RecordDraft]()
    before = _last(mentions(reading.subject, known=known)) if reading.subject else None
    absent: tuple[int, str | None] = (-1, None)
    for sentence in reading.sentences:
        named = sentence.once(_named_in, known)
        if not named and sentence.line == absent[0]:
            named = _gone_on_about(absent[1], sentence)
        drafts = [
            _whose(
                reading,
                draft,
                _about(draft, start, about(named, start, end, sentence.text, before), sentence),
            )
            for draft, start, end in _facts(sentence, reading)
        ]
        found += drafts
        if drafts or sentence.has(_ILL):
            before = _last(named) or before
        elif named and not named[-1].weak:
            absent = (sentence.line, _last(named))
    return found


def _gone_on_about(who: str | None, sentence: Sentence) -> tuple[Mention, ...]:
    """Whose the values are of a clause without anybody, behind one that tells of somebody else.

    "Leo did not go to school, fever 39" is Leo's fever; of another value nothing says so: it may be anybody's.
    """
    if who is None or not sentence.measurements:
        return ()
    hot = all(item.kind == "temperature" for item in sentence.measurements)
    return (Mention(who if hot else UNKNOWN, 0, 0),)


def _named_in(sentence: Sentence, known: tuple[str, ...]) -> tuple[Mention, ...]:
    """The people of a clause; what is taken in it is none."""
    substance = substance_in(sentence.folded, sentence.text)
    things = [*(dose.medication for dose in sentence.doses), *(substance or "").split()]
    return mentions(sentence.text, known=known, things=[thing for thing in things if thing])


def substance_in(folded: str, text: str) -> str | None:
    """What somebody is allergic to; None where the text names nothing."""
    for pattern in _SUBSTANCE:
        for match in pattern.finditer(folded):
            if match["what"].split()[0] not in _NO_SUBSTANCE:
                end = _ENDS.search(folded, match.start("what"), match.end("what"))
                return text[match.start("what") : end.start() if end else match.end("what")].strip(" -")
    return None


def _facts(sentence: Sentence, reading: Reading) -> list[Placed]:
    """The facts of a sentence as if they were the writer's, each with its place."""
    values = [(item.start, item.end) for item in sentence.measurements]
    facts = [(_value(item, sentence, reading), item.start, item.end) for item in sentence.measurements]
    doses = [dose for dose in sentence.doses if not any(start <= dose.start < end for start, end in values)]
    medicines = [
        one for one in medicines_in(sentence.text) if not _NO_MORE.search(sentence.folded[: one.start])
    ]
    course = course_in(sentence.text, reading.moment) if doses or (medicines and not facts) else None
    parts = parts_of(sentence, medicines, course) if course is not None else []
    if not doses:
        facts += [
            (_taken(one, *found, sentence, reading), one.start, one.end)
            for one in medicines
            if (found := _part_at(one.start, parts)) is not None
        ]
    facts += [
        (_dose(dose, sentence, reading, _part_at(dose.start, parts)), dose.start, dose.end) for dose in doses
    ]
    if sentence.doses:
        facts += _beside(medicines, facts, sentence, reading, parts)
    whole = (0, len(sentence.text))
    if not facts and (substance := _stated_allergy(sentence)):
        allergy = RecordDraft(
            kind="allergy",
            title=substance,
            occurred_on=reading.today,
            text=reading.text_of(sentence),
        )
        facts.append((allergy, *_place_of(substance, sentence)))
    if not facts and _is_planned(sentence, reading):
        facts.append((_appointment(sentence, reading), *whole))
    return facts


def _part_at(start: int, parts: Sequence[Part]) -> tuple[Sentence, Course] | None:
    """The words about the medicine at a place, and its course; None where nothing tells of one."""
    found = [part for part in parts if part[0] <= start]
    return found[-1][1:] if found else None


def _place_of(substance: str, sentence: Sentence) -> tuple[int, int]:
    """From what somebody does not stand up to the word that says so: who is named behind both is somebody else."""
    start = max(0, sentence.text.find(substance))
    said = ALLERGY.search(sentence.folded)
    return start, max(start + len(substance), said.end() if said is not None else 0)


def _about(draft: RecordDraft, start: int, who: str | None, sentence: Sentence) -> str | None:
    """Whose a value is: behind somebody else's fever a pressure or weight of its own part may be anybody's."""
    if who is None or who == UNKNOWN or draft.code not in _APART:
        return who
    hot = any(item.kind == "temperature" and item.end <= start for item in sentence.measurements)
    return UNKNOWN if hot and _OWN_PART.search(sentence.folded[:start]) else who


def _whose(reading: Reading, draft: RecordDraft, who: str | None) -> RecordDraft:
    if who == UNKNOWN:
        return RecordDraft(
            kind="note", occurred_on=draft.occurred_on, details=dict(OF_NOBODY), text=draft.text
        )
    return replace(draft, party=reading.whose.kept(who))


def _last(named: Sequence[Mention]) -> str | None:
    """The other person who was named last."""
    return next((one.who for one in reversed(named) if one.who not in (None, UNKNOWN)), None)


def _value(item: Measurement, sentence: Sentence, reading: Reading) -> RecordDraft:
    when = reading.when(sentence, "past")
    since = bool(sentence.days) and _SINCE.search(sentence.folded[: sentence.days[0].start])
    return RecordDraft(
        kind="measurement",
        code=item.kind,
        occurred_on=reading.today if since else when.day,
        occurred_at=when.at,
        quantity=item.value,
        quantity_second=item.second,
        unit=item.unit,
        text=reading.text_of(sentence),
    )


def _taken(
    medicine: Medicine, part: Sentence, course: Course, sentence: Sentence, reading: Reading
) -> RecordDraft:
    """What is taken at its hours, though nobody said how much of it."""
    draft = RecordDraft(
        kind="medication",
        title=medicine.name,
        occurred_on=reading.today,
        quantity=medicine.amount,
        text=reading.text_of(sentence),
    )
    return _on_course(draft, course, part)


def _on_course(draft: RecordDraft, course: Course, sentence: Sentence) -> RecordDraft:
    """The same with its hours, its first day and its last."""
    details = {**draft.details, **course.details}
    said = recurrence_in(sentence.folded) or repeat_in(sentence.folded)
    if said is not None and "frequency" not in details:
        details["frequency"] = sentence.text[said.start : said.end]
    if course.ends is not None and "until" not in details:
        details["until"] = course.ends.date().isoformat()
    return replace(draft, occurred_on=course.first_day, occurred_at=None, details=details)


def _dose(
    dose: Dose, sentence: Sentence, reading: Reading, on: tuple[Sentence, Course] | None
) -> RecordDraft:
    until = next((day for day in sentence.days if _UNTIL.search(sentence.folded[: day.start])), None)
    others = [day for day in sentence.days if day is not until]
    when = reading.when(sentence, "past", usual="past")
    details: dict[str, str] = {}
    if dose.frequency and (on is None or on[0] is sentence):
        details["frequency"] = dose.frequency
    if until is not None:
        details["until"] = until.on("future").isoformat()
    draft = RecordDraft(
        kind="medication",
        title=_named(dose, sentence),
        occurred_on=others[0].on(sentence.side("past")) if others else reading.today if until else when.day,
        occurred_at=when.at,
        quantity=dose.amount,
        unit=dose.unit,
        details=details,
        text=reading.text_of(sentence),
    )
    return draft if on is None else _on_course(draft, on[1], on[0])


def _named(dose: Dose, sentence: Sentence) -> str | None:
    """The whole name where the first of its words was read: "vitamin D"."""
    first = fold(dose.medication or " ")
    whole = (one.name for one in medicines_in(sentence.text) if fold(one.name).startswith(f"{first} "))
    return next(whole, dose.medication)


def _beside(
    medicines: Sequence[Medicine],
    facts: Sequence[Placed],
    sentence: Sentence,
    reading: Reading,
    parts: Sequence[Part],
) -> list[Placed]:
    """The medicines that are named beside a dose of another."""
    known = " ".join(fold(draft.title or "") for draft, _, _ in facts)
    return [
        (
            _taken(one, *found, sentence, reading)
            if len(parts) > 1 and (found := _part_at(one.start, parts)) is not None
            else _dose_unsaid(one.name, sentence, reading),
            one.start,
            one.end,
        )
        for one in medicines
        if fold(one.name) not in known and fold(one.name) not in GENERIC
    ]


def _dose_unsaid(name: str, sentence: Sentence, reading: Reading) -> RecordDraft:
    """A medicine beside a dose of another: how much of it is not told."""
    when = reading.when(sentence, "past", usual="past")
    return RecordDraft(kind="medication", title=name, occurred_on=when.day, text=reading.text_of(sentence))


def _is_planned(sentence: Sentence, reading: Reading) -> bool:
    """Whether it is an appointment of a coming day."""
    if not is_appointment(sentence.folded) or sentence.side("future") == "past":
        return False
    when = reading.when(sentence, "future")
    return when.named and when.day >= reading.today


def _stated_allergy(sentence: Sentence) -> str | None:
    if not sentence.has(ALLERGY) or sentence.has(_NONE):
        return None
    return substance_in(sentence.folded, sentence.text)


def _appointment(sentence: Sentence, reading: Reading) -> RecordDraft:
    when = reading.when(sentence, "future")
    return RecordDraft(
        kind="appointment",
        occurred_on=when.day,
        occurred_at=when.at,
        text=sentence.text if _is_one_of_several(sentence, reading) else reading.text_of(sentence),
    )


def _is_one_of_several(sentence: Sentence, reading: Reading) -> bool:
    """Whether another clause has an appointment too, or, where this one has its day, a day or value of its own."""
    others = [other for other in reading.sentences if other is not sentence]
    dated = bool(sentence.days)
    return any(
        is_appointment(other.folded) or (dated and bool(other.days or other.measurements or other.doses))
        for other in others
    )
