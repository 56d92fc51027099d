"""What can wait is told at the hour of the digest that the manifest names, each text once (D66, ADR 0080, ADR 0097)."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from tests.flow.household.test_own_butler import EXAMPLE
from tests.support.household import RunningPlace, place, until
from tests.support.loopback import free_port
from tests.support.model_api import Answer, Asked, Call, ModelServer

ADA = 1001
AHEAD = timedelta(hours=3)
WAITING = "SELECT delivery_id::text AS id FROM messenger.delivery_requests WHERE quiet_until > now()"


def thinks(_: Asked) -> Answer:
    return Answer(calls=(Call.of("answer", text="It is **dark**."),))


def write_household(manifests: Path, model: ModelServer) -> None:
    """The example with one schedule that can wait, in a household whose digest is hours ahead."""
    document = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    spec = document["spec"]
    spec["runtime"] |= {"baseUrl": model.base_url("openai"), "model": "stub"}
    spec["tools"] = [{"name": "lamps", "url": f"http://127.0.0.1:{free_port()}/mcp", "allow": ["list"]}]
    spec["schedules"] = [
        {"name": "dark", "cron": "* * * * *", "prompt": "Say whether it is dark.", "urgency": "low"}
    ]
    (manifests / "home.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    file = manifests / "butlers.yaml"
    documents = [one for one in yaml.safe_load_all(file.read_text("utf-8")) if one]
    [household] = [one["spec"]["household"] for one in documents if "household" in one["spec"]]
    household["digestAt"] = f"{datetime.now(ZoneInfo(household['timezone'])) + AHEAD:%H:%M}"
    file.write_text(yaml.safe_dump_all(documents, allow_unicode=True), encoding="utf-8")


def told(up: RunningPlace) -> list[dict[str, Any]]:
    """What Ada was told by the butler."""
    sent = up.providers.telegram.sent
    return [one for one in sent if one["chat_id"] == ADA and str(one["text"]).startswith("[home]")]


async def at_the_digest(up: RunningPlace) -> None:
    """The household's clock goes ahead to it, and everybody sees that."""
    [database] = await up.rows("SELECT current_database() AS name")
    shift = f"{(AHEAD + timedelta(minutes=1)).total_seconds()} seconds"
    await up.rows(f"ALTER DATABASE \"{database['name']}\" SET butlers.clock_shift = '{shift}'")
    await up.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


async def test_what_a_schedule_tells_with_low_urgency_is_told_at_the_hour_of_the_digest(
    tmp_path: Path,
) -> None:
    async with ModelServer(thinks) as model, place(tmp_path / "household") as made:
        write_household(made.manifests, model)
        async with made.up() as up:
            await up.back({})

            async def waits() -> bool:
                return bool(await up.rows(WAITING))

            await until(waits, what="a message that waits for the digest")
            assert told(up) == []
            before = {row["id"] for row in await up.rows(WAITING)}
            await at_the_digest(up)

            async def digested() -> bool:
                return bool(told(up))

            await until(digested, what="the digest")
            [digest] = told(up)
            assert digest["text"] == "[home] " + "\n\n".join(["It is dark."] * len(before))
            assert [one["type"] for one in digest["entities"]] == ["bold"] * len(before)

            async def ended() -> bool:
                rows = await up.rows(
                    "SELECT delivery_id::text AS id FROM messenger.delivery_requests WHERE status = 'sent'"
                )
                return before <= {row["id"] for row in rows}

            await until(ended, what="the end of each that the digest told")
