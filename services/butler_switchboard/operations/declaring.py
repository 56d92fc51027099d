"""The ops API's declarations: butlers and connectors, each with the subject that speaks for it (SWB-09, D3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from starlette.requests import Request

from butler_contracts.base import StrictModel, rule_broken
from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse
from butler_contracts.text import Identity
from butler_kit.auth import Caller, ConnectorBinding, Role, require_role
from butler_kit.auth.subjects import is_service_account
from butler_switchboard.operations.ops_models import DeclareBody, EligibilityView, NameBody
from butler_switchboard.operations.view import View
from butler_switchboard.registry.declarations import UNDECLARED, Declarations

__all__ = ["BindingView", "ConnectorBody", "DeclareButlerBody", "Declaring", "UndeclareQuestion"]


def _is_subject(value: str) -> str:
    if not is_service_account(value):
        raise rule_broken("", "is no service account", "system:serviceaccount:NAMESPACE:NAME")
    return value


Subject = Annotated[str, Field(max_length=340), AfterValidator(_is_subject)]


class DeclareButlerBody(DeclareBody):
    """What a manifest says of a butler; on a cluster also the service account that speaks for it."""

    subject: Subject | None = None


class ConnectorBody(StrictModel):
    """Which service account speaks for a source, and the highest policy tier it may ask for (D3)."""

    subject: Subject
    max_tier: Literal["default", "interactive", "high_priority"]


class UndeclareQuestion(StrictModel):
    """`subject`: undeclare only when this is the one that is bound."""

    subject: Subject | None = None


class _Source(StrictModel):
    connector_type: Literal["telegram_bot", "imap", "gmail", "webhook", "mcp"]
    endpoint_identity: Identity


class BindingView(View):
    """A connector's declaration; `subject` is None after it was undeclared."""

    connector_type: str
    endpoint_identity: str
    subject: str | None
    max_tier: str | None


class Declaring:
    """Four endpoints of the ops API, for operators alone."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations

    async def declare_butler(self, caller: Caller, request: Request) -> EligibilityView:
        """PUT /butlers/{name}"""
        require_role(caller, Role.OPERATOR)
        name = request.path_params["name"]
        body = parse(DeclareButlerBody, await request.body())
        _check_name(name, body.role)
        record = await self._declarations.declare_butler(
            name, body.to_declaration(), subject=body.subject, actor=caller.subject
        )
        return EligibilityView(
            name=name, eligibility_state=record.eligibility_state.value, reason=record.eligibility_reason
        )

    async def undeclare_butler(self, caller: Caller, request: Request) -> EligibilityView:
        """DELETE /butlers/{name}"""
        require_role(caller, Role.OPERATOR)
        name, only = request.path_params["name"], _only(request)
        await self._declarations.undeclare_butler(name, only=only, actor=caller.subject)
        return EligibilityView(name=name, eligibility_state=UNDECLARED, reason=UNDECLARED)

    async def declare_connector(self, caller: Caller, request: Request) -> BindingView:
        """PUT /connectors/{connector_type}/{endpoint_identity}"""
        require_role(caller, Role.OPERATOR)
        source = _source(request)
        body = parse(ConnectorBody, await request.body())
        connector = ConnectorBinding(source.connector_type, source.endpoint_identity, body.max_tier)
        await self._declarations.declare_connector(body.subject, connector, actor=caller.subject)
        return BindingView(**source.model_dump(), subject=body.subject, max_tier=body.max_tier)

    async def undeclare_connector(self, caller: Caller, request: Request) -> BindingView:
        """DELETE /connectors/{connector_type}/{endpoint_identity}"""
        require_role(caller, Role.OPERATOR)
        source = _source(request)
        await self._declarations.undeclare_connector(
            source.connector_type, source.endpoint_identity, only=_only(request), actor=caller.subject
        )
        return BindingView(**source.model_dump(), subject=None, max_tier=None)


def _source(request: Request) -> _Source:
    path: dict[str, Any] = request.path_params
    return parse(_Source, {name: path[name] for name in _Source.model_fields})


def _only(request: Request) -> str | None:
    return parse(UndeclareQuestion, dict(request.query_params)).subject


def _check_name(name: str, role: str) -> None:
    """Names are the registry's keys and the audiences of tokens; two roles have a name of their own."""
    if name == "switchboard" or (name == "messenger") != (role == "messenger"):
        raise ValidationFailed(
            f"name: '{name[:63]}' does not go with role '{role}'; expected 'messenger' for the messenger "
            "and another name, but 'switchboard', for a specialist"
        )
    parse(NameBody, {"name": name})
