# ruff: noqa: E501 - patterns stay on one line
"""The words with which people take back or correct what they just said, as typed in a hurry. EN, DE, FR, ES.

All are matched against a folded message. `SURE` words alone mean that something was wrong; `SOFT` ones only open what
may be a correction ("no", "actually"); `COPULA` introduces what is right instead.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "APART", "ASIDE_AFTER", "ASIDE_BEFORE", "BARE", "COPULA", "FORGET", "FORGET_BECAUSE", "INSTEAD_OF", "LEAD",
    "NEGATED_VERB", "NOT_BUT", "OF_IT", "PAID", "TAIL",
]  # fmt: skip

_FORGET: Final = (
    # English
    r"(?:scratch|strike|disregard|scrap|forget|ignore|drop|cancel|delete|undo) (?:about )?"
    r"(?:that|this|it|that one|all that|the last (?:one|message|bit)|my last (?:one|message)"
    r"|what i(?: just| have just|'ve just)? (?:said|wrote|told you|sent|typed)|i (?:said|wrote) (?:that|anything|it))"
    r"|never ?mind(?: (?:that|it|about that|me|what i said))?|nvm|no,? (?:forget|cancel) it|(?:actually )?don't (?:save|keep|note) that"
    r"|on second thoughts?,? no|changed my mind"
    # German
    r"|vergiss(?: (?:es|das|den|die|was ich (?:gerade |eben )?(?:gesagt|geschrieben) (?:habe|hab)))?|vergessen sie (?:es|das)"
    r"|lass (?:es|das|gut sein|stecken|mal)|(?:streich|losch|nimm|mach|storniere?|entferne?) (?:das|es|den|die)"
    r"(?: (?:raus|weg|zuruck|ruckgangig))?|das (?:streichen|loschen|vergessen|ruckgangig machen)"
    r"|(?:kannst du |konntest du )?(?:(?:das|es|den|die) )?(?:bitte )?(?:wieder )?(?:loschen|streichen|rausnehmen|rauswerfen|stornieren|vergessen)"
    r"|(?:ach |nee |nein )?(?:doch nicht|hat sich erubrigt)"
    # French
    r"|laisse(?:z)?(?: (?:tomber|beton))?|oublie[rz]?(?: (?:ca|cela|tout|tout ca|ce que (?:j'ai|je viens de) (?:dit|dire|ecrit|ecrire)))?"
    r"|annule[rz]?(?: (?:ca|cela|tout))?|(?:efface|supprime|enleve|vire)[rz]?(?: (?:ca|cela))|tu peux (?:l')?(?:effacer|oublier|supprimer|annuler)"
    r"|(?:non )?(?:finalement|en fait) non|non rien"
    # Spanish
    r"|olvid(?:alo|ala|ate|a|ate de eso|ate de)(?: (?:eso|esto|lo que (?:dije|he dicho|acabo de decir|te dije)))?|dejalo(?: estar)?|da igual"
    r"|(?:borra|cancela|anula|quita|elimina)(?:lo|la)?(?: (?:eso|esto|lo ultimo))?|(?:al final|mejor|pues) no|no,? nada|nada,? (?:dejalo|olvidalo)"
)
_BESIDE: Final = (
    r"please|pls|plz|thanks|thank you|again|sorry|then|ok|okay|oh|ah|ach|oops|hey|bitte|danke|wieder|mal|doch|einfach|sorry|nee|nein"
    r"|stp|svp|s'il te plait|merci|pardon|non|bon|ben|alors|euh|por favor|porfa|gracias|perdon|no|ay|bueno|actually|wait|well|und|and|et|y|deja|venga|vale|komm|lol|haha"
)
FORGET: Final = re.compile(rf"^\W*+(?:(?:{_BESIDE})\b\W*+)*?(?:{_FORGET})(?:\W++(?:{_BESIDE})\b)*+\W*$")
"""The whole message takes back what was said last."""

_FORGET_IT: Final = (
    r"(?:scrap|scratch|delete|remove|undo|cancel|forget|ignore) (?:that|this|it|that one)|take (?:that|it) (?:off|out|back)"
    r"|(?:losch|streich|nimm)e? (?:das|es|den|die)(?: (?:raus|weg|zuruck))?|(?:das|es) (?:loschen|streichen)"
    r"|(?:efface|supprime|enleve|annule|retire|vire)[rz]?(?:[ -](?:ca|cela|le|la))?"
    r"|(?:borra|quita|elimina|anula|cancela)(?:lo|la| eso| esto)"
)
_BECAUSE: Final = (
    r"wrong|mistake|paid|was|were|is|that'?s|it'?s|isn'?t|not|falsch|war|ist|hat|haben|nicht|c'(?:est|etait)|etait|etaient|n'est|paye|pas"
    r"|es|era|fue|fueron|ha|pago|pagado|equivocad[oa]|error|no"
)
FORGET_BECAUSE: Final = re.compile(
    rf"^\W*+(?:(?:{_BESIDE})\b\W*+)*?(?:{_FORGET_IT})\s*+[,;.:–-]\s*+(?=[^\d]*\b(?:{_BECAUSE})\b)[^\d?]{{3,90}}$"
    rf"|^\W*+(?:(?:{_BESIDE})\b\W*+)+(?=[^\d]*\b(?:{_BECAUSE})\b)[^\d?]{{3,90}}[,;.:–-]\s*+(?:{_FORGET_IT})\W*$"
)
"""The same with a reason after or before it, which states nothing: "scrap that, Orla paid it herself"."""

_SURE: Final = (
    r"oops|oopsie|whoops|ooops|correction|typo|meant(?! to\b)|numbers? (?:swapped|the wrong way round)|my (?:bad|mistake)|i mea?nt?(?! (?:to|it|well|that|for)\b)|i wanted to say|scratch that|make (?:that|it)(?! (?!earlier|later)\w+er\b)"
    r"|(?:that|this|it)(?:'s| is| was) (?:wrong|not right|incorrect|a typo|a mistake)|wrong|i (?:made a mistake|got (?:that|it) wrong|mistyped|misread)"
    r"|(?:it |that )?should(?:'ve| have) been|(?:it |that )?should be|change (?:that|it|this) to|not quite|rather"
    r"|ups|hoppla|korrektur|vertippt|verschrieben|vertan|verlesen|verguckt|ich (?:habe? mich )?(?:vertippt|verschrieben|vertan|geirrt|verlesen)"
    r"|(?:hab|habe) mich (?:vertippt|verschrieben|vertan|geirrt)|ich mein(?:te|e)?(?!,? dass)|meinte|gemeint war|das (?:war|ist) (?:falsch|quatsch)|falsch"
    r"|stimmt nicht|das stimmt nicht|quatsch|blodsinn|unsinn|mach (?:da |das |es )?(?:draus|daraus)?|genauer gesagt|vielmehr|tippfehler|zahlendreher|(?:hab|habe) mich verrechnet|verrechnet"
    r"|oups|erreur|faux|je (?:me suis|m'suis) (?:trompee?|plantee?|gouree?)|je voulais (?:dire|ecrire)|je veux dire(?! que)|faute de frappe|c'est (?:faux|pas ca)|rectification"
    r"|mets plutot"
    r"|me (?:equivoque|he equivocado|confundi|he confundido|he colado|cole)|mejor dicho|quise decir|queria decir|quiero decir(?! que)|digo(?! que)|corrijo|correccion|error|eso esta mal"
    r"|uy|fe de erratas|errata"
)
_SOFT: Final = (
    r"no+|nope|nah|sorry|soz|sry|(?:i )?beg your pardon|apologies|wait|hang on|hold on|actually|in fact|not that|nein|nee+|ne|no|moment|halt|stopp|warte|doch|eigentlich|entschuldigung"
    r"|verzeihung|besser|lieber|erst|und zwar(?: erst)?|non|nan|pardon|desolee?|attends?|attendez|plutot|en fait|finalement|enfin|perdona?|perdon|perdone|espera|mejor"
    r"|en realidad|al final|disculpa"
)
_FILLER: Final = r"oh|ah|ach|mince|zut|mist|verdammt|damn|joder|vaya|uf|ostras|ach so|ok|okay|hey|so|well|hmm*|uh|uhm|lol|haha|euh|ben|bon|ay|bueno|pues|and|und|et|y|aber|but|then|je|ja|please|bitte|mal"
LEAD: Final = re.compile(rf"\W*+(?:(?P<sure>{_SURE})|(?P<soft>{_SOFT})|(?P<filler>{_FILLER}))(?![\w'])\W*+")
"""One opener; a message may have several of them."""
TAIL: Final = re.compile(
    r"[\s,.;:!-]++(?:(?P<sure>(?:is what )?i mea?nt?|meinte ich|mein ich|meine ich|war gemeint|je voulais dire|quise decir|queria decir|pardon"
    r"|perdon|sorry|oops|correction|desolee?|entschuldigung|verzeihung)|(?P<filler>(?:waren|war|sinds?|ist) es|waren's|war's|it was|please|bitte|stp|svp|por favor|thanks|danke|merci|gracias|lol|en fait|en realidad|now"
    r"|instead|stattdessen|nicht|though|doch))\W*+$"
)
_BARE_NUMBER: Final = (
    r"\d(?:[\d.,:/]*\d)?(?: ?(?:€|\$|£|euros?|eur|kg|kilos?|grad|degrees|mg/dl|uhr|h|[ap]m|%))?"
)
_ASIDE: Final = r"[^\W\d_][\w'’-]*+(?: [^\W\d_][\w'’-]*+){0,4}"
ASIDE_BEFORE: Final = re.compile(rf"\W*+(?P<aside>{_ASIDE})\s*+[,;:–-]\s*+(?P<right>{_BARE_NUMBER})\W*$")
"""A number alone after a few words that say why: "nurse fingers, 148/76"."""
ASIDE_AFTER: Final = re.compile(rf"\W*+(?P<right>\S.*?)\s*+[,;–-]\s+(?P<aside>{_ASIDE})\W*$")
"""A few words without a number after what is right: "368,20, baile de números"."""
APART: Final = re.compile(r"[\s,;]++(?:(?:and|und|et|y) )?(?:not|nicht|pas|no|ni|kein)\s++")
"""The right value comes before it, the wrong one after it."""
NEGATED_VERB: Final = re.compile(
    r"^\W*+(?:i|we|you|he|she|they|ich|wir|du|er|ihr|je|on|nous|tu|il|elle|ils|yo|nosotros)\b(?:'(?:m|re|s|ve|d|ll))?(?:\s++[\w'-]++)?\W*+$"
    r"|^\W*+(?:there(?:'s| is| are| was| were)|es gibt|gibt es|il y a|hay)\W*+$"
    r"|\b(?:am|are|is|was|were|be|been|do|does|did|have|has|had|will|would|can|could|ist|sind|war|waren|hat|haben|est|sont|es|son|esta|estan)\W*+$"
)
"""A subject with its verb stands before the "not": the clause only denies, and says nothing is right."""
INSTEAD_OF: Final = re.compile(
    r"[\s,]++(?:instead of|rather than|statt|anstatt|au lieu d[eu']|en vez del?|en lugar del?)\s*+"
)
NOT_BUT: Final = re.compile(
    r"^\W*+(?:(?:and|und|et|y|but|also)\s++)?+(?:not|nicht|pas|ce n'(?:est|etait) pas|c'(?:est|etait) pas|no|no era|no es|it (?:is|was)n't|it(?:'s| was| is) not"
    r"|das (?:war|ist) nicht|es (?:war|ist) nicht)\s++(?P<wrong>(?:[^,;.!]|(?<=\d)[.,](?=\d)){1,60}?)"
    r"(?:\s*+(?:;|(?<!\d)[,.]|[,.](?!\d))\s*+(?:(?:but|sondern|mais|sino)\s++)?+|\s++(?:but|sondern|mais|sino)\s++)(?P<right>\S.*)$"
)
"""The wrong value comes first."""
COPULA: Final = re.compile(
    r"\W*+(?:it(?:'s|s| is| was| were)|that(?:'s|s| is| was)|this (?:is|was)|(?:they|there) (?:were|was)|he(?:'s| is)|she(?:'s| is)|his name is|her name is"
    r"|the name is|(?:he|she|it|they)(?:'s| is| are) called|i (?:paid|gave(?: (?:him|her|them))?)|it cost|(?:it|he|she|they) (?:comes?|came|starts?|leaves?)"
    r"|(?:it's |is )?(?:now|only) "
    r"|(?:das|es|sie|er) (?:ist|war|sind|waren|kostete?|heisst|kommt|beginnt)|(?:ist|war|waren|heisst|hiess)|es (?:sind|waren)"
    r"|c'est|c'etait|ce sont|ce sera|il (?:vient|s'appelle|est|etait|y en avait)|elle (?:vient|s'appelle|est|etait)|ca (?:fait|faisait|a coute|coute)"
    r"|j'ai paye|etait"
    r"|es|era|eran|fue|fueron|son(?! [\w-]{2,20} (?:est|etait|a|sera)\b)|sera|se llama|viene|costo|pague|(?:lo|la) de)(?![\w'])\W*+"
)
"""Introduces what it was instead."""
PAID: Final = re.compile(r"\W*+(?:i (?:paid|gave(?: (?:him|her|them))?)|j'ai paye|pague)(?![\w'])\W*+")
"""Those of them that may also tell of a payment for the first time."""
OF_IT: Final = re.compile(r"\b(?:(?:for|on) (?:it|that|this|them)|dafur|pour (?:ca|cela)|por (?:eso|ello))\b")
"""Points back at what was told."""
BARE: Final = re.compile(r"\*\s*+(?P<right>[^\W\d_][\w'’ .-]{1,40})\*?$|^(?P<other>[^\W\d_][\w'’-]{2,30})\*$")
"""The word alone, with the asterisk of chats: "*Sarah"."""
