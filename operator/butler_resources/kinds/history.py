"""How much of a thread a model reads beside the message that it works on (SWB-03.8, SWB-03.9, D24, D25, ADR 0087)."""

from __future__ import annotations

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.settings import setting

__all__ = ["History"]


class History(ResourceModel):
    """Conversation history passed to the model, fenced as data and including the household's own answers."""

    messages: int | None = setting(
        "Number of messages of a chat, each with its answers; all of the last `minutes` if those are more. At most 200 "
        "and 64 kB are passed on, for a specialist 12 kB of a chat and 24 kB of a mail.",
        default=30,
        ge=0,
        le=200,
    )
    minutes: int | None = setting(
        "Minutes of a chat to include, even if they hold more than `messages`.", default=15, ge=0, le=1440
    )
    tokens: int | None = setting(
        "Maximum number of tokens of the history of a chat or mail. The newest messages are kept; 0 passes no history. "
        "A local model with a small context needs less. Estimated as UTF-8 bytes / 1.5, or by bpe-openai if "
        "installed.",
        default=50_000,
        ge=0,
        le=50_000,
    )
