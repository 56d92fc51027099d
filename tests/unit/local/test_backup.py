"""A file that is no backup, or holds what a backup never holds, restores nothing and leaves everything as it was."""

from __future__ import annotations

import io
import json
import tarfile
from contextlib import nullcontext
from pathlib import Path

import pytest

from butler_cli.errors import UserError
from butler_cli.local import backup, restore
from butler_cli.local.state import StateDir, SupervisorLock
from butler_cli.main import run

MANIFESTS = Path(__file__).parents[3] / "examples" / "demo"
ABOUT = json.dumps({"format": 1, "made_at": "2026-11-23T05:00:00+00:00", "version": "0"}).encode()


def archive(file: Path, *members: tarfile.TarInfo, about: bytes | None = ABOUT) -> Path:
    with tarfile.open(file, "w") as made:
        if about is not None:
            add(made, "about.json", about)
        for member in members:
            made.addfile(member, io.BytesIO(b"x" * member.size))
    return file


def add(made: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    made.addfile(member, io.BytesIO(data))


def regular(name: str, size: int = 1) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def link(name: str, kind: bytes, to: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, to
    return member


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    made = StateDir.at(tmp_path / "state")
    made.create()
    (made.root / "pg").mkdir()
    (made.root / "pg" / "precious").write_text("kept")
    return made


def restored(state: StateDir, file: Path) -> int:
    return run(["restore", str(file), "-f", str(MANIFESTS), "--replace", "--state", str(state.root)])


@pytest.mark.parametrize(
    "member",
    [
        regular("../outside"),
        regular("secrets/../../outside"),
        regular("/etc/outside"),
        regular("pg/data/PG_VERSION"),
        regular("config/switchboard/butler.toml"),
        regular("secrets/huge/key", 10_000_001),
        link("secrets/a/link", tarfile.SYMTYPE, "/etc/passwd"),
        link("keys/link", tarfile.LNKTYPE, "about.json"),
        link("keys/pipe", tarfile.FIFOTYPE, ""),
    ],
    ids=lambda member: member.name,
)
def test_what_a_backup_never_holds_is_refused_by_name_and_nothing_is_touched(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str], member: tarfile.TarInfo
) -> None:
    before = sorted(tmp_path.rglob("*"))
    file = archive(tmp_path / "bad.tar", member)
    assert restored(state, file) == 1
    assert f"{member.name!r}, which is not part of one" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == sorted([*before, file])
    assert (state.root / "pg" / "precious").read_text() == "kept"


@pytest.mark.parametrize(
    ("about", "line"),
    [
        (None, "is no backup of a household"),
        (b"{", "is no backup of a household"),
        (b'{"format": "1"}', "is no backup of a household"),
        (b'{"format": 1}', "is no backup of a household"),
        (b'{"format": 99, "version": "7.0"}', "was made by a newer version (7.0)"),
        (ABOUT, "the backup holds no database"),
    ],
)
def test_a_file_that_is_no_backup_is_said_so(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str], about: bytes | None, line: str
) -> None:
    assert restored(state, archive(tmp_path / "odd.tar", about=about)) == 1
    assert line in capsys.readouterr().err
    assert (state.root / "pg" / "precious").read_text() == "kept"


@pytest.mark.parametrize("length", [512, 700, 2000, 100_000])
def test_a_file_that_is_cut_off_is_said_so_and_nothing_is_touched(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    file = archive(tmp_path / "cut.tar", regular("database.dump", 200_000))
    file.write_bytes(file.read_bytes()[:length])
    before = sorted(tmp_path.rglob("*"))
    assert restored(state, file) == 1
    assert "is cut off or damaged" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("content", [b"", b"not a tar", None])
def test_a_file_that_is_no_archive_or_not_there_is_said_so(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    file = tmp_path / "odd"
    if content is not None:
        file.write_bytes(content)
    assert restored(state, file) == 1
    said = capsys.readouterr().err
    assert said.startswith("butlers: ")
    assert len(said.splitlines()) == 1


def test_what_a_household_that_is_up_writes_or_removes_meanwhile_is_left_out(
    state: StateDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = state.run_dir / "connectors" / "mail"
    (mail / "parked").mkdir(parents=True)
    for name in ("cursor.json", ".cursor.json.tmp", "parked/000000000001"):
        (mail / name).write_text("{}")
    (mail / "parked" / "000000000002").write_text("{}")
    read = Path.read_bytes

    def accepted_meanwhile(self: Path) -> bytes:
        if self.name == "000000000001":
            self.unlink()
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", accepted_meanwhile)
    monkeypatch.setattr(backup, "_database", lambda state: nullcontext("postgresql://nobody@127.0.0.1/none"))
    monkeypatch.setattr(backup, "postgres_program", lambda *_: dump_of(tmp_path).write_text("rows"))
    file = tmp_path / "b.tar"
    assert run(["backup", str(file), "--state", str(state.root)]) == 0
    with tarfile.open(file) as kept:
        assert kept.getnames() == [
            "about.json",
            "run/connectors/mail/cursor.json",
            "run/connectors/mail/parked/000000000002",
            "database.dump",
        ]


def dump_of(folder: Path) -> Path:
    """Where the backup that is being written has its dump."""
    [private] = folder.glob(".b.tar.*")
    return private / "database.dump"


def test_nobody_else_can_read_a_dump_while_it_is_written_and_a_failure_leaves_nothing(
    state: StateDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[int] = []

    def fails(name: str, dsn: str, *arguments: str) -> None:
        dump = Path(arguments[-1].removeprefix("--file="))
        dump.write_text("what everybody told")
        dump.chmod(0o644)  # as pg_dump makes it
        seen.append(dump.parent.stat().st_mode & 0o777)
        raise UserError(f"{name} failed: no space left")

    monkeypatch.setattr(backup, "_database", lambda state: nullcontext("postgresql://nobody@127.0.0.1/none"))
    monkeypatch.setattr(backup, "postgres_program", fails)
    before = sorted(tmp_path.rglob("*"))
    assert run(["backup", str(tmp_path / "b.tar"), "--state", str(state.root)]) == 1
    assert "no space left" in capsys.readouterr().err
    assert seen == [0o700]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_household_that_came_up_meanwhile_is_left_alone(
    state: StateDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    locks: list[SupervisorLock] = []
    monkeypatch.setattr(restore, "_load", lambda building, manifests: locks.append(SupervisorLock(state)))
    assert restored(state, archive(tmp_path / "good.tar", regular("database.dump"))) == 1
    assert "is already up" in capsys.readouterr().err
    assert (state.root / "pg" / "precious").read_text() == "kept"
    locks[0].release()


def test_where_no_household_ever_was_there_is_nothing_to_back_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", str(tmp_path / "b.tar"), "--state", str(tmp_path / "none")]) == 1
    assert "nothing to back up" in capsys.readouterr().err
    assert not (tmp_path / "b.tar").exists()
    assert not (tmp_path / "none").exists()


def test_a_backup_that_cannot_be_written_names_the_file_as_it_was_typed(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "nowhere" / "butlers.tar"
    assert run(["backup", str(file), "--state", str(state.root)]) == 1
    assert capsys.readouterr().err == (
        f"butlers: {file} could not be written: there is no folder {file.parent}\n"
    )


def test_the_command_that_starts_a_restored_household_names_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    about = {"made_at": "2026-11-23T05:00:00+00:00"}
    monkeypatch.setattr("butler_cli.local.restore.restore_backup", lambda *_, **__: (about, None))
    monkeypatch.chdir(tmp_path)
    for more, place in (([], ""), (["--state", "other"], f" --state {tmp_path / 'other'}")):
        assert run(["restore", "x.tar", "-f", str(MANIFESTS), *more]) == 0
        assert f"`butlers up -f {MANIFESTS}{place} --detach` starts it" in capsys.readouterr().out
