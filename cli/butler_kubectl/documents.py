"""Documents as YAML, for `-o yaml`."""

from __future__ import annotations

import json
from typing import Any

import click

__all__ = ["print_yaml"]


def print_yaml(document: Any) -> None:
    """Print one YAML document and nothing else; what acts on a terminal is escaped."""
    import yaml

    click.echo(yaml.safe_dump(json.loads(json.dumps(document, default=str)), sort_keys=False), nl=False)
