"""The contacts file: exactly one owner, each person and identifier once, problems told together (D49)."""

from __future__ import annotations

import pytest

from butler_messenger.contacts.file import ContactsFileError, read_contacts

GOOD = """
- name: Ada
  role: owner
  identifiers:
    - {type: telegram, value: 1001, primary: true}
    - {type: email, value: " Ada@Example.org "}
- name: Ben
  role: member
"""


def test_people_and_their_identifiers_are_read_and_normalised() -> None:
    ada, ben = read_contacts(GOOD)
    assert ada.identifiers == (("telegram", "1001", True), ("email", "ada@example.org", False))
    assert (ben.role, ben.identifiers) == ("member", ())


def test_a_contacts_id_follows_from_its_name() -> None:
    assert [p.contact_id for p in read_contacts(GOOD)] == [p.contact_id for p in read_contacts(GOOD)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- {name: Ada, role: member}", "exactly one contact must have the role owner, found: none"),
        ("- {name: Ada, role: owner}\n- {name: Ben, role: owner}", "found: Ada, Ben"),
        ("- {name: Ada, role: owner}\n- {name: ADA, role: member}", "names must differ"),
        ("- {name: Ada, role: boss}", "entry 1: role"),
        ("- {name: Ada, role: owner, identifiers: [{type: email, value: nobody}]}", "name@example.org"),
        ("name: Ada", "expected a list"),
        ("- [", "not YAML at line"),
        ("", "expected a list"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_entry_to_correct(text: str, problem: str) -> None:
    with pytest.raises(ContactsFileError) as refused:
        read_contacts(text)
    assert problem in refused.value.message


def test_an_identifier_of_two_people_is_refused() -> None:
    text = GOOD + "  identifiers: [{type: email, value: ada@example.org}]\n"
    with pytest.raises(ContactsFileError, match=r"'ada@example\.org' is there 2 times"):
        read_contacts(text)
