# ruff: noqa: E501 - patterns stay on one line
"""What households say about money, often without a currency: paid sums, debts, and questions about either (pure).

Patterns are matched against the folded text, and every gap in them is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from butler_kit.textmodel.features import fold
from butler_switchboard.routing.explanation import Evidence

__all__ = ["money_talk"]

_GAP: Final = r"[^.!?\n]{0,50}?"
_SUM: Final = (
    r"(?<![\d.,:/#-])\d{1,6}(?:[.,]\d{1,2})?k?(?![\d:/%])(?![.,]\d)"
    r"(?! ?(?:times|mal|fois|veces|days?|tage?|jours|dias|hours?|h\b|stunden|heures|horas|min|weeks?|wochen|years?|jahre|ans\b"
    r"|anos|km|kg|mg|ml|people|personen|pm\b|am\b|uhr|steps|calories|kcal|nights?|mmol|bpm|degrees|grad))"
)
_VERBS: Final = (
    r"spent|paid|lent|borrowed|refunded|reimbursed|owes?|owed|cost|tipped|ausgegeben|bezahlt|gezahlt|gelassen|getankt"
    r"|uberwiesen|gekostet|schuldet|schulde|geliehen|zuruckgezahlt|depense|paye|coute|prete|rembourse|emprunte|doit|dois"
    r"|gaste|gastado|gastamos|pague|pagado|pagamos|costo|costado|debe|debo|preste|devolvio|devuelto|cobrado|zuruckgegeben"
)
_CENTS: Final = r"(?<![\d.,:/])\d{1,5}(?:,\d{2}|\.(?!00\b|15\b|30\b|45\b)\d{2})(?![\d:/%]|[.,]\d| ?(?:kg|km|m|l|g|cm|h|uhr|%|mmol))"
_NO_THING: Final = r"(?:\w*(?:day|tag|woch|abend|di|bado|ingo|edi|oles|eves|rnes|unes|artes|dredi)|today|tomorrow|heute|morgen|demain|hoy|manana|bus|line|linie|gleis|version|from|until|bis|vers|after|before|nach|vor|schnitt|note|average|score|abfahrt|ankunft|zug|bahn|train|departure|arrival|departs|arrives|starts|leaves|begins|beginnt|depart|arrivee|salida|llegada|tren)\b"
"""Words after which such a number is an hour, or something else."""
_AT: Final = r"(?:at|from|for|bei|beim|bei der|fur|in der|im|chez|pour|a la|au|en el|en la|en|por)"
_FOUND: Final[tuple[tuple[str, float, str], ...]] = (
    (
        "a debt",
        6.0,
        r"\b(?:owes? (?:me|us)|(?:i|we) owe \w+|schulde\w* (?:mir|uns)|(?:me|nous) doi(?:t|vent)|(?:me|nos) deben?|(?:ich|wir) schulden? \w+) (?:still |noch |encore |aun |todavia )?(?:[€$£] ?)?\d",
    ),
    ("a sum that was paid", 3.0, rf"\b(?:{_VERBS})\b{_GAP}{_SUM}|{_SUM}{_GAP}\b(?:{_VERBS})\b"),
    (
        "money by another name",
        4.0,
        r"\b(?:\d+|[a-z]{2,}) (?:balles|pavos|tenners?|fivers?|quid|fuffi|zehner|zwanziger|funfziger|hunni)\b",
    ),
    (
        "a debt that is over",
        6.0,
        r"\b(?:(?:doesn't|doesnt|does not|don't|dont|do not) owe|no longer owes?) \w|\bschulde\w* (?:\w+ ){1,2}(?:nichts|nix)\b"
        r"|\bne (?:\w+ )?(?:doi[st]|devons|doivent) plus rien\b|\bya no (?:\w+ )?deb\w+ (?:nada|dinero)\b|\bme l[oa]s (?:ha devuelto|devolvio)\b",
    ),
    ("euros in words", 2.5, r"\b[a-z]{3,}(?:[- ][a-z]+)? euros?\b(?! ?\d)"),
    (
        "a price at a shop",
        3.0,
        rf"{_CENTS} {_AT}\b|\b{_AT} [\w&'-]{{2,20}},? {_CENTS}|\bfrom [\w&'-]{{2,20}}, {_CENTS}",
    ),
    (
        "money handed over",
        4.0,
        r"\b(?:hat|haben) (?:mir|uns) (?:schon |noch )?\d{1,5}(?:[.,]\d\d)? ?(?:euro|€|eur)|\b(?:m'a|m'ont|nous a) (?:avance|prete|donne|file) \d|\bme (?:ha |han )?(?:prestado|dejado|dado|presto|dio|adelanto) \d"
        r"|\b(?:lent|gave|owes?) (?:me|us) (?:a |another )?\d|\bbizum de \d|\b(?:kriegt|bekommt) noch \d{1,5} (?:euro )?von (?:mir|uns)\b|\bwon \d{2,6}\b|\b(?:cobro|cobraron) \d",
    ),
    (
        "a sum behind what it was for",
        4.0,
        r", ?(?:\d{1,6}(?:[.,]\d{1,2})? ?(?:€|£|\$|euros?|eur|gbp|usd|chf)|[€£$] ?\d{1,6}(?:[.,]\d{1,2})?)\W*$",
    ),
    (
        "cents beside a thing",
        3.5,
        rf"(?<!\bum )(?<!\bat )(?<!\ba )\b(?!{_NO_THING})[^\W\d_]{{3,}}(?: (?:for|fur|pour|para|por|de) [^\W\d_]+)?,? {_CENTS}(?=[,.;!)]?(?:\s|$))|^\W*(?:(?:gestern|heute|today|yesterday|hier|ayer|hoy) )?{_CENTS} [^\W\d_]{{3,}}",
    ),
    (
        "a sum with its currency",
        2.0,
        r"(?:(?<![\d.,:/#-])\d{1,6}(?:[.,]\d{1,2})? ?(?:€|euros?\b|eur\b|balles\b|pavos\b)|€ ?\d)(?! ?(?:/|per |pro |par |por ))",
    ),
    (
        "money in a round word",
        6.0,
        r"\b(?:a|the|his|her|my|another|nen|'nen|einen|ein|den) (?:tenner|fiver|grand|fuffi|zehner|zwanziger|funfziger|hunderter|hunni)\b"
        r"|\bune? (?:dizaine|quinzaine|vingtaine|trentaine|quarantaine|cinquantaine|soixantaine|centaine) (?:d'euros|de balles)\b",
    ),
    (
        "two prices",
        2.5,
        rf"{_CENTS} [^\W\d][^.!?\n\d]{{2,40}}?(?:,| and| und| et| y) {_CENTS} [^\W\d]",
    ),
    (
        "what a thing cost each",
        2.5,
        rf"(?:at|a|zu|je|a) (?:{_CENTS}|\d{{1,4}}) (?:each|apiece|pro stuck|chacun|piece|cada un[oa])\b",
    ),
    (
        "a shared sum",
        3.0,
        r"\b(?:split|went halves|geteilt|teilen|partage\w*|entre (?:los |las )?(?:dos|tres|cuatro|\d)|zu (?:zweit|dritt|viert))\b",
    ),
)
_ASKED: Final[tuple[tuple[str, float, str], ...]] = (
    (
        "a question about a sum",
        5.5,
        r"^\W*(?:wait |and |so |um |ok )*how much (?:on|for|did|have)\b|\bwie ?viel (?:fur|furs|bei|beim) \w|\bcuanto (?:de|en|llevo|llevamos) \w|\bcombien (?:de|pour|chez) (?:le |la |les )?\w+\W*$"
        r"|\bj'en suis a combien\b|\bon en est a combien\b|\bwhat\b.{0,20}\b(?:i|we)(?:'ve| have)? (?:paid|parted with)\b|\b(?:losgeworden|hingelegt|verpulvert)\b"
        r"|\bwhat was it (?:i|we) paid\b|\bce que (?:m'a|nous a|m'ont|ca m'a) coute\b|\bhow much cost\b|\bwhat (?:did|have) (?:i|we) (?:paid|spent|parted with)\b",
    ),
    (
        "a question about what was paid",
        4.0,
        rf"\b(?:how much|what)\b{_GAP}\b(?:spend|spent|pay|paid|cost)\b|\bhow much (?:was|were) (?:the|my|our) |\bc'etait combien (?:le|la|les) |\bwie teuer war|\b(?:biggest|largest|highest|most expensive)\b{_GAP}\b(?:expense|purchase|thing|bill|spend)\b"
        rf"|\b(?:did|have) (?:i|we) (?:spend|spent|pay|paid)\b|\beverything (?:i|we) (?:spent|paid|bought)\b"
        rf"|\b(?:wie ?viel|was)\b{_GAP}\b(?:ausgegeben|bezahlt|gezahlt|gekostet|eingenommen|verdient)\b|\b(?:grosste|hochste|teuerste)\w*\b{_GAP}\b(?:ausgabe|rechnung|einkauf)\b"
        rf"|\bcombien\b{_GAP}\b(?:depens\w+|paye|coute)\b|\b(?:depense|paye|coute)\b{_GAP}\bcombien\b|\bplus (?:grosse|grande) depense\b"
        rf"|\bcuanto\b{_GAP}\b(?:gast\w+|pag\w+|costo|costado)\b|\ben que (?:he |hemos )?gast\w+|\bmayor gasto\b",
    ),
    (
        "a question about debts",
        5.0,
        rf"\b(?:do|does|did|who|what|how much)\b{_GAP}\bowes?\b|\bwer schuldet\b|\bschulde[nt]?\b{_GAP}\b(?:geld|was|etwas|noch|ich|mir|uns)\b"
        rf"|\b(?:combien|qui|a qui)\b{_GAP}\b(?:doit|dois|devons|doivent)\b(?! (?:faire|aller|prendre|acheter|etre|venir))|\b(?:doit|dois) (?:encore )?(?:de l'argent|quelque chose|combien)\b"
        rf"|\b(?:quien|cuanto|a quien)\b{_GAP}\b(?:debe|debo|deben|debemos)\b(?! (?:tomar|hacer|ir|dar))|\bdeb(?:e|o|en|emos) (?:algo|dinero)\b",
    ),
    (
        "a question about bills or subscriptions",
        4.0,
        r"\b(?:which|what|any|welche|quels?|quelles?|que|cuales|how many|wie viele|combien d[e'])\b[^.!?\n]{0,20}?\b(?:subscriptions?|bills?|abos?|abonnements?|rechnungen|factures?|facturas?|recibos|suscripciones)\b"
        r"|\b(?:left|still|noch|reste|queda)\b[^.!?\n]{0,20}?\b(?:to pay|bezahlen|zu zahlen|a payer|a regler|por pagar)\b",
    ),
)  # fmt: skip
_PATTERNS: Final = tuple((name, weight, re.compile(said), False) for name, weight, said in _FOUND) + tuple(
    (name, weight, re.compile(said), True) for name, weight, said in _ASKED
)
_ASKS: Final = re.compile(
    r"\?|^\W*(?:and |so |um |wait |please |und |et |y )?(?:remind me what|say me|rappell?e[sz]?(?:-moi)? ce|dime|sag mir|dis-moi|j'en suis|what|how|who|which|does|do|did|show|list|any|wie|was|wer|welche|zeig|combien|qui|quel"
    r"|on a|a qui|cuanto|quien|que|en que|a quien|cual)"
)
_MONEY: Final = re.compile(
    r"[€$£]|\d ?(?:eur|euros?|usd|gbp|chf|dollars?|pounds?|quid|balles|pavos)\b|\d[.,]\d\d\b"
)


def money_talk(text: str) -> Iterator[Evidence]:
    """Yield the first finding about money in a text, if any."""
    folded = fold(text)
    asks = _ASKS.search(folded) is not None
    for name, weight, pattern, question in _PATTERNS:
        if question and not asks:
            continue
        if name == "a sum with its currency" and asks:
            continue
        if name == "a shared sum" and not _MONEY.search(folded):
            continue
        if match := pattern.search(folded):
            yield Evidence(name, match.group()[:40], "finance", weight)
            return
