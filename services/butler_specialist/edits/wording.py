"""PURE: the answers to an edit: what changed, what was withdrawn, or that nothing changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from gettext import NullTranslations
from typing import Final

from butler_specialist.edits.matching import Match
from butler_specialist.questions.wording import quoted, when_text
from butler_specialist.store.model import RecordDraft
from butler_specialist.store.reminder_model import Reminder
from butler_specialist.understanding.money import amount_text

__all__ = [
    "changed_text",
    "kept_text",
    "moved_text",
    "stays_text",
    "stopped_text",
    "with_others_text",
    "withdrawn_text",
]

_MOST: Final = 12
"""The most facts that are named; the rest are counted."""


def _sum(draft: RecordDraft) -> str:
    return amount_text(draft.amount, draft.currency) if draft.amount is not None and draft.currency else ""


def _measure(draft: RecordDraft) -> str:
    values = [format(one, "f") for one in (draft.quantity, draft.quantity_second) if one is not None]
    return " ".join(filter(None, ("/".join(values), draft.unit)))


def _what(draft: RecordDraft) -> str:
    """Return the title; the text itself only if there is no value."""
    if draft.title:
        return quoted(draft.title)
    return "" if _sum(draft) or _measure(draft) else quoted(draft.text)


def _when(draft: RecordDraft) -> str:
    return when_text(draft.occurred_on, draft.occurred_at)


def _more(draft: RecordDraft) -> str:
    return ", ".join(filter(None, (draft.party, draft.place, draft.code)))


_ASPECTS: Final[tuple[Callable[[RecordDraft], str], ...]] = (_sum, _measure, _what, _when, _more)


def _named(draft: RecordDraft) -> str:
    """Return a fact in few words: `60.00 EUR (groceries)`."""
    value = _sum(draft) or _measure(draft)
    return f"{value} ({draft.title or draft.kind})" if value else _what(draft)


def changed_text(matches: Sequence[Match], texts: NullTranslations, *, alone: bool) -> str:
    """Say what changed; that only the words changed is said if there is nothing else to say."""
    told = [said for match in matches if (said := _changed(match, texts))]
    if not told and alone:
        lead = texts.gettext("Only the words changed: {what}.")
        told = [lead.format(what=_named(match.now)) for match in matches]
    return _each(told, texts)


def _changed(match: Match, texts: NullTranslations) -> str:
    before, after = match.fact.record, match.now
    if before.withdrawn:
        return texts.gettext("Noted again: {what}.").format(what=_named(after))
    sides = [(new, old) for aspect in _ASPECTS if (new := aspect(after)) != (old := aspect(before))]
    if not sides:
        return ""
    new, old = (", ".join(side[at] or "–" for side in sides) for at in (0, 1))
    about = f" ({after.title})" if after.title and after.title == before.title else ""
    return texts.gettext("Changed: {new} instead of {old}.").format(new=new, old=f"{old}{about}")


def withdrawn_text(drafts: Sequence[RecordDraft], texts: NullTranslations) -> str:
    """Say what is no longer recorded."""
    lead = texts.gettext("Withdrawn: {what}.")
    return _each([lead.format(what=_named(draft)) for draft in drafts], texts)


def stopped_text(reminders: Sequence[Reminder], texts: NullTranslations) -> str:
    """Say which reminders are stopped."""
    lead = texts.gettext("The reminder of before is stopped: {what}.")
    return _each([lead.format(what=quoted(one.text)) for one in reminders], texts)


def kept_text(matches: Sequence[Match], texts: NullTranslations) -> str:
    """Say that the edit changed nothing, and what stands."""
    standing = [_named(match.now) for match in matches if not match.gone]
    if not standing:
        return texts.gettext("Nothing changed.")
    lead = texts.gettext("Nothing changed: {what}.")
    return _each([lead.format(what=what) for what in standing], texts)


def stays_text(matches: Sequence[Match], texts: NullTranslations) -> str:
    """Say which later changes by others stay, as the edit does not touch them."""
    lead = texts.gettext("What was changed since stays: {what}.")
    return _each([lead.format(what=f"{_named(match.now)}, {_when(match.now)}") for match in matches], texts)


def moved_text(butlers: Sequence[str], texts: NullTranslations) -> str:
    """Say who has the new words."""
    return texts.gettext("Your new words went to {butlers}.").format(butlers=", ".join(butlers))


def with_others_text(butlers: Sequence[str], texts: NullTranslations) -> str:
    """Say whose the message was all along."""
    return texts.gettext("It is with {butlers} now.").format(butlers=", ".join(butlers))


def _each(said: Sequence[str], texts: NullTranslations) -> str:
    more = len(said) - _MOST
    rest = [texts.gettext("And {count} more.").format(count=more)] if more > 0 else []
    return " ".join([*said[:_MOST], *rest])
