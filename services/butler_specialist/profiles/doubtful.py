"""The clauses of a message that are kept only in their own words, because they claim nothing certain (pure).

Invariant: no record of such a clause has a day, a sum or a value; the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from butler_specialist.locale import joined, noop, say
from butler_specialist.profiles.unaccounted import leaves_open, may_leave_open
from butler_specialist.profiles.unlikely import may_be_no_fact, speaks_against
from butler_specialist.questions.recognise import asks
from butler_specialist.questions.wording import ended, quoted
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.doubts import (
    does_not_happen,
    is_aim,
    is_full,
    is_of_a_thing,
    is_of_an_outsider,
    is_of_the_same_day,
    is_own_invoice,
    is_supposed,
    is_theirs,
    outsider_pays,
    replaces,
    spends_nothing,
    tells_of_an_outsider,
    was_or_was_thought,
)
from butler_specialist.understanding.negations import says_not
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.spending import does_what_is_unknown
from butler_specialist.understanding.uncertain import (
    is_of_a_past_period,
    is_of_another_sum,
    is_of_another_time,
    is_of_now,
    may_be,
)

__all__ = ["as_written", "as_written_text", "doubtful"]

_SURE: Final = frozenset({"list_item", "list_removal", "task", "allergy", "contact", "gift", "birthday"})
"""Kinds that claim no day, sum or value that a doubt could make false."""
_DENIABLE: Final = frozenset({"allergy", "contact", "birthday"})
"""Those of them that a denial makes false."""
_SUMS: Final = frozenset({"expense", "income", "refund", "bill", "subscription", "debt"})
_VALUES: Final = frozenset({"measurement", "medication"})
_MOST: Final = 60
"""The most clauses that are checked; a longer message is a document."""
_AS_WRITTEN: Final = noop("Noted as you wrote it, without a day, a sum or a value: {quote}")

Compose = Callable[[Reading], Sequence[RecordDraft]]


def doubtful(reading: Reading, compose: Compose) -> tuple[Sentence, ...]:
    """Return the clauses whose claims are dropped, though `compose` makes some."""
    sentences = reading.sentences[:_MOST]
    supposed = {one.line for one in sentences if is_supposed(one)}
    members = {name.split()[0].casefold() for name in reading.whose.names.values() if name.strip()}
    told = [one for one in sentences if tells_of_an_outsider(one, members)]
    theirs = {one.line for one in told}
    formerly = {one.line for one in sentences if is_of_another_time(one)}
    return tuple(
        one
        for one in sentences
        if (is_of_another_time(one) or not asks(one))  # "when I was 20 …" asks nothing
        and _takes_away(
            one,
            supposed=one.line in supposed or (is_of_the_same_day(one) and not reading.days),
            theirs=one.line in theirs and (is_theirs(one) or one in told),
            formerly=is_of_another_time(one) or (one.line in formerly and not is_of_now(one)),
            compose=compose,
            reading=reading,
        )
    )


def _takes_away(
    sentence: Sentence, *, supposed: bool, theirs: bool, formerly: bool, compose: Compose, reading: Reading
) -> bool:
    """Return whether a doubt of the clause concerns a fact that it would be kept as."""
    doubts = tuple(
        takes_away
        for is_so, takes_away in (
            (supposed, _claims),
            (does_not_happen(sentence), _would_happen),
            (says_not(sentence) or was_or_was_thought(sentence), _is_denied),
            (is_full(sentence), _claims),
            (may_be(sentence), _is_settled),
            (outsider_pays(sentence) or theirs, _is_ours),
            (replaces(sentence), _is_taken),
            (spends_nothing(sentence), _is_spent),
            (does_what_is_unknown(sentence), _is_spent),
            (is_own_invoice(sentence), _is_due),
            (is_of_another_sum(sentence), _is_a_sum),
            (is_aim(sentence) or is_of_a_thing(sentence), _is_measured),
            (formerly, _is_of_today),
            (is_of_a_past_period(sentence), _is_counted_today),
            (is_of_an_outsider(sentence), _is_of_nobody),
            (may_be_no_fact(sentence, reading), partial(_is_unlikely, sentence)),
            (may_leave_open(sentence, reading), partial(leaves_open, sentence)),
        )
        if is_so
    )
    drafts = compose(reading.only(sentence)) if doubts else ()
    if any(takes_away(draft, reading) for draft in drafts for takes_away in doubts):
        return True
    return _is_a_sum in doubts and _states_one_beside(sentence, reading, compose)


def _states_one_beside(sentence: Sentence, reading: Reading, compose: Compose) -> bool:
    """Return whether the clause is a sum only beside others in the message: "36 in total, so 12 each"."""
    sums = {one.value for one in sentence.in_currency(reading.currency, of_money="beside").amounts}
    return bool(sums) and any(draft.kind in _SUMS and draft.amount in sums for draft in compose(reading))


def _is_unlikely(sentence: Sentence, draft: RecordDraft, reading: Reading) -> bool:
    return _claims(draft, reading) and speaks_against(draft, sentence)


def _claims(draft: RecordDraft, reading: Reading) -> bool:
    if draft.kind in _SURE:
        return False
    return draft.kind != "note" or draft.occurred_on != reading.today


def _would_happen(draft: RecordDraft, reading: Reading) -> bool:
    return draft.occurred_on >= reading.today and draft.kind not in _VALUES and _claims(draft, reading)


def _is_denied(draft: RecordDraft, reading: Reading) -> bool:
    dated = draft.kind == "note" and draft.occurred_on != reading.today
    return dated or draft.kind in _DENIABLE or _claims(draft, reading)


def _is_settled(draft: RecordDraft, reading: Reading) -> bool:
    """Return whether it is a journey or an appointment; plans about money are left to its profile."""
    dated = draft.kind == "note" and draft.occurred_on != reading.today
    return draft.kind not in _VALUES | _SUMS and (dated or _claims(draft, reading))


def _is_ours(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind in ("expense", "income")


def _is_spent(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind == "expense"


def _is_taken(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind == "medication"


def _is_due(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind == "bill"


def _is_a_sum(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind in _SUMS


def _is_measured(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind == "measurement"


def _is_of_today(draft: RecordDraft, reading: Reading) -> bool:
    return draft.kind == "measurement" and draft.occurred_on == reading.today


def _is_counted_today(draft: RecordDraft, reading: Reading) -> bool:
    return draft.kind in ("expense", "income", "refund") and draft.occurred_on == reading.today


def _is_of_nobody(draft: RecordDraft, _: Reading) -> bool:
    return draft.kind in _VALUES and draft.party is None


def as_written(sentences: Sequence[Sentence], reading: Reading, *, whole: bool) -> tuple[RecordDraft, ...]:
    """Return each as a note of the day on which it was said; as one note if the `whole` message is such."""
    texts = [reading.text] if whole else [one.text for one in sentences]
    return tuple(RecordDraft("note", reading.today, text) for text in texts)


def as_written_text(notes: Sequence[RecordDraft], reading: Reading) -> str:
    """Say that they are kept, and that nothing was taken from them."""
    language = reading.language
    quotes = joined([quoted(note.text, language=language) for note in notes], language)
    return ended(say(language, _AS_WRITTEN, quote=quotes))
