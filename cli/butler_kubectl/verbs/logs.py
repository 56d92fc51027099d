"""`kubectl butler logs`: the logs of the pods of a butler or a connector."""

from __future__ import annotations

import click

from butler_kubectl.flags import cluster_flags
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.targets import by_name

__all__ = ["logs"]

EPILOG = """\b
Examples:
  kubectl butler logs finance -f
  kubectl butler logs connector/telegram --since 10m --previous
"""


@click.command("logs", short_help="Show the logs of a butler or connector.", epilog=EPILOG)
@click.argument("name", metavar="NAME")
@click.option("-f", "--follow", is_flag=True, help="Follow new lines until Ctrl-C.")
@click.option(
    "--tail",
    type=click.IntRange(-1),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of last lines to show; -1: all.",
)
@click.option("--since", metavar="TIME", help="Only newer lines: 5s, 2m, 3h.")
@click.option("-p", "--previous", is_flag=True, help="Logs of the container before its last restart.")
@cluster_flags
def logs(kubectl: Kubectl, name: str, follow: bool, tail: int, since: str | None, previous: bool) -> int:
    """Show the logs of all pods of a butler or connector."""
    (one,) = by_name(kubectl, [name])
    given = {"--follow": follow, "--previous": previous, f"--since={since}": since}
    return kubectl.stream(
        "logs", f"--selector=butlers.dev/kind={one.kind},butlers.dev/name={one.key}", "--all-containers",
        "--ignore-errors", "--prefix", "--max-log-requests=20", f"--tail={tail}",
        *(flag for flag, wanted in given.items() if wanted),
    )  # fmt: skip
