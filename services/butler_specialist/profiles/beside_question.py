# ruff: noqa: E501 - patterns stay on one line
"""What stands beside a question and is no fact of the butler's subject: kept in its words, and quoted (pure).

Invariant: no clause of the sender's own is lost because its message also asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.leftover import own_clauses, says_something
from butler_specialist.questions.recognise import asks
from butler_specialist.understanding.list_done import is_reason
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["kept_beside"]

_REMARK: Final = re.compile(
    r"^\W*(?:(?:and|so|well|oh|hm+|um+|but|also|und|also|na|ach|aber|et|bon|alors|mais|y|bueno|pues|pero)\b\W*)*"
    r"(?:(?:i|we)(?:'ve| have)? (?:just )?(?:forgot|forget|forgotten|lost (?:it|track)|wonder|was (?:just )?wondering|need to know|want to know|can'?t (?:remember|find|recall|think)|cannot (?:remember|find|recall)|don'?t (?:remember|recall|know|have it)|(?:am|was) (?:just )?(?:asking|checking|curious|confused|lost|not sure|unsure))"
    r"|i'?m (?:just )?(?:wondering|asking|checking|curious|confused|lost|not sure|unsure)|just (?:wondering|asking|checking|curious)|(?:a |one |another )?(?:quick |short |small |silly |stupid |more )*question|no idea|not sure|tell me|let me know|one (?:more|other) thing|(?:can you )?help(?: me)?(?: out)?|remind me"
    r"|ich (?:habe?|hab's|hatte)(?: es| das| ihn| sie| den \w+)?(?: schon| wieder| ganz| total)? ?(?:vergessen|verlegt|verschwitzt)|(?:ich )?(?:weiss|wusste)(?: es| das)?(?: gar| grad| gerade)? nicht|ich finde (?:es|das|ihn|sie) nicht|ich frage? (?:mich|nur)|ich (?:bin mir nicht sicher|erinnere mich nicht)|(?:nur )?(?:mal )?(?:eine |ne |noch eine |'?ne )?(?:kurze |schnelle |kleine |dumme )?frage|keine ahnung|sag(?:t)?(?: mir)? mal|hab(?:'?s)?(?: es)? vergessen"
    r"|j'ai oublie|je ne (?:sais|me rappelle|me souviens|retrouve)|je (?:sais|me rappelle|me souviens|retrouve) (?:plus|pas)|je me demande|(?:une |petite |encore une |juste une )+question|question|aucune idee|dis(?:-| )moi|dites(?:-| )moi"
    r"|se me (?:olvido|ha olvidado)|(?:lo )?olvide|no (?:me acuerdo|recuerdo|lo se|se|lo encuentro)|me pregunto|(?:una |otra )?(?:pregunta|duda|consulta)|ni idea|dime|digame)\b[^\d]{0,40}$"
)
"""What is said about the asking itself: "I forgot.", "kurze Frage:"."""
_WHERE_ONE_IS: Final = re.compile(
    r"^\W*(?:(?:i'?m|i am|we'?re|we are)(?: just| now| still| already)? (?:at|in|on|off to|going to|standing|about to)"
    r"|(?:ich bin|bin|wir sind|ich steh\w*|steh\w*)(?: grad| gerade| jetzt| schon| noch)* (?:im|in|am|an|beim|bei|auf|vor|vorm)"
    r"|(?:je suis|on est|nous sommes)(?: la| deja| encore)? (?:a|au|aux|en|dans|chez|devant)|(?:estoy|estamos)(?: ya| ahora)? (?:en|por))\b[^\d]{0,40}$"
)
"""Why one asks now: "I'm at the shop, what do we need?"."""
_MAY_KNOW: Final = re.compile(
    r"^\W*(?:[^\W\d_]+ (?:says?|said|told (?:me|us)|sagte?|meinte?|hat gesagt|dit|a dit|dice|dijo|ha dicho)(?: (?:that|dass|que))?\W*)?"
    r"(?:(?:i|we)(?:'m| am|'re| are)? (?:may|can|could|should|allowed to|supposed to) (?:know|see|hear|read|ask|be told)"
    r"|(?:ich|wir) (?:darf|durfen|kann|konnen|soll|sollen) (?:\w+ ){0,3}(?:wissen|sehen|horen|lesen|fragen|erfahren)"
    r"|(?:j'ai|on a|nous avons) le droit d|(?:je peux|on peut) (?:tout )?(?:savoir|voir|lire|demander)"
    r"|(?:puedo|podemos) (?:\w+ )?(?:saber|ver|leer|preguntar)|tengo permiso|$)(?:\W+[^\W\d_]+){0,2}\W*$"
)
"""What is said of who may ask: "Ruth says I may know everything"; no statement changes that."""
_LOOKED_AT: Final = 60


def kept_beside(
    asked: Reading, told: Sequence[Sentence], whole: Reading, answering: Answering
) -> tuple[Sentence, ...]:
    """Return what a message says beside its question and nobody else keeps.

    Where all butlers are asked, or one of those who were told, the others keep theirs.
    """
    if not answering.household or answering.claims or answering.together is not None:
        return ()
    if not 1 < len(whole.sentences) <= _LOOKED_AT:
        return ()
    own = frozenset(own_clauses(whole)) - frozenset(told)
    return tuple(one for one in asked.sentences if one in own and _is_told(one))


def _is_told(sentence: Sentence) -> bool:
    if asks(sentence) or is_reason(sentence) or not says_something(sentence):
        return False
    return not any(sentence.has(pattern) for pattern in (_REMARK, _WHERE_ONE_IS, _MAY_KNOW))
