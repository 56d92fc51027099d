# ruff: noqa: E501 - word lists stay on one line
"""Messages that answer something that was told: "done", "later", "in 20 minutes", "erledigt" (pure).

Switchboard sends such a message to the butler that told it; that butler does what its button would have done.

Invariant: every word has to be known, so that "done with the tap" is a message of its own. Linear: only a short text
is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

__all__ = ["Answer", "answer_in"]

_MOST_CHARS: Final = 60
_LONGEST: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)
_POLITE: Final = r"(?:(?:(?:ok|okay|oki|yes|yep|yeah|thanks|thank you|thx|ja|jo|jep|gut|danke|oui|d'accord|merci|si|vale|gracias|please|bitte|pls|stp|svp|s'il te plait|por favor)(?!\w)|👍|✅)[\s,.!]*+)*+"
_DONE: Final = (
    r"(?:(?:it'?s |that'?s |is |all |already |just )?(?:done|finished|taken|handled|sorted)(?: already| now| it)?"
    r"|(?:i )?(?:just |already )?(?:did|have done|'ve done|took|have taken|'ve taken) (?:it|that|them|so)(?: already| now)?"
    r"|(?:(?:schon|bereits|ist|alles|is|hab(?:e)?|ich|ich's|es|das|sie) )*(?:erledigt|gemacht|genommen|fertig|geschafft|getan)"
    r"|(?:c'est |deja |je l'ai |j'ai |tout est )*(?:fait|pris|prise|regle|termine|fini)(?: c'est| deja)?"
    r"|(?:ya |esta |lo he |la he |lo |la )*(?:hecho|hecha|tomado|tomada|listo|lista|terminado)(?: ya)?|ya esta|ya lo hice|ya la tome|ya lo tome)"
)
_VERB_EN: Final = (
    r"(?:packed|fed|watered|called|phoned|rang|paid|sent|posted|mailed|emailed|bought|ordered|booked|brought|delivered"
    r"|returned|emptied|cleaned|washed|fixed|locked|closed|charged|given|gave|put|turned|switched|picked|dropped|checked"
    r"|signed|printed|walked|ironed|cooked|made|replied|answered|cancell?ed|renewed|collected)"
)
_DONE_IN_OTHER_WORDS: Final = (
    rf"(?!.*\b(?:put|called|call) (?:it |them |that )?off\b)(?:(?:i|we|i've|we've|have|just|already) )*{_VERB_EN}(?: (?:it|them|that|those|him|her))?"
    r"(?: (?:out|up|in|off|away|down|on|over|back|already|now|too))*"
    r"|(?:it'?s|that'?s|they'?re|they are|it is|he'?s|she'?s|all)(?: (?:all|already|now))*"
    rf" (?:{_VERB_EN}|out|in|up|away|off|gone)(?: (?:now|already))?"
    r"|(?:(?:hab|habe|ich|wir|haben|ist|sind|steht|stehen|liegt|schon|bereits|alles|sie|es|er|das|die|ihn|jetzt) )*"
    r"(?:draussen|draußen|drin|raus|gepackt|eingepackt|gefuttert|gegossen|angerufen|bezahlt|uberwiesen|abgeschickt|verschickt"
    r"|geschickt|gekauft|besorgt|bestellt|gebucht|gebracht|abgeholt|geleert|geputzt|gewaschen|repariert|abgeschlossen"
    r"|aufgeladen|gegeben|unterschrieben|ausgedruckt|rausgestellt|rausgebracht|weggebracht|eingeworfen|ausgeschaltet|eingenommen)"
    r"|(?:(?:c'est|je l'ai|je les ai|on l'a|deja|tout est|elle est|il est|elles sont|ils sont) )*"
    r"(?:emballe|paye|envoye|achete|commande|reserve|appele|nourri|arrose|sorti|vide|lave|repare|ferme|rendu|signe|prepare)e?s?"
    r"|(?:(?:ya|lo he|la he|los he|las he|esta|estan|todo) )*"
    r"(?:(?:empaquetad|pagad|enviad|comprad|pedid|reservad|llamad|regad|sacad|vaciad|lavad|arreglad|cerrad|firmad|preparad)[oa]s?|fuera)"
)
"""The chore as a verb of its own, with nothing but "it": "packed it", "steht draußen"."""
_LATER: Final = (
    r"(?:(?:remind me |ask me |maybe |not now,? |do it )?(?:later|snooze|not now|not yet|again later)(?: on)?"
    r"|(?:erinner(?:e)? mich |nochmal |mach ich |vielleicht )*(?:spater|nicht jetzt|noch nicht|jetzt nicht)(?: nochmal| noch ?mal)?"
    r"|(?:rappelle-moi |peut-etre )?(?:plus tard|pas maintenant|pas encore)"
    r"|(?:recuerdamelo |recuerdame |quiza )?(?:mas tarde|luego|despues|ahora no|todavia no|aun no))"
)
_AGAIN: Final = r"(?:(?:snooze|remind me|again|ask me|ask again|tell me|erinner(?:e)? mich|nochmal|noch mal|wieder|rappelle-moi|rappelle moi|redis-moi|recuerdame|recuerdamelo|avisame|otra vez|for|in|um|dans|en|dentro de|de)\s++)*+"
_UNIT: Final = r"(?P<unit>m|min|mins|minute|minutes|minuten|minuto|minutos|h|hr|hrs|hour|hours|std|stunde|stunden|heure|heures|hora|horas)"
_COUNT: Final = r"(?P<count>\d{1,4}|an?|one|two|three|five|ten|fifteen|twenty|thirty|einer?|eine|zwei|drei|funf|zehn|zwanzig|une?|deux|trois|cinq|dix|quinze|vingt|trente|una?|dos|tres|cinco|diez|veinte|treinta)"
_HALF: Final = r"(?P<half>half an hour|a half hour|einer halben stunde|ner halben stunde|halbe stunde|une demi-heure|une demi heure|media hora)"
_TAIL: Final = r"(?: (?:again|nochmal|noch mal|wieder|encore|de nouveau|otra vez))?"
_END: Final = r"[\s.!,👍✅🙏]*+"
_WHOLE_DONE: Final = re.compile(f"{_POLITE}(?:{_DONE}|{_DONE_IN_OTHER_WORDS}){_END}{_POLITE}")
_WHOLE_LATER: Final = re.compile(f"{_POLITE}{_LATER}{_END}{_POLITE}")
_WHOLE_DELAY: Final = re.compile(rf"{_POLITE}{_AGAIN}(?:{_HALF}|{_COUNT} ?{_UNIT}){_TAIL}{_END}{_POLITE}")
_NUMBERS: Final = {
    word: number
    for number, words in {
        1: "a an one ein eine einer un une una", 2: "two zwei deux dos", 3: "three drei trois tres",
        5: "five funf cinq cinco", 10: "ten zehn dix diez", 15: "fifteen quinze", 20: "twenty zwanzig vingt veinte",
        30: "thirty trente treinta",
    }.items()
    for word in words.split()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """It is done (`put_off` is None), or it is to be told again after that time."""

    put_off: timedelta | None = None


def answer_in(text: str, fold: Callable[[str], str]) -> Answer | None:
    """Return the answer in a message; None for any other. `fold` removes capitals and accents."""
    said = text.strip()
    if not 0 < len(said) <= _MOST_CHARS or "\n" in said or said.endswith("?"):
        return None
    folded = " ".join(fold(said).replace("’", "'").split())
    if _WHOLE_DONE.fullmatch(folded):
        return Answer()
    if _WHOLE_LATER.fullmatch(folded):
        return Answer(_HOUR)
    found = _WHOLE_DELAY.fullmatch(folded)
    delay = _delay(found) if found is not None else None
    return Answer(delay) if delay is not None else None


def _delay(found: re.Match[str]) -> timedelta | None:
    if found["half"]:
        return timedelta(minutes=30)
    count = int(found["count"]) if found["count"].isdecimal() else _NUMBERS.get(found["count"], 0)
    unit = timedelta(minutes=1) if found["unit"].startswith("m") else _HOUR
    delay = count * unit
    return delay if timedelta(0) < delay <= _LONGEST else None
