# ruff: noqa: E501 - patterns stay on one line
"""Words that only mean a change if such an entry exists: "remove bread", "the plumber was 140, not 130" (pure).

All are matched against a folded clause from its start. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["CALLED_OFF", "FORGETS", "INSTEAD", "MOVED", "MOVED_BY", "NOW_AT", "PAID", "REMOVES", "RIGHTS"]

_LEAD: Final = r"^\W*+(?:(?:please|ok|no|and|bitte|nein|non|et|por favor|s'il te plait)\b[\s,]*+)*+"
REMOVES: Final = re.compile(
    _LEAD
    + r"(?:(?:remove|take off|cross off|cross out|strike|drop|scratch|streiche?|entferne?|enleve[rz]?|retire[rz]?"
    r"|quita|tacha|elimina) (?!your|ihre|votre).{2,60}|.{2,40}\b(?:streichen|entfernen))\W*$"
)
"""Something to be removed, without saying from what."""
RIGHTS: Final = re.compile(
    r"^\W*(?:the|die|der|das|le|la|el|los|las) .{2,40}? (?:was|were|is|war|waren|etait|coutait|era|eran|costo) (?:actually|really|eigentlich|doch|in wirklichkeit|en fait|en realidad) (?:only |nur |seulement |solo )?[€$£]?\d"
    r"|^.{2,80}?\b(?:was|were|is|are|cost|war|waren|ist|sind|kostete|hat|etait|est|a coute|fue|era|es|costo)\b.{0,40}?"
    r"(?:\d|day|tag|di\b|dredi|nes\b|oles\b|ves\b|ado\b|ingo\b|woch\b|manche).{0,24}?,? "
    r"\b(?:not|nicht|pas|no|instead of|statt|au lieu de|en vez de)\b.{0,20}?"
    r"(?:\d|day|tag|di\b|dredi|nes\b|oles\b|ves\b|ado\b|ingo\b|woch\b|manche)"
)
"""Something that is one way and not another."""
INSTEAD: Final = re.compile(
    r"^\W*+(?:no|nope|sorry|oops|actually|wait|correction|nein|doch|eigentlich|korrektur|non|pardon|en fait|perdon"
    r"|en realidad)\b[\s,:.!-]+"
    r"(?!(?:what|when|where|who|which|how|did|do|does|was|wann|wo|wer|wie|quand|combien|cuando|donde|(?:is|are|was|were|ist|sind|est-ce|es) (?:the|it|that|this|he|she|there|my|our|die|der|das|es|mein\w*))\b).{1,80}$"
)
"""A day or an hour that corrects a misunderstanding: "no, on Friday"."""
NOW_AT: Final = re.compile(
    r"\b(?:is|are|starts?|begins?|ist|sind|beginnt|est|commence|es|empieza) (?:now|jetzt|nun|maintenant|desormais|ahora)(?: erst| schon| only)? (?:at|on|um|am|a|a las?|le|el)\b"
    r"|\b(?:is|are|starts?|begins?|ist|sind|beginnt|est|commence|es|empieza) (?:at|on|um|am|a|a las?|le|el) [^,;.!?]{1,24}? (?:now|instead|jetzt|stattdessen|maintenant|a la place|ahora|en (?:vez|lugar))\b"
)
"""A day or an hour that holds from now on: "the parents' evening is at 7 now"."""
MOVED: Final = re.compile(
    r"\b(?:moved|rescheduled|postponed|shifted|verschoben|verlegt|reportee?|deplacee?|decalee?|aplazad[oa]|cambiad[oa]"
    r"|movid[oa])\b"
)
"""Something that is on another day than before."""
CALLED_OFF: Final = re.compile(
    r"\b(?:(?:is|are|was|were|been|got|has been|'s) (?:now |just )?(?:cancell?ed|called off|off)|(?:has |have |just )?cancell?ed on (?:me|us)|(?:isn't|won't be) happening|not happening any ?more"
    r"|(?:ist|sind|wurde|wurden) (?:leider |doch |jetzt )?(?:abgesagt|storniert|gestrichen|abgeblasen)|fall(?:t|en) (?:leider |doch |heute |morgen )?(?:aus|flach|ins wasser)|findet (?:doch |leider )?nicht statt|hat (?:leider |uns |mir )?abgesagt"
    r"|(?:est|sont|a ete|ont ete) (?:finalement )?(?:annulee?s?|supprimee?s?)|n'(?:a|ont) plus lieu|tombe a l'eau"
    r"|(?:se ha|se han|ha sido|esta|queda) (?:cancelad|anulad|suspendid)[oa]s?|se cancelo|se suspende|(?:ya |al final )?no se (?:hace|celebra)|ya no (?:hay|es|se hace))\b"
)
"""Something planned that is called off."""
FORGETS: Final = re.compile(
    r"^\W*+(?:(?:bitte|ach|ok)\b[\s,]*+)*+(?:du kannst |kannst du )?(?:das|die sache) mit (?:de[mnr]|meine[mnr]) (?P<mit>[^,.!?;]{2,50}?) vergessen\b"
    r"|^\W*+(?:(?:bitte|ach|ok)\b[\s,]*+)*+vergiss (?:das|die sache) mit (?:de[mnr]|meine[mnr]) (?P<dem>[^,.!?;]{2,50})"
    r"|^\W*+(?:tu peux )?oublie[rz]? (?:l'histoire|ce que j'ai dit) (?:de la |des |du |de l'|de |d'|sur )(?P<de>[^,.!?;]{2,50})"
    r"|^\W*+(?:puedes )?olvida(?:r)? lo de(?:l| la| los| las)? (?P<lo>[^,.!?;]{2,50})"
    r"|^\W*+(?:(?:please|oh|ah|ok|actually|bitte|ach|s'il te plait|por favor|(?:you|u) (?:can|may)|(?:can|could) you)\b[\s,]*+)*+(?:forget|ignore|scrap|scratch|never ?mind|vergiss|ignoriere?|oublie[rz]?|ignore[rz]?|olvida|olvidate de|ignora)(?: about)?\s++"
    r"(?!to\b|it\b|that\b|this\b|what\b|nicht|das\b(?! \w)|es\b|ca\b|eso\b|lo\b)(?P<what>[^,.!?;]{2,50})"
)
"""An entry that is not to be kept: "forget the electricity"."""
_BY: Final = (
    r"(?P<half>half an hour|eine halbe stunde|une demi-heure|media hora)|(?P<count>an?|one|two|three|\d{1,3}|eine?n?|zwei|drei|une?|deux|trois|una?|dos|tres)"
    r" (?P<unit>hours?|minutes?|mins?|days?|weeks?|stunden?|minuten?|tage?|wochen?|heures?|jours?|semaines?|horas?|minutos?|dias?|semanas?)"
)
MOVED_BY: Final = re.compile(
    rf"\b(?:(?:is|are|was|were|got|been|has been)? ?(?:pushed|put|moved|set|delayed|postponed) (?:(?P<back>back|forward|up) )?(?:by )?(?:{_BY})(?: (?P<way>later|earlier))?\b"
    rf"|(?:um )(?:{_BY.replace('?P<half>', '?P<halb>').replace('?P<count>', '?P<zahl>').replace('?P<unit>', '?P<einheit>')}) (?P<nach>nach hinten|verschoben|spater|vorverlegt|nach vorn\w*|fruher)"
    rf"|(?P<fr>repousse|decale|retarde|avance)e?s? (?:de |d')(?:{_BY.replace('?P<half>', '?P<demi>').replace('?P<count>', '?P<combien>').replace('?P<unit>', '?P<unite>')})"
    rf"|(?P<es>retrasad|aplazad|adelantad|retrasa|aplaza|adelanta)\w* (?:{_BY.replace('?P<half>', '?P<media>').replace('?P<count>', '?P<cuanto>').replace('?P<unit>', '?P<unidad>')}))"
)
"""An entry that is moved by some amount: "la réunion est repoussée d'une heure"."""
PAID: Final = re.compile(
    r"^\W*+(?:(?:i|we|just|already|finally|ich|wir|j'ai|on a|nous avons|ya|i've|we've|i have|we have|he|hemos)\b"
    r"[\s,]*+)*+"
    r"(?:(?:paid|settled|paye|regle|pague|pagamos|pagado) .|(?:habe?n? )?.{1,80}\b(?:bezahlt|uberwiesen|beglichen)\b)"
)
"""A bill that was paid, with its sum."""
