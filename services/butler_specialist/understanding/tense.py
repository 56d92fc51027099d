# ruff: noqa: E501 - patterns stay on one line
"""Whether a clause is about the past or the future, for a day that does not say so itself (pure).

The verb nearest to the day decides, else a word for an appointment, else what is usual for such facts. EN, DE, FR,
ES.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from butler_specialist.understanding.day import Day, Side

__all__ = ["comes_on", "is_appointment", "is_moved", "opens_with_what_comes", "side_of", "states"]

_APPOINTMENT: Final = re.compile(
    r"\b(?:appointments?|appt|check-?ups?|follow-?up|meetings?|deadline|interview|exams?|lessons?|class(?:es)?"
    r"|rehearsal"
    r"|surgery|operation|x-?ray|dentist|doctor|doctors|doctor's|dentist's|gp|vet|physio\w*|orthodontist|optician"
    r"|vaccination"
    r"|\w*termine?|vorsorge\w*|untersuchung|impfung|\w*arzt|\w*arztin|rendez-vous|rdv|medecin|dentiste"
    r"|visite medicale|vaccin"
    r"|citas?|consulta|revision|medico|medica|dentista|vacuna)\b"
)
_APPOINTED: Final = (
    r"book(?:ed|ing)?|reserved?|schedul(?:ed?|ing)|arranged?|planned|plan|planning|invited|expected|supposed"
    r"|postponed"
    r"|rescheduled|moved|shifted|rebooked|gebucht|reserviert|vereinbart|ausgemacht|geplant|verschoben|verlegt"
    r"|eingeladen"
    r"|umgebucht|reserve|prevue?|fixee?|reportee?|deplacee?|invitee?s?|reservado|concertado|previst[oa]"
    r"|aplazad[oa]|invitad[oa]s?|quedado"
)
_COMING: Final = re.compile(
    rf"\b(?:{_APPOINTED}|will|'ll|shall|going to|gonna|must|needs? to|ha(?:ve|s) to|should|might(?! have)|due|remind|don't forget"
    r"|starts?|begins?|leaves?|departs?|comes?|coming|arrives?|arriving|opens?|expires?|renews?|goes|flies|flying"
    r"|travelling"
    r"|(?:am|is|are|i'm|im|we're|he's|she's|they're|isn't|aren't)(?: not| all| both)? [a-z]{2,}ing"
    r"|(?:getting|get|gets) married|marry|marries|heiraten|heiratet|se marient?|se casan?"
    r"|(?<![a-z] )(?<![a-z])(?:getting|taking|catching|having|seeing|heading|driving|meeting|visiting|picking|dropping)"
    r"|next (?:one|time|check\w*|appointment|visit|due)|nachste[rs]?(?= (?:termin|mal|am|ist))|la prochaine|le prochain|(?:la|el) (?:proxim[oa]|segund[oa])"
    r"|its(?= (?:now )?(?:on |at )?(?:the \d|\d|\w+day\b))"
    r"|meeting|takes place|is on|are on|is at|is|are|(?:it|that|he|she)'s|[a-z]{3,}'s(?= (?:on|at) (?:the\b|\w+day\b|\d))"
    r"|wird|werden|werde|muss|mussen|soll|sollen|kommt|kommen|feiern?|feiert|beginnt|startet|fahrt|fliegt|fliegen|findet|fallig"
    r"|erinner\w*|ist"
    r"|va|vont|vient|viennent|fetons|allons|aura|sera|serons|doit|devons|commence|part|partons|arrive|rappelle|est"
    r"|sera|viene|vienen|celebramos|tendra|tendremos|vamos|van|tiene que|tenemos que|hay que|empieza|sale|llega|vuela"
    r"|recuerdame|vence"
    r"|es)(?!\w)"
)
_MOVED: Final = re.compile(
    r"\b(?:moved?|reschedul\w+|postponed?|shifted|rebooked|changed|verschoben|verlegt|umgebucht|deplace\w*|reporte\w*"
    r"|aplazad\w+|cambiad\w+|pasan? (?:del|de)"
    r"|(?:been|was|got|is|has been) (?:pushed|bumped|delayed)|pushed (?:back|to)|put (?:back|off)|brought forward"
    r"|vorgezogen|vorverlegt|decalee?s?|avancee?s? (?:a|au)|repoussee?s?"
    r"|retrasad\w+|adelantad\w+|pospuest\w+|(?:lo|la|nos|me) (?:han )?pas(?:ado|aron) (?:al|para))\b"
)
_HAS_MOVED: Final = re.compile(
    r"\b(?:been|was|got|gets|is|has) (?:moved|pushed|bumped|put back|put off|brought forward|postponed|rescheduled|shifted|cancell?ed|called off)\b"
)
"""The action is past, its day is not."""
_MOVED_TO: Final = re.compile(
    rf"{_MOVED.pattern}.{{0,40}}?\b(?:to|until|till|by|auf|bis|au|a|al|hasta|para)\b(?: (?:the|den|dem|le|la|el|dia))*\W*$"
)
"""Words before the day to which something is moved."""
_VALID_UNTIL: Final = re.compile(
    r"\b(?:(?:valid|good|runs?|lasts?|gultig|lauft|valable|valide|court|validos?|validas?|vale)(?: \w+)? (?:until|till|through|bis(?: zum)?|jusqu'au|hasta(?: el)?)|(?:expires?|ends?|lauft ab|endet|expire|caduca|vence) (?:on|am|le|el))(?: (?:the|le|el|den|dem))?\s*$"
)
"""What is valid until a day is valid now."""
_BY: Final = re.compile(
    r"\b(?:by|before|bis|vor|avant|d'ici|antes|para)(?: (?:the|next|zum|dem|le|la|del?|el))*\s*$"
)
"""Words before a deadline."""
_COPULA: Final = frozenset(
    {
        "is",
        "are",
        "it's",
        "its",
        "that's",
        "he's",
        "she's",
        "ist",
        "est",
        "es",
        "meeting",
        "part",
        "arrive",
        "commence",
    }
)
_PERFECT: Final = re.compile(
    r"\b(?:gestorben|verstorben|gekommen|gegangen|gefahren|geflogen|gefallen|gelaufen|geboren|umgezogen|eingezogen|ausgezogen|angekommen|abgereist"
    r"|passiert|aufgewacht|gewesen|gesturzt|hingefallen|eingeschlafen|weggefahren|losgefahren|gestartet|gelandet|erschienen|verschwunden)\W*$"
)
"""The end of a German clause with "ist" about the past."""
_BESIDE: Final = 4
"""The most characters between a verb and its day, for a preposition."""
_BIRTHDAY: Final = re.compile(r"\b(?:birthday|geburtstag|anniversaire|cumpleanos)\b")
_IRREGULAR: Final = (
    r"was|were|wasn't|had|did|didn't|met|paid|bought|saw|went|spent|took|came|(?<!'ve )(?<!'s )(?<!have )(?<!has )got|gave|found|ate|drank|ran|slept"
    r"|felt|lost"
    r"|sold|left|sent|cost|fell|broke|told|said|made|had been|threw|caught|drove|flew|rang|wrote|gone|been|seen"
    r"|taken|done|lent|built|taught|hurt|forgot|woke|stole|swam|brought|drew|wore|born"
)
_REGULAR: Final = (
    r"(?!need|feed|speed|bleed|indeed|shared?\b|med\b|bed\b|red\b|wed\b|vinted|allerg|used\b|attached|delayed|married|engaged|cancel|closed|enclosed|included|named"
    r"|changed to|medicated|united)"
    r"[a-z]{2,}ed"
)
_GERMAN: Final = (
    r"war|waren|hatte|hatten|wurden?|kam|kamen|ging|gingen|traf|trafen|kaufte|kauften|zahlte|zahlten|sah|fuhr"
    r"|fuhren|nahm"
    r"|getroffen|gekauft|bezahlt|gezahlt|ausgegeben|besucht|gesehen|genommen|gegessen|getrunken|gewesen|gehabt"
    r"|gelaufen"
    r"|geschlafen|gemessen|gewogen|verloren|verkauft|gegangen|gekommen|angerufen|bekommen|erhalten|gefahren"
    r"|geflogen|gefallen|gemacht|getan|unternommen|erledigt|gearbeitet|gesagt|gespielt|geschrieben|gelesen|gekocht"
    r"|gesprochen|abgeholt|angefangen|aufgehort|(?<!nicht )vergessen|gelernt|geholfen|gefunden|gegeben|geschickt|gebracht"
    r"|gestorben|verstorben|geboren|umgezogen|eingezogen|ausgezogen|gesturzt|hingefallen|geimpft|operiert|entlassen|geheiratet|angekommen"
    r"|abgereist|passiert|begonnen|gebrochen|verletzt|repariert|gestohlen|geputzt|gewaschen|gefuttert|gegossen|geliehen|ausgeliehen|verliehen"
    r"|abgegeben|zuruckgebracht|abgeschickt|eingekauft|aufgewacht|weggeworfen|gestrichen|montiert|eingebaut"
)
_FRENCH: Final = (
    r"(?:[jncl]')?(?:etais|etait|etions|etaient|avais|avait|avions|avaient)"
    r"|(?:(?:[jn]')?ai|as|a|avons|avez|ont|suis|est|sommes|sont) (?:deja |bien |pas )?(?:paye|achete|rencontre|vu"
    r"|pris|eu|ete|fait|mange"
    r"|depense|recu|visite|appele|alle|allee|alles|dormi|couru|perdu|trouve|venu|venue|pese|mesure|vendu|donne"
    r"|envoye|dit|bu"
    r"|parti|partie|arrive|arrivee|tombe|tombee)"
    r"|(?:qu')?(?:ai-je|as-tu|avons-nous|avez-vous) (?:fait|vu|mange|achete|paye|depense)"
)
_SPANISH: Final = (
    r"pague|pagamos|pagaron|compre|compramos|compro|vi|vimos|fui|fuimos|fue|fueron|era|eran|estaba|estuve|estuvo"
    r"|estuvimos|tuve"
    r"|tuvo|tuvimos|conoci|conocimos|comi|comimos|cene|cenamos|visite|visitamos|gaste|gastamos|llame|llamo|tome"
    r"|dormi|corri"
    r"|recibi|quede|hice|hicimos|hizo|envie|mande|hable|(?:he|has|ha|hemos|han) (?!quedado\b|reservado\b|concertado\b)(?:ido|\w+(?:ado|ido|to|cho))"
)
_GERMAN_WORDS: Final = re.compile(
    r"\b(?:ich|wir|ist|sind|hab|habe|haben|hat|gibt|gibt's|steht|liegt|kommt|muss|uhr)\b"
)
_PAST: Final = re.compile(
    rf"(?<![\w'])(?<!\blike i )(?<!\bas i )(?!(?:{_APPOINTED})\b)(?:{_IRREGULAR}|{_REGULAR}|{_GERMAN}|{_FRENCH}|{_SPANISH})\b"
)


def side_of(folded: str, day: Day | None) -> Side | None:
    """Return on which side of today the clause means its day; None if no word says so."""
    if day is not None and _VALID_UNTIL.search(folded[: day.start]):
        return "future"
    if day is not None and (_MOVED_TO.search(folded[: day.start]) or _HAS_MOVED.search(folded)):
        return "future"
    spans = [
        *((match.span(), "past") for match in _PAST.finditer(folded) if not _is_german_what(match)),
        *((match.span(), "future") for match in _COMING.finditer(folded) if _says(match, day)),
    ]
    if spans:
        side: Side = "past" if min(spans, key=lambda item: _distance(item[0], day))[1] == "past" else "future"
        return side
    by_a_day = day is not None and _BY.search(folded[: day.start]) is not None
    return "future" if by_a_day or _APPOINTMENT.search(folded) else None


def is_appointment(folded: str) -> bool:
    """Return whether a clause names an appointment."""
    return _APPOINTMENT.search(folded) is not None


def is_moved(folded: str) -> bool:
    """Return whether the clause moves something from one day to another, named later."""
    return _MOVED.search(folded) is not None


def states(folded: str) -> bool:
    """Return whether the words have a verb and are a statement of their own."""
    return _PAST.search(folded) is not None or _COMING.search(folded) is not None


def opens_with_what_comes(folded: str) -> bool:
    """Return whether the words continue about what was named before: "due on Friday"."""
    return _COMING.match(folded) is not None


def comes_on(folded: str, start: int) -> bool:
    """Return whether the words say that something is on the day that starts there, or is a birthday."""
    ends = (match.end() for match in _COMING.finditer(folded) if match.start() < start)
    return any(0 <= start - end <= _BESIDE for end in ends) or _BIRTHDAY.search(folded) is not None


def _is_german_what(match: re.Match[str]) -> bool:
    """ "Was ist am Dienstag?", "Haben wir am Dienstag was?" """
    return match.group() == "was" and _is_german(match.string)


@lru_cache(maxsize=64)
def _is_german(folded: str) -> bool:
    return _GERMAN_WORDS.search(folded) is not None


def _says(match: re.Match[str], day: Day | None) -> bool:
    """Return whether a verb says it; a copula counts only directly before the day.

    "The birthday is on Friday" counts, "it is 20 EUR, bought on Friday" does not. "Er ist am Mittwoch gestorben" is
    about the past.
    """
    if match.group() == "ist" and _PERFECT.search(match.string, match.end()):
        return False
    return match.group() not in _COPULA or (day is not None and 0 <= day.start - match.end() <= _BESIDE)


def _distance(span: tuple[int, int], day: Day | None) -> int:
    if day is None:
        return span[0]
    return day.start - span[1] if span[1] <= day.start else max(0, span[0] - day.end)
