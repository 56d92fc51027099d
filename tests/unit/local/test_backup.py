"""A file that is no backup, or holds what a backup never holds, restores nothing and leaves everything as it was."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from butler_cli.local.state import StateDir
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


def test_where_no_household_ever_was_there_is_nothing_to_back_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", str(tmp_path / "b.tar"), "--state", str(tmp_path / "none")]) == 1
    assert "nothing to back up" in capsys.readouterr().err
    assert not (tmp_path / "b.tar").exists()
    assert not (tmp_path / "none").exists()
