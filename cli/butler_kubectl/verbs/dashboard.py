"""`kubectl butler dashboard`: the household's pages in a browser, for as long as the command runs."""

from __future__ import annotations

import asyncio
import os
import sys
import time
import webbrowser
from dataclasses import dataclass
from typing import Final

import click
import httpx

from butler_cli.errors import UserError
from butler_cli.local.dashboard import LINK_LIFE, one_time_link
from butler_kubectl.flags import cluster_flags
from butler_kubectl.forward import PortForward
from butler_kubectl.household import PERSON, READER
from butler_kubectl.kubectl import Kubectl, KubectlError
from butler_kubectl.refused import Role

__all__ = ["dashboard"]

SERVICE: Final = "butlers-dashboard"
PORT: Final = 40_200
TOKEN_LIFE: Final = "1h"  # noqa: S105 - a length of time: the longest that the household takes of a service account
ANSWER_TIMEOUT_S: Final = 10.0
LOOK_S: Final = 0.5
EPILOG = """\b
Examples:
  kubectl butler dashboard
  kubectl butler dashboard --port 8080 --no-open
  kubectl butler dashboard --operator ada
"""


@dataclass(frozen=True)
class Account:
    """The account whose token is requested, the receiver of that token, and the role that gives the right."""

    name: str
    receiver: str
    role: Role


@click.command("dashboard", short_help="Open the dashboard in a browser.", epilog=EPILOG)
@click.option(
    "--port", type=click.IntRange(1, 65_535), metavar="PORT", help="Local port; by default a free one."
)
@click.option("--no-open", is_flag=True, help="Only print the link.")
@click.option("--operator", metavar="NAME", help="Act as this person from the chart's dashboard.operators.")
@cluster_flags
def dashboard(kubectl: Kubectl, port: int | None, no_open: bool, operator: str | None) -> int:
    """Open the dashboard in a browser, signed in, until Ctrl-C.

    The link works once. You need the right to forward ports and to create a token of the household's reader, or of
    the person named by --operator.
    """
    _there(kubectl)
    forward = PortForward(kubectl, SERVICE, PORT, local=port)
    try:
        _show(_link(kubectl, f"http://127.0.0.1:{forward.port}", _account(operator)), browse=not no_open)
        while forward.open:
            time.sleep(LOOK_S)
    except KeyboardInterrupt:
        return 0
    finally:
        forward.close()
    raise UserError("kubectl port-forward ended; was the dashboard's pod replaced? Start this command again")


def _there(kubectl: Kubectl) -> None:
    if not kubectl.items("service", SERVICE, "--ignore-not-found", role=Role.READER):
        raise UserError(
            f"no dashboard in {kubectl.flags.where}; the chart has it: "
            "helm upgrade butlers charts/butlers --reset-then-reuse-values --set dashboard.enabled=true"
        )


def _account(operator: str | None) -> Account:
    """Return the account to use; acting needs a token for Switchboard, where it is carried out (D80)."""
    if operator is None:
        return Account(READER, "dashboard", Role.READER)
    return Account(f"{PERSON}-{operator}", "switchboard", Role.PERSON)


def _link(kubectl: Kubectl, url: str, account: Account) -> str:
    audience = f"--audience=butlers.dev/{account.receiver}"
    token = kubectl.run(
        "create", "token", account.name, audience, f"--duration={TOKEN_LIFE}", role=account.role
    ).strip()
    link = asyncio.run(_ask(url, token))
    if link == url:
        raise KubectlError(
            f"the dashboard in {kubectl.flags.where} makes no link for ServiceAccount {account.name}; "
            "`kubectl logs deployment/butlers-dashboard` has the reason",
            "",
        )
    return link


async def _ask(url: str, token: str) -> str:
    async with httpx.AsyncClient(timeout=ANSWER_TIMEOUT_S, trust_env=False) as client:
        return await one_time_link(client, url=url, token=token)


def _show(link: str, *, browse: bool) -> None:
    click.echo(f"{link}  ({LINK_LIFE}; Ctrl-C ends it)")
    if browse and _has_screen():
        webbrowser.open(link)


def _has_screen() -> bool:
    """Whether a browser would open beside this terminal, and not in it."""
    return sys.platform in ("darwin", "win32") or any(
        map(os.environ.get, ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    )
