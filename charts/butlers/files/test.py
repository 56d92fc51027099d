"""What `helm test` asks: does the operator work, does the database take its administrator."""

import asyncio
import os
import pathlib
import sys
import time
import urllib.request

import asyncpg

from butler_provision.urls import with_authority

DEADLINE_S = 90


def ask_operator():
    with urllib.request.urlopen(os.environ["OPERATOR_URL"], timeout=5) as answer:  # noqa: S310 - the chart's own
        return f"operator: {answer.status}"


def ask_database():
    url = pathlib.Path(os.environ["DATABASE_URL_FILE"]).read_text().strip()
    return asyncio.run(_version(with_authority(url, os.environ.get("BUTLERS_CA_FILE"))))


async def _version(url):
    connection = await asyncpg.connect(url, timeout=5)
    try:
        return "database: PostgreSQL " + await connection.fetchval("SHOW server_version")
    finally:
        await connection.close()


def insist(question):
    """Endpoints and policies take a moment to reach every node, so a first refusal means nothing."""
    while True:
        try:
            return question()
        except Exception as error:
            if time.monotonic() > DEADLINE_S + started:
                sys.exit(f"{question.__name__}: {type(error).__name__}: {error}")
            time.sleep(2)


started = time.monotonic()
for question in (ask_operator, ask_database):
    print(insist(question), flush=True)
