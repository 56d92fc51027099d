"""A source's documents at Switchboard, when answers get lost and leases change hands."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID

import pytest

from butler_connectors.base.checkpoint import Checkpoints
from butler_connectors.base.documents import CURSOR, DocumentFault
from butler_connectors.base.heartbeat import Instance
from butler_connectors.base.kept import KeptDocuments
from butler_connectors.base.spool import RefusedSpool
from butler_contracts.heartbeat import ConnectorCheckpointV1
from butler_contracts.sources import DocumentAsked, DocumentGiven
from butler_kit.time import ManualClock
from tests.unit.connectors.test_park import NOW

ME = Instance("imap", "imap:a", UUID(int=1), None, 0.0, holder=UUID(int=1))


class Switchboard:
    """Keeps documents as the real one does; `lost` answers are kept and not told, under `lease` alone it writes."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[int, dict[str, Any]]] = {}
        self.lease = 1
        self.lost = 0
        self.known: ConnectorCheckpointV1 | None = None

    async def document(self, asked: DocumentAsked) -> DocumentGiven:
        await asyncio.sleep(0)
        given = self._given(asked)
        if self.lost:
            self.lost -= 1
            raise ConnectionError("the answer was lost")
        return given

    def _given(self, asked: DocumentAsked) -> DocumentGiven:
        version, content = self.kept.get(asked.name, (0, None))
        if asked.action == "list":
            return DocumentGiven(status="ok", names=tuple(sorted(self.kept)))
        if asked.action == "read":
            if content is None:
                return DocumentGiven(status="absent", known=self.known)
            return DocumentGiven(status="ok", version=version, content=content)
        if asked.lease != self.lease:
            return DocumentGiven(status="fenced")
        if asked.action == "remove":
            self.kept.pop(asked.name, None)
            return DocumentGiven(status="ok")
        if version != asked.version and content != asked.content:
            return DocumentGiven(status="conflict", version=version, content=content)
        assert asked.content is not None
        self.kept[asked.name] = (version + (content != asked.content), asked.content)
        return DocumentGiven(status="ok", version=self.kept[asked.name][0])


def documents(switchboard: Switchboard, *, lease: int = 1) -> tuple[KeptDocuments, list[str]]:
    made, lost = KeptDocuments(switchboard, ME), []  # type: ignore[arg-type]
    made.begin(lease, lambda: lost.append("lost"))
    return made, lost


def text(value: str) -> bytes:
    return json.dumps({"text": value}).encode()


@pytest.mark.spec("CNX-17.3")
async def test_a_write_whose_answer_was_lost_is_known_when_the_next_one_comes() -> None:
    switchboard = Switchboard()
    mine, lost = documents(switchboard)
    await mine.write(CURSOR, text("1"))
    switchboard.lost = 1
    with pytest.raises(DocumentFault) as caught:
        await mine.write(CURSOR, text("2"))
    assert caught.value.passing
    await mine.write(CURSOR, text("3"))
    assert switchboard.kept[CURSOR] == (3, {"text": "3"})
    assert lost == []


@pytest.mark.spec("CNX-17.3")
async def test_of_several_lost_in_a_row_any_may_stand_there_and_none_is_anothers() -> None:
    switchboard = Switchboard()
    mine, lost = documents(switchboard)
    await mine.write(CURSOR, text("1"))
    given, switchboard._given = switchboard._given, lambda asked: DocumentGiven(status="ok")  # type: ignore[method-assign]
    switchboard.lost = 1
    with pytest.raises(DocumentFault):
        await mine.write(CURSOR, text("never came"))
    switchboard._given = given  # type: ignore[method-assign]
    switchboard.lost = 1
    with pytest.raises(DocumentFault):
        await mine.write(CURSOR, text("came"))
    await mine.write(CURSOR, text("3"))
    assert (switchboard.kept[CURSOR], lost) == ((3, {"text": "3"}), [])


@pytest.mark.spec("CNX-17.3")
async def test_a_write_that_was_lost_before_it_came_is_made_again() -> None:
    switchboard = Switchboard()
    mine, _ = documents(switchboard)
    await mine.write(CURSOR, text("1"))
    given, switchboard._given = switchboard._given, lambda asked: DocumentGiven(status="ok")  # type: ignore[method-assign]
    switchboard.lost = 1
    with pytest.raises(DocumentFault):
        await mine.write(CURSOR, text("2"))
    switchboard._given = given  # type: ignore[method-assign]
    await mine.write(CURSOR, text("3"))
    assert switchboard.kept[CURSOR] == (2, {"text": "3"})


@pytest.mark.spec("CNX-17.1", "CNX-17.3")
async def test_a_former_holder_is_told_that_it_is_one_and_writes_nothing() -> None:
    switchboard = Switchboard()
    mine, lost = documents(switchboard)
    await mine.write(CURSOR, text("1"))
    switchboard.lease = 2
    heir, _ = documents(switchboard, lease=2)
    assert await heir.read(CURSOR) == text("1")
    await heir.write(CURSOR, text("heir"))
    with pytest.raises(DocumentFault, match="is written by another instance now"):
        await mine.write(CURSOR, text("2"))
    assert lost == ["lost"]
    assert switchboard.kept[CURSOR] == (2, {"text": "heir"})


@pytest.mark.spec("CNX-17.3")
async def test_somebody_elses_version_is_never_written_over() -> None:
    switchboard = Switchboard()
    mine, lost = documents(switchboard)
    await mine.write(CURSOR, text("1"))
    switchboard.kept[CURSOR] = (7, {"text": "theirs"})
    with pytest.raises(DocumentFault):
        await mine.write(CURSOR, text("2"))
    assert (lost, switchboard.kept[CURSOR]) == (["lost"], (7, {"text": "theirs"}))


@pytest.mark.spec("CNX-17.3")
async def test_a_source_that_had_a_file_goes_on_from_its_last_heartbeat() -> None:
    switchboard = Switchboard()
    switchboard.known = ConnectorCheckpointV1(cursor="41", updated_at=NOW)
    mine, _ = documents(switchboard)
    checkpoints = Checkpoints(mine, endpoint_identity="imap:a", clock=ManualClock(NOW))
    found = await checkpoints.load()
    assert found is not None
    assert (found.cursor, found.updated_at) == ("41", NOW)
    await checkpoints.save("42")
    switchboard.known = ConnectorCheckpointV1(cursor="40", updated_at=NOW)
    again = Checkpoints(documents(switchboard)[0], endpoint_identity="imap:a", clock=ManualClock(NOW))
    found = await again.load()
    assert found is not None
    assert found.cursor == "42"


async def test_what_cannot_be_used_is_kept_under_another_name() -> None:
    switchboard = Switchboard()
    switchboard.kept[CURSOR] = (3, {"version": 9})
    mine, _ = documents(switchboard)
    assert await mine.set_aside(CURSOR) == "cursor.unreadable of imap:a at Switchboard"
    assert switchboard.kept == {"cursor.unreadable": (1, {"version": 9})}


async def test_refusals_are_noted_the_newest_of_them() -> None:
    switchboard = Switchboard()
    mine, _ = documents(switchboard)
    spool = RefusedSpool(mine, clock=ManualClock(NOW))
    for number in range(203):
        await spool.add(f"id {number}", reason="validation_error", message="x" * 5_000)
    (_, content) = switchboard.kept["refused"]
    assert [line["event_id"] for line in content["lines"]] == [f"id {number}" for number in range(3, 203)]


async def test_refusals_of_the_same_moment_are_all_noted_and_the_lease_goes_on() -> None:
    switchboard = Switchboard()
    mine, lost = documents(switchboard)
    spool = RefusedSpool(mine, clock=ManualClock(NOW))
    names = [f"id {number}" for number in range(5)]
    await asyncio.gather(*(spool.add(name, reason="malformed", message="broken") for name in names))
    (_, content) = switchboard.kept["refused"]
    assert ([line["event_id"] for line in content["lines"]], lost) == (names, [])
