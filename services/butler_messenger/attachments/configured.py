"""The settings in `[modules.attachments]`, with the token from the environment (MSG-11.1)."""

from __future__ import annotations

from collections.abc import Mapping

from butler_messenger.attachments.carrying import FileSettings
from butler_messenger.attachments.fetching import Fetcher
from butler_messenger.attachments.origins import AttachmentRules
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.settings import MessengerConfig

__all__ = ["attachment_rules", "file_settings"]


def attachment_rules(config: MessengerConfig, channels: Mapping[str, Channel]) -> AttachmentRules:
    """Return the rules for files; without the table no files are sent."""
    given = config.modules.attachments
    carriers = frozenset(name for name, channel in channels.items() if channel.carries_files)
    return AttachmentRules(given.origins if given is not None else (), carriers)


def file_settings(
    config: MessengerConfig, env: Mapping[str, str], channels: Mapping[str, Channel]
) -> FileSettings:
    """Return the settings; without the table, deliveries admitted earlier go without files and say so."""
    given, rules = config.modules.attachments, attachment_rules(config, channels)
    if given is None:
        return FileSettings(rules, None, 0.0)
    token = env.get(given.token_env, "").strip() if given.token_env is not None else None
    return FileSettings(rules, Fetcher(timeout_s=given.timeout_s, token=token), given.patience_s)
