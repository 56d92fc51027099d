"""`butlers check`: what `up` would refuse is told before anything starts, as it was written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from butler_cli.local.state import StateDir, SupervisorLock
from butler_cli.main import run

EXAMPLES = Path(__file__).parents[3] / "examples"
CONTACTS = """
- name: Ada
  role: owner
  identifiers:
    - {type: telegram, value: "1001", primary: true}
    - {type: email, value: ada@example.org}
"""
SECRETS = {
    "contacts/contacts.yaml": CONTACTS,
    "telegram-bot/token": "1:token",
    "mail-account/password": "secret",
    "webhook/token": "doorbell=0123456789abcdef",
}


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    made = StateDir.at(tmp_path / "state")
    made.create()
    for name, text in SECRETS.items():
        give(made, name, text)
    return made


def give(state: StateDir, name: str, text: str) -> None:
    file = state.secrets_dir / name
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)


def check(state: StateDir, folder: Path = EXAMPLES / "household") -> int:
    return run(["check", "-f", str(folder), "--state", str(state.root), "--port-base", "0"])


def test_a_household_that_would_start_is_called_right_and_nothing_is_started(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(state) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "nothing is wrong: 7 butlers, 3 connectors" in said.out
    assert not list(state.logs_dir.iterdir())
    assert state.supervisor_pid() is None


@pytest.mark.parametrize("given", ["hello", "987654321", "987654321:AA H4", "<token>"])
def test_what_is_no_bot_token_is_told_once_by_whose_it_is_and_never_shown(
    state: StateDir, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    give(state, "telegram-bot/token", f"{given}\n")
    assert check(state) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "butlers: Connector telegram: secret telegram-bot, key token: is no bot token; it looks"
    )
    assert given not in line


@pytest.mark.parametrize(("name", "code"), [("Ada", 0), ("Adda", 1)])
def test_an_approver_who_is_nobody_of_the_household_is_named_before_the_start(
    state: StateDir, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, code: int
) -> None:
    folder = tmp_path / "household"
    shutil.copytree(EXAMPLES / "household", folder)
    butlers = folder / "butlers.yaml"
    asked = f"  modules:\n    approvals: {{approvers: [{name}]}}\n"
    text = butlers.read_text()
    assert text.count("  modules:\n") == 1
    butlers.write_text(text.replace("  modules:\n", asked))
    assert check(state, folder) == code
    assert ("spec.modules.approvals.approvers[0]: 'Adda' is no owner" in capsys.readouterr().err) == code


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, None),
        ({"to": "Ada"}, None),
        ({"to": "Adda"}, "spec.schedules[0].to: 'Adda' is no owner and no member among the contacts"),
        ({"cron": "0 27 * * *"}, "spec.schedules[0].cron: '0 27 * * *' is no cron line"),
        ({"timezone": "Mars/Base"}, "spec.schedules[0].timezone: 'Mars/Base' is no time zone"),
    ],
)
def test_a_schedule_that_would_not_run_is_named_with_what_is_wrong_with_it(
    state: StateDir,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    entry: dict[str, str],
    said: str | None,
) -> None:
    folder = tmp_path / "household"
    shutil.copytree(EXAMPLES / "household", folder)
    document = yaml.safe_load((EXAMPLES / "home" / "butler.yaml").read_text())
    wanted = {"name": "dark", "cron": "0 18 * * *", "prompt": "Say that it is dark.", **entry}
    document["spec"]["schedules"] = [wanted]
    (folder / "home.yaml").write_text(yaml.safe_dump(document))
    assert check(state, folder) == (0 if said is None else 1)
    assert (said or "") in capsys.readouterr().err


def test_two_schedules_of_one_name_are_refused_in_words(
    state: StateDir, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = yaml.safe_load((EXAMPLES / "home" / "butler.yaml").read_text())
    document["spec"]["schedules"] = [{"name": "dark", "cron": "0 18 * * *", "prompt": "x"}] * 2
    folder = tmp_path / "household"
    shutil.copytree(EXAMPLES / "household", folder)
    (folder / "home.yaml").write_text(yaml.safe_dump(document))
    assert check(state, folder) == 1
    assert "spec.schedules" in (said := capsys.readouterr().err)
    assert "dark" in said


def test_a_secret_that_is_no_text_is_named_by_its_file(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    (state.secrets_dir / "telegram-bot" / "token").write_bytes(b"\xff\xfe")
    assert check(state) == 1
    assert "telegram-bot/token is no text; write the secret into it again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("secret", "text", "line"),
    [
        ("webhook/token", "tooshort", "secret webhook, key token: a token has at least 16 ASCII characters"),
        ("webhook/token", "a=0123456789abcdef,b=short", "several tokens need names: name=token"),
        ("contacts/contacts.yaml", CONTACTS.replace("ada@example.org", "ada at home"), "ada at home"),
        (
            "contacts/contacts.yaml",
            CONTACTS.replace('"1001"', '"@ada"'),
            "telegram '@ada' is no account's number",
        ),
        ("contacts/contacts.yaml", CONTACTS.replace("owner", "boss"), "role"),
        (
            "contacts/contacts.yaml",
            CONTACTS.replace("role: owner", "role: owner\n  timezone: Europe/Berln"),
            "'Europe/Berln' is no time zone; expected an IANA name such as Europe/Berlin",
        ),
        ("contacts/contacts.yaml", "- name: [", "not YAML"),
    ],
)
def test_a_secret_that_a_service_would_refuse_is_named_before_the_start(
    state: StateDir, capsys: pytest.CaptureFixture[str], secret: str, text: str, line: str
) -> None:
    give(state, secret, text)
    assert check(state) == 1
    said = capsys.readouterr().err
    assert line in said
    assert run(["up", "-f", str(EXAMPLES / "household"), "--state", str(state.root), "--port-base", "0"]) == 1
    assert capsys.readouterr().err == said, "up refuses it in the same words"


def test_everything_that_is_wrong_is_told_at_once(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "manifests"
    shutil.copytree(EXAMPLES / "household", folder)
    give(state, "webhook/token", "tooshort")
    shutil.rmtree(state.secrets_dir / "telegram-bot")
    assert check(state, folder) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert any("telegram-bot" in line for line in lines)
    assert any("16 ASCII characters" in line for line in lines)


def test_a_store_of_files_whose_token_is_not_there_is_named_with_where_to_put_it(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "manifests"
    shutil.copytree(EXAMPLES / "household", folder)
    butlers = folder / "butlers.yaml"
    text = butlers.read_text("utf-8")
    files = '    attachments: {origins: ["https://files.example.org/"], tokenSecretRef: {name: files, key: token}}\n'
    butlers.write_text(text.replace("    calendar:", f"{files}    calendar:", 1), "utf-8")
    assert check(state, folder) == 0
    said = capsys.readouterr().out
    assert "note: messenger fetches files without a token: secret files, key token is missing; put" in said
    give(state, "files/token", "t0ken-of-the-store")
    assert check(state, folder) == 0
    assert "note" not in capsys.readouterr().out


def test_a_calendar_whose_secret_is_not_there_is_said_to_be_off_with_where_to_put_it(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "manifests"
    shutil.copytree(EXAMPLES / "household", folder)
    butlers = folder / "butlers.yaml"
    text = butlers.read_text("utf-8")
    named = "{provider: google, conflicts: suggest, secretRef: {name: calendar, key: user.json}}"
    butlers.write_text(text.replace("{provider: google, conflicts: suggest}", named), "utf-8")
    assert check(state) == 0
    assert "note" not in capsys.readouterr().out, "a calendar that names none is off as it is wanted"
    assert check(state, folder) == 0
    said = capsys.readouterr().out
    assert "note: the calendar of messenger is off: secret calendar, key user.json is missing; put" in said
    give(state, "calendar/user.json", "{}")
    assert check(state, folder) == 0
    assert "note" not in capsys.readouterr().out


@pytest.mark.parametrize("installed", [True, False])
def test_who_asks_a_model_without_the_packages_for_it_is_named_with_how_they_come(
    state: StateDir,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    installed: bool,
) -> None:
    folder = tmp_path / "manifests"
    shutil.copytree(EXAMPLES / "household", folder)
    shutil.copy(EXAMPLES / "home" / "butler.yaml", folder)
    monkeypatch.setattr("butler_kit.runtime.api.packages.find_spec", lambda _: installed or None)
    assert check(state, folder) == 0
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note: ")]
    asked = [
        "note: home asks a model, and the packages for it are not here: `make llm` in the project's folder"
    ]
    assert [note[: len(asked[0])] for note in notes] == ([] if installed else asked)


def test_a_change_is_checked_while_the_household_is_up(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = SupervisorLock(state)
    try:
        assert check(state) == 0
        assert "the household is up" in capsys.readouterr().out
    finally:
        lock.release()
