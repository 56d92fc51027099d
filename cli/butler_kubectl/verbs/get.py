"""`kubectl butler get`: the resources themselves, as `kubectl get` shows them."""

from __future__ import annotations

import click

from butler_kubectl.flags import cluster_flags, scope_option, selector_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.targets import by_name

__all__ = ["get"]

ALL = "butlers.butlers.dev,connectors.butlers.dev,backfilljobs.butlers.dev,butleroperations.butlers.dev"
EPILOG = """\b
Examples:
  kubectl butler get
  kubectl butler get finance -o yaml
"""


@click.command("get", short_help="Show the resources, as kubectl get does.", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME…]")
@scope_option
@selector_option
@click.option(
    "-o", "--output", metavar="FORM", help="Any format of kubectl get: json, yaml, name, wide, jsonpath=…"
)
@click.option("-w", "--watch", is_flag=True, help="Watch for changes until Ctrl-C.")
@click.option("--no-headers", is_flag=True, help="Print only the rows.")
@cluster_flags
def get(
    kubectl: Kubectl,
    names: tuple[str, ...],
    everywhere: bool,
    selector: str | None,
    output: str | None,
    watch: bool,
    no_headers: bool,
) -> int:
    """Show all butlers, connectors, backfill jobs and operations, or only the named ones."""
    if watch and not names:
        raise click.UsageError("-w watches one kind: name butlers, or use `kubectl butler status -w`.")
    what = [f"{one.kind.lower()}s.butlers.dev/{one.key}" for one in by_name(kubectl, names)] or [ALL]
    given = {
        "--all-namespaces": everywhere, "--watch": watch, "--no-headers": no_headers,
        f"--selector={selector}": selector, f"--output={output}": output,
    }  # fmt: skip
    return kubectl.stream("get", *what, *(flag for flag, wanted in given.items() if wanted))
