"""`POST /v1/messages` and `GET /v1/messages/{request_id}` on FastAPI (interfaces: HTTP; D5, D19, D52).

Invariant: nothing of a request's body is read before its token is known.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Header
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from butler_connectors.webhook.intake import Intake, SendAgain
from butler_connectors.webhook.normalize import Post, read_key, read_post
from butler_kit.ops.app import OpsRoute, create_app, refusals
from butler_kit.ops.bodies import described_body, json_body
from butler_kit.ops.inputs import handed
from butler_kit.ops.problems import problem_response

__all__ = ["BODY_MAX_BYTES", "WEBHOOK"]

BODY_MAX_BYTES: Final = 512 * 1024
_BODY_WITHIN_S: Final = 15.0
_REFUSED: Final = {
    400: "It is no message that Switchboard takes; every wrong field is named.",
    401: "No token, or one that is not known here.",
    403: "Messages of this sender are not taken.",
    404: "No request of this token has this id.",
    408: "The body did not come in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    503: (
        "It was not taken now, or nobody knows whether it was; send it again after `Retry-After`, with the answer's "
        "`Idempotency-Key` if it has one: then it is one message."
    ),
}
_AWAY: Final = {503: "Nobody can be asked now; ask again after `Retry-After`."}


Taking = Annotated[Intake, handed(Intake)]


class Taken(BaseModel):
    """Switchboard has the message; `duplicate`: it had it before."""

    request_id: UUID
    status: Literal["accepted"] = "accepted"
    duplicate: bool


class Told(BaseModel):
    """What became of it: the reply once there is one."""

    request_id: str
    state: str | None
    reply: str | None


async def submitter(request: Request, intake: Taking) -> str:
    """Return the name of the caller's token; raise `Unauthenticated` for anybody else."""
    return intake.submitter_of(request.headers.get("authorization", ""))


async def posted(request: Request, _: Submitter) -> Post:
    """Return the message in the body; raise what is wrong with it."""
    return read_post(await json_body(request, max_bytes=BODY_MAX_BYTES, within_s=_BODY_WITHIN_S))


Submitter = Annotated[str, Depends(submitter)]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Posts of one token with the same key are one message; without a key each is its own.",
        json_schema_extra={"minLength": 1, "maxLength": 256},
    ),
]
_router = APIRouter(prefix="/v1", route_class=OpsRoute)


@_router.post(
    "/messages",
    status_code=202,
    response_model=Taken,
    responses=refusals({status: said for status, said in _REFUSED.items() if status != 404}),
    openapi_extra=described_body(Post),
)
async def post(
    intake: Taking,
    who: Submitter,
    message: Annotated[Post, Depends(posted)],
    key: Key = None,
) -> Response:
    """Submit one message; the answer is what Switchboard said."""
    try:
        accepted = await intake.submit(message, submitter=who, key=read_key(key))
    except SendAgain as refused:
        answer = problem_response(refused)
        answer.headers["Idempotency-Key"] = refused.key
        return answer
    taken = Taken(request_id=accepted.request_id, duplicate=accepted.duplicate)
    return JSONResponse(taken.model_dump(mode="json"), status_code=202)


@_router.get(
    "/messages/{request_id}",
    response_model=Told,
    responses=refusals({status: _REFUSED[status] for status in (401, 404)} | _AWAY),
)
async def get(intake: Taking, who: Submitter, request_id: str) -> Response:
    """What became of a message that was posted with the same token; any other is unknown."""
    view = await intake.view(request_id, submitter=who)
    told = Told(
        request_id=request_id,
        state=view.get("lifecycle_state"),
        reply=reply_of(view.get("aggregated_reply")),
    )
    return JSONResponse(told.model_dump(mode="json"))


def reply_of(answered: Any) -> str | None:
    """Return the answer; the mark says which butler speaks, and one that alone answered needs none (ADR 0126)."""
    if not isinstance(answered, dict):
        return None
    text, parts = answered.get("text"), answered.get("parts") or ()
    replies: dict[str, str] = {f"[{part['butler']}] {part['reply']}": part["reply"] for part in parts}
    return replies.get(text, text) if isinstance(text, str) else None


WEBHOOK: Final = create_app("Webhook", (_router,), document_at="/v1/openapi.json", shown_to=submitter)
"""Its endpoints work on an `Intake`."""
