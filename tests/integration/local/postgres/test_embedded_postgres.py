"""The embedded server: who may reach it, how it ends, how it comes back, what its errors say."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asyncpg
import pytest

from butler_cli.local import postgres, postgres_host
from butler_cli.local.postgres import EmbeddedPostgres, LocalPostgresError

SETTINGS = {"fsync": "off"}
PATIENCE_S = 60
OWNER = """
import sys, time
from pathlib import Path
from butler_cli.local.postgres import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), settings={"fsync": "off"})
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def made():
    """A state directory with an initialised, stopped server."""
    with tempfile.TemporaryDirectory(prefix="butlers-pg-") as folder:
        server = EmbeddedPostgres(Path(folder), settings=SETTINGS)
        server.start()
        server.stop()
        yield Path(folder)


@pytest.fixture
def server(made):
    server = EmbeddedPostgres(made, settings=SETTINGS)
    server.start()
    yield server
    server.stop()


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def owner_that_dies(folder):
    """Start a server in another process, kill that process, and give the server's process id."""
    with subprocess.Popen([sys.executable, "-c", OWNER, folder], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
    return pid


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def ask(dsn, query):
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def test_it_serves_the_database_on_loopback_only(server):
    assert await ask(server.admin_dsn, "SELECT current_database()") == "butlers"
    assert await ask(server.admin_dsn, "SHOW listen_addresses") == "127.0.0.1"
    assert await ask(server.admin_dsn, "SHOW server_encoding") == "UTF8"


async def test_nobody_gets_in_without_the_password(server):
    for password in ("", "wrong"):
        with pytest.raises(asyncpg.PostgresError):
            await ask(server.dsn("butlers", password), "SELECT 1")
    line = await ask(server.admin_dsn, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules")
    assert line == "scram-sha-256"


async def test_a_dsn_carries_the_schema_and_odd_passwords(server):
    await ask(server.admin_dsn, "DROP ROLE IF EXISTS odd")
    await ask(server.admin_dsn, "CREATE ROLE odd LOGIN PASSWORD 'p@ss:w/ord?&%'")
    dsn = server.dsn("odd", "p@ss:w/ord?&%", "finance")
    assert await ask(dsn, "SHOW search_path") == "finance"


def test_its_files_are_for_its_owner_only(server, made):
    for name in ("pg", "pg/data", "pg/socket"):
        assert stat.S_IMODE((made / name).stat().st_mode) == 0o700
    for name in ("pg/admin_password", "pg/server.log"):
        assert stat.S_IMODE((made / name).stat().st_mode) == 0o600


def test_it_does_not_run_as_root(server):
    text = Path(f"/proc/{server.pid}/status").read_text()
    found = re.search(r"CapEff:\s*([0-9a-f]+)", text)
    assert found is not None
    capabilities = int(found.group(1), 16)
    walk_through_directories = 1 << 1  # what is kept where namespaces are forbidden
    assert capabilities & ~walk_through_directories == 0
    users = Path("/etc/passwd").read_text()
    assert "pgserver" not in users


def test_starting_and_stopping_may_be_repeated(made):
    server = EmbeddedPostgres(made, settings=SETTINGS)
    server.start()
    pid = server.pid
    server.start()
    assert server.pid == pid
    server.stop()
    server.stop()
    assert not server.is_running()
    assert is_gone(pid)


async def test_it_keeps_what_was_written_over_a_restart(made):
    server = EmbeddedPostgres(made, settings=SETTINGS)
    server.start()
    await ask(server.admin_dsn, "CREATE TABLE IF NOT EXISTS kept AS SELECT 1 AS x")
    server.stop()
    server.start()
    assert await ask(server.admin_dsn, "SELECT count(*) FROM kept") == 1
    server.stop()


async def test_it_comes_back_on_the_same_port_after_the_postmaster_was_killed(server):
    port = server.port
    connection = await asyncpg.connect(server.admin_dsn)
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not server.is_running())
    server.start()
    assert server.port == port
    assert await ask(server.admin_dsn, "SELECT 1") == 1
    connection.terminate()


def too_late(command, **_):
    raise subprocess.TimeoutExpired(command, 30)


def test_a_machine_that_is_too_slow_is_told_in_words_and_no_server_is_left(made, monkeypatch):
    server = EmbeddedPostgres(made, settings=SETTINGS)
    monkeypatch.setattr(subprocess, "run", too_late)
    with pytest.raises(LocalPostgresError, match="took longer than 30 s; is the machine overloaded"):
        server.start()
    assert not server.is_running()


def test_a_server_that_was_killed_needs_no_other_program_to_come_back(server, monkeypatch):
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not server.is_running())
    monkeypatch.setattr(subprocess, "run", too_late)
    server.start()
    assert server.is_running()


async def test_it_ends_with_its_owner_and_the_next_owner_takes_over(made):
    pid = owner_that_dies(made)
    server = EmbeddedPostgres(made, settings=SETTINGS)
    server.start()
    assert is_gone(pid)
    assert await ask(server.admin_dsn, "SELECT 1") == 1
    server.stop()


def test_it_ends_although_nobody_takes_over(made):
    pid = owner_that_dies(made)
    wait_until(lambda: is_gone(pid))


def test_a_process_id_that_was_given_to_another_program_does_not_hinder_it(made):
    (made / "pg/data/postmaster.pid").write_text(
        f"{os.getpid()}\n{made}/pg/data\n1\n1\n\n127.0.0.1\n1 1\nready\n"
    )
    server = EmbeddedPostgres(made, settings=SETTINGS)
    server.start()
    server.stop()


def test_a_second_owner_is_told_who_holds_it(server, made):
    with pytest.raises(LocalPostgresError, match=f"in use by process {os.getpid()}"):
        EmbeddedPostgres(made, settings=SETTINGS).start()
    assert server.is_running()


def test_a_taken_port_is_told(made):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LocalPostgresError, match=f"port {port} .* is taken"):
            EmbeddedPostgres(made, port=port, settings=SETTINGS).start()


def test_another_version_s_data_is_told(made):
    version = made / "pg/data/PG_VERSION"
    version.write_text("15\n")
    try:
        with pytest.raises(LocalPostgresError, match="made by PostgreSQL 15, this is 18"):
            EmbeddedPostgres(made, settings=SETTINGS).start()
    finally:
        version.write_text("18\n")


def test_a_full_disk_is_told_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(postgres, "_LEAST_FREE_BYTES", 2**62)
    with pytest.raises(LocalPostgresError, match="MB free at"):
        EmbeddedPostgres(tmp_path).start()


def test_a_missing_wheel_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(postgres_host, "_WHEEL", "no_such_wheel")
    with pytest.raises(LocalPostgresError, match="pip install"):
        EmbeddedPostgres(tmp_path).start()


def test_a_wrong_setting_is_told_in_the_server_s_words(made):
    with pytest.raises(LocalPostgresError, match="shared_buffers"):
        EmbeddedPostgres(made, settings={**SETTINGS, "shared_buffers": "lots"}).start()


async def test_a_deep_state_directory_has_no_socket_but_tcp(tmp_path):
    deep = tmp_path / ("x" * 60) / ("y" * 60)
    server = EmbeddedPostgres(deep, settings=SETTINGS)
    server.start()
    assert await ask(server.admin_dsn, "SHOW unix_socket_directories") == ""
    server.stop()


def test_an_interrupted_initdb_is_begun_anew(tmp_path):
    unfinished = tmp_path / "pg/data.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "half").touch()
    server = EmbeddedPostgres(tmp_path, settings=SETTINGS)
    server.start()
    server.stop()
    assert not unfinished.exists()


async def test_root_without_namespaces_becomes_nobody_and_changes_no_parent(tmp_path):
    """As in a container that forbids user namespaces; for an ordinary user the method changes nothing."""
    method = "setuid" if os.geteuid() == 0 else "plain"
    server = EmbeddedPostgres(tmp_path / "state", settings=SETTINGS, method=method)
    before = tmp_path.stat()
    server.start()
    assert await ask(server.admin_dsn, "SELECT 1") == 1
    server.stop()
    after = tmp_path.stat()
    assert (after.st_mode, after.st_uid) == (before.st_mode, before.st_uid)


def test_an_ordinary_user_needs_nothing_special():
    with tempfile.TemporaryDirectory(prefix="butlers-user-") as home:
        command = [
            sys.executable,
            "-c",
            OWNER.replace("time.sleep(600)", "server.stop(); print('ended')"),
            home,
        ]
        if os.geteuid() == 0:
            os.chown(home, 65534, 65534)
            # The capability lets it pass root's directories to the interpreter, no more.
            become = ["--reuid=65534", "--regid=65534", "--clear-groups"]
            reach = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
            command = ["setpriv", *become, *reach, *command]
        environment = {**os.environ, "HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, cwd="/", env=environment
        )
        assert done.stdout.endswith("ended\n"), done.stderr
