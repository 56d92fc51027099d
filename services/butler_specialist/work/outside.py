"""What becomes of work whose session broke off after it had called something outside: it is not run again (D61)."""

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
    """`usual` is the language of who wrote, for words that are of none."""

    own_name: str
    journal: Journal
    usual: Callable[[RoutedWork], Language]

    async def outcome(self, work: RoutedWork, *, late: bool = False) -> Outcome | None:
        """The end of such work: uncertain, with what was called; None where nothing was called that may do something.

        `late`: its request has ended, so that whoever wrote hears of it by an answer.
        """
        calls = await self.journal.of_work(work.request_id, work.envelope.subrequest.segment_id)
        if not calls:
            return None
        _log.error("work_uncertain", subrequest_id=str(work.subrequest_id), calls=len(calls))
        error = uncertain_error(calls, language_of(work.envelope.input.prompt, self.usual(work)))
        outcome = failed(error, tags=(UNCERTAIN,))
        if not late:
            return outcome
        told = succeeded(
            work.envelope, answer=error.message, records=(), own_name=self.own_name, sender=work.contact_name
        )
        return replace(outcome, notify=told.notify, fallback=told.fallback)

    async def given_up(self, subrequest_id: UUID) -> ErrorDetail | None:
        """The end of work that nobody can work on, if it called something; in English, for it may not be readable."""
        calls = await self.journal.of_subrequest(subrequest_id)
        return uncertain_error(calls, "en") if calls else None
