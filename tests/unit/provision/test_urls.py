"""A butler's URL is the administrator's with another user: nothing else of it changes."""

import pytest

from butler_contracts.errors import ValidationFailed
from butler_provision.urls import parse_admin_url


@pytest.mark.parametrize(
    ("admin", "butler"),
    [
        ("postgresql://app:pw@db-rw.house:5432/app", "postgresql://butler_a:n%2Few@db-rw.house:5432/app"),
        ("postgres://app:p%40w@db/app?sslmode=verify-full&sslrootcert=/ca.crt",
         "postgres://butler_a:n%2Few@db/app?sslmode=verify-full&sslrootcert=%2Fca.crt"),
        ("postgresql://app:pw@one:5432,two:5433/app", "postgresql://butler_a:n%2Few@one:5432,two:5433/app"),
        ("postgresql://app:pw@[::1]:5432/app", "postgresql://butler_a:n%2Few@[::1]:5432/app"),
        ("postgresql://db/app?user=app&password=pw&sslmode=require",
         "postgresql://butler_a:n%2Few@db/app?sslmode=require"),
    ],
)  # fmt: skip
def test_only_the_user_changes(admin: str, butler: str) -> None:
    assert parse_admin_url(f"{admin}\n").as_role("butler_a", "n/ew") == butler


def test_the_password_is_read_as_it_is_meant() -> None:
    assert parse_admin_url("postgresql://app:p%40w@db/app").password == "p@w"
    assert parse_admin_url("postgresql://db/app?password=p%40w").password == "p@w"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "not one of PostgreSQL"),
        ("http://a:b@c", "not one of PostgreSQL"),
        ("postgresql://app@db/app", "no password"),
        ("postgresql://app:hush@[db/app", "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_refused_without_repeating_it(url: str, problem: str) -> None:
    with pytest.raises(ValidationFailed, match=problem) as caught:
        parse_admin_url(url)
    assert "hush" not in str(caught.value)


def test_a_url_s_text_shows_no_secret() -> None:
    url = parse_admin_url("postgresql://app:hush@db:5432/app")
    assert "hush" not in repr(url)
    assert url.server == "db:5432/app"
