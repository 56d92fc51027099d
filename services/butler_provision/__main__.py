"""`python -m butler_provision …`: see the package's own text for its arguments, results and exit codes."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import asyncpg

from butler_contracts.errors import ButlerError, TargetUnavailable, ValidationFailed
from butler_kit.config import ConfigError
from butler_kit.db import MigrationError
from butler_kit.db.faults import DRIVER_ERRORS
from butler_kit.tls import CA_FILE
from butler_provision.departed import departed, retire_departed
from butler_provision.member import read_member
from butler_provision.outcome import Exit, failed, prepared, write_private, write_termination_message
from butler_provision.prepare import Prepared, Shown, find_url, prepare, prepare_dashboard
from butler_provision.urls import parse_admin_url, with_authority

__all__ = ["main"]

WAIT_S: Final = 120.0
_OPEN: Final = (
    "; it was not empty when the first butler came, so what every role of the server may do in it stays as it is. "
    "If it is the household's alone: REVOKE ALL ON DATABASE … FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare the database for one butler; return the exit code."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(format="provision: %(message)s", stream=sys.stderr, level=logging.INFO, force=True)
    try:
        result = asyncio.run(_run(options))
        write_private(options.url_file, result.url + "\n")
    except (ConfigError, ButlerError, *DRIVER_ERRORS) as error:
        code, text = _told(error)
        _tell(f"error: {text}")
        _leave(options.termination_log, failed(code, text))
        return code
    except asyncio.CancelledError:
        _tell("stopped by a signal")
        return 128 + signal.SIGTERM
    _tell(_summary(result))
    _leave(options.termination_log, prepared(result))
    return Exit.DONE


async def _run(options: argparse.Namespace) -> Prepared:
    # The first process of a container has no default action for a signal.
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - inside asyncio.run
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    member = read_member(options.config, options.uid) if options.config is not None else None
    gone = [departed(one, drop=False) for one in options.retain] + [
        departed(one, drop=True) for one in options.drop
    ]
    admin = parse_admin_url(with_authority(_admin_url(options.admin_url_file), os.environ.get(CA_FILE)))
    if member is None:
        shown = Shown(options.switchboard, options.messenger)
        return await prepare_dashboard(shown, admin, wait_s=options.wait_s, tell=_tell)
    bring = find_url if options.only_url else prepare
    result = await bring(member, admin, wait_s=options.wait_s, tell=_tell)
    return replace(result, departed=await retire_departed(gone, admin, tell=_tell))


def _admin_url(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValidationFailed(
            f"the administrator's URL cannot be read from {path} ({type(error).__name__}); "
            "is its Secret mounted there?"
        ) from None


def _told(error: Exception) -> tuple[Exit, str]:
    """Return the exit code and one line for a person."""
    text = " ".join(str(error).split()) or type(error).__name__
    match error:
        case ConfigError() | ValidationFailed():
            return Exit.BAD_CONFIGURATION, text
        case TargetUnavailable() | asyncpg.InternalClientError():
            return Exit.DATABASE_UNREACHABLE, text
        case MigrationError():
            return Exit.MIGRATION_FAILED, text
        case asyncpg.PostgresError() | asyncpg.InterfaceError():
            return Exit.DATABASE_REFUSED, (
                f"the database refuses: {text}; check the administrator's Secret and what that role may do"
            )
    return Exit.FAILED, text


def _summary(result: Prepared) -> str:
    applied = f"{len(result.applied)} migrations applied" if result.applied else "nothing to apply"
    isolated = (
        ""
        if result.role_isolation
        else "; the administrator may not create roles, so all butlers share its role"
    )
    return f"database up to date ({applied}){isolated}{_OPEN if result.open_to_all else ''}"


def _leave(path: Path | None, message: dict[str, Any]) -> None:
    if path is None:
        return
    try:
        write_termination_message(path, message)
    except OSError as error:
        _tell(f"the termination message cannot be written to {path}: {error.strerror}")


def _tell(line: str) -> None:
    logging.getLogger("butler_provision").info(line)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="butler_provision", description="Prepares the database for one butler."
    )
    whom = parser.add_mutually_exclusive_group(required=True)
    whom.add_argument("--config", type=Path, help="the butler's butler.toml")
    whom.add_argument("--dashboard", action="store_true", help="for the dashboard, which reads views")
    for name in ("switchboard", "messenger"):
        parser.add_argument(
            f"--{name}",
            default=name,
            metavar="NAME",
            help=f"with --dashboard: the {name} whose views it reads",
        )
    parser.add_argument(
        "--admin-url-file",
        type=Path,
        required=True,
        help="file with the URL of whoever may create schemas and roles",
    )
    parser.add_argument(
        "--url-file", type=Path, required=True, help="where the service's own URL is put, mode 0600"
    )
    parser.add_argument(
        "--only-url", action="store_true", help="only make the URL file: for a job on the tables of --config"
    )
    parser.add_argument("--uid", help="of the butler's resource, to tell it from a later one of its name")
    for option, what in (("--retain", "may not log in any more"), ("--drop", "goes, with its data")):
        parser.add_argument(
            option,
            action="append",
            default=[],
            metavar="NAME=UID",
            help=f"a butler that is gone: its role {what}",
        )
    parser.add_argument("--termination-log", type=Path, help="where the result is put as a line of JSON")
    parser.add_argument(
        "--wait-s", type=float, default=WAIT_S, help="how long to wait for the database (%(default)g)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
