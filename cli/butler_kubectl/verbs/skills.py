"""`kubectl butler skills`: the same table as `butlers skills`, of a household on a cluster."""

from __future__ import annotations

from typing import Final

import click

from butler_cli.client.questions import ask_skills
from butler_cli.output.lists.skills import table_of
from butler_kubectl.flags import cluster_flags, no_headers_option, output_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.listing import Listing, show_listing

__all__ = ["skills"]

LISTING: Final = Listing("skills", "name", "skill", "no skill is known", table_of)


@click.command("skills", short_help="Show the Switchboard's skills.")
@output_option()
@no_headers_option
@cluster_flags
def skills(kubectl: Kubectl, output: str | None, no_headers: bool) -> None:
    """Show the Switchboard's skills: text version, whether it is in use, and purpose.

    `-o json` includes the texts, as sessions get them.
    """
    show_listing(kubectl, LISTING, ask_skills, output=output, watch=False, no_headers=no_headers)
