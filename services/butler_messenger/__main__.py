"""`python -m butler_messenger --config butler.toml [--sync-contacts]`."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from butler_contracts.errors import ButlerError
from butler_kit.config import ConfigError, ProcessEnvironment, load_config, read_environment
from butler_kit.db import open_pool
from butler_kit.service import ServiceApp, run_service
from butler_kit.telemetry import configure_logging, configure_tracing
from butler_messenger.app import build_service
from butler_messenger.contacts.sync import SyncResult, sync_contacts
from butler_messenger.settings import MessengerConfig, contacts_file


def main() -> int:
    """Serve, or with `--sync-contacts` only read the contacts file into the database."""
    parser = argparse.ArgumentParser(
        prog="butler_messenger", description="Delivers what butlers want to say."
    )
    parser.add_argument("--config", type=Path, required=True, help="this butler's butler.toml")
    parser.add_argument("--sync-contacts", action="store_true", help="read BUTLERS_CONTACTS_FILE and exit")
    arguments = parser.parse_args()
    if arguments.sync_contacts:
        return _sync(arguments.config, os.environ)
    return run_service(lambda: _service(arguments.config, os.environ))


def _service(path: Path, env: Mapping[str, str]) -> ServiceApp:
    config = load_config(path, MessengerConfig, env)
    environment = read_environment(ProcessEnvironment, env)
    configure_logging(config.butler.name, environment.log_level, environment.log_format)
    configure_tracing(config.butler.name, env)
    return build_service(config, env)


def _sync(path: Path, env: Mapping[str, str]) -> int:
    try:
        config = load_config(path, MessengerConfig, env)
        result = asyncio.run(_sync_contacts(config, env))
    except (ConfigError, ButlerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"contacts: {result.contacts}, identifiers: {result.identifiers}")
    return 0


async def _sync_contacts(config: MessengerConfig, env: Mapping[str, str]) -> SyncResult:
    file = contacts_file(env)
    if file is None:
        raise ButlerError("BUTLERS_CONTACTS_FILE is not set; name the contacts file in it")
    environment = read_environment(ProcessEnvironment, env)
    dsn = environment.database_url.get_secret_value()
    pool = await open_pool(dsn, config.butler.db_schema, name="messenger-contacts", min_size=1, max_size=1)
    try:
        return await sync_contacts(pool, file)
    finally:
        await pool.close()


if __name__ == "__main__":
    sys.exit(main())
