"""`kubectl butler diagnose`: what is wrong with a household and what to do about it; a support bundle on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.text import Text

from butler_cli.output.screen import line_of, print_document, show
from butler_kubectl.bundle import write_bundle
from butler_kubectl.documents import print_yaml
from butler_kubectl.evidence import gather
from butler_kubectl.findings import Finding, findings
from butler_kubectl.flags import cluster_flags, output_option
from butler_kubectl.kubectl import Kubectl

__all__ = ["diagnose"]


@click.command("diagnose", short_help="Diagnose problems, suggest fixes; --bundle writes a support bundle.")
@click.option(
    "--bundle",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.tar.gz",
    help="Write the evidence and logs to this file, without secrets.",
)
@output_option("json", "yaml")
@cluster_flags
def diagnose(kubectl: Kubectl, bundle: Path | None, output: str | None) -> int:
    """Check the operator, trust, conditions, pods and events of a household. Exit code 1 if something is wrong."""
    now = datetime.now(UTC)
    evidence = gather(kubectl)
    found = findings(evidence, now=now)
    if output is not None:
        document = {"findings": [asdict(one) for one in found]}
        (print_document if output == "json" else print_yaml)(document)
    else:
        _show(found)
    if bundle is not None:
        names = write_bundle(bundle, kubectl, evidence, found, now=now)
        click.echo(
            f"wrote {bundle}: {len(names)} files, secrets taken out; look through it before you pass it on",
            err=True,
        )
    return 1 if found else 0


def _show(found: Sequence[Finding]) -> None:
    if not found:
        show("nothing is wrong: operator, trust, butlers, connectors and pods are as they should be")
    for one in found:
        show(
            Text(line_of(one.what), style="bold"),
            Text(f"  {line_of(one.said)}"),
            Text(f"  → {line_of(one.do)}"),
        )
