"""What a message says about whose its facts are (pure; D68, ADR 0100): only the sender's own words share anything.

Invariant: quoted or forwarded text shares nothing; a request to keep something private counts wherever it stands.
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
    """The word said; `people` are the keys of those it is shared with by name."""

    word: PrivacyWord
    people: tuple[str, ...] = ()

    @property
    def shares(self) -> bool:
        return self.word.audience != "private"

    def of(self, draft: RecordDraft) -> RecordDraft:
        """Return the draft as the sender wants it.

        What they say about themselves stays theirs in any case.
        """
        if draft.kind in PRIVATE:
            return draft
        audience: SaidAudience = "household" if self.word.audience == "household" else "private"
        return replace(draft, audience=audience, shared_with=self.people)

    def of_all(self, drafts: Sequence[RecordDraft]) -> tuple[RecordDraft, ...]:
        """Return all drafts as `of` does.

        A private one is not shared by a word about the rest of the message.
        """
        return tuple(
            draft if self.shares and draft.audience == "private" else self.of(draft) for draft in drafts
        )


def whose_word(text: str, whose: Whose) -> WhoseWord | None:
    """Return the privacy word of a household member's message, or None."""
    known = {fold(name): name for name in whose.known if whose.contact(name) not in (None, whose.me)}
    word = privacy_word(text, fold, known=known)
    if word is None or word.audience == "private":
        return WhoseWord(word) if word is not None else None
    own = privacy_word(_QUOTED.sub(" ", senders_lines(text)), fold, known=known)
    if own is None or own.said != word.said:
        return None
    people = tuple(key for name in word.names if (key := whose.contact(name)) is not None)
    return WhoseWord(word, people)
