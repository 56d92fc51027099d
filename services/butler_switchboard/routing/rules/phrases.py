"""PURE: whether a message reads as the answer to a question: a short phrase, and no sentence of its own.

"The one beside the sofa" answers "which lamp?"; "the boiler is leaking again" tells something new, and "buy milk" asks
for something. A phrase begins with a word that no request begins with, and has no verb of its own.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["reads_as_answer"]

_MOST_WORDS: Final = 6
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_OPENINGS_SAID: Final = """
the a an this that these those my our his her their your in on at by for from to with without about around near
next beside behind under before after until since both all none neither either every only just yes yeah yep no
nope not first last one two three four der die das den dem ein eine einen einem einer dieser diese dieses diesen
diesem mein meine meinen unser unsere unseren im am an auf bei beim für von vom zu zum zur mit ohne um über
unter neben hinter vor nach bis seit beide alle keine keiner nur ja nein nee nicht erste erster letzte letzter
eins zwei drei vier le la les un une des du ce cet cette ces mon ma mes notre nos son sa ses dans sur sous à au
aux chez pour par de avec sans vers près avant après depuis tous toutes aucun aucune seulement juste oui non pas
celui celle premier dernier deux trois el los las una este esta estos estas ese esa esos mi mis nuestro nuestra
su sus en sobre bajo al con sin para por del desde hasta antes después todos todas ambos ninguno ninguna solo sí
dos tres cuatro primero último
"""
_VERBS_SAID: Final = """
is are was were am be been has have had does did do will would can could should must may might came comes come
went goes go needs need wants want got get gets said says broke works costs cost leaks arrives arrived starts
ends ist sind war waren bin hat haben hatte hatten wird werden wurde kann können muss müssen soll sollte will
wollen kam kommt ging geht braucht gibt kostet fehlt läuft tropft sagt est sont était étaient suis ai as ont
avait avons sera peut peuvent doit faut veut va vont vient coûte manque es son era está están estaba soy he ha
han había será puede pueden debe hay quiere viene cuesta falta
"""
_OPENINGS: Final = frozenset(_OPENINGS_SAID.split())
_VERBS: Final = frozenset(_VERBS_SAID.split())


def reads_as_answer(text: str) -> bool:
    """Tell whether `text` is a phrase of one line that could answer a question."""
    said = text.strip()
    words = [word.lower().replace("’", "'") for word in _WORD.findall(said)]
    if not words or len(words) > _MOST_WORDS or "\n" in said or "?" in said:
        return False
    if any(word in _VERBS for word in words[1:]):
        return False
    first = words[0]
    return first in _OPENINGS or first.startswith(("l'", "d'")) or first[0].isdigit()
