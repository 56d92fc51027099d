"""What a message says of whose its facts are to be (pure; D68, ADR 0100): the writer's own words alone share anything.

Invariant: what is quoted or passed on shares nothing; that something be kept private counts wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from butler_kit.wording.folding import fold
from butler_kit.wording.privacy import PrivacyWord, privacy_word
from butler_specialist.store.model import PRIVATE, RecordDraft, SaidAudience
from butler_specialist.understanding.household import Whose
from butler_specialist.understanding.prose import senders_lines

__all__ = ["WhoseWord", "whose_word"]

_QUOTED: Final = re.compile(r"„[^“”]*[“”]|“[^”]*”|«[^»]*»|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class WhoseWord:
    """What was said: `people` are the keys of those it is shared with by name."""

    word: PrivacyWord
    people: tuple[str, ...] = ()

    @property
    def shares(self) -> bool:
        return self.word.audience != "private"

    def of(self, draft: RecordDraft) -> RecordDraft:
        """The draft as the writer wants it; what they say of themselves stays theirs, whatever is said."""
        if draft.kind in PRIVATE:
            return draft
        audience: SaidAudience = "household" if self.word.audience == "household" else "private"
        return replace(draft, audience=audience, shared_with=self.people)

    def of_all(self, drafts: Sequence[RecordDraft]) -> tuple[RecordDraft, ...]:
        """As `of`; what is made of a private record is not shared by a word about the rest of a message."""
        return tuple(
            draft if self.shares and draft.audience == "private" else self.of(draft) for draft in drafts
        )


def whose_word(text: str, whose: Whose) -> WhoseWord | None:
    """The word of a message by somebody of the household; None where it has none."""
    known = {fold(name): name for name in whose.known if whose.contact(name) not in (None, whose.me)}
    word = privacy_word(text, fold, known=known)
    if word is None or word.audience == "private":
        return WhoseWord(word) if word is not None else None
    own = privacy_word(_QUOTED.sub(" ", senders_lines(text)), fold, known=known)
    if own is None or own.said != word.said:
        return None
    people = tuple(key for name in word.names if (key := whose.contact(name)) is not None)
    return WhoseWord(word, people)
