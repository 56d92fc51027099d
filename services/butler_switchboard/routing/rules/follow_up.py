# ruff: noqa: E501 - word lists stay on one line
"""Whether a message only points back at what was said before it: "how much was that?", "and Tom's?", "no, 66" (pure).

Invariant: every word is known. A single word with a meaning of its own ("cancel the dentist") makes the message stand
for itself, so that nothing is taken from the butler it concerns. Linear: a longer message is not examined.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from butler_kit.textmodel.features import fold, fold_as_long
from butler_kit.wording.amends import amend_in
from butler_kit.wording.privacy import privacy_word
from butler_switchboard.routing.rules.clean import own_ranges
from butler_switchboard.routing.rules.moment_words import MOMENT_WORDS

__all__ = ["Pointing", "asks_first", "is_plain", "own_words", "pointing"]

Pointing = Literal["bare", "leaning", "only", "asking on"]
"""`bare`: it has no meaning without what came before. `leaning`: it opens like one and adds a word or two. `only`: it
says that what was told before was wrong, or asks just when, where or how much, whatever else it sounds like.
`asking on`: it continues a question, if one was asked."""

_MOST_CHARS: Final = 120
_MOST_WORDS: Final = 9
_SHORT: Final = 5
_OWN_WORDS: Final = 2
_FEW: Final = 3
_TOKEN: Final = re.compile(r"[^\W\d_]++|\d[\d.,:/'-]*+|[€$£]")


def _set(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


_BACK: Final = _set(
    "that it its those them they she he her him his hers theirs one ones previous former altogether"
    " das es sie er ihn ihm ihr ihre ihren sein seine seinen davon dazu dafür daran insgesamt"
    " ça cela ceci c ce elle il lui leur leurs celui celle ceux"
    " eso esto aquello ello ella ellos ese esa tiene tendrá cumple costó"
    # Romance verbs of taking back or changing, with the pronoun attached
    " annule-le annule-la supprime-le efface-le cancélalo cancélala anúlalo bórralo bórrala elimínalo elimínala quítalo quítala cámbialo cámbiala muévelo muévela pásalo pásala adelántalo retrásalo ponlo ponla deshazlo olvídalo"
)
"""Words that stand for what was said before."""
_TAKE_BACK: Final = _set(
    "undo revert cancel delete remove discard forget scratch drop actually meant mean instead rather wrong incorrect correction correct correcting oops"
    " rückgängig storniere stornier storno lösche lösch vergiss streiche streich entferne abbrechen doch eigentlich stattdessen falsch korrektur korrigiere meinte"
    " annule annuler annulez supprime supprimer efface effacer oublie plutôt faux correction corrige voulais dire"
    " deshacer deshaz cancela cancelar anula anular borra borrar elimina olvida mejor mal corrección corrige quería decir"
)
_DONE: Final = _set(
    "done paid finished bought sorted erledigt bezahlt gekauft fertig fait payé payée acheté terminé hecho pagado pagada comprado"
)
"""Things that somebody did; the butler that asked for them may be meant."""
_CHOICE: Final = _set(
    "yes yeah yep no nope first second third fourth both neither all"
    " ja jawohl nein nee erste ersten erster zweite zweiten zweiter dritte dritten dritter beide beides alle keine keins"
    " oui ouais non premier première deuxième second seconde troisième deux tous toutes aucun"
    " sí primero primera segundo segunda tercero tercera ambos ambas todos todas dos ninguno"
)
_MOVE: Final = _set(
    "move change make set put push shift postpone reschedule"
    " moved pushed postponed delayed shifted rescheduled rang called phoned angerufen verschoben verlegt reporté décalé repoussé llamaron aplazado retrasado"
    " verschiebe verschieb ändere änder mach setze setz leg lege"
    " déplace décale change mets reporte"
    " mueve cambia pon aplaza"
)
_COMES: Final = _set(
    "comes come coming arrives arrive arriving starts start begins ends kommt kommen beginnt fängt endet"
    " vient viennent arrive arrivent commence finit viene vienen llega llegan empieza acaba termina"
)
"""What a person or thing named before does on another day."""
_SMALL: Final = _set(
    "a an the of to for in on at by from with about is was are were be been being will would should could can do does did have has had i we my our mine ours me us s t d ll re ve"
    " oh ah ach mince zut mist verdammt damn joder vaya uf ostras same gleiche gleichen gleicher gleiches selbe selben même mêmes misma mismo mismas zeit time place ort lieu lugar sitio"
    " so not please just again too this these last other same also then there and or but wait sorry hmm well what when where who whose whom which why how much many long old far often more less total together"
    " der die den dem des ein eine einen einem einer von vom zu zum zur für im in am um an auf ab bei mit ist war sind waren wird wurde werden würde soll sollte kann hat haben hatte ich wir mein meine meinen unser uns mir mich man"
    " so nicht bitte nur nochmal noch auch dann da und oder aber moment entschuldigung sorry was wann wo wer wessen wem wen welche welcher welches warum wieso wie viel viele hoch teuer lang lange alt weit oft mehr zusammen denn genau diese diesen dieser dieses dies letzte letzten letztes andere anderen"
    " le la les l un une des du de d au aux en à pour par sur dans avec est était étaient sera seront sont c j n m t qu ai a as ont avais je nous on mon ma mes notre moi"
    " pas plus s'il te plaît vous svp juste encore déjà aussi alors et ou mais attends pardon désolé que quoi quel quelle quels quelles quand où qui combien comment pourquoi âge aura fois tout total temps dernier dernière autre cette"
    " el la los las un una del al de en a para por con es fue era será son eran yo nosotros mi mis nuestro nos me se ha he han había hay"
    " no así favor solo otra vez también entonces y o pero espera perdón qué cuál cuáles cuándo dónde quién cuánto cuánta cuántos cuántas cómo tiempo vale años total último última otro otra esta este"
)
_WHEN: Final = _set(
    "today yesterday tomorrow tonight now day days week weeks weekend month months year years morning afternoon evening night noon midnight next before after later earlier sooner half ago since am pm o'clock oclock hour hours minutes"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december"
    " heute gestern vorgestern morgen übermorgen jetzt tag tage woche wochenende monat jahr vormittag nachmittag abend nacht mittag nächste nächsten nächster nächstes vor nach später früher erst seit uhr halb stunde stunden minuten früh"
    " montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember"
    " aujourd hui hier demain maintenant jour jours semaine mois année an ans matin après-midi après midi soir nuit prochain prochaine dernier passé passée avant après tard tôt depuis heure heures h"
    " lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre décembre"
    " hoy ayer anteayer mañana ahora día días semana mes año tarde noche próximo próxima pasado pasada que viene antes después tarde temprano desde hora horas"
    " lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_COUNTED: Final = _set("euro euros eur dollar dollars pound pounds quid franken francs chf usd gbp kg lb mg")
_ASKS: Final = _set(
    "what when where who whose whom which why how was wann wo wer wie wem wen warum que quoi quand où qui combien comment pourquoi qué cuándo dónde quién cuánto cómo you du dich dir toi vous tú usted ti"
)
_ASKS_FIRST: Final = _set(
    "what whats which when whens where wheres who whos whose how wann wo wer wie wem wen welche welcher welches wieviel quoi quel quelle quels quelles combien quand qui comment"
    " qué cuál cuáles cuánto cuánta cuántos cuándo dónde quién cómo"
)
_ASKS_AFTER: Final = _set("so and hey ok c est und et y ah oh also dis")
_GREETINGS: Final = _set(
    "morning evening night afternoon day morgen tag abend nacht matin soir nuit jour tarde noche"
)
_HOUR: Final = re.compile(r"\b(?:[01]?\d|2[0-3])(?:[:.h][0-5]\d|h)\b")
_ALONE: Final = _set(
    "when where how much time wann wo wie viel wieviel uhr quand où combien heure cuándo dónde cuánto hora"
)
_SNOOZE: Final = _set(
    "snooze later snoozed posponer pospón pospon posponlo aplázalo luego später schlummern schlummer spaeter tard reporte-le reporte-la"
)
_ASKED_ALONE: Final = _ALONE | _set(
    "what time at was is were it that this again exactly and war ist das es um uhr nochmal noch mal denn genau gleich und à quelle heure était c déjà ça fait"
    " et y a qué hora era fue es eran fueron eso otra vez"
)
_KNOWN: Final = (
    _BACK
    | _TAKE_BACK
    | _DONE
    | _CHOICE
    | _MOVE
    | _COMES
    | _SMALL
    | _WHEN
    | _COUNTED
    | _ALONE
    | _SNOOZE
    | MOMENT_WORDS
)
_MOMENTS: Final = _WHEN | _SNOOZE | MOMENT_WORDS
_POINTS: Final = _BACK | _TAKE_BACK | _CHOICE

_PLACED: Final = re.compile(r"(?:in|at|a|en|bei|im) \w+$")
"""The place of something named before: "it's in Lyon"."""
_OPENS: Final = re.compile(
    r"\W*(?:(?:and|n|what about|how about|and what about|und|und was ist mit|was ist mit|wie sieht es mit|et|et pour|et celui de|et celle de|y|y el de|y la de|y para|qu[eé] hay de|¿y)\b)",
    re.IGNORECASE,
)
_ASKS_ON: Final = re.compile(
    r"\W*(?:and|n|und|et|y) (?:for|on|at|in|with|the|my|last|this|next|fürs?|beim?|mit|im|in der|am|der|die|das|den|mein\w*|letzte\w*|diese\w*|pour|chez|au|aux|le|la|les|l'|mon|ma|en|para|por|de|el|los|las|mi) ?[^\W\d_]+(?: [^\W\d_]+)?\W*",
    re.IGNORECASE,
)
"""A continued question without a question mark: "und fürs Kino"."""
_TOGETHER: Final = re.compile(
    r"\W*(?:(?:and |so )?(?:both|all)(?: days| of them)? (?:together|in total)|(?:so |and )?(?:what|how much) (?:does|did) (?:that|it|this|all that|all of that) (?:all )?(?:come|add up) to(?: in total| altogether)?|(?:and |so )?(?:altogether|all in all|in total)(?: now| then)?|(?:und |was )?(?:macht|ergibt) das(?: alles| jetzt| dann)? (?:zusammen|insgesamt)|und (?:jetzt )?(?:insgesamt|zusammen)(?: jetzt)?|et (?:maintenant )?(?:en tout|au total)(?: maintenant)?|y (?:ahora )?en total(?: ahora)?|(?:the |what's the |whats the )?(?:grand )?total|(?:das )?macht (?:das )?(?:zusammen|insgesamt)|(?:le|el) total|die summe|(?:ça|ca) fait (?:combien )?en tout)\W*",
    re.IGNORECASE,
)
_ITS_SUM: Final = re.compile(
    r"^(?:(?:the|my|der|die|das|le|la|les|el|los|las) )?\w+ (?:was|were|cost|war|waren|kostete|etait|a coute|era|eran|fue|costo) (?:only |nur )?\d[\d.,]*\W*$"
)
"""What one of several things cost: "no wait, the bus was 5"."""
_STOPS: Final = re.compile(
    r"\W*(?:stop (?:it|that|this)|h[oö]r(?:e)? (?:damit )?auf(?: damit)?|arr[eê]te[rz]? (?:[cç]a|cela)|para (?:eso|ya)|det[eé]n eso)\W*",
    re.IGNORECASE,
)
_OF_THE_LAST: Final = re.compile(
    r"\W*(?:(?:ok|so|and|und|et|y|ach|ya|just|now)\W+)*(?:"
    r"(?:ich )?habe? (?:es )?(?:ihm|ihr|ihnen) .{0,30}(?:gegeben|bezahlt|uberwiesen|zuruck\w*)"
    r"|(?:(?:c'est |c )?bon,? )?(?:je|on) (?:lui|leur) (?:ai|a) .{0,30}(?:rendu|rembourse|paye)"
    r"|(?:ya )?se l[oa]s? (?:di|he dado|devolvi|he devuelto|pague|he pagado)"
    r"|(?:he|she|they) (?:gave|paid) (?:me|us) .{1,20}back|(?:il|elle|on) m'(?:en )?a rendu .{1,20}|(?:il|elle|on) m'a remboursee?|(?:er|sie|he|she) (?:hat|has) (?:heute |schon |today |already )?\d.{0,10} ?(?:gezahlt|bezahlt|paid)|(?:ya )?me (?:ha|han) dado \d[\d.,]*|(?:me|nos) (?:ha|han) devuelto .{1,20}|(?:er|sie) hat (?:mir|uns) .{1,20}zuruck\w+"
    r"|(?:please |bitte )?(?:remind me|erinnere? mich|rappelle[- ]moi|recuerdame) .{2,25} (?:before|beforehand|vorher|davor|avant|antes)"
    r")(?: (?:today|heute|aujourd'hui|hoy|gestern|hier|ayer|yesterday|please|bitte))?\W*$"
)
"""Statements about the person or the day told last: "he gave me 15 back", "remind me two days before"."""
_RECALLS: Final = re.compile(
    r"\W*+what (?:did|have) (?:(?:i|we) (?:just |last )?(?:tell|told|say|said|write|wrote)|you (?:just )?(?:note|save|write|keep|record))(?:d|n)?(?: down)?(?: you)?(?: just now| last)?\W*+$"
    r"|\W*+was (?:habe? ich (?:dir )?(?:gerade |eben |zuletzt )(?:gesagt|geschrieben|erzahlt)|hast du (?:dir )?(?:gerade |eben |zuletzt )?(?:notiert|aufgeschrieben|gespeichert|gemerkt))\W*+$"
    r"|\W*+(?:qu'est-ce que (?:je viens de te (?:dire|ecrire)|tu (?:as note|viens de noter))|qu'as-tu note|tu as note quoi)\W*+$"
    r"|\W*+que (?:te acabo de decir|acabo de decirte|te he dicho|has (?:anotado|apuntado)|anotaste|apuntaste)\W*+$"
)
"""Questions for what was noted last, which the butler that noted it knows."""
_CORRECTS: Final = re.compile(
    r"\W*(?:no|nope|not|actually|sorry|wait|nein|nicht|doch|eigentlich|non|pas|plut[oô]t|en fait|finalement|au final|mejor|perd[oó]n|al final|en realidad)\b",
    re.IGNORECASE,
)
_NO_NAMES: Final = frozenset({"geburtstag", "namenstag", "hochzeitstag", "jahrestag"})
"""German nouns that say what is asked for: "und wann ist mein Geburtstag?" stands for itself."""
_CLOCK: Final = re.compile(
    r"what(?:'s| is) (?:the )?(?:time|day)|what time is it|wie sp[aä]t|wie viel uhr|quelle heure (?:est|il)|qu[eé] hora (?:es|son)"
    r"|what (?:day|date) is (?:it|today)|welcher tag ist|who (?:is|are) (?:it|this|that)|wer ist (?:da|das)"
    r"|what is (?:this|that)\W*$|is (?:it|that|this) you|how (?:are|is) (?:it|you|things)|qu'est-ce qu|%",
    re.IGNORECASE,
)
"""Questions that point back at nothing: the clock, the calendar, who is there."""


def pointing(text: str, *, subject: str | None = None) -> Pointing | None:
    """Return how the message points back; None if it stands for itself."""
    said = own_words(text, subject)
    if not said or len(said) > _MOST_CHARS or "\n" in said:
        return None
    amends = "only" if _says_whose(said) else _amends(said)
    if amends is not None:
        return amends
    if _STOPS.fullmatch(said) or _RECALLS.match(fold(said)) or _OF_THE_LAST.match(fold(said)):
        return "bare"
    found = [match.group() for match in _TOKEN.finditer(said)]
    if not 0 < len(found) <= _MOST_WORDS or _CLOCK.search(said):
        return None
    asks_on = _OPENS.match(said) is not None and said.rstrip().endswith("?")
    corrects = len(found) > 1 and _CORRECTS.match(said) is not None
    named = (asks_on or corrects) and len(found) <= _SHORT
    own = [word for place, word in enumerate(found) if not _is_known(word, named=named and place > 0)]
    if own:
        if asks_on and len(found) <= _SHORT and _is_rest(found, own):
            return "leaning"
        return "asking on" if _ASKS_ON.fullmatch(said) and _is_rest(found, own) else None
    folded = {fold(word) for word in found}
    if folded <= _ASKED_ALONE and folded & _ALONE:
        return "only"
    counted = folded & _DONE and not corrects and any(word[0].isdigit() for word in found)
    if folded & _POINTS or asks_on or corrects or _is_number(said) or folded <= _ALONE:
        return None if counted else "bare"
    if _is_moment(said, folded):
        return "bare"
    return "leaning" if folded & _DONE and len(found) <= _SHORT else None


def _says_whose(said: str) -> bool:
    """Return whether it only says whose the thing told before is."""
    word = privacy_word(said, fold_as_long)
    return word is not None and word.points_back and not word.about


def _amends(said: str) -> Pointing | None:
    """Return how it corrects or takes back what was told before, or asks for its total; None if neither."""
    if _TOGETHER.fullmatch(said):
        return "only"
    amend = amend_in(said, fold_as_long)
    if amend is None:
        return None
    right = [match.group() for match in _TOKEN.finditer(amend.right)]
    if amend.takes_back or (amend.force == "sure" and len(right) <= _SHORT):
        return "only"
    if amend.force == "soft" and right and len(right) <= _SHORT and _ITS_SUM.search(fold(amend.right)):
        return "only"
    if amend.force == "soft" and amend.wrong and amend.wrong[-1].isdigit() and 0 < len(right) <= _SHORT:
        return "only"
    if len(right) > _FEW or not right:
        return None
    known = all(_is_known(word, named=False) for word in right)
    if amend.force == "soft" and (known or amend.apart or amend.copula or amend.wrong):
        return "only"
    if amend.copula and _PLACED.match(fold(amend.right)):
        return "only"
    return "leaning" if amend.copula else None


def _is_rest(found: list[str], own: list[str]) -> bool:
    """Return whether a question only continues with another thing: "and for petrol?"."""
    return len(own) <= _OWN_WORDS and not any(fold(word) in _ASKS for word in found)


def _is_known(word: str, *, named: bool) -> bool:
    """Return whether it is a listed word, a number or, with `named`, a name: who is asked after or denied."""
    return word[0].isdigit() or word in "€$£" or fold(word) in _KNOWN or (named and _is_name(word))


def is_plain(word: str) -> bool:
    """Return whether a folded word names nothing by itself."""
    return word in _KNOWN


def asks_first(found: list[str]) -> bool:
    """Return whether folded words begin as a question without a question mark does."""
    first = next((word for word in found if word not in _ASKS_AFTER), "")
    return first in _ASKS_FIRST


def _is_name(word: str) -> bool:
    return word[0].isupper() and word[1:].islower() and fold(word) not in _NO_NAMES


def _is_moment(said: str, folded: set[str]) -> bool:
    """Return whether it only answers "When?"; a question about a day asks what is on it instead."""
    greets = len(folded) == 1 and folded <= _GREETINGS
    return (
        not greets
        and "?" not in said
        and not folded & _ASKS
        and bool(folded & _MOMENTS or _HOUR.search(said))
    )


def _is_number(said: str) -> bool:
    """Return whether it is only a number: one of several that were offered."""
    return re.fullmatch(r"\W*\d{1,2}\W*", said) is not None


def own_words(text: str, subject: str | None) -> str:
    """Return what the sender wrote, without quotes, signature and the subject that leads a mail's text."""
    if len(text) > 20_000:
        return ""
    headed = f"Subject: {subject}" if subject is not None else ""
    start = len(headed) if headed and text.startswith(headed) else 0
    body = text[start:]
    return "\n".join(body[first:last].strip() for first, last in own_ranges(body)).strip()
