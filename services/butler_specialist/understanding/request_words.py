"""Words of requests: imperatives and corrections, by what they ask (pure). EN, DE, FR, ES.

All are matched against a folded clause from its start: "I cancelled the gym" is never one. A verb that is also a
chore at home ("remove the wallpaper", "move the sofa") counts only beside a word for an entry, a list or a day.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "CORRECTS",
    "LIVE",
    "LIVE_ALONE",
    "LIVE_ASKED",
    "MOVES",
    "POLITE_DE_FR",
    "POLITE_ES",
    "PUTS_BACK",
    "TO_A_DAY",
    "WISHES",
]

POLITE_DE_FR: Final = (
    r"konnen sie|konnten sie|ach|nein|doch|halt|und|dann|hallo|mal|danke"
    r"|s'il (?:te|vous) plait|stp|svp|peux-tu|tu peux|pourrais-tu|pouvez-vous|est-ce que tu peux|non|et|alors"
    r"|bonjour|salut"
)
POLITE_ES: Final = r"por favor|puedes|podrias|puede|oye|hola|y|pues|perdon|pardon|desolee?"
_POLITE: Final = (
    r"please|pls|hey|hi|hello|okay|ok|oh|hm{1,5}|uh|um|no|nope|sorry|oops|wait|actually|and|so|then|also|just"
    r"|thanks|thank you|butlers?"
    r"|(?:can|could|would|will) you|(?:i want|i need|i'd like|we need|we want) you to"
    rf"|bitte|(?:kannst|konntest|wurdest) du|{POLITE_DE_FR}|{POLITE_ES}"
)
_LEAD: Final = rf"^\W*+(?:(?:{_POLITE})\b[\s,!.:;-]*+)*+"
_ENTRY: Final = (
    r"(?:entry|entries|notes?|expenses?|appointments?|reminders?|tasks?|items?|records?|bills?|birthdays?"
    r"|bookings?|messages?"
    r"|payments?|to-?dos?|one)"
)
_THAT: Final = r"(?:that|it|this|them|those|these)"
_UNSAID: Final = r"(?!.*\b(?:ich|wir|er|sie|es|muss\w*|will|soll\w*|wird|nicht)\b)"
"""Before a final infinitive that asks, and not one about a plan: "Termin löschen"."""
_TODAY: Final = (
    r"(?:\W+(?:in|for|today|tonight|tomorrow|now|this|next|week|weekend|forecast|report|heute|morgen|am|fur"
    r"|aujourd'hui|demain"
    r"|a|pour|de|hoy|manana|en|para|[^\W\d_]+(?=\W*$)))"
)

PUTS_BACK: Final = (
    r"(?:put|add) (?:[\w'’-]+ ){1,6}back(?: (?:in|on|again|please))?\W*$|restore (?:the|my|our) (?:[\w'’-]+ ?){1,6}\W*$"
    r"|(?:stelle?|setze?|trage?|nimm|mache?) (?:[\w'’-]+ ){1,6}wieder (?:rein|ein|auf|drauf|hin)\W*$"
    r"|remet(?:s|tez)? (?:[\w'’-]+ ?){1,6}\W*$"
    r"|(?:vuelve a poner|recupera) (?:[\w'’-]+ ?){1,6}\W*$|pon (?:[\w'’-]+ ){1,6}(?:de nuevo|otra vez)\W*$"
)
"""Requests to restore something removed: "put the haircut back"."""
_UNDO: Final = (
    PUTS_BACK,
    r"undo\b(?:\W*$| (?:that|it|this|the last|my last|last|please|(?:the|my) change))",
    r"cancel(?:\W*$|\s+(?!your|any ?time|culture|button|fee|policy|free|by\b|at\b|was\b|is\b|within|up to|online))",
    r"delete\s+(?!your)",
    rf"(?:remove|erase|withdraw|discard|drop|scrap) {_THAT}\b\W*(?:please\W*|again\W*|from .{{1,60}})?$",
    rf"(?:remove|erase|withdraw|discard|scrap) (?:[\w'-]+ ){{0,4}}{_ENTRY}\b",
    r"(?:remove|take|strike|cross) .{1,120}\b(?:off|from|out of) (?:[\w-]+ ){0,2}list\b",
    rf"take {_THAT} back\b|take back (?:{_THAT}|what i|my last)\b",
    rf"(?:forget|ignore|disregard|scratch) (?:about )?(?:{_THAT}|what i|my last|the last)\b|never ?mind\W*$",
    r"(?:clear|empty|wipe|reset) .{0,60}\blist\b",
    r"(?:stornier|annullier|losch)e?t?\b(?! (?:ihre?|deine?)n?\b)",
    r"(?:streiche?|entferne?) (?:bitte )?(?:den|die|das|meinen?|unseren?)"
    r" (?:\w*termin|reservierung|buchung|erinnerung|\w*ausgabe|\w*rechnung)\b",
    r"(?:streiche?|entferne?|nimm) .{1,120}(?:von|aus) (?:\w+ )?\w*liste\b",
    r"sage? .{1,80}\bab\W*$|nimm (?:das|es) zuruck\b|leere? .{0,60}liste\b",
    r"(?:mache? .{0,40}|das )?ruckgangig\b|vergiss (?:das|es)\b(?! nicht)",
    rf"{_UNSAID}.{{1,80}}\bloschen\W*$",
    r"(?:annule|supprime|efface)[rz]?\b(?! (?:gratuit\w*|votre|vos)\b)",
    r"(?:enleve|retire)[rz]? .{1,120}\bliste\b|vide[rz]? .{0,60}liste\b",
    r"oublie[rz]?(?:\W*$| (?:ca|cela)\b)|laisse tomber\W*$",
    r"(?:cancel|anul|borr|elimin)(?:a|ar|e|alo|ala|arlo|arla)\b(?! (?:su|sus)\b)|desha(?:z|zlo|cer)\b",
    r"quit(?:a|ar|e) .{1,120}\blista\b|vaci(?:a|ar|e) .{0,60}lista\b|olvid(?:alo|a eso|a esto|a lo que)\b",
)
_BOOK: Final = (
    r"book (?:it|that|this|them)\W*$|book (?:me|us|an?|the|my|our|tickets?|flights?|seats?|table|hotel|room|two"
    r"|three|four|\d{1,2}) ?(?!club"
    r"|fair|shop|store)",
    r"(?:reserve|get|call) (?:me |us )?(?:an? |the )?(?:table|room|taxi|cab|uber|seats?|tickets?)\b"
    r"|make an? (?:reservation|booking)",
    r"order (?:me|us|an?|the|some|more|two|three|four|pizza|sushi|food|takeaway|groceries)\b",
    r"(?:pay|transfer|wire)\s+(?!within|until|before|upon|via|using|online|promptly|your|day|slip|rise|raise|cut"
    r"|check|attention|as\b|in\b|by\b|at\b|on\b|with\b|per\b"
    r"|was|is\b|to work"
    r"|came|arrived|went|rate|talks|phone|gap)\S",
    r"(?:buche?|reserviere?|bestelle?) (?:mir|uns|bitte|eine?n?|den|die|das|zwei|drei|vier|\d)",
    r"(?:bezahle?|zahle?|uberweise?) (?:bitte |mal )?(?:die|den|das|meine?|unsere?|an|\d)|ruf (?:mir|uns"
    r"|bitte) .{0,10}taxi",
    r".{1,80}\b(?:buchen|reservieren|bestellen|uberweisen)\?",
    r"(?:reserve|commande)[rz]?(?:-(?:moi|nous))? (?:une?|des|du|la|le|les|deux|trois)\b",
    r"(?:paye[rz]?|paie|regle[rz]?|vire[rz]?) (?:la |le |les |l'|ma |mon |\d)",
    r"(?:reserv(?:a|ar|e|ame|anos)|pide(?:me|nos)?|pedir|encarga(?:r|me)?) (?:una?|mesa|la|el|los|las|dos|tres"
    r"|entradas)\b",
    r"(?:paga|pagar|pague|transfiere) (?:la|el|los|las|a|\d)",
)
_STOP: Final = (
    r"stop\W*$|unsubscribe\W*$",
    r"stop (?:sending|messaging|texting|writing|reminding|notifying|telling|bothering|spamming)\b",
    r"(?:don't|do not|never) (?:send|remind|message|write|text|notify|tell) (?:me|us)\b",
    r"hore? (?:bitte )?auf,? (?:mir|mich|uns|damit)\b|schicke? (?:mir|uns) (?:bitte )?(?:keine?n?|nichts)\b"
    r"|erinnere? mich nicht",
    r"arrete[rz]? (?:de (?:m'|me |nous )|ca\b)|ne m'(?:envoie|ecri|rappelle)",
    r"dej(?:a|ad|e) de (?:enviar|mandar|escribir|recordar)(?:me|nos)\b|no me (?:envies|mandes|escribas|recuerdes)\b",
)
_TICK: Final = (
    r"(?:mark|set) .{1,120}\b(?:as |to )?(?:done|paid|finished|completed|bought)\b",
    r"(?:tick|check|cross) (?:it |that |this |them )?off\b|(?:tick|check|cross) .{1,120} off\W*$",
    r"(?:close|complete|settle) (?:the|that|this|my|our) (?:[\w'-]+ ){0,4}(?:task|bill|invoice|to-?do|item)\b",
    r"(?:done|erledigt|fertig|fait|hecho|listo)\W*$",
    r"hake? .{1,120}\bab\W*$|markiere? .{1,120}\bals (?:erledigt|bezahlt|gekauft)",
    r"coche[rz]? (?:la|le|les|ca|cela|\w+ (?:la|le))\b|marque[rz]? .{1,120}\bcomme (?:faite?|payee?|termine)",
    r"(?:marca|marcar|tacha|tachar) .{1,120}\b(?:como|de la lista|hech|pagad)",
)
_SHARE: Final = (
    r"(?:split|divide|share) (?:(?:the|this|that|our|a) .{0,60}\b(?:bill|costs?|dinner|lunch|rent|check)\b"
    r"|(?:the |this )?\W?\d)",
    r"teile? (?:mir )?(?:.{0,40}(?:rechnung|kosten|miete)|\d)|partage[rz]? (?:.{0,40}(?:addition|facture|note"
    r"|frais)|\d)",
    r"(?:divide|dividir|reparte|repartir) (?:.{0,40}(?:cuenta|factura|gastos)|\d)",
)
_WHO: Final = r"(?:(?:my|our|meine[rm]?|der|dem|a|mon|ma|mi|al?) )*(?P<{}>[^\W\d_][\w'-]*)"
_TELL: Final = (
    r"(?:tell|inform|warn|ask|text|message|email|remind) " + _WHO.format("en") + r",? +\w",
    r"let "
    + _WHO.format("know")
    + r" know\b|send "
    + _WHO.format("send")
    + r" an? (?:message|text|e-?mail|note)\b",
    r"send (?:an? )?(?:message|text|e-?mail) to " + _WHO.format("to"),
    r"(?:sage?|schreibe?|frage?|richte?|informiere?|erinnere?) "
    + _WHO.format("de")
    + r"\b.{0,60}(?:\b(?:dass|ob|bescheid|soll|"
    r"an|daran)\b|\baus\W*$)|gibe? " + _WHO.format("gib") + r" bescheid",
    r"(?:dis|dites|demande[rz]?|previens|avertis|ecris|rappelle[rz]?) "
    + _WHO.format("fr")
    + r" (?:de |d'|que |qu'|si |s')",
    r"(?:dile|diles|avisa|avisale|preguntale|pregunta|escribele|recuerdale) "
    + _WHO.format("es")
    + r" (?:que|si|de)\b",
)


def _led(*forms: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD}(?P<said>{'|'.join(forms)})")


WISHES: Final = {
    "stop": _led(*_STOP),
    "tick": _led(*_TICK),
    "take_back": _led(*_UNDO),
    "share": _led(*_SHARE),
    "tell": _led(*_TELL),
    "arrange": _led(*_BOOK),
}
"""By wish, in search order."""

CORRECTS: Final = re.compile(
    r"^\W*+(?:"
    r"(?:(?:no|sorry|oops|actually|wait|correction|oh)\b[\s,:.!-]*+)++(?:(?:it|that|this|the \w+)(?: was| is|'s)"
    r"|make (?:it|that)"
    r"|i meant?|should be)\b.{0,60}?(?:\d|day\b)"
    r"|(?:(?:no|sorry|oops|wait|correction|nein|korrektur|non|pardon|perdon"
    r"|correccion)\b[\s,:.!-]*+)++[€$£]?\d[\d.,:/]*"
    r"(?: ?(?:[€$£]|eur\w*|usd|gbp|chf|kg|uhr|h|am|pm))?(?:,? (?:not|nicht|pas|no) .{1,20})?\W*$"
    r"|(?:no\W+)?i meant? (?!to\b|it\b|well\b|that\b)|(?:it|that) should (?:be|have been) .{0,60}\d|make (?:it"
    r"|that) \W?\d"
    r"|(?:change|correct|update) (?:that|it|this)\W*(?:please)?\W*$"
    r"|(?:no\W+)?(?:that|this|it)(?:'s| is| was) (?:wrong|not right|incorrect|not correct)\W*$"
    r"|(?:(?:nein|sorry|eigentlich|doch|korrektur|halt)\b[\s,:.!-]*+)++(?:(?:es|das) )?(?:waren?|sind|ist)(?: es"
    r"| das)?\b.{0,40}?\d"
    r"|(?:nein\W+)?ich meinte\b|(?:nein\W+)?das (?:ist|war) falsch\W*$|das stimmt nicht\W*$|korrigiere? (?:das|es)\b"
    r"|(?:(?:en fait|non|pardon|desolee?|erreur)\b[\s,:.!-]*+)++c'(?:etait|est) .{0,40}?\d"
    r"|(?:non\W+)?je voulais dire\b"
    r"|(?:non\W+)?c'est faux\W*$|corrige[rz]? (?:ca|cela)\b"
    r"|(?:(?:en realidad|no|perdon)\b[\s,:.!-]*+)++(?:fue|fueron|eran?|son|es) .{0,40}?\d|(?:no\W+)?(?:quise"
    r"|queria) decir\b"
    r"|(?:no\W+)?eso esta mal\W*$|corrige(?:lo)?(?: eso)?\W*$"
    r")"
)

MOVES: Final = re.compile(
    rf"{_LEAD}(?P<said>(?P<always>reschedule\b|postpone\b|(?:move|push|shift) (?:it|that|this) (?:to|by|back"
    rf"|forward)\b"
    r"|(?:move|push|shift) .{1,80} to (?:half past|quarter (?:past|to)|noon|midday|next week|the week)\b"
    rf"|{_UNSAID}.{{1,100}}\b(?:verschieben|verlegen)(?=\W*$))|move|shift|push|bring|change|update|correct"
    rf"|verschiebe?|verlege?|ander[en]?"
    r"|korrigiere?|(?:deplace|reporte|decale|change|modifie|corrige)[rz]?|mueve(?:lo|la)?|mover|pasa(?:r|lo|la)?|adelanta(?:r|lo|la)?|cambia(?:r|lo|la)?|cambie|aplaza[r]?"
    r"|pospon(?:er)?"
    r"|actualiza)\b(?P<to>.{1,120}\b(?:to|auf|a|en|sur|por) \W?\d)?"
)
TO_A_DAY: Final = re.compile(
    r"(?:\b(?:to|until|till|auf|nach|au|a|al|para|pour|le|el|jusqu'a)|\b(?:auf|to) (?:den|the|next|kommenden"
    r"|nachsten)"
    r"|\ba (?:el|la|las))\s*$"
)
"""Words before the day or hour to which something is moved."""

_TOPIC: Final = (
    r"weather|weather forecast|wetter|wetterbericht|wettervorhersage|meteo|headlines|traffic report|verkehrslage"
    r"|stau(?:s)?"
    r"|embouteillages|trafico|atascos|noticias de hoy|las noticias|actualites|nachrichten von heute|the news|news"
    r"|traffic(?! (?:fine|ticket|light|warden|school|jam fine))"
)
LIVE: Final = re.compile(
    r"\b(?:weather(?! station)|wetter|wetterbericht|wettervorhersage|meteo|quel temps (?:fait|fera)"
    r"|que tiempo (?:hace|hara|va a)"
    r"|(?:is|will) it (?:going to )?(?:be )?(?:rain|snow|sunny|hot|cold)\w*|does it rain|regnet es|schneit es"
    r"|wird es (?:\w+ )?"
    r"(?:regnen|schneien|sonnig|kalt|warm)|va-t-il pleuvoir|il va pleuvoir|va a (?:llover|nevar)"
    r"|(?:on|in|what's|what is) the news\b|(?:latest|today's|world|top) (?:news|headlines)"
    r"|nachrichten (?:von )?heute|actualites"
    r"|noticias (?:de hoy|hay)|(?:hay|son las) noticias|(?:the|much|heavy|any) traffic(?! (?:fine|ticket|light"
    r"|warden|school))"
    r"|traffic (?:like|on|in|to)|verkehrslage|der verkehr|staus?|embouteillages|la circulation(?! sang)|trafico"
    r"|atascos)\b"
)
LIVE_ASKED: Final = re.compile(
    r"^\W*(?!.*\b(?:was|were|did|had|cost|spent?|paid|hat|hatte|gekostet|waren|etait|hizo|gasto|costo"
    r"|how much (?:did|was|is))\b"
    r"(?!\s+(?:ist|gibt|kommt)))(?:.*\?\W*$|(?:what|how|will|is|show|give|check|look up|tell me|wie|wird|zeig"
    r"|sag mir|quel|donne"
    r"|comment|que|como|dime)\b)"
)
LIVE_ALONE: Final = re.compile(rf"^\W*(?:{_TOPIC}){_TODAY}{{0,3}}\W*$")
