"""Takes the last message back: what it told is withdrawn, what it changed is restored (pure).

Invariant: an entry that was changed again since stays as it is; "undo" takes back nothing older than a day.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_specialist.changes.settled import Settled
from butler_specialist.changes.wording import Words
from butler_specialist.locale import noop
from butler_specialist.store.earlier import Changed, Earlier
from butler_specialist.store.model import RecordChange, RecordDraft, as_draft

__all__ = ["UNDONE", "WITHDRAWN", "last_written", "taken_back", "written"]

UNDONE: Final = "undone"
WITHDRAWN: Final = "withdrawn"
"""The cause of a withdrawal that "undo" can restore."""


def written(earlier: Earlier) -> bool:
    """Return whether it wrote anything that still stands."""
    return bool(earlier.changed) or any(not row.withdrawn for row in earlier.told)


def last_written(earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the last message that wrote, was not an undo, and was not taken back."""
    undone = {change.undoes for one in earlier for change in one.changed}
    return next(
        (
            one
            for one in earlier
            if one.request_id not in undone
            and written(one)
            and not any(change.cause == UNDONE for change in one.changed)
        ),
        None,
    )


def taken_back(last: Earlier | None, words: Words, *, cancelled: bool = False) -> Settled:
    """Take the message back, or say why not.

    With `cancelled` it is an ordinary change, which "undo" reverts.
    """
    if last is None:
        return Settled(words.tell(noop("There is nothing of yours here that I could take back.")))
    if not last.fresh:
        late = noop(
            "That is more than a day ago, so “undo” no longer takes it back; “delete …” with its name does."
        )
        return Settled(words.tell(late))
    overtaken = [change for change in last.changed if not change.stands]
    if overtaken:
        what = words.entries([change.now for change in overtaken])
        return Settled(
            words.tell(noop("That was changed again since and stays as it is: {what}."), what=what)
        )
    told = [row for row in last.told if not row.withdrawn]
    cause, undoes = (WITHDRAWN, None) if cancelled else (UNDONE, last.request_id)
    withdrawn = [RecordChange(row.record_id, row.version, cause, undoes=undoes) for row in told]
    off = [row for row in told if row.kind == "list_removal"]
    others = [row for row in told if row.kind != "list_removal"]
    said = [words.tell(noop("Taken back: {what}."), what=words.entries(others))] if others else []
    said += [words.tell(noop("Back on the list: {what}."), what=words.entries(off))] if off else []
    said += [_as_before(change, words) for change in last.changed]
    if not told and all(_stays(change) for change in last.changed):
        said.append(words.tell(noop("The entry itself stays; “delete that” takes it back.")))
    if cancelled and told:
        said.append(words.tell(noop("“undo” puts it back within a day.")))
    back = [
        RecordChange(change.now.record_id, change.now.version, cause, _former(change), undoes=undoes)
        for change in last.changed
    ]
    return Settled(" ".join(said), changes=(*withdrawn, *back))


def _stays(change: Changed) -> bool:
    """Return whether the change was only to a value, a day or words."""
    return (
        not change.former.withdrawn
        and not change.now.withdrawn
        and change.former.done_on == change.now.done_on
    )


def _former(change: Changed) -> RecordDraft | None:
    return None if change.former.withdrawn else as_draft(change.former)


def _as_before(change: Changed, words: Words) -> str:
    if change.former.withdrawn:
        return words.tell(noop("Taken back: {what}."), what=words.entry(change.now))
    if change.now.withdrawn:
        return words.tell(noop("Put back: {what}."), what=words.entry(change.former))
    if change.now.done_on is not None and change.former.done_on is None:
        return words.tell(noop("Open again: {what}."), what=words.entry(change.former))
    return words.tell(noop("As it was before: {what}."), what=words.entry(change.former))
