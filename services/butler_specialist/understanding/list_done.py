# ruff: noqa: E501 - patterns stay on one line
"""How people say that list items are bought, packed or done, or no longer needed (pure). EN, DE, FR, ES.

All are matched against a folded clause and only mean an item if it is on a list: `items` names it.
"""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.list_names import BAG
from butler_specialist.understanding.sentence import Sentence

__all__ = ["BOTH", "EVERYTHING", "dropped_in", "is_reason", "taken_in"]

_LEAD: Final = (
    r"^\W*+(?:(?:oh|ah|ach|hey|ok|okay|so|and|und|et|y|also|btw|just|already|ya|so|c'est bon|ca y est|update|hab|habe|haben|wir haben|ich habe"
    r"|ich hab|wir ham|finalement|al final|actually|doch|(?:no|nein|non)(?=,))\b[\s,.:!-]*+)*+"
)
_ITEMS: Final = r"(?P<items>[^.!?;:\n]{2,120}?)"
_END: Final = r"(?:,? (?:myself|lol|haha|thanks|thx|selbst|selber|moi-meme|yo mism[oa]|for you|as well|already|now|too|schon|jetzt|deja|ya|auch|aussi|tambien|btw|today|heute|on the way|unterwegs|earlier|vorhin))*\W*$"
_IN_IT: Final = (
    rf"(?:in (?:the )?(?:bag|{BAG}|trolley|basket|cart|car|fridge|freezer|cupboard)|im (?:wagen|korb|{BAG}|kuhlschrank|auto)|in der {BAG}|drin"
    rf"|dans (?:la |le |mon |ma )?(?:{BAG}|caddie|panier|sac|frigo)|en (?:la |el )?(?:{BAG}|carro|cesta|nevera))"
)
_TAKEN: Final = tuple(
    re.compile(_LEAD + pattern)
    for pattern in (
        r"(?:(?:i|we|he|she|tom|mum|dad|someone)(?:'ve|'s| have| has)? (?:(?:already|just|now|also)\s)*)?(?:got|bought|picked up|grabbed|fetched"
        rf"|brought|packed|did|done|sorted|finished|took out|taken out|found|got hold of) {_ITEMS}{_END}",
        rf"{_ITEMS}(?:'s| is| are|s)? (?:(?:already|now|all)\s)*(?:sorted|packed|done|bought|got|taken care of|ticked|checked|crossed off|in the bag"
        rf"|{_IN_IT}){_END}",
        rf"{_ITEMS},? (?:i|we)(?:'ve| have)? (?:(?:already|just)\s)*(?:got|have|bought){_END}",
        rf"(?:i|we) (?:already )?have (?:got )?{_ITEMS} already{_END}",
        rf"{_ITEMS},? (?:hab|habe|haben) (?:ich|wir)(?: schon| noch| da)*{_END}",
        rf"{_ITEMS},? (?:je l'|je les |on l'|on les )(?:ai|a)(?: deja)?(?: prise?s?| achetee?s?)?{_END}",
        rf"{_ITEMS},? ya (?:las?|los?) (?:tengo|tenemos|he comprado|hemos comprado|compre|cogi|he cogido|traje){_END}",
        rf"(?:(?:j'ai|on a) )?(?:pris|achete|trouve) {_ITEMS}, (?:raye|barre|enleve)(?:-l[ae]s?)?\W*$",
        rf"{_ITEMS} (?:hab|habe|haben) (?:ich|wir), (?:streiche?|weg damit)\b.*$",
        rf"(?:done|check|checked|tick|✓|✔|✅)[:, ]+{_ITEMS}{_END}",
        r"(?P<items>[^.!?;:\n]{2,60}?)\s*(?:✓|✔|✅|: ?(?:check|done|erledigt|fait|hecho))\W*$",
        rf"{_ITEMS}(?: (?:ist|sind|is|hab ich|habe ich|haben wir|hat \w+))? (?:(?:schon|jetzt|auch|alle)\s)*(?:geholt|gekauft|besorgt|mitgebracht"
        rf"|eingepackt|erledigt|gemacht|eingekauft|abgehakt|da|{_IN_IT}){_END}",
        rf"(?:(?:j'ai|on a|nous avons|je l'ai|il a|elle a|[^\W\d_]{{3,}} a) )(?:(?:deja|bien|aussi)\s)*(?:pris|achete|trouve|ramene|recupere|mis|fait|rapporte"
        rf"|emballe|sorti) {_ITEMS}{_END}",
        rf"{_ITEMS},?(?: ?(?:c'est|est|sont))? (?:(?:deja|bien)\s)*(?:faite?s?|bon|prise?s?|achetee?s?|regle|ok|{_IN_IT}){_END}",
        r"(?:(?:he|hemos|ha) )?(?:ya )?(?:compre|comprado|compramos|cogi|cogido|pille|pillado|traje|traido|tengo|tenemos|meti|metido|hecho|hice"
        rf"|saque|sacado) {_ITEMS}{_END}",
        rf"{_ITEMS}(?: (?:ya|ya esta|ya estan|esta|estan))* (?:comprad[oa]s?|metid[oa]s?|hech[oa]s?|list[oa]s?|cogid[oa]s?|ya|{_IN_IT}){_END}",
    )
)
_DROPPED: Final = tuple(
    re.compile(_LEAD + pattern)
    for pattern in (
        rf"(?:scrap|skip|drop|forget(?: about)?|leave off|leave out|lose|scratch|cross off|cross out|take off|remove|never mind) {_ITEMS}(?:,.*)?$",
        rf"(?:take|cross|strike|leave) {_ITEMS} (?:off|out)(?: again)?(?:,.*)?\W*$",
        rf"(?:nimm|streich|lass) {_ITEMS} (?:von der liste|vom zettel|runter|raus|weg)(?:,.*)?\W*$",
        rf"(?:we |i )?(?:don't|dont|do not|no longer|won't) (?:actually )?need {_ITEMS}(?: any ?more| after all)?(?:,.*)?$",
        rf"no need (?:for|to (?:buy|get)) {_ITEMS}(?: any ?more| after all)?(?:,.*)?$",
        rf"(?:streiche?|lass|vergiss|entferne?|nimm) {_ITEMS}(?: wieder| doch| raus| weg| runter)*(?:,.*)?\W*$",
        rf"(?:wir )?(?:brauchen|brauch|brauche) (?:(?:wir|ich|doch|jetzt)\s)*keine?n? {_ITEMS}(?: mehr)?(?:,.*)?\W*$",
        rf"{_ITEMS} (?:brauchen|brauch|brauche) (?:wir|ich) (?:(?:doch|jetzt)\s)*(?:nicht|nich|keine?n?)(?: mehr)?(?:,.*)?\W*$",
        rf"(?:enleve|retire|oublie|laisse tomber|raye|barre)[rz]? {_ITEMS}(?:,.*)?\W*$",
        rf"(?:(?:on n'a |on a |j'ai )?(?:pas|plus) besoin (?:de |d')){_ITEMS}(?: finalement)?(?:,.*)?\W*$",
        rf"{_ITEMS} (?:konnen|konnt|kannst|kann) (?:wir|ihr|du|ich|man) (?:uns |dir |euch |mir )?(?:(?:doch|eigentlich|dann)\s)*(?:sparen|weglassen|streichen|lassen|vergessen)(?:,.*)?\W*$",
        rf"(?:pas|plus) (?:de |d'|besoin de |besoin d'){_ITEMS}(?: finalement)?(?:,.*)?\W*$",
        rf"(?:al final )?(?:sin|nada de) {_ITEMS}(?:,.*)?\W*$",
        rf"(?:quita|borra|tacha|olvida|elimina)(?:r|te de)? {_ITEMS}(?: que .*|,.*)?\W*$",
        rf"(?:ya )?no (?:hace|hacen) falta {_ITEMS}(?:,.*| al final)?\W*$",
        rf"(?:ya )?no necesitamos {_ITEMS}(?:,.*)?\W*$",
    )
)
EVERYTHING: Final = re.compile(
    _LEAD
    + r"(?:(?:i |we )?(?:'ve |have )?(?:got|bought|picked up|packed|did) (?:it all|everything|the lot|all of it)|all (?:done|bought|packed|got|sorted"
    r"|ticked off)|everything(?:'s| is)? (?:done|packed|bought|in|sorted|ticked off)|(?:shopping|groceries|packing|chores)(?: is| are|'s)? (?:all )?done"
    r"|alles (?:schon )?(?:besorgt|gekauft|geholt|erledigt|eingepackt|da|drin|eingekauft|gemacht)"
    r"|(?:einkauf|einkaufe|einkaufen) (?:ist |sind )?(?:erledigt|gemacht)"
    r"|j'ai tout(?: pris| achete| trouve)?|tout (?:est )?(?:pris|achete|fait|dans)|(?:les )?courses (?:sont )?faites"
    r"|(?:lo )?(?:tengo|compre|he comprado|hemos comprado|metido) todo|todo (?:esta )?(?:comprado|hecho|listo|metido))"
    rf"(?: (?:on|from|auf|von|de|sur|en) .{{2,40}})?{_END}"
)
"""Everything on a list is bought, packed or done."""


BOTH: Final = re.compile(
    _LEAD
    + r"(?:(?:(?:i |we )?(?:'ve |have )?(?:got|bought|picked up|packed|did) both(?: of them)?)|(?:beides?|alle beide) (?:(?:schon|jetzt)\s)*(?:mitgebracht|besorgt|gekauft|geholt|erledigt|eingepackt|da)"
    r"|(?:j'ai|on a) (?:pris|achete) les deux|(?:he |hemos )?(?:compre|comprado|pillado|traido) (?:los|las) dos)"
    rf"{_END}"
)
"""The two items told last are bought, packed or done."""
_GIVEN: Final = re.compile(
    r"^\W*(?:because |weil |car |porque )?(?:(?:the|our|my|die|der|la|le|el|una?|une?) )?[^\W\d_]+ (?:(?:gave|brought|lent|got|bought) (?:us|me)? ?(?:some|one|a few|plenty)"
    r"|(?:hat|haben) (?:uns |mir )?(?:welche[sn]?|schon \w+) (?:gegeben|gebracht|besorgt)|(?:nous en|m'en) (?:a|ont) (?:donne|apporte)|(?:nos|me) (?:ha|han) (?:dado|traido)|already got some)\W*$"
)
_REASON: Final = re.compile(
    r"^\W*(?:(?:because|since|as|cause|weil|denn|car|parce que|on en|porque|que)\W+)?(?:(?:we|i)(?:'ve| have| still have)?(?: still)?(?: got)? (?:some|enough|plenty|one|loads|lots)"
    r"|(?:wir|ich) haben? (?:doch |noch |ja )*(?:welche[sn]?|genug|eine[ns]?)|(?:haben|ist|sind) (?:wir |ja |noch |doch )*(?:noch |genug |da)+|(?:on en a|il en reste|y en a)(?: encore| assez| deja)*"
    r"|(?:ya |todavia )?(?:tenemos|tengo|queda|quedan|hay)(?: de sobra| bastante| en casa| todavia)*)(?: left| at home| in the \w+| da| zuhause)?\W*$"
)


def is_reason(sentence: Sentence) -> bool:
    """Return whether it only says why something is not needed: "we've got some"."""
    return sentence.has(_REASON) or sentence.has(_GIVEN)


def taken_in(sentence: Sentence) -> str | None:
    """Return the words of what is said to be bought, packed or done."""
    return _named(_TAKEN, sentence)


def dropped_in(sentence: Sentence) -> str | None:
    """Return the words of what is said not to be needed."""
    return _named(_DROPPED, sentence)


def _named(patterns: tuple[re.Pattern[str], ...], sentence: Sentence) -> str | None:
    for pattern in patterns:
        match = pattern.match(sentence.folded)
        if match is not None:
            start, end = match.span("items")
            return sentence.text[start:end].strip(" ,")
    return None
