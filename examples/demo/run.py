"""`make demo` and `make run`: the household of `examples/demo` over real sockets on this machine.

python -m examples.demo.run            an empty household; messages in, replies out, summary written, everything stopped
python -m examples.demo.run --stay     the same household, up until Ctrl-C; it remembers what it was told before
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from examples.demo.household import DemoFailed, Household, refuse_second, running_household, start_afresh
from examples.demo.picture import picture_of
from examples.demo.providers import Providers, running_providers, write_manifests
from examples.demo.report import differences, line, write_summary
from examples.demo.sending import Sender, waves
from examples.demo.statistics import roll_up
from examples.demo.watching import Finished, Watcher
from tests.support.messages import load_examples

ROOT = Path(__file__).parents[2]
STATE = ROOT / ".butlers"
WAVE_DEADLINE_S = 120.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="examples.demo.run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stay", action="store_true", help="send nothing, stay up until Ctrl-C")
    parser.add_argument("--state", type=Path, default=STATE, help="where everything is kept")
    chosen = parser.parse_args()
    os.umask(0o077)
    try:
        return asyncio.run(_until_signalled(chosen.state.absolute(), chosen.stay))
    except DemoFailed as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 1


async def _until_signalled(state: Path, stay: bool) -> int:
    """Run the demo; Ctrl-C, SIGTERM and a closed terminal end it in order."""
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(_run(state, stay))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return 0 if stay else 130


async def _run(place: Path, stay: bool) -> int:
    state = place / ("run" if stay else "demo")
    (refuse_second if stay else start_afresh)(state)
    (state / "providers").mkdir(parents=True, exist_ok=True, mode=0o700)
    async with running_providers(state / "providers") as providers:
        write_manifests(providers, state / "manifests")
        async with running_household(state / "manifests", state, print) as household:
            return await (_stay(household) if stay else _demo(household, providers))


async def _stay(household: Household) -> int:
    print(
        f"the household is up; addresses in {household.state / 'endpoints.json'}; Ctrl-C stops it", flush=True
    )
    print(
        f"try: .venv/bin/butlers send --state {household.state} --channel api --from ada --wait 'Paid 12 EUR'"
    )
    code = await household.ended()
    if code:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise DemoFailed(f"the household {how}; what it has accepted is kept, and `make run` goes on with it")
    return 0


async def _demo(household: Household, providers: Providers) -> int:
    started, since = time.monotonic(), datetime.now(UTC)
    messages = load_examples()
    sender = Sender(providers, household.endpoints["webhook"], run=f"{time.time_ns():x}")
    watcher = Watcher(household, providers)
    ends: list[Finished] = []
    for wave in waves(messages):
        sent = [await sender.send(message) for message in wave]
        for end in await watcher.finished(sent, deadline_s=WAVE_DEADLINE_S):
            ends.append(end)
            print(line(end), flush=True)
    write_summary(ends, household.state / "summary.json", dashboard=household.endpoints.get("dashboard"))
    print(await roll_up(household, since=since), flush=True)
    print(await picture_of(household), flush=True)
    requests = len({end.request_id for end in ends})
    print(f"{len(ends)} messages, {requests} requests, {time.monotonic() - started:.1f} s")
    return _judged(ends)


def _judged(ends: list[Finished]) -> int:
    found = differences(ends)
    for one in found:
        print(f"not as expected: {one}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
