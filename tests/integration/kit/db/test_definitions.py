"""Functions and views: given as they are now, again when their revision rises, never taken back by an older program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from butler_kit.db import MigrationError, MigrationSource, migrate
from tests.support.database import Database, Provision

SOURCE = MigrationSource("demo", "definedpackage")
TABLE = ("migrations/0001_first.sql", "CREATE TABLE first (id int);")
Write = Callable[..., None]


def answer(number: int, *, revision: int) -> tuple[str, str]:
    text = f"CREATE OR REPLACE FUNCTION answer() RETURNS int LANGUAGE sql AS 'SELECT {number}';"
    return "definitions/answer.sql", f"-- revision: {revision}\n{text}\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the demo package's files, over earlier ones."""
    package = tmp_path / "definedpackage"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "definedpackage", raising=False)

    def write(*entries: tuple[str, str]) -> None:
        for name, text in entries:
            package.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            package.joinpath(name).write_bytes(text.encode())
        package.joinpath("__init__.py").touch()

    return write


class Program:
    """The demo package as a program that migrates one database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def migrate(self, *, allow_newer: bool = False) -> tuple[str, ...]:
        return await migrate(
            self.database.admin_dsn,
            schema="finance",
            role="butler_finance",
            sources=[SOURCE],
            allow_newer=allow_newer,
        )

    async def ask(self, what: str = "SELECT finance.answer()") -> object:
        connection: asyncpg.Connection = await self.database.admin()
        try:
            return await connection.fetchval(what)
        finally:
            await connection.close()


@pytest.fixture
async def program(provisioned: Provision) -> Program:
    return Program(await provisioned("finance"))


async def test_they_come_after_the_tables_and_once(files: Write, program: Program) -> None:
    view = ("definitions/shown.sql", "-- revision: 1\nCREATE OR REPLACE VIEW shown AS SELECT id FROM first;")
    files(TABLE, answer(1, revision=1), view)
    assert await program.migrate() == ("demo 0001_first", "demo answer revision 1", "demo shown revision 1")
    assert await program.migrate() == ()
    owner = "SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE proname = 'answer'"
    assert await program.ask(owner) == "butler_finance"


async def test_a_higher_revision_is_given_a_changed_text_of_the_same_one_is_refused(
    files: Write, program: Program
) -> None:
    files(TABLE, answer(1, revision=1))
    await program.migrate()
    files(answer(2, revision=1))
    with pytest.raises(MigrationError, match=r"demo answer revision 1 was changed .* raise its revision"):
        await program.migrate()
    assert await program.ask() == 1
    files(answer(2, revision=2))
    assert await program.migrate() == ("demo answer revision 2",)
    assert await program.ask() == 2


async def test_other_line_ends_are_no_change(files: Write, program: Program) -> None:
    files(TABLE, answer(1, revision=1))
    await program.migrate()
    name, text = answer(1, revision=1)
    files((name, text.replace("\n", "\r\n")))
    assert await program.migrate() == ()


async def test_an_older_program_leaves_a_newer_text_where_that_is_allowed(
    files: Write, program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    files(TABLE, answer(2, revision=2))
    await program.migrate()
    files(answer(1, revision=1))
    assert await program.migrate(allow_newer=True) == ()
    assert "a newer text, which is left as it is, than demo answer revision 1" in caplog.text
    assert await program.ask() == 2
    with pytest.raises(MigrationError, match="newer text than demo answer revision 1"):
        await program.migrate()


async def test_one_that_fails_leaves_the_former_text(files: Write, program: Program) -> None:
    files(TABLE, answer(1, revision=1))
    await program.migrate()
    name, text = answer(2, revision=2)
    files((name, text + "SELECT 1 / 0;"))
    with pytest.raises(MigrationError, match="demo answer revision 2 failed: division by zero"):
        await program.migrate()
    assert await program.ask() == 1


@pytest.mark.parametrize(
    ("name", "text"), [("definitions/answer.sql", "SELECT 1;"), ("definitions/1.sql", "-- revision: 1\n")]
)
async def test_a_file_without_a_revision_or_a_name_is_refused(
    files: Write, program: Program, name: str, text: str
) -> None:
    files(TABLE, (name, text))
    with pytest.raises(MigrationError, match="is not named"):
        await program.migrate()
