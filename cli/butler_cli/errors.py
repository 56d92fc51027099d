"""The error a person sees when a command fails: one line on stderr that says what to do."""

from __future__ import annotations

import click

__all__ = ["UserError"]


class UserError(click.ClickException):
    """A failure explained in words; the command ends with exit code 1."""
