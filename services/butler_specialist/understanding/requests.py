# ruff: noqa: E501 - patterns stay on one line
"""What a message asks of the household's records, or of a servant (pure).

Invariant: only imperatives and corrections count, never a report of what somebody did. One that the household's
records decide ("got the eggs", "the plumber was 140, not 130") is `told`: it asks only if there is such an entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from butler_kit.tellings.sorts import sorts_of
from butler_kit.wording.folding import words
from butler_specialist.understanding import request_words as said
from butler_specialist.understanding.course_ends import ended_in
from butler_specialist.understanding.done_words import may_be_done
from butler_specialist.understanding.errands import errand_of
from butler_specialist.understanding.household import kin_of
from butler_specialist.understanding.list_done import BOTH, EVERYTHING, dropped_in, taken_in
from butler_specialist.understanding.negations import says_not
from butler_specialist.understanding.paybacks import payback_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.reminder_words import trigger_in
from butler_specialist.understanding.routines import is_routine
from butler_specialist.understanding.told_words import (
    CALLED_OFF,
    FORGETS,
    INSTEAD,
    MOVED,
    MOVED_BY,
    NOW_AT,
    REMOVES,
    RIGHTS,
)

__all__ = ["Request", "Wish", "object_words", "requests_in"]


class Wish(StrEnum):
    """The kinds of requests."""

    TAKE_BACK = "take_back"
    CHANGE = "change"
    TICK = "tick"
    OVER = "over"
    REMIND = "remind"
    TELL = "tell"
    ARRANGE = "arrange"
    SHARE = "share"
    LIVE = "live"
    STOP = "stop"
    CONTACT = "contact"
    SEE = "see"
    HOME = "home"
    PLAY = "play"
    LOOK_UP = "look_up"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Request:
    """A clause that asks for something.

    `told` if it reports something done, `likely` if no single word says so.
    """

    sentence: Sentence
    wish: Wish
    told: bool = False
    likely: bool = False


_RATHER: Final = 0.5
"""The probability of being done, if something open is named as well."""
_NOT_QUITE: Final = re.compile(
    r"\b(?:not|never|isn't|aren't|wasn't|haven't|hasn't|didn't|nearly|almost|half|still|nicht|noch|nie|kein\w*|fast|halb|pas|jamais|presque|encore"
    r"|no|nunca|casi|todavia|aun)\b|n't\b"
)
_MOST_CLAUSES: Final = 30
"""The most clauses of a message to a butler.

A longer one is a document, whose instructions are not for us.
"""
_MOST_OF_A_MAIL: Final = 8
"""The most clauses; a longer mail was mostly written by somebody else, for somebody else."""
_DOCUMENT: Final = re.compile(
    r"forwarded message|weitergeleitete nachricht|message transfere|mensaje reenviado|original message"
)
_DONE: Final = re.compile(
    r"^\W*+(?:(?:i|we|ok|just|already|finally|have|ich|wir|j'ai|on a|ya|i've|we've)\b[\s,]*+)*+"
    r"(?:(?:got|bought|picked up|paid|settled|done with|finished(?: with)?) .|(?:achete|paye|fait|termine|regle) ."
    r"|(?:he |hemos )?(?:compre|comprado|pague"
    r"|pagado|hecho|terminado) .|habe? .{1,120}\b(?:gekauft|besorgt|bezahlt|uberwiesen|beglichen|erledigt)\W*$)"
    r"|^.{1,120}\b(?:is|are|has been|ist|sind|wurde|est|esta) (?:now |already |jetzt |deja |ya )?(?:done|paid|settled"
    r"|erledigt|bezahlt|uberwiesen|beglichen"
    r"|gekauft|payee?|fait|pagad[oa]|hech[oa])\W*$|^(?:le |la |les |l').{1,60} (?:c'est |c )(?:fait|regle|bon|ok)\W*$|^(?:lo |el |la |los |las ).{1,60} ya esta(?:n)?(?: hech[oa]s?| listo)?\W*$"
    r"|^.{1,60}\b(?:ist|sind) (?:jetzt |schon )?(?:geputzt|gemacht|sortiert|aufgeraumt|bestellt|angemeldet|abgemeldet|gekundigt|angerufen|abgeholt|repariert|gewaschen|weggebracht|abgeschickt)\W*$"
    r"|^.{1,60} (?:is|are|has been|have been) (?:now |already )?(?:ordered|booked|cleaned|sent(?: off| back)?|returned|renewed|fixed|sorted(?: out)?|called|posted)\W*$"
    r"|^.{1,80}\b(?:gekauft|besorgt|bezahlt|uberwiesen|erledigt)\W*$"
)
_EARNED: Final = re.compile(r"\b(?:got|get|gets|was|were|been) paid\b(?! (?:for|off)\b)")
"""Getting paid ticks nothing off."""
_LISTED: Final = re.compile(r"(?:^|\n)[^\n]{1,120}:[ \t]*(?:\n|$)")
_PEOPLE: Final = words("him her them everyone everybody all ihm ihr ihnen allen kids children")
_REMINDS_ANOTHER: Final = re.compile(
    r"remind (?!of\b|about\b|again\b|to\b|me\b|us\b)(?:an? |the |my |our )?(?:\w+ ){1,2}to \w|erinnere? (?!mich\b|uns\b|an\b)(?:\w+ ){1,2}(?:dran|daran|an)\b"
)
"""Somebody reminded of something is a person, in lower case too."""
_NOT_PEOPLE: Final = words("me us you mir uns mich moi nous")
_PLAIN: Final = words(
    "the that this those these and with from for off out our your please last entry entries note notes expense"
    " expenses"
    " appointment appointments reminder task item record bill bills invoice list shopping delete remove cancel"
    " undo move change"
    " reschedule postpone update correct clear forget mark done paid bought got finished picked just already been"
    " have has now are"
    " mit der die das den dem von auf bitte losche losch loschen storniere verschiebe verschieb termin rechnung"
    " liste ist habe"
    " wir ich bezahlt gekauft erledigt besorgt les des une annule supprime efface deplace reporte rendez-vous"
    " facture liste"
    " achete paye fait borra elimina cancela mueve cambia cita factura lista las los una del para comprado pagado"
    " hecho pague compre cambialo muevelo pasalo pasala cambiala deplacelo"
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def requests_in(reading: Reading) -> tuple[Request, ...]:
    """Return the requests, in order; none of a document or of a list with a heading."""
    most = _MOST_OF_A_MAIL if reading.subject else _MOST_CLAUSES
    if len(reading.sentences) > most or _LISTED.search(reading.text) or reading.has(_DOCUMENT):
        return ()
    found = ((sentence, sentence.once(_asked)) for sentence in reading.sentences)
    requests = (
        Request(sentence, *asked) if asked is not None else _likely(sentence, reading)
        for sentence, asked in found
    )
    return tuple(one for one in requests if one is not None)


def object_words(sentence: Sentence) -> frozenset[str]:
    """Return the words that may name the entry meant, without days, numbers and the verb."""
    kept = list(sentence.folded)
    for day in sentence.days:
        kept[day.start : day.end] = " " * (day.end - day.start)
    return frozenset(_one(word) for word in _WORD.findall("".join(kept)) if word not in _PLAIN)


def _one(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _asked(sentence: Sentence) -> tuple[Wish, bool] | None:
    """Return what a clause asks for, and whether it only reports that it was done."""
    wish = next(_wishes(sentence), None)
    if wish is not None:
        return wish, False
    if payback_in(sentence) is not None:
        return Wish.TICK, True
    if sentence.has(_EARNED):
        return None
    if sentence.has(_DONE) and not sentence.amounts and not sentence.unmarked:
        return Wish.TICK, True
    if sentence.has(EVERYTHING) or sentence.has(BOTH) or taken_in(sentence) is not None:
        return Wish.TICK, True
    off = sentence.has(CALLED_OFF) or FORGETS.match(sentence.folded) is not None
    if sentence.has(REMOVES) or dropped_in(sentence) is not None or off:
        return Wish.TAKE_BACK, True
    if sentence.has(MOVED_BY):
        return Wish.CHANGE, True
    if says_not(sentence) and not ended_in(sentence.text):
        return Wish.TAKE_BACK, True
    moved = bool(sentence.days or sentence.times or sentence.unclear_hour) and (
        sentence.has(MOVED) or sentence.has(INSTEAD) or sentence.has(NOW_AT)
    )
    if moved or sentence.has(RIGHTS):
        return Wish.CHANGE, True
    return (Wish.OVER, True) if ended_in(sentence.text) else None


def _likely(sentence: Sentence, reading: Reading) -> Request | None:
    """Return that something may be done, if the whole clause or a participle says so; never for a mail."""
    if reading.subject or sentence.amounts or sentence.unmarked or sentence.has(_NOT_QUITE):
        return None
    sorts = sorts_of(sentence.text.split(",")[0])
    done = sorts.get("done", 0.0)
    as_a_whole = done > _RATHER and done == max(sorts.values())
    likely = (as_a_whole and not sentence.text.rstrip().endswith("?")) or may_be_done(sentence)
    return Request(sentence, Wish.TICK, told=True, likely=True) if likely else None


def _wishes(sentence: Sentence) -> Iterator[Wish]:
    if sentence.has(said.CORRECTS) or _moves(sentence):
        yield Wish.CHANGE
    for name, pattern in said.WISHES.items():
        found = pattern.match(sentence.folded)
        if found and not _is_past(sentence, found) and (name != "tell" or _to_somebody(sentence, found)):
            yield Wish(name)
        if name == "stop" and _asks_to_be_reminded(sentence):
            yield Wish.REMIND
    live = sentence.has(said.LIVE) and sentence.has(said.LIVE_ASKED)
    if live or sentence.has(said.LIVE_ALONE):
        yield Wish.LIVE
    if (errand := errand_of(sentence)) is not None:
        yield Wish(errand)


def _asks_to_be_reminded(sentence: Sentence) -> bool:
    return trigger_in(sentence.folded) is not None or is_routine(sentence.text, sentence.today)


def _is_past(sentence: Sentence, found: re.Match[str]) -> bool:
    """Return whether the verb's accent makes it a past: "annulé", "pagué"."""
    verb = re.match(r"[\w-]+", sentence.text[found.start("said") :])
    return verb is not None and verb.group().lower().endswith("é")


def _moves(sentence: Sentence) -> bool:
    """Return whether an entry gets another day, hour or number: "move the dentist to Friday"."""
    found = said.MOVES.match(sentence.folded)
    if found is None or _is_past(sentence, found):
        return False
    starts = [*(day.start for day in sentence.days), *(moment.start for moment in sentence.times)]
    to_a_day = any(said.TO_A_DAY.search(sentence.folded[:start]) for start in starts)
    renumbered = found["to"] is not None and not found["said"].startswith(("move", "push", "bring", "shift"))
    return to_a_day or renumbered or found["always"] is not None


def _to_somebody(sentence: Sentence, found: re.Match[str]) -> bool:
    """Return whether the word after "tell" is a person: a name, kin, "him"."""
    name = next((key for key in ("en", "know", "send", "to", "de", "gib", "fr", "es") if found[key]), None)
    if name is None or found[name] in _NOT_PEOPLE:
        return False
    if _REMINDS_ANOTHER.match(sentence.folded, found.start("said")):
        return True
    start = found.start(name)
    return sentence.text[start].isupper() or found[name] in _PEOPLE or kin_of(found[name]) is not None
