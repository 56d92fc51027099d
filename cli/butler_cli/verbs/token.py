"""`butlers token`: a token of the household's own authority, for a script or a process elsewhere (D2, D3)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import click

from butler_cli.errors import UserError
from butler_cli.local.keys import PROCESS_TOKEN_TTL_S, TokenGrant, local_key_file, sign_token
from butler_cli.local.state import StateDir
from butler_cli.verbs.options import json_option, state_option
from butler_kit.auth.claims import MAX_STATIC_LIFETIME_S, STATIC_LIFETIMES_S
from butler_kit.auth.signer import audience_of, connector_claims
from butler_kit.time import SystemClock

__all__ = ["token"]


@click.command(short_help="Print a token for a connector, a butler, an operator or the dashboard.")
@click.option(
    "--role",
    required=True,
    type=click.Choice(["connector", "butler", "operator", "dashboard"]),
    help="Role of the token; dashboard can read everything and change nothing.",
)
@click.option("--connector-type", metavar="T", help="With --role connector: the type, for example webhook.")
@click.option("--endpoint", metavar="ID", help="With --role connector: the endpoint identity.")
@click.option(
    "--max-tier",
    default="interactive",
    show_default=True,
    type=click.Choice(["default", "interactive", "high_priority"]),
    help="With --role connector: the highest tier of its messages.",
)
@click.option("--name", metavar="N", help="With --role butler: the butler's name.")
@click.option("--audience", default="switchboard", show_default=True, help="Service that accepts the token.")
@click.option(
    "--ttl",
    "ttl_s",
    type=click.IntRange(1, MAX_STATIC_LIFETIME_S),
    metavar="S",
    help="Lifetime in seconds, 3600 by default; beyond an hour it is a static token, whose use warns from 80 % of its "
    "lifetime.",
)
@click.option(
    "--environment",
    type=click.Choice(sorted(STATIC_LIFETIMES_S)),
    help="Where it is used; sets the default and maximum lifetime: 90 days in production, 7 in development.",
)
@json_option
@state_option
def token(
    role: str,
    connector_type: str | None,
    endpoint: str | None,
    max_tier: str,
    name: str | None,
    audience: str,
    ttl_s: int | None,
    environment: str | None,
    as_json: bool,
    state: StateDir,
) -> None:
    """Print a token that the household's services accept."""
    grant = _grant(role, connector_type, endpoint, max_tier, name)
    if not local_key_file(state).exists():
        raise UserError(f"{state.root} has no keys yet; start the household once with `butlers up -f DIR`")
    life_s = _life_s(ttl_s, environment)
    static = {"static": True} if life_s > PROCESS_TOKEN_TTL_S else {}
    clock = SystemClock()
    grant = TokenGrant(grant.subject, {**grant.claims, **static})
    text = sign_token(state, grant, audience=audience, ttl_s=life_s, clock=clock)
    if not as_json:
        click.echo(text)
        return
    document: dict[str, Any] = {
        "token": text,
        "role": role,
        "subject": grant.subject,
        "audience": audience_of(audience),
        "expires_at": (clock.now() + timedelta(seconds=life_s)).isoformat(),
    }
    click.echo(json.dumps(document))


def _life_s(ttl_s: int | None, environment: str | None) -> int:
    """Return the requested lifetime, within what the environment allows (CNX-16.2)."""
    if environment is None:
        return PROCESS_TOKEN_TTL_S if ttl_s is None else ttl_s
    longest_s = STATIC_LIFETIMES_S[environment]
    if ttl_s is not None and ttl_s > longest_s:
        days = longest_s // 86_400
        raise click.UsageError(f"--ttl: a token for {environment} lives {days} days ({longest_s} s) at most.")
    return longest_s if ttl_s is None else ttl_s


def _grant(
    role: str, connector_type: str | None, endpoint: str | None, max_tier: str, name: str | None
) -> TokenGrant:
    if role == "connector":
        if not connector_type or not endpoint:
            raise click.UsageError("--role connector needs --connector-type and --endpoint.")
        claims = connector_claims(connector_type, endpoint, max_tier)
        return TokenGrant(name or f"{connector_type}:{endpoint}", claims)
    if connector_type or endpoint:
        raise click.UsageError("--connector-type and --endpoint go with --role connector.")
    if role == "butler":
        if not name:
            raise click.UsageError("--role butler needs --name.")
        return TokenGrant(name, {"role": "butler", "name": name})
    return TokenGrant(name or role, {"role": role})
