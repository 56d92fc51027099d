"""`butlers init` without a terminal: the place is looked at first, a file's mistakes come together, all or nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from butler_cli.local.listening import free_ports
from butler_cli.local.state import StateDir, SupervisorLock
from butler_cli.main import run
from butler_cli.setup import writing
from tests.support.loopback import free_socket

HTTP_ONLY = "name: Ada Example\ntimezone: Europe/Berlin\ncurrency: EUR\nhttp: yes\n"


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    return StateDir.at(tmp_path / "state")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return written(tmp_path / "answers.yaml", HTTP_ONLY)


def written(file: Path, text: str) -> Path:
    file.write_text(text)
    file.chmod(0o600)
    return file


def init(state: StateDir, directory: Path, answers: Path, *more: str) -> int:
    place = ["--state", str(state.root), "--answers", str(answers), "--no-start"]
    return run(["init", str(directory), *place, *more])


def contents(folder: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_answers_of_a_file_make_a_household_that_check_finds_nothing_wrong_with(
    state: StateDir, tmp_path: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "household"
    assert init(state, made, answers) == 0
    assert "start it with `butlers up -f" in capsys.readouterr().out
    assert run(["check", "-f", str(made), "--state", str(state.root), "--port-base", "0"]) == 0
    assert "nothing is wrong: 7 butlers, 1 connector" in capsys.readouterr().out
    assert "timezone: Europe/Berlin" in (made / "butlers.yaml").read_text()
    assert len((state.secrets_dir / "webhook" / "token").read_text().strip()) >= 32
    assert not list(state.root.glob(".init*")), "nothing lies beside"


def test_everything_that_is_wrong_in_a_file_is_told_at_once(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "a.yaml", "timezne: Mars\ntimezone: Mars\ncurrency: Taler\nhttp: no\n")
    assert init(state, tmp_path / "household", file) == 1
    said = capsys.readouterr().err
    for line in (
        "timezne: nobody asks for this, did you mean timezone?",
        "name: is missing",
        "timezone: 'Mars' is no time zone",
        "currency: 'Taler' is no currency",
        "http: without Telegram, mail and HTTP nothing can reach the household",
    ):
        assert f"{file}: {line}" in said
    assert not (tmp_path / "household").exists()
    assert not state.root.exists()


@pytest.mark.parametrize(
    ("text", "mode", "line"),
    [
        (HTTP_ONLY, 0o644, "can be read by other users; run `chmod 600"),
        ("- name", 0o600, "holds no answers"),
        ("name: [", 0o600, "is no YAML that can be read"),
    ],
)
def test_a_file_that_holds_no_answers_is_named(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, mode: int, line: str
) -> None:
    file = written(tmp_path / "a.yaml", text)
    file.chmod(mode)
    assert init(state, tmp_path / "household", file) == 1
    assert line in capsys.readouterr().err


def test_without_a_terminal_and_a_file_nothing_is_asked(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", open(os.devnull))  # noqa: SIM115 - closed with the test
    assert run(["init", str(tmp_path / "h"), "--state", str(state.root), "--no-start"]) == 1
    assert "give the answers with --answers FILE" in capsys.readouterr().err


def test_a_place_that_is_taken_is_named_before_any_question(
    state: StateDir, tmp_path: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    nowhere = Path("/proc/nobody-writes-here/household")
    for directory, line in (
        (full, "is not empty, and init overwrites nothing"),
        (full / "mine.txt", "is a file; name a folder"),
        (nowhere, "cannot be written to"),
    ):
        assert init(state, directory, answers) == 1
        assert line in capsys.readouterr().err
    assert contents(full) == {"mine.txt": b"mine"}
    assert not state.root.exists()


@pytest.mark.parametrize("typed", [".", "{}", "../house"])
def test_the_current_folder_is_refused_before_any_question(
    tmp_path: Path,
    answers: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
) -> None:
    house = tmp_path / "house"
    house.mkdir()
    monkeypatch.chdir(house)
    answers.unlink()  # would be the first thing to be missed
    assert init(StateDir.at(Path(".butlers")), Path(typed.format(house)), answers) == 1
    said = capsys.readouterr().err
    assert f"is or holds the current folder {house}; name a new folder, such as household" in said
    assert list(house.iterdir()) == []


def test_a_folder_that_will_hold_the_state_directory_is_refused(
    tmp_path: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = tmp_path / "house"
    assert init(StateDir.at(house / "state"), house, answers) == 1
    assert f"is or holds the state directory {house / 'state'}; name a new" in capsys.readouterr().err
    assert not house.exists()


def test_a_state_directory_that_is_in_use_is_named_before_any_question(
    state: StateDir, tmp_path: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    household = tmp_path / "household"
    state.create()
    lock = SupervisorLock(state)
    assert init(state, household, answers) == 1
    assert "is already up" in capsys.readouterr().err
    lock.release()
    (state.secrets_dir / "webhook").mkdir()
    assert init(state, household, answers) == 1
    assert "holds secrets already" in capsys.readouterr().err
    (state.secrets_dir / "webhook").rmdir()
    (state.root / "pg").mkdir()
    assert init(state, household, answers) == 1
    assert "there is a household in" in capsys.readouterr().err
    assert not household.exists()


def test_a_port_that_another_program_has_is_named_before_any_question(
    state: StateDir, tmp_path: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = next(free_ports())
    with free_socket(base) as taken:
        taken.listen()
        place = ["--state", str(state.root), "--answers", str(answers), "--port-base", str(base)]
        assert run(["init", str(tmp_path / "household"), *place]) == 1
    assert f"port {base} for switchboard is taken by another program" in capsys.readouterr().err
    assert not state.root.exists()


def test_what_fails_on_the_way_takes_back_what_was_put_in_place(
    state: StateDir, tmp_path: Path, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, done = Path.rename, []

    def second_fails(self: Path, target: Path) -> Path:
        done.append(target)
        if len(done) == 2:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", second_fails)
    assert init(state, tmp_path / "household", answers) == 130
    assert done == [state.secrets_dir, tmp_path / "household"]
    assert not (tmp_path / "household").exists()
    assert contents(state.root) == {}
    monkeypatch.undo()
    assert init(state, tmp_path / "household", answers) == 0


def test_a_household_that_would_not_start_is_not_put_in_place(
    state: StateDir, tmp_path: Path, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "settle", refuse)
    assert init(state, tmp_path / "household", answers) == 70
    assert not (tmp_path / "household").exists()
    assert contents(state.root) == {}


def refuse(*_: object, **__: object) -> None:
    raise RuntimeError("not this one")
