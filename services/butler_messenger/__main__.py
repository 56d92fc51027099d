"""`python -m butler_messenger --config butler.toml [--sync-contacts]`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from butler_contracts.errors import ButlerError
from butler_kit.config import ConfigError, ProcessEnvironment, load_config, read_environment
from butler_kit.db import open_pool
from butler_kit.service.main import Errand, service_main
from butler_messenger.app import build_service
from butler_messenger.contacts.sync import SyncResult, sync_contacts
from butler_messenger.settings import MessengerConfig, contacts_file


def main() -> int:
    """Serve, or with `--sync-contacts` only read the contacts file into the database."""
    return service_main(
        "butler_messenger",
        "Delivers what butlers want to say.",
        MessengerConfig,
        build_service,
        errand=Errand("--sync-contacts", "read BUTLERS_CONTACTS_FILE and exit", _sync),
    )


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
