# ruff: noqa: E501 - patterns stay on one line
"""The words that separate the parts of a sentence, folded as `folding.fold` does."""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.joints import ANDS

__all__ = [
    "ASKS",
    "ASKS_ANEW",
    "COSTS",
    "GIVEN",
    "ITS_VALUE",
    "JOINT",
    "LISTED",
    "LIST_OF_A_DAY",
    "NAMED",
    "NOT_SO",
    "OWES",
    "OWNERS",
    "PAYS",
    "PRONOUNS",
    "PUTS",
    "RIDE",
    "SAYS_TO_DO",
    "TELLS_A_SUM",
    "TO_BE_DONE",
    "USED_UP",
    "WORD",
]

JOINT: Final = re.compile(rf"\s+/\s+|\s*,\s*(?:{ANDS})?|\s+{ANDS}")
_PRONOUN: Final = (
    r"(?:(?:i|we|he|she|they)(?:'\w+)?|ich|wir|er|sie|j'ai|je|nous|il|elle|yo|nosotros|hemos) \w"
)
_OWNED: Final = (
    r"(?:my|our|his|her|their|the|mein\w*|unser\w*|sein\w*|ihr\w*|der|die|das|mon|ma|mes|son|sa|ses"
    r"|le|la|mi|mis|su|sus|el)"
)
PUTS: Final = re.compile(
    r"\W*(?:please |bitte )?(?:add|put|write|setze?|schreibe?|ajoute|mets|anade|pon|apunta)\b"
)
LISTED: Final = re.compile(r"\b(?:list\w*|\w+liste|zettel|lista)\b")
COSTS: Final = re.compile(
    rf"(?:{_OWNED} |l')[^\W\d_]+(?: [^\W\d_]+)? (?:costs?|kostet|kosten|coute(?:nt)?|cuestan?)\b"
)
PRONOUNS: Final = re.compile(_PRONOUN)
OWNERS: Final = re.compile(rf"(?:{_OWNED} |l')")
LIST_OF_A_DAY: Final = re.compile(
    r"\W*(?:(?:on|am|le|el|next|this) )?[^\W\d_]+(?:,? \d{1,2}\.?(?: [^\W\d_]+)?)? ?: "
)
RIDE: Final = re.compile(r"\b[a-z]{2}\d{2,4}\b")
"""A flight or train, whose two times belong to it."""
SAYS_TO_DO: Final = re.compile(
    r"(?:(?:please|bitte|por favor) )?(?:buy|add|cancel|delete|remove|remind|tell|ask|call|ring|text|book|order|pay"
    r"|pick up|bring|put|take|send|write|move|get|kauf(?:e|t)?|besorge?|hole?|streiche?|losche?|storniere|ruf(?:e|t)?"
    r"|bestelle?|buche?|bring(?:e|t)?|schreibe?|achete|ajoute|annule|supprime|appelle|reserve|commande|paie|apporte"
    r"|compra|anade|agrega|apunta|cancela|borra|llama|reserva|pide|paga|trae)\b"
    r" (?!back\b|(?:it|that|this|them|es|das|le|la|lo)"
    r"(?:\W*$| (?:to|from|on|off|auf|zu|von|ab|an|in|aus|a|de|sur|en)\b)|(?:no|nr|number)\b|[\d#])"
)
TO_BE_DONE: Final = re.compile(
    r"\b(?:remind\w*|needs?|ha(?:ve|s)|wants?|like|going|ought|remember|forget|try"
    r"|asks?|asked|tells?|told)\b.{0,20}\bto\b"
    r"|\b(?:zu|daran|que|must|should|can|could|would|muss|mussen|soll\w*|kannst|let's|will|won't|don't)\b|[:?]"
    r"|\b(?:pas|moi|nous|lui|essaie|envie|besoin) d(?:e\b|')|\bhay que\b"
)
"""Words that what follows continues: "remind me to call Tom and buy milk"."""
TELLS_A_SUM: Final = re.compile(
    r"(?:(?:also|noch|auch|aussi|tambien) )?(?:(?:i|we)(?:'ve| have)? |(?:j'ai|on a|nous avons|he|hemos) )?"
    r"(?:(?:ich |wir )?hab\w* .{0,60}?\d.{0,40}?\b(?:bezahlt|gezahlt|ausgegeben)\b"
    r"|(?:paid|spent|got|received|bezahlt|gezahlt|ausgegeben|paye|depense|recu|pague|gaste|recibi)\b"
    r"[^\d,;]{0,20}\d)"
)
OWES: Final = re.compile(
    r"(?:[^\W\d_]+ (?:still |also )?owes? (?:me|us)|(?:i|we) (?:still |also )?owe|[^\W\d_]+ schuldet (?:mir|uns)|(?:ich|wir) schulden?|[^\W\d_]+ (?:me|nous) doit|je dois|[^\W\d_]+ (?:me|nos) debe)\b[^,;]{0,40}\d"
)
"""A debt with its sum: a clause of its own, whatever precedes it."""
PAYS: Final = re.compile(
    r"\b(?:paid|spent|bought|gave|was|were|bezahlt|gezahlt|ausgegeben|gelassen|getankt|gekauft|waren?|paye|depense|achete|claque|laisse|pague|pagado|gaste|gastado|compre)\b"
    r"[^.!?]{0,40}\d|\d[^.!?]{0,40}\b(?:paid|spent|bezahlt|gezahlt|ausgegeben|gelassen|gekostet)\b"
)
"""A sum that was paid, recognised by its verb."""
USED_UP: Final = re.compile(
    r".{2,60} (?:fehlt|fehlen)\W*$|\W*+(?:tambien )?(?:(?:nos |me )?(?:faltan?|hacen? falta)|il (?:nous |me )?manque) (?!que\b|\d).{2,60}$"
)
"""Things that are used up, in words that also say that somebody is away."""
NAMED: Final = re.compile(
    r"[A-ZÄÖÜÉ][^\W\d_]+(?:['’]s [^\W\d_]+)? (?:is|has|was|had|likes|needs|weighs|ist|hat|war|mag|wiegt"
    r"|est|a|était|aime|pèse|es|tiene|pesa) \w"
)
"""The opening of a clause about a named person."""
WORD: Final = re.compile(r"[^\W\d_]{2,}")
GIVEN: Final = re.compile(
    r"(?:(?:i |we )?took (?:an? |some |the |my |two |\d)|me tome|he tomado|(?:j'ai )?pris (?:un|une|du|de|des|mon|ma|\d)|(?:habe? |hab )(?:eine?n? |\d)[^.!?]{2,30}genommen)\b|(?:gave|given|give|gab|gaben|habe?|haben|donne|on lui a donne|je lui ai donne|le he dado|le di) (?:him|her|them|ihm|ihr|ihnen)\b|(?:on|je|nous) (?:lui|leur) (?:ai|a|avons) donne\b|(?:le|les) (?:he|hemos) dado\b|(?:le|les) (?:di|dimos)\b"
)
"""The opening of a clause that says what somebody was given."""
NOT_SO: Final = re.compile(r"(?:not|nicht|pas|no|instead of|statt) (?!\w+ \w+ \w+ \w)")
"""A short denial belongs to the statement before it: "on Friday, not Thursday"."""
ITS_VALUE: Final = re.compile(r"\s*,\s*\d[^,]{0,12}")
"""A value after its name: "Leo has a fever, 38.9"."""
ASKS_ANEW: Final = re.compile(
    r"(?:(?:please |bitte |por favor )?(?:(?:can|could) you )?(?:tell (?:me|us)|sag(?:e|t)?(?: mir| uns)(?: mal| bitte)?|kannst du mir sagen|(?:dis|dites)(?:-| )(?:moi|nous)|dime|dinos)"
    r" (?:what|when|where|who|which|how|was|wann|wo|wer|wie|wieviel|welche\w*|ce qu|quand|ou|combien|qui|quel\w*|a quelle|cuando|cuant\w+|donde|quien|cual|a que)"
    r"|(?:(?:what|when|where|how (?:much|many|long))(?:'s| (?:is|are|was|were|do|does|did|have|has))|(?:wann|wo|was|wie ?viel|wie lange) (?:ist|sind|war|waren|hab\w*|hat|kommt|kommen|geht|fahrt|fliegt)"
    r"|(?:quand|ou|combien) (?:est|sont|etait|avons|a-t|ai-je|on a)|c'est quand|a quelle heure (?:est|part|arrive)|(?:cuando|cuanto|donde) (?:es|esta|son|era|fue|he|hemos|llega|sale)) [^?]{1,120}\?\W*$)"
)
"""The opening of a question behind a statement: "…, when is the dentist?", "… y dime cuánto he gastado"."""
ASKS: Final = re.compile(
    r"\W*(?:(?:and|so|und|also|et|y|e) )?(?:what|when|where|who|which|whose|how|why|do|does|did|is|are|was|were|can|could|has|have|wann|wo|wer|wie|welche\w*|ist|sind|hat|habe?n?|kann"
    r"|quand|ou|qui|quel\w*|combien|est-ce|c'est|que|cuando|cuant\w+|donde|quien|cual|tell|sag\w*|dis|dites|dime|dinos)\b"
)
"""The opening of a question."""
