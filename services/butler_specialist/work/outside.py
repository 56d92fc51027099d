"""Ends work whose session broke off after a call outside: it is not run again (D61)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_contracts.language import Language
from butler_contracts.uncertain import UNCERTAIN
from butler_kit.telemetry import get_logger
from butler_kit.wording.language import language_of
from butler_specialist.outside.journal import Journal
from butler_specialist.outside.words import uncertain_error
from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.work.answers import failed, succeeded

__all__ = ["CallsOutside"]

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CallsOutside:
    """Looks up calls outside; `usual` gives the sender's language, for text that has none."""

    own_name: str
    journal: Journal
    usual: Callable[[RoutedWork], Language]

    async def outcome(self, work: RoutedWork, *, late: bool = False) -> Outcome | None:
        """Return the uncertain outcome with the calls that were made; None where no call may have done anything.

        With `late`, the request has already ended, so the sender is told by an answer.
        """
        calls = await self.journal.of_work(work.request_id, work.envelope.subrequest.segment_id)
        if not calls:
            return None
        _log.error("work_uncertain", subrequest_id=str(work.subrequest_id), calls=len(calls))
        language = language_of(work.envelope.input.prompt, self.usual(work))
        error = uncertain_error(calls, language)
        outcome = failed(error, tags=(UNCERTAIN,))
        if not late:
            return outcome
        told = succeeded(
            work.envelope,
            answer=error.message,
            records=(),
            own_name=self.own_name,
            language=language,
            sender=work.contact_name,
        )
        return replace(outcome, notify=told.notify, fallback=told.fallback)

    async def given_up(self, subrequest_id: UUID) -> ErrorDetail | None:
        """Return the error of abandoned work that made calls; in English, as the work may not be readable."""
        calls = await self.journal.of_subrequest(subrequest_id)
        return uncertain_error(calls, "en") if calls else None
