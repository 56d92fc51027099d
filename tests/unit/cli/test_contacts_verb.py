"""`butlers contacts`: the people as they are written, and one more, without touching what is there."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from butler_cli.local.contacts_file import ContactsFile, with_entry
from butler_cli.local.state import StateDir
from butler_cli.main import run
from butler_resources.kinds import parse_contacts

DEMO = Path(__file__).parents[3] / "examples" / "demo"
HOUSEHOLD = DEMO.parent / "household"
WRITTEN = """# the family
- name: Ada
  role: owner   # pays
  identifiers:
    - {type: telegram, value: "1001", primary: true}
"""


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    made = StateDir.at(tmp_path / "state")
    made.create()
    give(made, WRITTEN)
    return made


def file_of(state: StateDir) -> Path:
    return state.secrets_dir / "contacts" / "contacts.yaml"


def give(state: StateDir, text: str) -> None:
    file_of(state).parent.mkdir(mode=0o700, exist_ok=True)
    file_of(state).write_text(text)
    file_of(state).chmod(0o600)


def add(state: StateDir, *arguments: str) -> int:
    return run(["contacts", "add", *arguments, "--state", str(state.root)])


def test_who_is_added_is_listed_and_what_was_written_stays(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(state, "Ben  Example", "--telegram", "1002", "--email", "ben@example.org") == 0
    assert "Ben  Example is in" in capsys.readouterr().out
    text = file_of(state).read_text()
    assert text.startswith(WRITTEN)
    assert stat.S_IMODE(file_of(state).stat().st_mode) == 0o600
    assert run(["contacts", "list", "--json", "--state", str(state.root)]) == 0
    ben = json.loads(capsys.readouterr().out)["contacts"][1]
    assert (ben["name"], ben["role"]) == ("Ben Example", "adult")
    assert [(one["type"], one["value"], one["primary"]) for one in ben["identifiers"]] == [
        ("telegram", "1002", True),
        ("email", "ben@example.org", False),
    ]
    assert run(["contacts", "list", "--state", str(state.root)]) == 0
    assert "telegram 1002 (first), email ben@example.org" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["Ben"], "how do they write? Give --telegram ID"),
        (["Ben", "--telegram", "@ben"], "telegram '@ben' is no account's number"),
        (["Ben", "--email", "ben at home"], "ben at home"),
        (["Ben", "--telegram", "1001"], "telegram 1001 is given more than once"),
        (["ada", "--telegram", "1002"], "is there 2 times; names must differ"),
        (["  ", "--telegram", "1002"], "name"),
        (["Ben", "--telegram", "1002", "--role", "owner"], "'owner' is not one of 'adult', 'child'"),
    ],
)
def test_a_person_who_could_not_be_used_is_refused_and_the_file_stays(
    state: StateDir, capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    assert add(state, *arguments) != 0
    assert line in capsys.readouterr().err
    assert file_of(state).read_text() == WRITTEN


def test_two_who_add_at_once_both_succeed(state: StateDir) -> None:
    file = ContactsFile(file_of(state))

    def one(number: int) -> bool:
        identifiers = [{"type": "telegram", "value": str(number)}]
        return file.add({"name": f"Guest {number}", "role": "member", "identifiers": identifiers})

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(2000, 2020)))
    assert len(parse_contacts(file.path.read_text(), where="x").root) == 21


@pytest.mark.parametrize(
    "text", [WRITTEN, WRITTEN.replace("\n", "\n\n"), WRITTEN.rstrip(), f"---\n{WRITTEN}"]
)
def test_a_list_as_people_write_it_keeps_every_line(text: str) -> None:
    after, kept = with_entry(text, {"name": "Ben", "role": "member", "identifiers": []})
    assert kept
    assert after.startswith(text.rstrip())
    assert [person.name for person in parse_contacts(after, where="").root] == ["Ada", "Ben"]


@pytest.mark.parametrize(
    "text",
    [
        "[{name: Ada, role: owner}] # in one line",
        "  - {name: Ada, role: owner}",
        "- {name: Ada, role: owner}\n...",
    ],
)
def test_what_cannot_be_added_to_is_written_anew_and_said_so(text: str) -> None:
    after, kept = with_entry(text, {"name": "Ben", "role": "member", "identifiers": []})
    assert not kept
    assert [person.name for person in parse_contacts(after, where="").root] == ["Ada", "Ben"]


def test_a_place_without_contacts_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["contacts", "list", "--state", str(tmp_path / "none")]) == 1
    assert "there are no contacts at" in capsys.readouterr().err


def test_contacts_that_others_can_read_are_not_touched(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    file_of(state).chmod(0o644)
    assert add(state, "Ben", "--telegram", "1002") == 1
    assert "can be read by other users; run `chmod 600" in capsys.readouterr().err


def test_people_whom_the_manifests_name_are_listed_and_nobody_is_added_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["-f", str(DEMO), "--state", str(tmp_path / "state")]
    assert run(["contacts", "list", *place]) == 0
    assert "Ada Example" in capsys.readouterr().out
    assert run(["contacts", "add", "Ben", "--telegram", "5", *place]) == 1
    assert "come from a variable or from its manifests; put them into" in capsys.readouterr().err


def test_what_somebody_has_for_themselves_is_added_and_listed(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    own = (
        "--timezone",
        "America/New_York",
        "--quiet-hours",
        "21:00-06:30",
        "--digest-at",
        "07:15",
        "--language",
        "de",
    )
    assert add(state, "Ben", "--telegram", "1002", *own) == 0
    capsys.readouterr()
    assert run(["contacts", "list", "--state", str(state.root)]) == 0
    listed = capsys.readouterr().out
    assert "language de, timezone America/New_York, quietHours 21:00-06:30, digestAt 07:15" in listed
    assert run(["contacts", "list", "--json", "--state", str(state.root)]) == 0
    ada, ben = json.loads(capsys.readouterr().out)["contacts"]
    assert (ada["timezone"], ben["timezone"], ben["quietHours"]["end"]) == (None, "America/New_York", "06:30")


@pytest.mark.parametrize(
    ("own", "line"),
    [
        (("--timezone", "New York"), "timezone"),
        (("--language", "nl"), "language: expected one of: en, de, fr, es"),
        (("--quiet-hours", "22:00"), "--quiet-hours is '22:00'; expected such as 22:00-07:00"),
        (("--quiet-hours", "22:00-07:00", "--digest-at", "05:00"), "digestAt is 05:00, in the quietHours"),
    ],
)
def test_what_nobody_can_have_is_named_and_the_file_stays(
    state: StateDir, capsys: pytest.CaptureFixture[str], own: tuple[str, ...], line: str
) -> None:
    assert add(state, "Ben", "--telegram", "1002", *own) == 1
    assert line in capsys.readouterr().err
    assert file_of(state).read_text() == WRITTEN


def test_a_child_is_added_with_what_they_may(state: StateDir, capsys: pytest.CaptureFixture[str]) -> None:
    limits = ("--may-ask", "general,travel", "--ask-first", "finance", "--hours", "07:00-20:00")
    assert add(state, "Leo", "--telegram", "1003", "--role", "child", *limits) == 0
    capsys.readouterr()
    assert run(["contacts", "list", "--json", "--state", str(state.root)]) == 0
    leo = json.loads(capsys.readouterr().out)["contacts"][1]
    assert leo["limits"] == {
        "butlers": ["general", "travel"],
        "askFirst": ["finance"],
        "hours": {"start": "07:00", "end": "20:00"},
    }
    assert run(["contacts", "list", "--state", str(state.root)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "may ask general+travel" in shown


def test_a_limit_that_names_no_butler_of_the_household_is_refused_and_the_file_stays(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    leo = ("Leo", "--telegram", "1003", "--role", "child", "-f", str(HOUSEHOLD))
    assert add(state, *leo, "--may-ask", "general,finanze") == 1
    assert "'finanze' is no butler of this household" in capsys.readouterr().err
    assert file_of(state).read_text() == WRITTEN
    assert add(state, *leo, "--may-ask", "general,finance") == 0


def test_an_adult_is_limited_too_and_nobody_whom_nobody_answers(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(state, "Dan", "--telegram", "1002", "--role", "other", "--may-ask", "general") != 0
    assert "expected role: adult, child or guest" in capsys.readouterr().err
    assert file_of(state).read_text() == WRITTEN
    assert add(state, "Ben", "--telegram", "1002", "--ask-first", "finance") == 0
    assert run(["contacts", "list", "--state", str(state.root)]) == 0
    assert "finance" in capsys.readouterr().out
