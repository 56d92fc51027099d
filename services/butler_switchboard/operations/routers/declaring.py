"""The ops API's declarations: butlers and connectors, each with the subject that speaks for it (SWB-09, D3)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from butler_contracts.base import StrictModel, rule_broken
from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse
from butler_contracts.text import Identity
from butler_kit.auth import ConnectorBinding
from butler_kit.auth.subjects import is_service_account
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Operator, handed
from butler_switchboard.operations.ops_models import DeclareBody, EligibilityView, NameBody
from butler_switchboard.operations.routers.registry import CONNECTOR_PATH
from butler_switchboard.operations.view import View
from butler_switchboard.registry.declarations import UNDECLARED, Declarations

__all__ = ["BindingView", "ConnectorBody", "DeclareButlerBody", "UndeclareQuestion", "declaring"]


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


class BindingList(View):
    """Every source that is declared."""

    bindings: list[BindingView]


Declaring = Annotated[Declarations, handed(Declarations)]
declaring = ops_router(acting=True)
"""PUT and DELETE of butlers and of connectors, for operators alone."""


@declaring.put("/butlers/{name}")
async def declare_butler(
    declarations: Declaring, caller: Operator, name: str, body: Annotated[DeclareButlerBody, AS_BODY]
) -> EligibilityView:
    """Declare a butler."""
    _check_name(name, body.role)
    record = await declarations.declare_butler(
        name, body.to_declaration(), subject=body.subject, actor=caller.subject
    )
    return EligibilityView.of(record)


@declaring.delete("/butlers/{name}")
async def undeclare_butler(
    declarations: Declaring, caller: Operator, name: str, asked: Annotated[UndeclareQuestion, *AS_QUERY]
) -> EligibilityView:
    """Undeclare a butler: its registration and hold go, its history stays."""
    await declarations.undeclare_butler(name, only=asked.subject, actor=caller.subject)
    return EligibilityView(name=name, eligibility_state=UNDECLARED, reason=UNDECLARED)


@declaring.put(CONNECTOR_PATH)
async def declare_connector(
    declarations: Declaring,
    caller: Operator,
    connector_type: str,
    endpoint_identity: str,
    body: Annotated[ConnectorBody, AS_BODY],
) -> BindingView:
    """Declare which service account speaks for a source."""
    source = _source(connector_type, endpoint_identity)
    connector = ConnectorBinding(source.connector_type, source.endpoint_identity, body.max_tier)
    await declarations.declare_connector(body.subject, connector, actor=caller.subject)
    return BindingView(**source.model_dump(), subject=body.subject, max_tier=body.max_tier)


@declaring.delete(CONNECTOR_PATH)
async def undeclare_connector(
    declarations: Declaring,
    caller: Operator,
    connector_type: str,
    endpoint_identity: str,
    asked: Annotated[UndeclareQuestion, *AS_QUERY],
) -> BindingView:
    """Let nobody speak for a source; the connector stays registered."""
    source = _source(connector_type, endpoint_identity)
    await declarations.undeclare_connector(
        source.connector_type, source.endpoint_identity, only=asked.subject, actor=caller.subject
    )
    return BindingView(**source.model_dump(), subject=None, max_tier=None)


@declaring.get("/bindings")
async def bound(declarations: Declaring, _: Operator) -> BindingList:
    """Declared sources, each with the service account that speaks for it."""
    bindings = [
        BindingView(
            connector_type=of.connector_type,
            endpoint_identity=of.endpoint_identity,
            subject=subject,
            max_tier=of.max_tier,
        )
        for subject, of in await declarations.sources()
    ]
    return BindingList(bindings=bindings)


def _source(connector_type: str, endpoint_identity: str) -> _Source:
    return parse(_Source, {"connector_type": connector_type, "endpoint_identity": endpoint_identity})


def _check_name(name: str, role: str) -> None:
    """Check a name, the registry's key and a token's audience; two roles have a name of their own."""
    if name == "switchboard" or (name == "messenger") != (role == "messenger"):
        raise ValidationFailed(
            f"name: '{name[:63]}' does not go with role '{role}'; expected 'messenger' for the messenger "
            "and another name, but 'switchboard', for a specialist"
        )
    parse(NameBody, {"name": name})
