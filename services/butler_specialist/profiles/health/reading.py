# ruff: noqa: E501 - patterns stay on one line
"""Facts about health in a message, each with the person it is about (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from butler_kit.wording.folding import words
from butler_specialist.profiles.health.taking import Placed, medications_of
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.bare_heat import bare_heat
from butler_specialist.understanding.measurements import Measurement
from butler_specialist.understanding.medicines import medicines_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.subjects import UNKNOWN, Mention, about, mentions
from butler_specialist.understanding.tense import is_appointment

__all__ = ["ALLERGY", "CANNOT_EAT", "OF_NOBODY", "drafts_of", "says_allergy", "substance_in"]

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
"""Food restrictions, asked and answered like an allergy."""
OF_NOBODY: Final = {"person": "not named"}
"""On a note that would be a value if its message said whose."""
_SUBSTANCE: Final = (
    re.compile(
        r"\b(?:allergic (?:reaction )?to|allergy to|allergisch (?:gegen|auf)|allergie (?:gegen|auf|a(?:ux?)?)"
        r"|allergique a(?:ux?)?|alergic[oa] al?|alergia al?)(?! las? \d) (?:the |la |le |les |l'|los |las |el )?"
        r"(?P<what>[^\W\d_][\w' -]{1,60})"
    ),
    re.compile(r"\bgegen (?P<what>[^\W\d_][\w' -]{1,60}?) allergisch\b"),
    re.compile(r"\b(?P<what>[^\W\d_][\w-]{2,30})[ -](?:allergy|allergie)\b"),
    re.compile(r"\b(?P<what>[a-z]{3,30}?)allergie\b"),
)
_ENDS: Final = re.compile(
    r"\b(?:and|und|et|y) [^.!?,]{1,30}? (?:to|gegen|auf|aux?|a l'|al|a los|a las)\b|\b(?:ist|bin|sind|since|and has|and gets|since|seit|depuis|desde|according|says|sagt|il faut|faut|hay que|so (?:i|we|please)|please|bitte|bitte merken|note|remember|para que|pour que)\b"
)
_RULED_OUT: Final = re.compile(
    r"\b(?:(?:must|may|should|can) (?:never|not) (?:ever )?(?:be given|get|have|take|eat|drink|touch)"
    r"|(?:can't|cannot|mustn't|mustnt|cant|never) (?:ever )?(?:be given|give (?:me|him|her|us|them|[^\W\d_]+)|get|have|take|eat|drink|touch)"
    r"|(?:darf|dürfen|durfen|kann) (?:nie(?:mals)? |auf keinen fall |nicht )?(?:(?:ich|er|sie|wir) )?keine?n?|bitte (?:nie|kein)|no|keine?n?|ne (?:dois|doit|peux|peut) (?:jamais|pas) (?:prendre|manger|boire|recevoir)"
    r"|(?:no|nunca) (?:puedo|puede|debo|debe) (?:tomar|comer|beber|recibir))"
    r" (?:any |more |de la |de l'|du |des |de )?(?P<what>[^\W\d_][\w'-]{2,30}(?: (?!for\b|because|as\b|since|please|again|bekommen|essen|nehmen|ever)[^\W\d_][\w'-]{2,20})?)"
)
"""What somebody who "is allergic" must not have, if the message does not say to what."""
_TAKEN_FOR_IT: Final = re.compile(
    r"\b(?:pastillas?|pildoras?|comprimidos?|jarabe|gotas|comprimes?|cachets?|sirop|gouttes) (?:de|para|pour|contre|d')(?: la| le| les| l'|l')? ?(?:alergia|allergie)"
    r"|\ballerg(?:y|ie)[- ]?(?:pills?|tablets?|meds?|medicine|medication|drops|tabletten?|mittel|tropfen|spray)\b"
)
"""A medicine against an allergy states nobody's allergy."""
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
"""Something that began on a day was not measured on it."""


def drafts_of(reading: Reading) -> list[RecordDraft]:
    """Return the facts in order.

    "she" is the person named last in a health sentence, or in a mail's subject.
    """
    known, found = reading.whose.known, list[RecordDraft]()
    before = _last(mentions(reading.subject, known=known)) if reading.subject else None
    absent: tuple[int, str | None] = (-1, None)
    for sentence in reading.sentences:
        named = sentence.once(_named_in, known)
        if not named and sentence.line == absent[0]:
            named = _gone_on_about(absent[1], sentence)
        drafts = [
            _whose(reading, draft, _meant(reading, draft, (start, end), named, sentence, before))
            for draft, start, end in _facts(sentence, reading)
        ]
        found += drafts
        if drafts or sentence.has(_ILL) or sentence.has(_RULED_OUT):
            before = _last(named) or before
        elif named and not named[-1].weak:
            absent = (sentence.line, _last(named))
    return found


def _meant(
    reading: Reading,
    draft: RecordDraft,
    place: tuple[int, int],
    named: Sequence[Mention],
    sentence: Sentence,
    before: str | None,
) -> str | None:
    """Return whose a fact is.

    "her" with nobody named, and a bare temperature, mean the person mentioned before.
    """
    who = _about(draft, place[0], about(named, *place, sentence.text, before), sentence)
    spoken = reading.spoken_of
    if spoken is None:
        return who
    if who == UNKNOWN:
        return spoken.who or UNKNOWN
    return spoken.who if not named and bare_heat(sentence.folded) is not None else who


def _gone_on_about(who: str | None, sentence: Sentence) -> tuple[Mention, ...]:
    """Return whose the values are in a clause that names nobody, after one about somebody else.

    "Leo did not go to school, fever 39" is Leo's fever; any other value may be anybody's.
    """
    if who is None or not sentence.measurements:
        return ()
    hot = all(item.kind == "temperature" for item in sentence.measurements)
    return (Mention(who if hot else UNKNOWN, 0, 0),)


def _named_in(sentence: Sentence, known: tuple[str, ...]) -> tuple[Mention, ...]:
    """Return the people of a clause, without the things taken in it."""
    substance = substance_in(sentence.folded, sentence.text)
    things = [*(dose.medication for dose in sentence.doses), *(substance or "").split()]
    things += [one.name for one in medicines_in(sentence.text)]
    return mentions(sentence.text, known=known, things=[thing for thing in things if thing])


def substance_in(folded: str, text: str) -> str | None:
    """Return what somebody is allergic to, or None."""
    for pattern in _SUBSTANCE:
        for match in pattern.finditer(folded):
            if match["what"].split()[0] not in _NO_SUBSTANCE:
                end = _ENDS.search(folded, match.start("what"), match.end("what"))
                return text[match.start("what") : end.start() if end else match.end("what")].strip(" -")
    return None


def _facts(sentence: Sentence, reading: Reading) -> list[Placed]:
    """Return the facts of a sentence as if they were the sender's, each with its place."""
    facts = [(_value(item, sentence, reading), item.start, item.end) for item in sentence.measurements]
    if not facts and (heat := _as_before(sentence, reading)) is not None:
        facts = [(_value(heat, sentence, reading), heat.start, heat.end)]
    facts += medications_of(sentence, reading)
    whole = (0, len(sentence.text))
    if not facts and (substance := _stated_allergy(sentence) or _ruled_out(sentence, reading)):
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


def _as_before(sentence: Sentence, reading: Reading) -> Measurement | None:
    """Return the temperature of a clause that is only one, after somebody's: "and 37.9 now"."""
    spoken = reading.spoken_of
    return bare_heat(sentence.folded) if spoken is not None and spoken.hot else None


def _place_of(substance: str, sentence: Sentence) -> tuple[int, int]:
    """Return the place from the substance to its verb: a person named after both is somebody else."""
    start = max(0, sentence.text.find(substance))
    said = ALLERGY.search(sentence.folded)
    return start, max(start + len(substance), said.end() if said is not None else 0)


def _about(draft: RecordDraft, start: int, who: str | None, sentence: Sentence) -> str | None:
    """Return whose a value is: after somebody's fever, a separate pressure or weight may be anybody's."""
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
    """Return the other person who was named last."""
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


def _is_planned(sentence: Sentence, reading: Reading) -> bool:
    """Return whether it is an appointment on a coming day."""
    if not is_appointment(sentence.folded) or sentence.side("future") == "past":
        return False
    when = reading.when(sentence, "future")
    return when.named and when.day >= reading.today


def _stated_allergy(sentence: Sentence) -> str | None:
    if not sentence.has(ALLERGY) or sentence.has(_NONE) or sentence.has(_TAKEN_FOR_IT):
        return None
    return substance_in(sentence.folded, sentence.text)


_ALLERGIC_ALONE: Final = re.compile(r"\b(?:allergic|allergisch|allergique|alergic[oa])\b\W*$")


def _ruled_out(sentence: Sentence, reading: Reading) -> str | None:
    """Return what a clause beside a final "I am allergic" rules out: "no penicillin, I'm allergic"."""
    if not _ALLERGIC_ALONE.search(sentence.folded) or sentence.text.rstrip().endswith("?"):
        return None
    for other in reading.sentences:
        if other.line == sentence.line and (found := _RULED_OUT.search(other.folded)) is not None:
            return other.text[found.start("what") : found.end("what")]
    return None


def says_allergy(sentence: Sentence, drafts: Sequence[RecordDraft]) -> bool:
    """Return whether a clause belongs to an allergy: it names the substance, or only says "I am allergic"."""
    found = [draft.title or "" for draft in drafts if draft.kind == "allergy"]
    ruled = _RULED_OUT.search(sentence.folded)
    if ruled is not None and sentence.text[ruled.start("what") : ruled.end("what")] in found:
        return True
    return bool(found) and _ALLERGIC_ALONE.search(sentence.folded) is not None


def _appointment(sentence: Sentence, reading: Reading) -> RecordDraft:
    when = reading.when(sentence, "future")
    return RecordDraft(
        kind="appointment",
        occurred_on=when.day,
        occurred_at=when.at,
        text=sentence.text if _is_one_of_several(sentence, reading) else reading.text_of(sentence),
    )


def _is_one_of_several(sentence: Sentence, reading: Reading) -> bool:
    """Return whether another clause has an appointment too, or, if this one is dated, a day or value."""
    others = [other for other in reading.sentences if other is not sentence]
    dated = bool(sentence.days)
    return any(
        is_appointment(other.folded) or (dated and bool(other.days or other.measurements or other.doses))
        for other in others
    )
