# ruff: noqa: E501 - patterns stay on one line
"""What a sum is for, and who is paid (pure): "for school books", "die Rechnung der Stadtwerke". EN, DE, FR, ES.

A pronoun is neither, in these languages and in Russian: "You paid 42 EUR at Rewe" is 42 EUR at Rewe.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold, words
from butler_specialist.locale import say
from butler_specialist.understanding.money import Amount
from butler_specialist.understanding.purchases import SHOPS
from butler_specialist.understanding.reading import Sentence

__all__ = ["FILLERS", "for_what", "is_paper", "party_of", "purpose_of", "said_without", "told_purpose"]

_FOR: Final = re.compile(
    r"\b(?:for|fur|furs(?! (?:quartal|halbjahr|jahr|monat|semester|wochenende|erste|zweite|kommende|nachste|letzte|ganze)\b)|pour|para|por)\b\s+(?:(?:the|my|our|die|den|das|der|la|le|les|el|los|las)\s+|l'\s*)*"
)
_PAPER: Final = re.compile(
    r"\b(?P<what>(?:(?!attached |enclosed |the |our |my |an |this |your |and |of |die |der |das |eine |meine |les |une "
    r"|los |una |mon |mes |for )[^\W\d_]{3,} )?(?:bill|invoice|receipt"
    r"|rechnung|quittung|facture|recu|factura|recibo)"
    r"(?:\s+(?:of|from|for|der|des|vom|von|de|du|d'|del|de la)\s*(?:the\s+)?[^\W\d][^\d,.;:()]{1,40}?)?)"
    r"(?=\s*(?:[,.;:(]|$|\bis\b|\bist\b|\best\b|\bes\b|\bover\b|\buber\b|\bdue\b|\bin hohe\b|\d|\bwas\b"
    r"|\bwurde\b|\bcame\b|\barrived\b|\bkam\b|\bgekommen\b))"
)
_PAPER_WORD: Final = re.compile(r"(?:bill|invoice|receipt|rechnung|quittung|facture|recu|factura|recibo)\b")
_GIVEN_FOR: Final = re.compile(
    r"\b(?:got|bought|ordered) (?:[^\W\d_]+ )?(?:an? |some )(?P<what>[^\W\d_](?:[^\W\d_]|[' -]){1,40}?) for (?:(?:his|her|their|my|our|your|the) )?(?:[\w-]+ )?(?:birthday|bday|anniversary|wedding|christening|graduation|christmas|xmas)\b"
    r"|\b(?:hab|habe|haben) .{0,30}?\beine?n? (?P<was>[^\W\d_](?:[^\W\d_]|[' -]){1,40}?) (?:zum|zur) (?:[\w-]+ )?(?:geburtstag|hochzeit|taufe|weihnachten|abschluss)\b"
)
"""The occasion of a gift is what the sum is for."""
_DUES: Final = re.compile(r"\b(?:rent|miete|loyer|alquiler)\b")
_EARNED: Final = re.compile(r"(?:salary|wages|payslip|income|gehalt|lohn|salaire|sueldo|nomina)$")
_TRANSFER: Final = re.compile(r"\biban\b")
"""Words that say where to, not what for."""
_NEXT_ITEM: Final = re.compile(r"\s\d{1,2}$")
"""The number of a list's next line, "taxi 2.", where lines were joined."""
_CONTRACT: Final = re.compile(r"\b(?:subscription|membership|abo|abonnement|suscripcion)\b")
_AT: Final = re.compile(
    r"\b(?:at|from|bei|beim|bei de[rmn]|chez|en el|en la|en|(?i:bei))\s+(?:the\s+)?(?P<who>(?i:"
    + SHOPS
    + r")\b"
    r"|(?<!\ben )[A-ZÄÖÜÉ][\w'&.-]*(?:\s+[A-ZÄÖÜÉ][\w'&.-]*){0,3}|[a-z]+ store)"
)
_STOP_AT: Final = re.compile(
    r"\s*(?:[.,;:!?()\n]|\b(?:on|am|le|el|um|due|cash|bar|by|mit|with|at|bei|chez|today|yesterday|heute"
    r"|gestern|hier|ayer|hoy|paid|bezahlt|ausgegeben"
    r"|gezahlt|pagado|paye|gekauft|and|und|but|aber|mais|pero|then|dann|danach|puis"
    r"|when|while|because|als|weil|wahrend|quand|parce|cuando|porque|ensuite|luego|despues|is|ist|was|a month|per month|im monat|par mois|al mes)\b)"
)
_ABOUT: Final = re.compile(
    r"^\W*(?:(?:the|my|our|die|der|das|la|le|el)\s+|l'\s*)(?P<what>[^\d,.;:]{3,40}?)\s+(?:renews?|costs?|kostet"
    r"|coute|cuesta|verlangert)"
)
FILLERS: Final = words(
    "then dann danach puis ensuite luego despues but aber mais pero also"
    " please bitte pay pays zahlen bezahlen payer pagar"
    " paid spent bought we i have has just today yesterday for a an the on cash bezahlt gezahlt habe heute"
    " gestern fur ausgegeben gekauft ich wir paye j'ai"
    " aujourd'hui hier pour pague he gaste compre hoy ayer por para and und eur euro it of is was been"
    " um am received split shared came arrived landed renews renewed renewal verlangert"
    " got refunded bei at chez my our due owe per month next payment total from"
    " costs cost kostet coute cuesta back zuruck"
    " had hast hat haben habt hatte hatten avez avons ont as han hemos ha habeis he"
    " ugh oh so ok hey hab grad gerade eben jetzt now nur noch auch mal halt just another extra spend gelassen war"
    " waren beim gekostet gegeben cost noted only about around etwa circa ca ungefahr rund environ seulement solo unos"
    " unas m'a m'ont c'etait etait ca cela deja encore ai eu monthly mensuel mensuelle monatlich mensual went up"
    " down goes comes came out gone altogether total insgesamt"
    " regler avant antes before bis until spatestens hay que pagarlo pagarla must be payer laisse dejado"
    " ha han sido costado m'a-t-il geld money dinero argent"
    " bezahlst bezahlte bezahlten payez payons payaient pagado pagaste pago pagan pagamos gastado gastaste"
    " compraste comprado en el la los las"
    " cobro cobro cobraron transferred dropped gave give left sent wants want charged lol smh like so each apiece halves went n bucks hi"
    " haven't havent hasn't hasnt didn't not yet nicht anyway trotzdem quand-meme"
    " gespendet gegeben abgeknopft zugesteckt gekriegt donne pris m'a-t-elle di dio bizum ok okay never yet these those they them that"
    " s plus m'en l'en t'en rendu rendue rendus zuruckgegeben devuelto"
    " заплатил заплатила заплатили потратил потратила потратили купил купила купили за в на"
)
_PRONOUNS: Final = words(
    "i you he she it we they me him her us them my your his our their mine yours hers ours theirs myself yourself"
    " himself herself ourselves yourselves themselves"
    " ich du er sie es wir ihr mich dich ihn uns euch ihnen mir dir ihm mein meine dein deine sein seine unser unsere"
    " euer eure ihre selbst"
    " je j'ai tu il elle on nous vous ils elles moi toi lui eux leur te se mon ma ton ta son sa notre votre soi"
    " yo usted el nosotros nosotras vosotros vosotras ustedes ellos mi ti nos os lo le les su sus tus mis"
    " я ты он она оно мы вы они мне меня тебе тебя ему его ей ее нам нас вам вас им их мной тобой мой твой наш ваш"
)
_JOINING: Final = words(
    "and und et y e with mit avec con in im to zu zum zur au aux al from von vom of de du des del der die das den dem"
    " los las an une eine einen ein un una le les by last next this letzten letzter nachsten dernier pasado per via"
)
"""Kept between two words of a title, never at its end."""
_NOTHING, _JOINS, _SAYS = range(3)
_ALSO_A_NAME: Final = frozenset({"ella", "ellas"})
"""Spanish for "her", and a name: a pronoun only in lower case or as the first word."""


def purpose_of(sentence: Sentence, amount: Amount) -> str | None:
    """Return what the sum is for, in the sender's words, or None."""
    if len(sentence.amounts) == 1 and (given := _GIVEN_FOR.search(sentence.folded)) is not None:
        group = "what" if given["what"] else "was"
        return sentence.text[given.start(group) : given.end(group)]
    told = told_purpose(sentence, amount)
    if told is not None:
        return told
    named = _named_in(sentence)
    return said_without(sentence, amount) if named is None else named


@lru_cache(maxsize=64)
def _named_in(sentence: Sentence) -> str | None:
    """Return the paper, the thing or the dues that the sentence names; called for each of its sums."""
    found = _PAPER.search(sentence.folded) or _ABOUT.search(sentence.folded)
    if found:
        return sentence.text[found.start("what") : found.end("what")].strip()
    dues = _DUES.search(sentence.folded)
    return sentence.text[dues.start() : dues.end()] if dues else None


def told_purpose(sentence: Sentence, amount: Amount) -> str | None:
    """Return the words after "for", as the sender wrote them."""
    others = sentence.amounts
    place = bisect_right(others, amount.start, key=lambda other: other.start)
    after = others[place].start if place < len(others) else len(sentence.text)
    for start, end in ((amount.end, after), (0, amount.start)):
        for match in _FOR.finditer(sentence.folded, start, end):
            found = _words_after(sentence, match.end())
            if found:
                return found
    return None


@lru_cache(maxsize=64)
def party_of(text: str) -> str | None:
    """Return the shop or firm named after "at" or "from"; called for each sum of a sentence."""
    for match in _AT.finditer(text):
        who = match["who"].strip(" .")
        if not _is_pronoun(who):
            return who
    return None


def for_what(title: str | None, language: Language = "en") -> str:
    """Return ` for groceries`; the name of a paper in brackets instead; empty without a title."""
    if not title:
        return ""
    return f" ({title})" if is_paper(title) else say(language, " for {title}", title=title)


def is_paper(title: str) -> bool:
    """Return whether the title is a bill, a receipt, a subscription or a salary rather than a purchase."""
    folded = fold(title)
    named = (_PAPER_WORD.match(folded), _CONTRACT.search(folded), _EARNED.match(folded))
    return any(found is not None for found in named)


_MEASURED: Final = re.compile(
    r"(?<![\w.,])(?:\d+(?:[.,]\d+)?|an?|half an?) ?(?:kgs?|kilos?|gr?|grams?|gramm|grammes?|gramos?|l|ltrs?"
    r"|lit(?:er|re|ro)s?|[cm]l|[ck]?m|pcs|packs?|packets?|box(?:es)?|bottles?|bags?|cans?|dozen|pairs?|stuck|packung(?:en)?"
    r"|flaschen?|dosen?|tuten?|paar|paquets?|bouteilles?|boites?|douzaine|paires?|paquetes?|botellas?|latas?|docena"
    r"|pares?)\b\.?(?: (?:of|von|de)\b| d')?"
)
"""A quantity of a thing: "3 kg of" potatoes."""


def said_without(sentence: Sentence, amount: Amount) -> str | None:
    """Return the rest of a short sentence without the sum, days and filler words."""
    if sentence.has(_TRANSFER):
        return None
    kept = sentence.text
    spans = [(amount.start, amount.end), *((day.start, day.end) for day in sentence.days)]
    spans += [match.span() for match in _MEASURED.finditer(sentence.folded)]
    for start, end in spans:
        kept = f"{kept[:start]}{' ' * (end - start)}{kept[end:]}"
    named = (party_of(sentence.text) or "").split()
    spoken = re.findall(r"[^\W\d_][\w'&-]*", kept)
    opening = spoken[0] if spoken else None
    weights = [
        _weight(word, gone=word in named or _is_pronoun(word, first=word is opening)) for word in spoken
    ]
    left = [
        word
        for place, word in enumerate(spoken)
        if weights[place] == _SAYS or (weights[place] == _JOINS and _between(weights, place))
    ]
    return " ".join(left) if 0 < len(left) <= 8 else None


@lru_cache(maxsize=1024)
def _weight(word: str, *, gone: bool) -> int:
    folded = fold(word)
    if folded in _JOINING:
        return _JOINS
    return _NOTHING if gone or folded in FILLERS else _SAYS


def _between(weights: Sequence[int], place: int) -> bool:
    """Return whether it stands between meaningful words."""
    return 0 < place < len(weights) - 1 and weights[place - 1] == weights[place + 1] == _SAYS


def _words_after(sentence: Sentence, start: int) -> str | None:
    ends = [amount.start for amount in sentence.amounts if amount.start >= start]
    ends += [day.start for day in sentence.days if day.start >= start]
    limit = min(ends, default=len(sentence.text))
    stop = _STOP_AT.search(sentence.folded, start, limit)
    end = stop.start() if stop else limit
    piece = sentence.text[start:end].strip(" \t-–")
    if sentence.text[end : end + 1] == ".":
        piece = _NEXT_ITEM.sub("", piece)
    if _is_pronoun(piece):
        return None
    return piece if re.search(r"[^\W\d_]{2,}", piece) and len(piece) <= 80 else None


@lru_cache(maxsize=1024)
def _is_pronoun(word: str, *, first: bool = False) -> bool:
    return fold(word) in _PRONOUNS or word in _ALSO_A_NAME or (first and fold(word) in _ALSO_A_NAME)
