"""`make demo` and `make run`: the household of `examples/demo` over real sockets on this machine.

python -m examples.demo.run            an empty household; messages in, replies out, summary written, everything stopped
python -m examples.demo.run --model    the same, routed by a stand-in for a language model over HTTP (`make demo-llm`)
python -m examples.demo.run --stay     such a household, up until Ctrl-C: the first start sends it the messages, and it
                                       remembers them (--empty: nothing is sent)
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path

from examples.demo.household import (
    DemoFailed,
    Household,
    only_one,
    refuse_second,
    running_household,
    start_afresh,
)
from examples.demo.providers import Providers, running_providers, write_manifests
from examples.demo.thinking import running_model, write_model

ROOT = Path(__file__).parents[2]
STATE = ROOT / ".butlers"


def main() -> int:
    parser = argparse.ArgumentParser(prog="examples.demo.run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stay", action="store_true", help="stay up until Ctrl-C")
    parser.add_argument("--empty", action="store_true", help="with --stay: send nothing")
    parser.add_argument("--model", action="store_true", help="route by a stand-in for a language model")
    parser.add_argument("--state", type=Path, default=STATE, help="where everything is kept")
    chosen = parser.parse_args()
    os.umask(0o077)
    try:
        return asyncio.run(_until_signalled(chosen))
    except DemoFailed as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 1


async def _until_signalled(chosen: argparse.Namespace) -> int:
    """Run the demo; Ctrl-C, SIGTERM and a closed terminal end it in order."""
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(_run(chosen))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return 0 if chosen.stay else 130


async def _run(chosen: argparse.Namespace) -> int:
    state = chosen.state.absolute() / (("run" if chosen.stay else "demo") + ("-llm" if chosen.model else ""))
    with only_one(state):
        return await _hold(state, chosen)


async def _hold(state: Path, chosen: argparse.Namespace) -> int:
    (refuse_second if chosen.stay else start_afresh)(state)
    first = not (state / "pg").exists()
    (state / "providers").mkdir(parents=True, exist_ok=True, mode=0o700)
    async with (
        running_model(chosen.model) as server,
        running_providers(state / "providers") as providers,
    ):
        write_manifests(providers, state / "manifests")
        if server is not None:
            write_model(server, state / "manifests")
        async with running_household(state / "manifests", state, print) as household:
            if not chosen.stay:
                # Imported here: a household that sends nothing needs none of it.
                from examples.demo.play import play

                return await play(household, providers, server)
            if not chosen.empty:
                await _shown(household, providers, first=first)
            return await _stay(household)


async def _shown(household: Household, providers: Providers, *, first: bool) -> None:
    """Send the sample messages at the first start, and print a link to the pages."""
    from examples.demo.link import link_of
    from examples.demo.play import sent_once

    if first:
        await sent_once(household, providers)
    if (link := await link_of(household)) is not None:
        print(f"the pages, signed in (works once, within five minutes): {link}", flush=True)


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


if __name__ == "__main__":
    sys.exit(main())
