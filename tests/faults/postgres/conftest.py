"""A Switchboard with its butler on a database server of the module's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from butler_kit.db import SchemaPlan
from tests.faults.postgres.instance import Instance, own_instance
from tests.support.database import Database, Form, Provision
from tests.support.switchboard_service import Household, household


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    with own_instance() as made:
        yield made


@pytest.fixture
async def provision_here(instance: Instance) -> AsyncIterator[Provision]:
    """As `provisioned`, on the module's own server."""
    made: list[Database] = []

    async def provision(*plans: SchemaPlan, **others: Any) -> Database:
        made.append(await instance.copy(Form(plans, **others)))
        return made[-1]

    yield provision
    if not instance.postgres.is_running():
        instance.start()
    for database in made:
        await database.close()


@pytest.fixture
async def home(provision_here: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provision_here, tmp_path, "finance", "general") as made:
        yield made
