"""Where messages wait on which Switchboard fails, and when they are tried again."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_connectors.base.documents import FileDocuments
from butler_connectors.base.park import Park
from butler_connectors.base.retries import LAST_S, pause_s
from butler_connectors.base.suspicion import PARK_TRIES, Evidence, Suspicion, Verdict
from butler_kit.time import ManualClock
from tests.support.switchboard import telegram

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


def files(folder: Path) -> FileDocuments:
    return FileDocuments(folder / "cursor.json")


async def park_in(folder: Path, **bounds: int) -> Park:
    made = Park(files(folder), clock=ManualClock(NOW), **bounds)
    await made.load()
    return made


async def test_what_is_parked_outlives_the_process_with_its_body_for_its_owner_alone(tmp_path: Path) -> None:
    envelope = telegram(7)
    park = await park_in(tmp_path)
    assert await park.add("7", "1001", envelope, reason="internal_error", message="it broke")
    again = await park_in(tmp_path)
    (kept,) = again.kept
    assert (kept.event_id, kept.thread, kept.reason, kept.since) == ("7", "1001", "internal_error", NOW)
    assert await again.envelope(kept) == envelope
    path = files(tmp_path).path(kept.name)
    assert path == tmp_path / "cursor.parked" / "000000000001.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await again.remove(kept)
    assert (await park_in(tmp_path)).kept == []


async def test_a_parked_file_is_flushed_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr("butler_connectors.base.documents.os.fsync", flushed.append)
    park = await park_in(tmp_path)
    assert await park.add("7", None, telegram(7), reason="tool_error", message="m")
    assert len(flushed) == 2  # the file and its folder


async def test_a_full_park_takes_nothing_and_keeps_what_it_has(tmp_path: Path) -> None:
    park = await park_in(tmp_path, max_messages=2)
    taken = [
        await park.add(str(number), None, telegram(number), reason="r", message="m") for number in range(4)
    ]
    assert taken == [True, True, False, False]
    assert [kept.event_id for kept in park.kept] == ["0", "1"]
    small = await park_in(tmp_path / "small", max_bytes=100)
    assert not await small.add("1", None, telegram(1), reason="r", message="m")


async def test_an_event_that_is_read_again_is_parked_once(tmp_path: Path) -> None:
    park = await park_in(tmp_path)
    assert await park.add("1", None, telegram(1), reason="r", message="m")
    assert await park.add("1", None, telegram(1), reason="r", message="m")
    assert len(park.kept) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 9}', bytes(range(56, 256))])
async def test_a_file_that_is_no_parked_message_is_set_aside_and_stops_nothing(
    tmp_path: Path, content: bytes
) -> None:
    park = await park_in(tmp_path)
    await park.add("1", None, telegram(1), reason="r", message="m")
    await park.add("2", None, telegram(2), reason="r", message="m")
    files(tmp_path).path(park.kept[0].name).write_bytes(content)
    again = await park_in(tmp_path)
    assert [kept.event_id for kept in again.kept] == ["2"]
    assert [path.read_bytes() for path in (tmp_path / "cursor.parked").glob("*.unreadable")] == [content]


@given(st.integers(1, 60), st.floats(0, 0.999))
def test_pauses_between_tries_double_to_an_hour(tries: int, draw: float) -> None:
    ceiling = min(LAST_S, 60 * 2.0 ** (tries - 1))
    assert ceiling / 2 <= pause_s(tries, draw, first_s=60) <= ceiling


@given(st.lists(st.integers(0, 2), max_size=60))
def test_a_message_is_parked_only_when_others_passed_since_its_last_failure(passed: list[int]) -> None:
    evidence = Evidence()
    suspicion = Suspicion(evidence)
    for number, others in enumerate(passed, 1):
        for _ in range(others):
            evidence.note(duplicate=False)
        evidence.note(duplicate=True)
        verdict = suspicion.failed()
        assert (verdict is Verdict.PARK) == (number >= PARK_TRIES and others > 0)
        assert (verdict is Verdict.COMPARE) == (number % PARK_TRIES == 0 and others == 0)
