"""What people say of themselves, and ask about what is known and was spoken of, folded as specialists do (pure)."""

from __future__ import annotations

from functools import partial
from typing import Final

from butler_kit.wording import about_me as said
from butler_kit.wording import talked_about as spoken
from butler_kit.wording.about_me import AboutMe
from butler_kit.wording.folding import fold

__all__ = [
    "AboutMe",
    "asks_about_me",
    "asks_of_me",
    "forgets_all",
    "speaks_of_memory",
    "statement_in",
    "talked_about",
    "told_about_me",
]

asks_about_me: Final = partial(said.asks_about_me, fold=fold)
asks_of_me: Final = partial(said.asks_of_me, fold=fold)
forgets_all: Final = partial(said.forgets_all, fold=fold)
speaks_of_memory: Final = partial(said.speaks_of_memory, fold=fold)
statement_in: Final = partial(said.statement_in, fold=fold)
talked_about: Final = partial(spoken.talked_about, fold=fold)
told_about_me: Final = partial(said.told_about_me, fold=fold)
