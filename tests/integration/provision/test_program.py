"""The program of the init container: its arguments, files, exit codes and termination message."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import sys

import asyncpg
import pytest

from tests.support.loopback import HOST

BUTLER_TOML = """
[butler]
name = "finance-2"
role = "specialist"
profile = "finance"
port = 40105
description = "Money"
schema = "finance_2"

[modules.telegram.bot]
token_env = "NOT_SET_HERE"
"""


class Run:
    """What the program is given, and what it left."""

    def __init__(self, folder, admin_url):
        self.config = folder / "butler.toml"
        self.admin_url_file = folder / "uri"
        self.url_file = folder / "made" / "url"
        self.termination_log = folder / "termination-log"
        self.config.write_text(BUTLER_TOML)
        self.admin_url_file.write_text(admin_url + "\n")
        self.termination_log.touch()

    async def start(self, *more, whom=None):
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "butler_provision", *(whom or ("--config", str(self.config))), "--admin-url-file",
            str(self.admin_url_file), "--url-file", str(self.url_file), "--termination-log",
            str(self.termination_log), *more, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"]},
        )  # fmt: skip

    async def __call__(self, *more, whom=None):
        process = await self.start(*more, whom=whom)
        async with asyncio.timeout(60):
            out, err = await process.communicate()
        assert out == b""
        return process.returncode, err.decode().splitlines()

    @property
    def message(self):
        return json.loads(self.termination_log.read_text())


@pytest.fixture
def run(tmp_path, fresh_database):
    return Run(tmp_path, fresh_database.admin_dsn)


async def test_a_run_leaves_a_private_url_that_works_and_says_what_it_did(run):
    code, lines = await run()
    assert (code, lines) == (
        0,
        [f"provision: database up to date ({len(run.message['applied'])} migrations applied)"],
    )
    assert run.message["role_isolation"] is True
    assert stat.S_IMODE(run.url_file.stat().st_mode) == 0o600
    connection = await asyncpg.connect(run.url_file.read_text().strip())
    assert await connection.fetchval("SELECT current_user") == "butler_finance_2"
    await connection.close()
    assert (await run())[0] == 0
    assert run.message == {"role_isolation": True, "applied": []}


@pytest.mark.parametrize(
    ("url", "code", "reason", "line"),
    [
        ("mysql://a:b@c/d", 2, "BadConfiguration", "is not one of PostgreSQL; expected postgresql://"),
        ("postgresql://app@db/app", 2, "BadConfiguration", "has no password"),
        (f"postgresql://a:s3cret@{HOST}:1/app", 3, "DatabaseUnreachable", "did not answer for 0.1 s"),
    ],
)
async def test_a_failure_is_one_readable_line_a_reason_and_a_code_of_its_own(run, url, code, reason, line):
    run.admin_url_file.write_text(url)
    got, lines = await run("--wait-s", "0.1")
    assert got == code
    assert lines[-1].startswith("provision: error: ")
    assert line in lines[-1]
    assert run.message["reason"] == reason
    assert lines[-1].endswith(run.message["error"])
    assert "s3cret" not in f"{lines} {run.message}"
    assert not run.url_file.exists()


async def test_a_database_that_others_may_enter_is_told_with_what_to_do(run, fresh_database):
    admin = await fresh_database.admin()
    await admin.execute("CREATE TABLE public.pages (body text)")
    await admin.close()
    code, lines = await run()
    assert code == 0
    assert "it was not empty when the first butler came" in lines[-1]
    assert "REVOKE ALL ON DATABASE" in lines[-1]
    assert run.message["open_to_all"] is True


async def test_what_the_database_refuses_is_told_apart(run, fresh_database):
    run.admin_url_file.write_text(
        fresh_database.server.postgres.dsn("butlers", "wrong", database=fresh_database.name)
    )
    code, lines = await run()
    assert code == 4
    assert "password authentication failed" in lines[-1]
    assert run.message["reason"] == "DatabaseRefused"


async def test_a_migration_that_cannot_be_trusted_is_told_apart(run, fresh_database):
    await run()
    admin = await fresh_database.admin()
    await admin.execute("UPDATE finance_2.schema_migrations SET checksum = 'x'")
    await admin.close()
    code, lines = await run()
    assert code == 5
    assert "was changed after it had been applied" in lines[-1]
    assert run.message["reason"] == "MigrationFailed"


@pytest.mark.parametrize("missing", ["config", "admin_url_file"])
async def test_a_missing_file_is_named(run, missing):
    path = getattr(run, missing)
    path.unlink()
    code, lines = await run()
    assert code == 2
    assert str(path) in lines[-1]


async def test_a_signal_ends_the_wait(run):
    run.admin_url_file.write_text(f"postgresql://a:b@{HOST}:1/app")
    process = await run.start()
    assert process.stderr is not None
    async with asyncio.timeout(90):
        assert b"waiting for the database" in await process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        await process.communicate()
    assert process.returncode == 128 + signal.SIGTERM


async def test_the_dashboard_gets_a_url_of_a_role_that_owns_nothing(run, fresh_database):
    code, lines = await run(whom=("--dashboard", "--switchboard", "front", "--messenger", "post"))
    assert (code, lines[-1]) == (0, "provision: database up to date (nothing to apply)")
    assert run.message == {"role_isolation": True, "applied": []}
    connection = await asyncpg.connect(run.url_file.read_text().strip())
    try:
        assert await connection.fetchval("SELECT current_user") == "butler_dashboard"
        owned = "SELECT count(*) FROM pg_namespace WHERE nspowner = current_user::regrole"
        assert await connection.fetchval(owned) == 0
    finally:
        await connection.close()


async def test_it_is_for_a_butler_or_for_the_dashboard(run):
    process = await run.start(whom=("--wait-s", "1"))
    _, err = await process.communicate()
    assert (process.returncode, b"one of the arguments --config --dashboard is required" in err) == (2, True)
