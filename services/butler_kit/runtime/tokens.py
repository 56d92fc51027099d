"""The number of tokens of a text, and the method by which they were counted (D25).

No tokenizer is right for every model, so the count is an estimate; wherever it is shown or used, its method is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from threading import Thread
from typing import Final

__all__ = ["BY_BYTES", "TokenCounter", "by_bytes", "token_counter"]

_LIBRARY: Final = "bpe_openai"
_ENCODING: Final = "o200k_base"


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """`count` returns the tokens of a text, from any thread; `most_bytes` is the longest text of one token."""

    method: str
    count: Callable[[str], int]
    most_bytes: int


def by_bytes(text: str) -> int:
    """UTF-8 bytes / 1.5, rounded up: more than ordinary text takes, about what encoded attachments do."""
    return -(-len(text.encode("utf-8", "replace")) * 2 // 3)


BY_BYTES: Final = TokenCounter("UTF-8 bytes / 1.5", by_bytes, 2)


def token_counter(*, wait: bool = False) -> TokenCounter:
    """Return the `bpe-openai` counter if it is installed and loaded, which is begun here; else the one by bytes.

    Loading takes seconds; `wait` blocks until it is done, so never use it in an event loop.
    """
    loading = _loading()
    if wait and loading.thread is not None:
        loading.thread.join()
    return loading.found


class _Loading:
    """One load in a thread of its own, so that nothing waits for it."""

    def __init__(self) -> None:
        self.found = BY_BYTES
        self.thread: Thread | None = None
        if find_spec(_LIBRARY) is not None:
            self.thread = Thread(target=self._load, name="tokenizer", daemon=True)
            self.thread.start()

    def _load(self) -> None:
        encoding = import_module(_LIBRARY).get_encoding(_ENCODING)

        def count(text: str) -> int:
            try:
                return len(encoding.encode_ordinary(text))
            except ValueError:  # longer than it takes
                return by_bytes(text)

        self.found = TokenCounter(f"bpe-openai {_ENCODING}", count, 6)


@lru_cache(maxsize=1)
def _loading() -> _Loading:
    return _Loading()
