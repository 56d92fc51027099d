"""Terms of an instance, on a clock that the test moves."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from butler_connectors.base.heartbeat import Instance
from butler_connectors.base.leading import LEASE_S, Leading
from butler_connectors.base.metrics import INSTRUMENTS, ConnectorMetrics
from butler_connectors.base.status import Status
from butler_contracts.sources import LeaseAsked, LeaseGiven
from butler_kit.telemetry import Metrics
from butler_kit.time import SystemClock

ME, OTHER = UUID(int=1), UUID(int=2)
SHORT_S = 2.0


class Switchboard:
    """Answers as it is told; `asked` is what it heard."""

    def __init__(self) -> None:
        self.holder: UUID | None = None
        self.token = 0
        self.away = False
        self.hangs = False
        self.asked: list[LeaseAsked] = []

    async def lease(self, asked: LeaseAsked) -> LeaseGiven:
        self.asked.append(asked)
        if self.hangs:
            await asyncio.sleep(3600)
        if self.away:
            raise ConnectionError("nobody is there")
        if asked.release:
            self.holder = None
        elif self.holder in (None, asked.instance_id):
            self.token += self.holder is None
            self.holder = asked.instance_id
        held = self.holder == asked.instance_id
        return LeaseGiven(held=held, token=self.token, holder=self.holder or OTHER, expires_in_s=1)


class Made:
    """One instance whose work tells when it runs."""

    def __init__(self, switchboard: Switchboard, *, lease_s: float = LEASE_S) -> None:
        self.running = asyncio.Event()
        self.ended = asyncio.Event()
        self.tokens: list[int] = []
        self.status = Status()
        self.stopping = asyncio.Event()
        metrics = ConnectorMetrics(
            Metrics(INSTRUMENTS), connector_type="imap", endpoint_identity="imap:a", clock=SystemClock()
        )
        self.leading = Leading(
            switchboard=switchboard,  # type: ignore[arg-type]
            instance=Instance("imap", "imap:a", UUID(int=9), None, 0.0, holder=ME),
            begin=self._begin,
            works=[self._work],
            status=self.status,
            metrics=metrics,
            clock=SystemClock(),
            draw=lambda: 0.5,
            lease_s=lease_s,
        )

    def _begin(self, token: int, lost: object) -> None:
        self.tokens.append(token)

    async def _work(self, ended: asyncio.Event) -> None:
        self.ended.clear()
        self.running.set()
        self.status.positioned = True
        await ended.wait()
        self.running.clear()
        self.ended.set()


async def soon(event: asyncio.Event) -> None:
    await asyncio.wait_for(event.wait(), 30)


@pytest.mark.spec("CNX-17.1")
async def test_it_stands_by_ready_until_the_other_gives_up_and_gives_back_what_it_had() -> None:
    switchboard = Switchboard()
    switchboard.holder = OTHER
    made = Made(switchboard)
    task = asyncio.create_task(made.leading.run(made.stopping))
    while not made.status.standby:
        await asyncio.sleep(0.01)
    assert await made.status.ready() is None
    assert not made.running.is_set()
    switchboard.holder = None
    await soon(made.running)
    assert made.tokens == [1]
    made.stopping.set()
    await asyncio.wait_for(task, 30)
    assert made.ended.is_set()
    assert switchboard.asked[-1].release
    assert switchboard.holder is None


@pytest.mark.spec("CNX-17.1")
@pytest.mark.parametrize("how", ["away", "hangs"])
async def test_without_a_word_it_stops_before_another_may_begin_and_goes_on_when_it_is_heard(
    how: str,
) -> None:
    switchboard = Switchboard()
    made = Made(switchboard, lease_s=SHORT_S)
    task = asyncio.create_task(made.leading.run(made.stopping))
    await soon(made.running)
    began = asyncio.get_running_loop().time()
    setattr(switchboard, how, True)
    await soon(made.ended)
    assert asyncio.get_running_loop().time() - began < SHORT_S
    assert made.status.health.state == "degraded"
    setattr(switchboard, how, False)
    await soon(made.running)
    assert made.tokens == [1, 1]
    made.stopping.set()
    await asyncio.wait_for(task, 30)


@pytest.mark.spec("CNX-17.1")
async def test_it_stops_when_it_hears_that_another_reads() -> None:
    switchboard = Switchboard()
    made = Made(switchboard, lease_s=SHORT_S)
    task = asyncio.create_task(made.leading.run(made.stopping))
    await soon(made.running)
    switchboard.holder, switchboard.token = OTHER, 2
    await soon(made.ended)
    made.stopping.set()
    await asyncio.wait_for(task, 30)
    assert made.tokens == [1]


async def test_work_that_breaks_ends_the_term_and_is_not_hidden() -> None:
    made = Made(Switchboard())

    async def breaks(ended: asyncio.Event) -> None:
        raise RuntimeError("broke")

    made.leading._works = (breaks, made._work)
    with pytest.raises(ExceptionGroup):
        await asyncio.wait_for(made.leading.run(made.stopping), 30)
