"""Normalising a fetched mail, whatever is in it: one unforeseen mail must not stop the mailbox."""

from __future__ import annotations

from butler_kit.mail.normalize import FetchedMail, MailSource, NormalisedMail, normalise
from butler_kit.sources.events import Malformed
from butler_kit.telemetry import get_logger

__all__ = ["normalise_safely"]

_log = get_logger(__name__)


def normalise_safely(mail: FetchedMail, source: MailSource) -> NormalisedMail:
    """Return the normalised mail; a defect of ours makes it a malformed one."""
    try:
        return normalise(mail, source)
    except Exception as error:
        _log.exception("a mail could not be normalised", uid=mail.uid)
        name = type(error).__name__
        return NormalisedMail(
            f"uid {mail.uid} of {mail.uid_validity}", None, Malformed("malformed_mail", name)
        )
