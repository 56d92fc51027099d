"""How much of a thread a model reads beside the message that it works on (SWB-03.8, SWB-03.9, D24, D25, ADR 0087)."""

from __future__ import annotations

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.settings import setting

__all__ = ["History"]


class History(ResourceModel):
    """What a model is told of what was said before: fenced as data, the household's own answers included."""

    messages: int | None = setting(
        "Messages of a chat, each with what was answered; those of the last `minutes` where they are more. At most "
        "200 and 64 kB are given, of a specialist 12 kB of a chat and 24 kB of a mail.",
        default=30,
        ge=0,
        le=200,
    )
    minutes: int | None = setting(
        "Minutes of a chat, where more than `messages` were said in them.", default=15, ge=0, le=1440
    )
    tokens: int | None = setting(
        "Tokens that the history of a message may take, of a chat or of a mail, the newest kept; 0 gives none, and a "
        "local model with a small context needs less. An estimate: UTF-8 bytes / 1.5, or by bpe-openai where that is "
        "installed.",
        default=50_000,
        ge=0,
        le=50_000,
    )
