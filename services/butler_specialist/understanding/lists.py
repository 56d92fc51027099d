"""Items for and from a list: "add milk and eggs to the shopping list" (pure). EN, DE, FR, ES, RU."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["SHOPPING", "TASKS", "ListChange", "change_of", "list_changes", "list_name"]

SHOPPING: Final = "shopping"
TASKS: Final = "to-do"

_SHOPPING_NAME: Final = (
    r"(?:shopping ?list|grocery list|groceries list|einkaufsliste|einkaufszettel|liste des? courses"
    r"|liste d'achats"
    r"|lista de (?:la )?compras?|lista del super|список покупок|списку покупок)"
)
_TASKS_NAME: Final = (
    r"(?P<tasks>(?:to-?do|to do|task|tasks|aufgaben)[- ]?(?:list|liste)|liste des? taches|lista de tareas"
    r"|(?:my|our|the|open|meine|unsere) (?:to-?dos|tasks|aufgaben))\b"
)
_OTHER_NAME: Final = (
    r"(?<![\w])(?P<name>(?!(?:the|my|our|a|die|der|la|this|that|your)\b)[^\W\d_]+?)[- ]?(?:list|liste)\b"
)
_TO: Final = (
    r"(?:to|on|onto|auf|in|a|sur|dans|en|в|из|from|off|von|de)"
    r"(?: (?:the|my|our|die|der|unsere|meine|la|ma|notre|mi|nuestra))?"
)
_LIST: Final = rf"(?:{_SHOPPING_NAME}|{_TASKS_NAME}|{_OTHER_NAME})"

_HEADED: Final = re.compile(
    rf"^\W*(?:(?:the|our|my|die|la|ma|mi|unsere|here is the|new)\s+)*{_LIST}\s*[:\-]\s*(?P<items>.+)",
    re.DOTALL,
)
_ADD: Final = re.compile(
    r"\b(?:add|put|append|note|write|setz[et]*|schreib\w*|pack\w*|nimm|fuge|ajoute[rz]?|mets|mettez"
    r"|anade|pon|agrega|apunta|добавь|добавьте)\b"
    rf"\s+(?P<items>.{{1,1000}}?)\s+{_TO}\s+{_LIST}"
)
_REMOVE: Final = re.compile(
    r"\b(?:remove|delete|take|strike|cross|streich\w*|entfern\w*|losch\w*|nimm|enleve[rz]?|retire[rz]?"
    r"|supprime[rz]?|quita|borra|elimina|удали|убери)\b"
    rf"\s+(?:off |out )?(?P<items>.{{1,1000}}?)\s+(?:off|from|out of|von|aus|de|du|del|из)(?: (?:the|my"
    rf"|our|der|unserer|meiner|la|ma|notre|mi))?\s+(?:{_LIST}|(?:list|liste|lista)\b)"
)
_BUY: Final = re.compile(
    r"^\W*(?:please |bitte |we need to |we need |i need to |wir brauchen |il faut |il nous faut "
    r"|hay que |tenemos que |нужно )?"
    r"(?:buy|get some|pick up|kauf(?:e|en)?|acheter|achete|comprar|compra|купи"
    r"|купить)\s+(?P<items>[^.!?]{2,1000})"
)
_NEED: Final = re.compile(
    r"^\W*(?:we need|we are out of|we're out of|wir brauchen|il nous faut|nos falta"
    r"|necesitamos)\s+(?P<items>[^.!?]{2,1000})"
)
_SPLIT: Final = re.compile(r"\s*(?:[,;•\n]|\s[-*]\s|(?<=\s)(?:and|und|et|y|e|и|also)(?=\s))\s*")
_TRIM: Final = re.compile(
    r"^(?:(?:please|bitte|some|a few|the|also|noch|etwas|ein paar|du|de la|des|un poco de|algo de)\s+"
    r"|(?:de l'|d')\s*)+(?=\S)"
)
_TAIL: Final = re.compile(r"\s+(?:please|bitte|s'il (?:te|vous) plait|por favor|too|as well|hinzu|dazu)$")


@dataclass(frozen=True, slots=True)
class ListChange:
    """Items that a message puts on a list, or takes off it."""

    name: str
    items: tuple[str, ...]
    removed: bool = False


def list_changes(reading: Reading) -> tuple[ListChange, ...]:
    """What the message changes on lists, in its order."""
    headed = _HEADED.match(reading.folded)
    if headed:
        items = _items(reading.text, headed)
        return (ListChange(_name(headed), items),) if items else ()
    titled = _titled_list(reading)
    if titled is not None:
        return (titled,)
    found = (change_of(sentence) for sentence in reading.sentences)
    return tuple(change for change in found if change is not None)


def list_name(reading: Reading) -> str | None:
    """The list that the text speaks of; None when it speaks of none."""
    match = re.search(_LIST, reading.folded)
    return _name(match) if match else None


def _titled_list(reading: Reading) -> ListChange | None:
    """A mail whose subject is a list and whose body is nothing but short items."""
    text = f"{reading.subject}: {reading.text}"
    titled = re.fullmatch(_LIST, fold(reading.subject)) and _HEADED.match(fold(text))
    items = _items(text, titled) if titled else ()
    short = all(len(item.split()) <= 3 for item in items)
    return ListChange(_name(titled), items) if titled and items and short else None


def change_of(sentence: Sentence) -> ListChange | None:
    """What one clause changes on a list."""
    change = _change(sentence)
    return change if change is not None and change.items else None


def _change(sentence: Sentence) -> ListChange | None:
    removed = _REMOVE.search(sentence.folded)
    if removed:
        return ListChange(_name(removed), _items(sentence.text, removed), removed=True)
    added = _ADD.search(sentence.folded)
    if added:
        return ListChange(_name(added), _items(sentence.text, added))
    bought = _BUY.match(sentence.folded) or _NEED.match(sentence.folded)
    return ListChange(SHOPPING, _items(sentence.text, bought)) if bought else None


def _name(match: re.Match[str]) -> str:
    if match.groupdict().get("tasks"):
        return TASKS
    name = match.groupdict().get("name")
    if not name or name.strip() in ("shopping", "grocery", "groceries", "the", "einkaufs", "a", "my", "our"):
        return SHOPPING
    return name.strip()


def _items(text: str, match: re.Match[str]) -> tuple[str, ...]:
    start, end = match.span("items")
    paragraph = text[start:end].split("\n\n")[0]
    items: dict[str, str] = {}
    for piece in _SPLIT.split(paragraph):
        bare = _bare(piece)
        if bare:
            items.setdefault(fold(bare), bare)
    return tuple(items.values())


def _bare(piece: str) -> str:
    item = piece.strip(" \t.!?:\"'“”")
    folded = fold(item)
    head = _TRIM.match(folded)
    tail = _TAIL.search(folded)
    return one_line(item[head.end() if head else 0 : tail.start() if tail else len(item)], most=120)
