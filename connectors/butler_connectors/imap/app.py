"""Wires the IMAP connector's process."""

from __future__ import annotations

from collections.abc import Mapping

from butler_connectors.base.backfill import Readable
from butler_connectors.base.process import assemble, backfill_of, kept_of, runner_of, service_of
from butler_connectors.imap.history import MailHistory
from butler_connectors.imap.settings import ImapEnvironment
from butler_connectors.imap.source import MailboxReader
from butler_kit.config import read_environment
from butler_kit.mail.normalize import MailSource
from butler_kit.mail.session import ImapSession
from butler_kit.service import ServiceApp

__all__ = ["build_service"]


def build_service(env: Mapping[str, str]) -> ServiceApp:
    """Return the process; raises `ConfigError`."""
    settings = read_environment(ImapEnvironment, env)
    parts = assemble(settings)
    kept = kept_of(parts, settings)
    source = MailSource(
        endpoint_identity=settings.endpoint_identity,
        mailbox=settings.mailbox,
        policy_tier=settings.tier("default"),
        senders=settings.senders,
    )
    runner = runner_of(parts, kept)
    reader = MailboxReader(
        new_session=lambda: ImapSession(settings.account, parts.metrics.track_source_call),
        runner=runner,
        checkpoints=kept.checkpoints,
        source=source,
        start=settings.start,
        status=parts.status,
        poll_interval_s=settings.poll_interval_s,
        clock=parts.clock,
        draw=parts.draw,
    )
    history = MailHistory(
        new_session=lambda: ImapSession(settings.account, parts.metrics.track_source_call),
        source=source,
        status=parts.status,
        passed=lambda: reader.passed,
        clock=parts.clock,
    )
    return service_of(
        parts,
        backfill=backfill_of(parts, Readable(history, runner, reader.quiet)),
        runner=runner,
        source=reader.run,
        kept=kept,
    )
