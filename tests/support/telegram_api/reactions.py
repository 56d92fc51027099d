"""The emoji that a bot may set as a reaction: the list of `ReactionTypeEmoji` in the Bot API document.

https://core.telegram.org/bots/api#reactiontypeemoji (73 emoji; ✅ and ✓ are not among them).
"""

from __future__ import annotations

from typing import Final

ALLOWED_REACTIONS: Final[frozenset[str]] = frozenset(
    {
        "❤", "👍", "👎", "🔥", "🥰", "👏", "😁", "🤔", "🤯", "😱", "🤬", "😢", "🎉", "🤩", "🤮", "💩",
        "🙏", "👌", "🕊", "🤡", "🥱", "🥴", "😍", "🐳", "❤\u200d🔥", "❤\ufe0f\u200d🔥", "🌚", "🌭", "💯",
        "🤣", "⚡", "🍌", "🏆", "💔", "🤨", "😐", "🍓", "🍾", "💋", "🖕", "😈", "😴", "😭", "🤓", "👻",
        "👨\u200d💻", "👀", "🎃", "🙈", "😇", "😨", "🤝", "✍", "🤗", "🫡", "🎅", "🎄", "☃", "💅", "🤪",
        "🗿", "🆒", "💘", "🙉", "🦄", "😘", "💊", "🙊", "😎", "👾", "🤷\u200d♂", "🤷\u200d♂\ufe0f", "🤷",
        "🤷\u200d♀", "🤷\u200d♀\ufe0f", "😡",
    }
)  # fmt: skip
"""Joined emoji are accepted with and without the variation selector, as clients write them both ways."""
