"""Connectors whose place in the source Switchboard keeps, killed at each step: every message once, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from butler_kit.faults import points
from tests.faults.household import faulty_household, outside_check
from tests.flow.household.load import Shape

POINTS: Final = (
    points.LEASE_TAKEN,
    f"{points.CONNECTOR_FETCHED}@telegram",
    f"{points.CONNECTOR_ACCEPTED}@telegram",
    points.CHECKPOINT_SAVED,
)
SHAPE: Final = Shape(
    chats=("ada", "ben"),
    per_chat=2,
    mail_threads=("ada",),
    per_mail_thread=2,
    post_threads=(),
    per_post_thread=0,
)


def kept_by_switchboard(manifests: Path) -> None:
    """No connector keeps a file of its own."""
    for path in sorted(manifests.glob("*.yaml")):
        found = [one for one in yaml.safe_load_all(path.read_text("utf-8")) if one]
        for one in found:
            if one["kind"] == "Connector" and one["spec"]["type"] != "webhook":
                one["spec"]["checkpoint"] = "switchboard"
        path.write_text(yaml.safe_dump_all(found, allow_unicode=True), encoding="utf-8")


def cursors(folder: Path) -> list[Path]:
    """The files in which connectors would keep their place."""
    return list(folder.glob("**/cursor*"))


@pytest.mark.spec("CNX-17.1", "CNX-17.3")
async def test_a_kill_at_any_step_of_a_reader_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    async with faulty_household(tmp_path, prepare=kept_by_switchboard) as field:
        loads = []
        for point in POINTS:
            await field.whole()
            load = field.load(SHAPE)
            if point == points.LEASE_TAKEN:
                # Reached when a reader begins: the one that is there is killed first.
                field.armed.arm([point])
                await field.kill("telegram")
            else:
                field.armed.arm([point])
            await load.send()
            await field.armed.all_taken()
            loads.append(load)
        await field.whole()
        for load in loads:
            await outside_check(load)
        rows = await field.running.rows("SELECT name FROM switchboard.source_documents WHERE name = 'cursor'")
        assert len(rows) == 2
        assert cursors(field.place.state.root) == []
