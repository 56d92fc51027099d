"""Wires the Telegram connector's process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_connectors.base.backfill import NoHistory
from butler_connectors.base.process import assemble, backfill_of, kept_of, runner_of, service_of
from butler_connectors.telegram_bot.api import BotApi
from butler_connectors.telegram_bot.closed_albums import ClosedAlbums
from butler_connectors.telegram_bot.normalize import TelegramSource
from butler_connectors.telegram_bot.settings import TelegramEnvironment
from butler_connectors.telegram_bot.source import TelegramPoller
from butler_kit.config import read_environment
from butler_kit.service import ServiceApp

__all__ = ["build_service"]

NO_HISTORY: Final = NoHistory(
    "a Telegram bot has no history: the Bot API hands out only what arrives while the bot exists"
)


def build_service(env: Mapping[str, str]) -> ServiceApp:
    """Return the process; raises `ConfigError`."""
    settings = read_environment(TelegramEnvironment, env)
    parts = assemble(settings)
    kept = kept_of(parts, settings)
    runner = runner_of(parts, kept)
    api = BotApi(
        base_url=settings.api_base_url,
        token=settings.bot_token.get_secret_value,
        metrics=parts.metrics,
        stall_s=settings.stall_timeout_s,
    )
    poller = TelegramPoller(
        api=api,
        runner=runner,
        checkpoints=kept.checkpoints,
        albums=ClosedAlbums(kept.documents),
        source=TelegramSource(
            endpoint_identity=settings.endpoint_identity,
            policy_tier=settings.tier("interactive"),
            senders=settings.senders,
            since=settings.start.since,
        ),
        start=settings.start,
        status=parts.status,
        poll_timeout_s=settings.poll_timeout_s,
        clock=parts.clock,
        draw=parts.draw,
    )
    return service_of(
        parts,
        backfill=backfill_of(parts, NO_HISTORY),
        runner=runner,
        source=poller.run,
        kept=kept,
        resources=[api],
    )
