# ruff: noqa: E501 - patterns stay on one line
"""Unpaid sums: wishes, plans, offers, what was not bought, and what a question names (pure). EN, DE, FR, ES.

Invariant: what is reported as paid is never a plan, and a plan is never counted.
"""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.questions.recognise import asks
from butler_specialist.understanding.loose_sums import NOT_YET
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["is_asked", "is_owed_still", "is_planned", "of_a_plan", "plans_of"]

_BUY: Final = (
    r"(?:buy|buying|get|getting|kaufen|holen|leisten|zulegen|anschaffen|gonnen|bestellen"
    r"|(?:m'|s'|nous )?(?:acheter|offrir|prendre|payer)|comprar\w*|pillar\w*|regalar\w*|permitir\w*|pagar)"
)
_GAP: Final = r"[^.!?]{0,60}?"
_WISH: Final = re.compile(
    rf"\b(?:should|could|shall|might|may|let's|want to|wants to|wanna|gonna|going to|plan(?:ning)? (?:to|on)|thinking (?:of|about)"
    rf"|would love to|need to|have to|must|if (?:i|we)|why don't we|how about|tempted to|looking to|dream of)\b{_GAP}\b{_BUY}\b"
    rf"|\b(?:would|'d) (?:really )?(?:like|love)\b|\bsaving (?:up )?(?:for|to)\b|\b(?:would|might|could|will|gonna) cost\b"
    rf"|\b(?:wants|demands|is asking(?: for)?|verlangt|demande|reclame|pide)\b (?:from us |from me |von uns |von mir |nous |me |nos )?(?:only |just |about |around )?\W?\d"
    rf"|\bi wish\b|\b(?:still |we're |i'm )?thinking about it\b|\bmuss(?:en)? (?:wir |ich )?(?:noch )?uberlegen\b|\blo (?:pensamos|estoy pensando|estamos pensando)\b|\bquote (?:for|from|of|is|was)\b|\bquoted\b|\bestimate[ds]?\b|\bon my wish ?list\b"
    rf"|\b(?:sollten|sollte|konnten|konnte|will|wollen|wollte|wollten|muss|mussen|mussten|werde|werden|vielleicht|uberleg\w*)\b{_GAP}\b{_BUY}\b"
    rf"|\bwurde?\b{_GAP}\bgerne?\b|\bgerne?\b{_GAP}\bwurde?\b|\b(?:mochten?|hatten? gern\w*)\b|\bwurden? {_GAP}kosten\b"
    rf"|\bspare[nt]? (?:auf|fur)\b|\bkostenvoranschlag\b|\bangebot (?:uber|von|fur)\b|\bwunsche? (?:mir|mich)\b|\bwunschliste\b"
    rf"|\b(?:devrait|devrais|devrions|pourrait|pourrais|pourrions|faudrait|va|vais|allons|veux|veut|voulons"
    rf"|pense|pensons|envisage)\b{_GAP}\b{_BUY}\b|\b(?:aimerais|aimerait|voudrais|voudrait|aimerions|voudrions)\b"
    rf"|\benvie (?:de|d')\b|\b(?:couterait|couterai(?:en)?t|va couter)\b|\beconomis\w+ pour\b|\bdevis\b|\bj'hesite\b|\b(?:je|on) reflechi\w+|\bm'annonce\b"
    rf"|\b(?:tendriamos|tendria|deberiamos|deberia|habria|podriamos|podria|tenemos|tengo|hay|quiero|queremos|quiere"
    rf"|vamos a|voy a|pienso|pensamos|pensando)\b{_GAP}\b{_BUY}\b|\b(?:gustaria|quisiera|quisieramos|encantaria)\b"
    rf"|\b(?:will|'ll|want to|going to|gonna|might|plan to) sell\b|\b(?:werden?|will|wollen|mochten?)\b{_GAP}\bverkaufen\b|\b(?:vais|va|allons|veux|voulons) (?:\w+ )?vendre\b|\b(?:voy|va|vamos) a vender\b"
    rf"|\b(?:will|should|is to|are to|going to) be (?:refunded|reimbursed|paid back)\b|\b(?:will|'ll|going to) (?:refund|reimburse|(?:pay|give)\b{_GAP}\bback|get\b{_GAP}\bback)\b"
    rf"|\b(?:wird|werden)\b{_GAP}\b(?:erstattet|zuruckgezahlt|zuruckuberwiesen|zuruckgegeben)\b|\b(?:sera|seront|vont|va) (?:\w+ ){{0,2}}rembours\w+\b|\b(?:sera|seran|van a|va a) (?:\w+ )?(?:reembols|devol|devuel)\w+\b"
    rf"|\bcostaria\b|\bahorra(?:ndo|mos|r)? para\b|\bpresupuesto (?:de|para|del)\b"
)
_TO_BRING: Final = re.compile(
    r"\W*(?:please |bitte )?(?:don't forget|do not forget|remember|bring|vergiss(?: bitte)? nicht|denk an|n'oublie[zs]? pas|no (?:te )?olvides?)\b(?!.{0,80}\b(?:owes?|schulde\w*|doit|dois|debe|debo)\b)"
)
"""Something not to forget is not spent."""
_SUPPOSED: Final = re.compile(
    r"\bif (?:i|we|he|she|they|it)\b.{1,120}\bwould\b|\bwould\b.{1,120}\bif (?:i|we|he|she|they|it)\b|\b(?:nearly|almost) (?:paid|bought|spent|got)\b"
    r"|\b(?:would|could|should) (?:have|'ve) (?:paid|cost|spent|bought)\b|\bnormally \d|\bfor free\b"
    r"|\bwenn\b.{1,120}\b(?:wurden?|hatten?|waren?)\b|\b(?:fast|beinahe)\b.{1,80}\b(?:gekauft|bezahlt|gezahlt|genommen|zahlen)\b|\bhatt?e?n? (?:ich|wir|er|sie) mal\b"
    r"|\b(?:ai|avons|a|as|ont) failli\b|\bsi (?:je|on|nous|j'|il|elle)\b.{1,120}\w+(?:rais|rait|rions|raient)\b"
    r"|\bcasi (?:compro|pago|gasto|compramos|pagamos)\b|\bsi (?:\w+ ){0,3}\w+(?:ara|iera|aramos|ieramos|ase|iese)\b"
)
"""Something hypothetical."""
_SPARED: Final = re.compile(
    r"\b(?:nicht|nix|nichts|kein\w*) (?:be|ge)?zahlen (?:mussen|brauchen|musste|mussten)\b|\b(?:didn't|did not|don't|do not) (?:have|need) to (?:pay|spend)\b"
    r"|\bpas (?:eu (?:a|besoin de)|du) (?:le |la |les )?(?:payer|depenser)\b|\bno (?:he|hemos|ha) tenido que pagar\b|\bno tuv(?:e|imos) que pagar\b"
)
_STILL: Final = re.compile(
    r"\b(?:haven't|havent|have not|hasn't|hasnt|not) (?:\w+ ){0,2}(?:paid|settled)\b.{0,20}\byet\b|\bstill (?:haven't|unpaid|have to pay|need to pay|owe)\b|\bnot yet (?:paid|settled)\b|\bunpaid\b"
    r"|\bnoch nicht (?:be|ge)zahlt\b|\bnoch offen\b|\bmuss(?:en)? (?:ich|wir) noch\b.{0,40}\b(?:be)?zahlen\b"
    r"|\b(?:pas encore|toujours pas) (?:ete )?(?:paye\w*|regle\w*)\b|\b(?:todavia|aun) no (?:lo |la |los |las )?(?:he |hemos |esta )?(?:pagad\w+|pague)\b"
    rf"|\bsin pagar\b|^\W*(?:but |and |aber |mais |pero )?{NOT_YET}\W*$|\d,? {NOT_YET}\W*$"
)
"""Something still to be paid: a bill."""
_MOST_SPOKEN: Final = 300
_NOT: Final = re.compile(
    r"\b(?:didn't|did not|haven't|have not|hasn't|won't|not|never) (?:yet |even |going to )?(?:buy|bought|pay|paid|spend|spent|get)\b"
    r"|\b(?:hasn't|hasnt|has not|haven't|not) (?:yet )?(?:arrived|come(?: (?:in|back|through))?|been (?:refunded|credited))\b|\bnoch nicht (?:da|angekommen|eingegangen|erstattet)\b"
    r"|\b(?:pas encore|toujours pas) (?:ete )?(?:arrive|recu|rembourse)\w*|\b(?:todavia|aun) no (?:ha llegado|me lo|me la|me han|ha entrado)\b"
    r"|\b(?:saved|gespart|economise|ahorrado|ahorre|ahorramos)\b(?! (?:for|up|fur|pour|para)\b)"
    r"|\b(?:nicht|nie|nix|noch nicht) (?:gekauft|bezahlt|gezahlt|ausgegeben|genommen|kaufen)\b"
    r"|\b(?:n'ai|n'a|n'avons|n'ont|ai|a|avons)? ?pas (?:encore )?(?:achete|paye|depense|pris)\b"
    r"|\b(?:no|nunca) (?:lo |la |los |las )?(?:he|hemos|ha|compre|compramos|pague|pagamos|gaste)\b"
)
_PAID: Final = re.compile(
    r"\b(?:paid|spent|bought|got|ordered|(?:be|ge)zahlt|gekauft|ausgegeben|geholt|bestellt|gegonnt|achete|paye|depense"
    r"|compramos|compre|comprado|pague|pagamos|pagado|gaste|gastado|gastamos)\b"
)
_DUE: Final = re.compile(
    r"\b(?:bills?|invoices?|\w*rechnung|factures?|facturas?|rent|miete|loyer|alquiler|due|fallig|owe|recibo|instalment)\b"
)
"""Something to be paid is a bill, not a wish."""
_TO_NOTE: Final = re.compile(
    r"\b(?:note|add|put|log|record|write|save|track|notier\w*|notiere|eintrag\w*|trag\w*|aufschreib\w*|merk\w*|speicher\w*"
    r"|noter|notes|ajoute\w*|enregistre\w*|anota\w*|apunta\w*|anade\w*|guarda\w*|registra\w*)\b"
)


def _says(sentence: Sentence, pattern: re.Pattern[str]) -> bool:
    """Return whether a clause no longer than speech says so."""
    return len(sentence.text) <= _MOST_SPOKEN and sentence.has(pattern)


def is_planned(sentence: Sentence) -> bool:
    """Return whether a clause is about something only wanted, offered, or not paid."""
    if _says(sentence, _SPARED):
        return True
    if sentence.has(_DUE) or _says(sentence, _STILL):
        return False
    if sentence.has(_NOT) or _says(sentence, _SUPPOSED):
        return True
    wanted = sentence.has(_WISH) or (_TO_BRING.match(sentence.folded) and not sentence.has(_TO_NOTE))
    return bool(wanted) and not sentence.has(_PAID)


def is_owed_still(sentence: Sentence, reading: Reading) -> bool:
    """Return whether a clause, or what follows it on its line, says that its sum is not paid yet."""
    if sentence.has(_DUE) and sentence.has(_NOT):
        return True
    if sentence.has(_PAID) and not _says(sentence, _STILL):
        return False
    place = reading.sentences.index(sentence) if sentence in reading.sentences else 0
    behind = reading.sentences[place + 1 : place + 2]
    return _says(sentence, _STILL) or any(
        one.line == sentence.line and not one.amounts and _says(one, _STILL) for one in behind
    )


def of_a_plan(sentence: Sentence, reading: Reading) -> bool:
    """Return whether a clause is a plan, or continues one: "we should buy a TV, about 600 euros"."""
    if is_planned(sentence):
        return True
    if sentence.has(_PAID) or sentence.has(_DUE) or is_owed_still(sentence, reading):
        return False
    place = reading.sentences.index(sentence) if sentence in reading.sentences else 0
    return any(one.line == sentence.line and is_planned(one) for one in reading.sentences[:place])


def is_asked(sentence: Sentence) -> bool:
    """Return whether a clause asks about its sum; "can you note 30 euros for the cinema?" states it."""
    return asks(sentence) and not sentence.has(_TO_NOTE)


def plans_of(reading: Reading) -> bool:
    """Return whether a message names sums, all of them planned."""
    named = [one for one in reading.sentences if one.amounts or one.unmarked]
    supposed = any(_says(one, _SUPPOSED) or _says(one, _SPARED) for one in reading.sentences)
    return bool(named or supposed) and all(of_a_plan(one, reading) for one in named)
