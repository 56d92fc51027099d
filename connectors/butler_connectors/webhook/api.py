"""`POST /v1/messages` and `GET /v1/messages/{request_id}` (interfaces: HTTP; D5, D19, D52).

Synchronous: a post is answered with what Switchboard said, and nothing of it is kept here. Per thread one
submission is in flight (D11); past a bound of waiting posts the answer is 503.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID, uuid4

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from butler_connectors.base.metrics import SourceFault
from butler_connectors.base.process import Parts
from butler_connectors.base.submit import Accepted, Outcome, Refused
from butler_connectors.base.turns import Turns
from butler_connectors.webhook.normalize import Submission, envelope_of, read_key, read_post
from butler_connectors.webhook.requests import RequestReader, submitter_of
from butler_connectors.webhook.tokens import name_of
from butler_contracts.errors import ValidationFailed
from butler_kit.auth import KeyFileError
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import bind_request, get_logger

__all__ = ["BODY_MAX_BYTES", "WebhookApi"]

BODY_MAX_BYTES: Final = 512 * 1024
_WAITING_PER_SLOT: Final = 8
_BODY_DEADLINE_S: Final = 15.0
_RETRY_AFTER_S: Final = 5.0
_PART: Final = "switchboard"
_log = get_logger(__name__)


class WebhookApi:
    """The public side of the webhook connector."""

    def __init__(self, parts: Parts, tokens: Mapping[str, str], requests: RequestReader) -> None:
        self._parts = parts
        self._tokens = tokens
        self._requests = requests
        self._slots = asyncio.Semaphore(parts.settings.max_inflight)
        self._most_waiting = parts.settings.max_inflight * _WAITING_PER_SLOT
        self._waiting = 0
        self._turns = Turns()

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/v1/messages", self.post, methods=["POST"]),
                Route("/v1/messages/{request_id}", self.get, methods=["GET"]),
            ]
        )

    async def post(self, request: Request) -> Response:
        """202 with the request's id, or the reason why not."""
        submitter = name_of(request.headers.get("authorization", ""), self._tokens)
        if submitter is None:
            return _unauthorized()
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _error(415, "validation_error", "Content-Type: expected application/json")
        try:
            body = await _body(request)
        except (TimeoutError, ClientDisconnect):
            return _error(408, "timeout", f"the body did not arrive within {_BODY_DEADLINE_S:g} s")
        if body is None:
            return _error(413, "validation_error", f"the body is larger than {BODY_MAX_BYTES} bytes")
        try:
            key = read_key(request.headers.get("idempotency-key"))
            submission = Submission(read_post(body), submitter, key, uuid4())
            return await self._submit(submission)
        except ValidationFailed as refused:
            return _error(400, "validation_error", refused.message)

    async def get(self, request: Request) -> Response:
        """The state and the reply of a request that was posted with the same token; any other is unknown."""
        submitter = name_of(request.headers.get("authorization", ""), self._tokens)
        if submitter is None:
            return _unauthorized()
        try:
            view = await self._requests.read(UUID(request.path_params["request_id"]))
        except ValueError:
            view = None
        except (SourceFault, KeyFileError) as error:
            _log.warning("a request could not be looked up", error=str(error))
            return _later("Switchboard does not answer now", None)
        if view is None or submitter_of(view) != submitter:
            return _error(404, "validation_error", "no request of this token has this id")
        reply = view.get("aggregated_reply")
        return JSONResponse(
            {
                "request_id": request.path_params["request_id"],
                "state": view.get("lifecycle_state"),
                "reply": reply.get("text") if isinstance(reply, dict) else None,
            }
        )

    async def _submit(self, submission: Submission) -> Response:
        parts = self._parts
        reason = parts.settings.senders.skip_reason(submission.post.sender)
        if reason is not None:
            parts.metrics.skipped(reason)
            return _error(403, "validation_error", "messages of this sender are not taken here")
        envelope = envelope_of(
            submission,
            endpoint_identity=parts.settings.endpoint_identity,
            tier=parts.settings.tier,
            now=parts.clock.now(),
        )
        reason = parts.switchboard.rules.skip_reason(envelope)
        if reason is not None:
            parts.metrics.skipped(reason)
            return _error(403, "validation_error", "a rule of the household skips this message")
        await reached_async(points.CONNECTOR_FETCHED, "api")
        if self._waiting >= self._most_waiting:
            return _later("too many messages are waiting here", 1.0)
        self._waiting += 1
        try:
            async with self._turns.of(submission.post.thread), self._slots:
                outcome = await parts.switchboard.submit(envelope)
        finally:
            self._waiting -= 1
        return self._answer(outcome)

    def _answer(self, outcome: Outcome) -> Response:
        if isinstance(outcome, Accepted):
            self._parts.status.clear(_PART)
            with bind_request(outcome.request_id):
                _log.info("message submitted", duplicate=outcome.duplicate)
            body = {
                "request_id": str(outcome.request_id),
                "status": "accepted",
                "duplicate": outcome.duplicate,
            }
            return JSONResponse(body, status_code=202)
        if isinstance(outcome, Refused):
            self._parts.metrics.refused(outcome.reason)
            _log.warning("Switchboard refused the message", reason=outcome.reason, detail=outcome.message)
            return _error(400, outcome.reason, outcome.message)
        # Never "error": a place that sends no posts to an unready process would never see it recover.
        self._parts.status.trouble(_PART, "degraded", outcome.message)
        _log.warning("the message was not taken", reason=outcome.reason, detail=outcome.message)
        return _later("the message was not accepted now; send it again", outcome.retry_after_s)


async def _body(request: Request) -> bytes | None:
    """The whole body; None when it is too large. Raises `TimeoutError` for one that does not come."""
    body = bytearray()
    async with asyncio.timeout(_BODY_DEADLINE_S):
        async for chunk in request.stream():
            body += chunk
            if len(body) > BODY_MAX_BYTES:
                return None
    return bytes(body)


def _unauthorized() -> Response:
    response = _error(401, "validation_error", "Authorization: expected a bearer token that is known here")
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _later(message: str, retry_after_s: float | None) -> Response:
    seconds = max(1, math.ceil(_RETRY_AFTER_S if retry_after_s is None else retry_after_s))
    response = _error(503, "target_unavailable", message, retryable=True)
    response.headers["Retry-After"] = str(seconds)
    return response


def _error(status: int, error_class: str, message: str, *, retryable: bool = False) -> Response:
    detail: dict[str, Any] = {"class": error_class, "message": message, "retryable": retryable}
    return JSONResponse({"error": detail}, status_code=status)
