"""PURE: answer buttons as Telegram's inline keyboard (ADR 0041).

Source: https://core.telegram.org/bots/api#inlinekeyboardmarkup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from butler_messenger.delivery.channels.port import Button

__all__ = ["keyboard"]

_ROW_CHARS: Final = 24
"""How many characters of labels a phone shows in one row without cutting them."""


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    """Return the buttons in order, as many per row as can be read; None without any."""
    if not buttons:
        return None
    return InlineKeyboardMarkup(
        [
            [InlineKeyboardButton(one.label, callback_data=one.reference) for one in row]
            for row in _rows(buttons)
        ]
    )


def _rows(buttons: Iterable[Button]) -> Iterator[list[Button]]:
    row: list[Button] = []
    for button in buttons:
        if row and sum(len(one.label) for one in row) + len(button.label) > _ROW_CHARS:
            yield row
            row = []
        row.append(button)
    yield row
