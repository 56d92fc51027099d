# ruff: noqa: E501 - patterns stay on one line
"""Changes to lists: "add milk and eggs to the shopping list", "we're out of milk" (pure). EN, DE, FR, ES, RU.

Invariant: a text puts only its own words on a list; without a list it means `at_list`, the one mentioned before,
else the shopping list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_specialist.understanding.joints import AND
from butler_specialist.understanding.list_items import pieces
from butler_specialist.understanding.list_names import LIST, PACKING, SHOPPING, TASKS, name_in, named
from butler_specialist.understanding.list_placed import VERB, placed_in
from butler_specialist.understanding.list_wants import (
    ELLIPTIC,
    HEADED,
    HEADED_TASKS,
    NOT_TO_FORGET,
    PUT,
    PUT_AT_THE_END,
    PUT_ON_THE_LIST,
    PUT_THERE,
    TASKS_AT_THE_END,
    TO_DO,
    TO_PACK,
    UNSAID,
    WANTED,
    is_goods,
)
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["PACKING", "SHOPPING", "TASKS", "ListChange", "change_of", "goes_on", "list_changes", "list_name"]

_TO: Final = (
    r"(?:to|on|onto|auf|in|zu|a|sur|dans|en|в|из|from|off|von|de)"
    r"(?: (?:the|my|our|die|der|den|unserer?|unsere|meine|la|ma|notre|mi|nuestra))?"
)
_PUTS: Final = (
    r"(?:add|put|append|note|write|stick|pop|chuck|jot|throw|setz[et]*|schreib\w*|pack\w*|nimm|tu|fuge?|notier\w*"
    r"|(?:r?ajoute|rajoute)[rz]?|mets|mettez|marque|anade|pon|agrega|apunta|mete|добавь|добавьте)(?:me|nos)?\b"
)
_ADD: Final = re.compile(rf"\b{_PUTS}\s+(?P<items>.{{1,1000}}?)\s+{_TO}\s+{LIST}")
_ADD_THERE: Final = re.compile(
    rf"^\W*+(?:(?:please|pls|bitte|por favor|can (?:you|u|ya)|could (?:you|u)|kannst du|ok|okay|hey|also|{AND})\b[\s,]*+)*+{_PUTS}"
    rf"\s+(?P<items>.{{1,1000}}?)\s+{_TO}\s+(?:list|liste|lista|zettel)\b"
)
"""The same for "the list", only as a request: "Leo put milk on the list" asks for nothing."""
_REMOVE: Final = re.compile(
    r"\b(?:remove|delete|take|strike|cross|scratch|streich\w*|entfern\w*|losch\w*|nimm|enleve[rz]?|retire[rz]?"
    r"|supprime[rz]?|quita|borra|elimina|tacha|удали|убери)\b"
    rf"\s+(?:off |out )?(?P<items>.{{1,1000}}?)\s+(?:off|from|out of|von|aus|de|du|del|из)(?: (?:the|my"
    rf"|our|der|dem|unserer|meiner|la|ma|notre|mi))?\s+(?:{LIST}|(?:list|liste|lista)\b)"
)
_A_LIST: Final = re.compile(rf"{LIST}|\b(?:list|liste|lista)\b")
"""A list; without one nothing is added or removed by name."""
_BUY: Final = re.compile(
    rf"^\W*(?:{AND} )*(?:please |bitte |we need to |we need |i need to |wir brauchen |il faut |il nous faut "
    r"|hay que |tenemos que |нужно )?"
    r"(?:buy|get some|kauf(?:e|en)?|acheter|achete|comprar|compra|купи"
    r"|купить)\s+(?P<items>[^.!?]{2,1000})"
)
_ASKED_TO: Final = re.compile(
    r"^\W*(?:(?:can|could|would) |kann|konn|wurd|peux|tu peux|pourr|auri|aurai|seri|serai|tu aurai|pued|podr|me (?:haces|pones|apuntas))"
)
_FORGOT: Final = re.compile(
    r"^\W*(?:(?:oh|i|we|ah|damn|argh)\W+)*forgot (?:the |some )?(?P<items>[^.!?\n]{2,60}?)\W+(?:stick|put|add|pop|chuck|bung)\b (?:it|them|that) on\b[^.\n]{0,30}$"
)
"""Something forgotten, to be added: over two sentences."""
_NO_MORE: Final = re.compile(r"\W*(?:no more|kein\w*|plus de|plus d'|ya no hay|no hay mas)\b")
"""With a day it is a lesson or a visit that is over, not a thing."""
_SWAP: Final = re.compile(
    r"^\W*(?:(?:please|can you|actually|bitte|oh|ok)\W+)*(?:(?:swap|change|replace) (?:the )?(?P<old>[^.!?,;\n]{2,40}?) (?:for|to|with|by) (?P<new>[^.!?,;\n]{2,40})"
    r"|(?P<other>[^.!?,;\n]{2,40}?) (?:instead of|statt|anstatt|au lieu de la|au lieu de|au lieu du|en vez de) (?:the |der |dem |den |la |le |el )?(?P<gone>[^.!?,;\n]{2,40}))\W*$"
)
"""One thing in place of another, on the list mentioned before."""
_FETCHED: Final = re.compile(
    r"\b(?i:pick up|fetch|get|bring)\s++(?:us |me )?[A-Z][a-z]+ (?:from|at|to|home)\b"
)
"""A person, not a thing."""
_GOES_ON: Final = re.compile(
    r"^\W*+(?:(?:oh|ah|ach|ok|okay|and|und|et|y|plus|also|auch|aussi|tambien|noch|dann noch|puis|ademas)\b[\s,]*+)++"
    r"(?P<items>[^.!?\n]{2,200})"
    r"|^\W*+(?P<more>[^.!?\n]{2,100}?)\s++(?:too|as well|also|auch(?: noch)?|aussi|tambien|please|bitte|stp)\W*$"
)
"""A continuation of the last message's list: "oh and eggs"."""
_ON_IT: Final = re.compile(r".{2,100}\b(?:on it|on there|drauf|dessus|ahi)\b")
_MOST_GOING_ON: Final = 3
_FEW_WORDS: Final = 3
_MOST_TASK_WORDS: Final = 12
_NO_TASKS: Final = re.compile(
    r"\?\W*$|\b(?:kaufen|holen|besorgen|mitbringen|acheter|prendre|comprar|coger)\W*$|^\W*(?!to ?-?do|things)[^:]{0,40}\s[-–]\s"
)
"""A question, things to buy, or a row that only a dash separates from a heading other than "to do"."""
_TO_ATTEND: Final = re.compile(
    r"'s\b|\b(?:birthday|anniversary|appointment|meeting|bins?|homework|passports?|keys?|wallet|geburtstag|termin|schlussel|ausweis\w*|hausaufgaben|mull\w*"
    r"|anniversaire|rendez-vous|rdv|cles?|passeports?|devoirs|cumple\w*|cita|llaves|pasaportes?|deberes|call|ring|\w*zu\w{2,}en|denken"
    r"|opa|oma|mum|mom|dad|mama|papa|grandma|grandpa|mamie|papi|papy|abuel[oa]|kids|kinder|enfants|ninos)\b"
)
"""Things not to be forgotten that are not bought."""
_POINTING: Final = words(
    "it that this them these those nothing das es dies sie nichts ca cela rien eso esto lo nada"
)
"""Items that only refer back to something, or are none."""
_JOINT: Final = re.compile(
    r"\s*+[,;]\s++(?:(?:and|und|et|y|also)\s++)?+|\s++(?:and|und|et|y)\s++(?=\S+ \S)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ListChange:
    """Items that a message adds to a list, or removes from it."""

    name: str
    items: tuple[str, ...]
    removed: bool = False


def list_changes(reading: Reading) -> tuple[ListChange, ...]:
    """Return the list changes of the message, in its order."""
    headed = HEADED.match(reading.folded) if not reading.sums else None
    if headed is not None:
        items = _items(reading.text, headed)
        return (ListChange(_headed_name(headed), items),) if items else ()
    if tasks := _tasks(reading):
        return (ListChange(TASKS, tasks),)
    forgot = _FORGOT.match(reading.folded)
    if forgot is not None and is_goods(forgot["items"]):
        return (ListChange(reading.at_list or SHOPPING, _items(reading.text, forgot)),)
    if (swapped := _swapped(reading)) is not None:
        return swapped
    titled = _titled_list(reading)
    if titled is not None:
        return (titled,)
    found = (change_of(sentence, reading.at_list) for sentence in reading.sentences)
    return tuple(change for change in found if change is not None)


def _tasks(reading: Reading) -> tuple[str, ...]:
    """Return the tasks of a message that lists them under one heading."""
    at_the_end = TASKS_AT_THE_END.match(reading.folded)
    headed = at_the_end or HEADED_TASKS.match(reading.folded)
    if headed is None or reading.subject or _NO_TASKS.search(reading.folded):
        return ()
    found = pieces(reading.text[slice(*headed.span("items"))], tasks=True)
    short = all(len(item.split()) <= _MOST_TASK_WORDS for item in found)
    asked = at_the_end is not None or headed["put"] is not None
    return found if short and (len(found) > 1 or asked) else ()


def _swapped(reading: Reading) -> tuple[ListChange, ...] | None:
    """Return the removal and the addition of a swap; None if no list was mentioned before."""
    found = _SWAP.match(reading.folded) if reading.at_list and not reading.sums else None
    if found is None or reading.days or any(sentence.times for sentence in reading.sentences):
        return None
    old, new = ("old", "new") if found["old"] else ("gone", "other")
    gone, put = (pieces(reading.text[slice(*found.span(name))]) for name in (old, new))
    if not gone or not put or not all(is_goods(fold(item)) for item in (*gone, *put)):
        return None
    return (ListChange(reading.at_list, gone, removed=True), ListChange(reading.at_list, put))


def list_name(reading: Reading) -> str | None:
    """Return the list that the text mentions, or None."""
    return name_in(reading.folded)


def goes_on(reading: Reading) -> bool:
    """Return whether it may mean a list mentioned before."""
    if len(reading.sentences) > _MOST_GOING_ON:
        return False
    return any(
        pattern.match(sentence.folded)
        for sentence in reading.sentences
        for pattern in (_GOES_ON, PUT_THERE, PUT, _ON_IT, _SWAP)
    )


def _titled_list(reading: Reading) -> ListChange | None:
    """Return the change of a mail whose subject is a list and whose body is only short items."""
    text = f"{reading.subject}: {reading.text}"
    titled = re.fullmatch(LIST, fold(reading.subject)) and HEADED.match(fold(text))
    items = _items(text, titled) if titled else ()
    short = all(len(item.split()) <= 3 for item in items)
    return ListChange(_headed_name(titled), items) if titled and items and short else None


def change_of(sentence: Sentence, at_list: str = "") -> ListChange | None:
    """Return what one clause changes on a list."""
    change = sentence.once(_change, at_list)
    if change is None or all(fold(item) in _POINTING for item in change.items):
        return None
    return change


def _change(sentence: Sentence, at_list: str) -> ListChange | None:
    listed = _A_LIST.search(sentence.folded) is not None
    removed = _REMOVE.search(sentence.folded) if listed else None
    if removed:
        return ListChange(named(removed), _items(sentence.text, removed), removed=True)
    before = PUT_ON_THE_LIST.match(sentence.folded)
    if before:
        return ListChange(named(before), _items(sentence.text, before))
    added = _ADD.search(sentence.folded) if listed else None
    if added:
        return ListChange(named(added), _items(sentence.text, added))
    wished = next((found for one in PUT_AT_THE_END if (found := one.match(sentence.folded))), None)
    if wished:
        return ListChange(
            named(wished) if wished.groupdict().get("list") else at_list or SHOPPING,
            _items(sentence.text, wished),
        )
    there = _ADD_THERE.match(sentence.folded)
    if there:
        return ListChange(at_list or SHOPPING, _items(sentence.text, there))
    placed = placed_in(sentence, at_list)
    if placed is not None:
        return ListChange(*placed)
    bought = _BUY.match(sentence.folded)
    if bought:
        return ListChange(SHOPPING, _items(sentence.text, bought))
    return _unnamed(sentence, at_list) or (_going_on(sentence, at_list) if at_list else None)


def _unnamed(sentence: Sentence, at_list: str) -> ListChange | None:
    """Return what the clause adds without naming a list."""
    if sentence.amounts or _asks_itself(sentence):
        return None
    parts = _parts(sentence) or _not_forgotten(sentence)
    if parts is not None:
        return ListChange(SHOPPING, parts)
    if sentence.days and _NO_MORE.match(sentence.folded):
        return None
    goods = _first(UNSAID if sentence.times else (*UNSAID, *WANTED), sentence)
    if goods is not None and not _FETCHED.search(sentence.text):
        return ListChange(SHOPPING, _goods(goods))
    there = PUT_THERE.match(sentence.folded)
    if there is not None:
        return ListChange(at_list or SHOPPING, _goods(_items(sentence.text, there)))
    if sentence.times or sentence.days:
        return None
    packed = _first((TO_PACK,), sentence)
    if packed is not None:
        return ListChange(PACKING, packed)
    put = _first((PUT,), sentence)
    if put is not None and not sentence.measurements:
        return ListChange(at_list or SHOPPING, _goods(put))
    return _to_do(sentence)


def _parts(sentence: Sentence) -> tuple[str, ...] | None:
    """Return the items of a clause whose every part is used up or wanted: "no milk left, and we need tea"."""
    spans = [part for part in _JOINT.split(sentence.text) if part.strip()]
    if not 1 < len(spans) <= _MOST_GOING_ON:
        return None
    said = [replace(sentence, text=part) for part in spans]
    found = [_first((*UNSAID, *WANTED), part) for part in said]
    if found[0]:
        found = [items or _first((ELLIPTIC,), part) for items, part in zip(found, said, strict=True)]
    return tuple(item for items in found for item in items or ()) if all(found) else None


def _not_forgotten(sentence: Sentence) -> tuple[str, ...] | None:
    """Return several things not to be forgotten; a single one, a person or an appointment is a task."""
    match = NOT_TO_FORGET.match(sentence.folded)
    if match is None or sentence.days or sentence.times:
        return None
    items = _goods(_items(sentence.text, match))
    plain = all(len(item.split()) <= _FEW_WORDS and not _TO_ATTEND.search(fold(item)) for item in items)
    return items if len(items) > 1 and plain else None


def _to_do(sentence: Sentence) -> ListChange | None:
    for pattern in TO_DO:
        match = pattern.match(sentence.folded)
        if match:
            start, end = match.span("items")
            return ListChange(TASKS, pieces(sentence.text[start:end], tasks=True))
    return None


def _going_on(sentence: Sentence, at_list: str) -> ListChange | None:
    match = _GOES_ON.match(sentence.folded)
    if match is None or sentence.amounts or sentence.times or sentence.text.rstrip().endswith("?"):
        return None
    start, end = match.span("items" if match["items"] else "more")
    if VERB.search(sentence.folded[start:end]):
        return None
    return ListChange(at_list, _goods(pieces(sentence.text[start:end])))


def _asks_itself(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith("?") and not _ASKED_TO.match(sentence.folded)


def _first(patterns: Iterable[re.Pattern[str]], sentence: Sentence) -> tuple[str, ...] | None:
    """Return the items of the first pattern that matches and names some, each reduced to its own words."""
    for pattern in patterns:
        match = pattern.match(sentence.folded)
        items = _goods(_items(sentence.text, match)) if match is not None else ()
        if items:
            return tuple(item for piece in items for item in _said_in(piece, sentence))
    return None


def _said_in(piece: str, sentence: Sentence) -> tuple[str, ...]:
    """Return the items of a piece that is a clause itself: "there is no marmalade left"."""
    folded = fold(piece)
    for pattern in (*UNSAID, *WANTED):
        match = pattern.match(folded)
        items = _items(piece, match) if match is not None else ()
        if items and len(piece.split()) > 2:
            return items
    return (piece,)


def _goods(items: tuple[str, ...]) -> tuple[str, ...]:
    """Return the items if all of them are things."""
    return items if all(is_goods(fold(item)) for item in items) else ()


def _headed_name(match: re.Match[str]) -> str:
    return PACKING if match["bag"] else named(match)


def _items(text: str, match: re.Match[str]) -> tuple[str, ...]:
    start, end = match.span("items")
    return pieces(text[start:end].split("\n\n")[0])
