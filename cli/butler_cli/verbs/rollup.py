"""`butlers rollup`: `butlers-rollups` on the household's own database."""

from __future__ import annotations

import os

import click

from butler_cli.client.household import running_household
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.verbs.options import state_option
from butler_rollups.cli import DSN_ENV, arguments_of, asked_of, perform
from butler_rollups.errors import BadArguments

__all__ = ["rollup"]


@click.command(
    "rollup",
    short_help="Compute statistics now.",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("arguments", metavar="JOB [OPTION]…", nargs=-1, type=click.UNPROCESSED, required=True)
@state_option
def rollup(arguments: tuple[str, ...], state: StateDir) -> int:
    """Compute statistics: hourly, daily, fanout or quality; prune deletes old ones.

    Without a window, it computes what is due. `--window-start T --window-end T` computes that window, `--backfill ID`
    those that a backfill changed. `--engine spark` uses PySpark instead of PostgreSQL; `--json` prints one JSON object.
    The database is that of BUTLERS_DATABASE_URL (another variable: `--dsn-env NAME`), else the running household's.
    """
    env = dict(os.environ)
    if not env.get(DSN_ENV) and _needs_household(arguments):
        env[DSN_ENV] = _dsn(state)
    return perform(arguments, env, name="butlers")


def _needs_household(arguments: tuple[str, ...]) -> bool:
    """Whether the household's database is needed; `perform` reports bad arguments."""
    try:
        chosen = arguments_of(arguments)
        asked_of(chosen)
    except BadArguments:
        return False
    return bool(chosen.dsn_env == DSN_ENV)


def _dsn(state: StateDir) -> str:
    """Return the database's address in `endpoints.json`. Raises `UserError` when no household is up."""
    household = running_household(state)
    database = household.endpoints.get("database")
    dsn = database.get("dsn") if isinstance(database, dict) else None
    if not isinstance(dsn, str):
        raise UserError(f"{state.endpoints_file} names no database; `butlers down`, then `butlers up -f DIR`")
    return dsn
