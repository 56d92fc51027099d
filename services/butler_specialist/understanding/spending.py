# ruff: noqa: E501 - patterns stay on one line
"""Whether what somebody did with a sum is known to be spending (pure). EN, DE, FR, ES.

"Coffee 4.50" names no action, and is what was paid. "I counted 30 in the jar" names an unknown one: to take it for
an expense would be a guess.
"""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.sentence import Sentence

__all__ = ["does_what_is_unknown"]

_MOST_SPOKEN: Final = 300
_NO_DEEDS: Final = r"(?!need|seed|speed|feed|weed|shed|bleed|breed|indeed|united|red|bed|ted|fred|alfred|kindred|hundred|med)"
_SOMEBODY: Final = re.compile(
    r"\b(?:i|i've|i'd|we|we've|he|she|they|they've|who|nobody|somebody|someone|everyone|has|had|have)\b"
    r"|\b(?:ich|wir|er|sie|man|jemand|niemand|hab|habe|haben|hat|hatte|hatten)\b"
    r"|\b(?:je|on (?:m'a|nous|s'est|va|vient)|nous|il|elle|ils|elles|quelqu'un|personne|ai|avons|ont)\b|\bj'"
    r"|\b(?:yo|nosotr[oa]s|ell[oa]s|alguien|nadie|he|hemos|han)\b"
    rf"|\b{_NO_DEEDS}[a-z]{{2,}}[a-z]ed\b|\b(?:bets?|threw|hid|won|kept|told|says?|said|thinks?|reckons?|hopes?|expects?|offers?|is|are)\b"
    r"|\b(?:ist|sind|meint|glaubt|schatzt|restent?|queda[ns]?|tiene[ns]?)\b"
)
"""An action or a state: who did it, a verb in a past form, what something is."""
_WITH_ACCENTS: Final = re.compile(
    r"\b(?:[a-zñ]{2,}(?:ó|aron|ieron)|(?:a|ont) (?!caf)[a-z]+é|(?:cont|gan|junt|apost|guard|escond|prest|ahorr|devolv)[éí])\b",
    re.IGNORECASE,
)
"""Verbs that without accents are nouns, or present tense."""
_COUNTED: Final = re.compile(r"\b(?:ge|nach)?zähl", re.IGNORECASE)
"""Counting money is not paying; without the umlaut it is the same word."""
_SPENDS: Final = re.compile(
    r"\b(?:pa(?:id|y|ys|ying)|spen[dt]s?|spending|spnet|b(?:ought|uy|uys|uying)|costs?|costed|purchas\w*|order(?:ed|s|ing)?|book(?:ed|s|ing)?|g[eo]t|gets|gotten|grabbed|picked|take|took|had|having|ate|eat|eaten|drank|lunch\w*|dined|dinner"
    r"|went|gone|fill(?:ed)?|fuel\w*|tank\w*|topped|renewed|subscrib\w*|signed|registered|enrolled|donated?|gave|given|give|tip(?:s|ped)?|charged?|treat(?:ed)?|invited|rent(?:ed|s)?|hired?|parked|shopped|blew|splashed|splurged|dropped|put down"
    r"|forked|shelled|coughed|came to|comes to|was|were|set (?:me|us|him|her) back|asked for|wanted|took off|debited|deducted|withdr[ae]w\w*|used|transferred|transfer|wired|sent|settled|replaced|repaired|fixed|mended|serviced|cleaned|printed|posted|mailed|shipped|delivered|stayed|entered|watched|played|joined|noted?|add(?:ed)?"
    r"|found|halves|split|shared|share|invested|loaded|recharged|upgraded|installed|fitted|painted|stocked|restocked|refilled|groceries|shopping|bill|invoice|fees?|fare|fine[ds]?|fined|receipt|total|price[ds]?|tickets?|change[ds]?|venmo\w*|paypal\w*|swiped|handed over|chucked|tapped|blown|burn(?:ed|t) through|ran (?:me|us)|did the (?:shop|shopping|groceries)|put (?:\S+ ){0,4}(?:tank|meter|card))\b"
    r"|\b(?:(?:be|ge|an|ab|zu|ein|nach|aus)?zahl\w*|bezahl\w*|gekauft|kauf\w*|eingekauft|einkauf\w*|ausgegeben|usgah|usgeh|ausgaben?|gekostet|koste\w*|kosten|bestellt|gebucht|abgebucht|quittung|\w*rechnung\w*|geholt|getankt|tank\w*|miete|waren?|war|gab|geben|gegeben|gelassen|liegen|gespendet|spende\w*|zugesteckt"
    r"|abgeknopft|hingelegt|hingeblattert|geblecht|gelohnt|uberwiesen|uberweis\w*|geschickt|gegessen|essen|getrunken|trinken|genommen|gegonnt|geleistet|bekommen|gemietet|geliehen|verlangt|berechnet|kassiert|abgezogen|repariert|reparier\w*|gewechselt|machen lassen|gemacht|investiert|beglichen|erneuert|verlangert|abgehoben|geparkt|parken|trinkgeld|eintritt|friseur|notier\w*|eingetragen|gegangen|gefahren|gefunden|besorgt|mitgenommen|bezogen|aufgeladen|verbraten|verprasst|draufgegangen|berappt|springen lassen|gesteckt|drauf|weg|losgeworden|verpulvert|verballert|rausgehauen|hinterlassen|abgedruckt|gelatzt|mitgebracht)\b"
    r"|\b(?:pa(?:ye\w*|ie|ient|yer|yais|yons)|achet\w*|depens\w*|cout\w*|command\w*|reserv\w*|recus?|factur\w*|loyer|pris|prends|mange\w*|bu|donne\w*|trouve\w*|laisse\w*|claque\w*|regle\w*|verse\w*|vire\w*|envoye\w*|fait|faire|mis|ete|etait|etaient|est|sont|loue\w*|repar\w*|chang\w*|offert\w*|debourse\w*|allonge\w*|lache\w*|rempli\w*|plein|courses|sorti\w*|alle\w*|note\w*|ajoute\w*|retire\w*|preleve\w*|debite\w*|recharge\w*|abonne\w*|inscri\w*|eu|craque\w*|crame\w*|raque\w*)\b"
    r"|\b(?:pag\w*|gast\w*|compr\w*|cost\w*|cuest\w*|cobr\w*|recibo\w*|factura\w*|ped(?:i|imos|ido|ir|io)|reserv\w*|alquil\w*|com(?:i|io|imos|ido|ida|er)|cen(?:a|e|amos|ado|ar|aron)|almor\w*|desayun\w*|tom(?:e|o|amos|ado|ar|aron)|bebi\w*|di|dio|dimos|dieron|dado|dej(?:e|o|amos|ado|aron)|bizum|transfer\w*|envi(?:e|o|amos|ado|aron)|mand\w*|ech\w*|llen\w*|repost\w*|hice|hizo|hicimos|hecho|fue|fueron|era|eran|es|son|estaba\w*|arregl\w*|repar\w*|cambi\w*|puse|puso|puesto|met(?:i|io|imos|ido)|invit\w*|regal\w*|don(?:e|o|amos|ado)|sal(?:i|io|imos|ido|ieron)|apunt\w*|anot\w*|anad\w*|sac(?:o|amos|ado|aron)|recarg\w*|renov\w*|fui|fuimos|ido|encontr\w*|ticket|entradas?|compra|solt(?:e|amos|ado)|apoquin\w+|fundi\w*|cay(?:o|eron)|pill(?:e|amos|ado))\b"
)
"""Words of spending, in a wide sense: each may be followed by what was paid."""


def does_what_is_unknown(sentence: Sentence) -> bool:
    """Return whether the clause names an action, and none that spends money."""
    text = sentence.text
    if len(text) > _MOST_SPOKEN:
        return False
    if _COUNTED.search(text):
        return True
    return bool(sentence.has(_SOMEBODY) or _WITH_ACCENTS.search(text)) and not sentence.has(_SPENDS)
