"""Turns a post into an envelope at Switchboard, or the reason why not (D5, D19, D52).

Synchronous: a post gets Switchboard's answer, and nothing of it is kept here. One submission per thread is in flight
(D11); beyond a limit of waiting posts the answer is `TargetUnavailable`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID, uuid4

from butler_connectors.base.process import Parts
from butler_connectors.base.submit import Accepted, Outcome, Refused, TryLater
from butler_connectors.base.turns import Turns
from butler_connectors.webhook.normalize import Post, Submission, envelope_of
from butler_connectors.webhook.requests import RequestReader, submitter_of
from butler_connectors.webhook.tokens import Submitter, submitter_with
from butler_contracts.errors import ErrorClass, NotFound, TargetUnavailable, ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.auth import Forbidden, KeyFileError, Unauthenticated
from butler_kit.faults import points, reached_async
from butler_kit.sources.faults import SourceFault
from butler_kit.telemetry import bind_request, get_logger

__all__ = ["Intake", "SendAgain"]

_WAITING_PER_SLOT: Final = 8
_RETRY_AFTER_S: Final = 5.0
_PART: Final = "switchboard"
_log = get_logger(__name__)


class SendAgain(TargetUnavailable):
    """Switchboard did not take the message, or may have; posted again with `key` it is one message either way."""

    def __init__(self, outcome: TryLater, key: str) -> None:
        sure = outcome.blocked or outcome.reason == ErrorClass.OVERLOAD_REJECTED
        said = "the message was not accepted now" if sure else "whether the message was accepted is not known"
        seconds = _RETRY_AFTER_S if outcome.retry_after_s is None else outcome.retry_after_s
        super().__init__(
            f"{said}; send it again with the Idempotency-Key of this answer", retry_after_s=seconds
        )
        self.key = key


class Intake:
    """The posts of one connector."""

    def __init__(self, parts: Parts, submitters: tuple[Submitter, ...], requests: RequestReader) -> None:
        self._parts = parts
        self._submitters = submitters
        self._warned: set[str] = set()
        self._requests = requests
        self._slots = asyncio.Semaphore(parts.settings.max_inflight)
        self._most_waiting = parts.settings.max_inflight * _WAITING_PER_SLOT
        self._waiting = 0
        self._turns = Turns()

    def submitter_of(self, authorization: str) -> str:
        """Return the name of the token in this header; raises `Unauthenticated`."""
        submitter = submitter_with(authorization, self._submitters)
        if submitter is None:
            raise Unauthenticated("Authorization: expected a bearer token that is known here")
        now, name, end = self._parts.clock.now(), submitter.name, submitter.expires_at
        if submitter.has_ended(now):
            raise Unauthenticated(f"Authorization: the token of '{name}' expired at {end}; get a new one")
        if submitter.ends_soon(now) and name not in self._warned:
            self._warned.add(name)
            _log.warning("a token ends soon", submitter=name, expires_at=str(end))
        return name

    async def submit(self, post: Post, *, submitter: str, key: str | None) -> Accepted:
        """Submit a post and return Switchboard's acceptance; raises the reason if there is none."""
        submission = Submission(post, submitter, key, uuid4())
        envelope = self._wanted(submission)
        await reached_async(points.CONNECTOR_FETCHED, "api")
        if self._waiting >= self._most_waiting:
            raise TargetUnavailable("too many messages are waiting here", retry_after_s=1.0)
        self._waiting += 1
        try:
            async with self._turns.of(post.thread), self._slots:
                outcome = await self._parts.switchboard.submit(envelope)
        finally:
            self._waiting -= 1
        return self._accepted(outcome, submission.repeat_key)

    async def view(self, request_id: str, *, submitter: str) -> Mapping[str, Any]:
        """Return Switchboard's view of a request of this submitter; any other is `NotFound`."""
        try:
            view = await self._requests.read(UUID(request_id))
        except ValueError:
            view = None
        except (SourceFault, KeyFileError) as error:
            _log.warning("a request could not be looked up", error=str(error))
            raise TargetUnavailable("Switchboard does not answer now", retry_after_s=_RETRY_AFTER_S) from None
        if view is None or submitter_of(view) != submitter:
            raise NotFound("no request of this token has this id")
        return view

    def _wanted(self, submission: Submission) -> IngestEnvelopeV1:
        """Return the post as an envelope; `Forbidden` if its sender is not accepted or a rule skips it."""
        parts = self._parts
        reason = parts.settings.senders.skip_reason(submission.post.sender)
        if reason is not None:
            parts.metrics.skipped(reason)
            raise Forbidden("messages of this sender are not taken here")
        envelope = envelope_of(
            submission,
            endpoint_identity=parts.settings.endpoint_identity,
            tier=parts.settings.tier,
            now=parts.clock.now(),
        )
        reason = parts.switchboard.rules.skip_reason(envelope)
        if reason is not None:
            parts.metrics.skipped(reason)
            raise Forbidden("a rule of the household skips this message")
        return envelope

    def _accepted(self, outcome: Outcome, repeat_key: str) -> Accepted:
        parts = self._parts
        if isinstance(outcome, Accepted):
            parts.status.clear(_PART)
            with bind_request(outcome.request_id):
                _log.info("message submitted", duplicate=outcome.duplicate)
            return outcome
        if isinstance(outcome, Refused):
            parts.metrics.refused(outcome.reason)
            _log.warning("Switchboard refused the message", reason=outcome.reason, detail=outcome.message)
            raise ValidationFailed(outcome.message)
        # Never "error": a process that is unready gets no posts, and would never be seen to recover.
        parts.status.trouble(_PART, "degraded", outcome.message)
        _log.warning("the message was not taken", reason=outcome.reason, detail=outcome.message)
        raise SendAgain(outcome, repeat_key)
