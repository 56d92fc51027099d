"""The database's URL may come from a file: exactly one way of the two, read at every start."""

from pathlib import Path

import pytest

from butler_kit.config import ConfigError, ProcessEnvironment, read_environment

URL = "postgresql://butler_finance:hunter2@db:5432/butlers"


def environment(**more: str) -> dict[str, str]:
    return {"BUTLERS_JWKS_FILE": "/k/jwks.json", **more}


def refused(env: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        read_environment(ProcessEnvironment, env)
    return str(caught.value)


def test_the_url_is_the_content_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text(f"{URL}\n")
    read = read_environment(ProcessEnvironment, environment(BUTLERS_DATABASE_URL_FILE=str(file)))
    assert read.database_url.get_secret_value() == URL
    assert "hunter2" not in repr(read)


def test_the_file_is_read_anew_at_every_start(tmp_path: Path) -> None:
    file, env = tmp_path / "url", environment(BUTLERS_DATABASE_URL_FILE=str(tmp_path / "url"))
    for url in (URL, URL.replace("hunter2", "changed")):
        file.write_text(url)
        assert read_environment(ProcessEnvironment, env).database_url.get_secret_value() == url


def test_a_new_connection_gets_the_url_that_the_file_has_by_then(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text(URL)
    read = read_environment(ProcessEnvironment, environment(BUTLERS_DATABASE_URL_FILE=str(file)))
    changed = URL.replace("hunter2", "changed")
    file.write_text(changed)
    assert read.current_database_url() == changed
    file.unlink()
    assert read.current_database_url() == URL
    known = read_environment(ProcessEnvironment, environment(BUTLERS_DATABASE_URL=URL))
    assert known.current_database_url() == URL


def test_both_ways_at_once_are_refused_without_a_value(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text(URL)
    text = refused(environment(BUTLERS_DATABASE_URL_FILE=str(file), BUTLERS_DATABASE_URL=URL))
    assert "BUTLERS_DATABASE_URL_FILE: is set beside BUTLERS_DATABASE_URL; set one of the two" in text
    assert "hunter2" not in text


def test_neither_way_names_both() -> None:
    assert "set the environment variable BUTLERS_DATABASE_URL or BUTLERS_DATABASE_URL_FILE" in refused(
        environment()
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read (FileNotFoundError)"),
        (b"\xff\xfe", "cannot be read (UnicodeDecodeError)"),
        (b" \n", "is empty"),
    ],
)
def test_a_file_without_a_url_is_told_once_with_the_other_problems(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    file = tmp_path / "url"
    if content is not None:
        file.write_bytes(content)
    text = refused({"BUTLERS_DATABASE_URL_FILE": str(file)})
    assert f"BUTLERS_DATABASE_URL_FILE: {file} {problem}" in text
    assert "BUTLERS_JWKS_FILE: is not set" in text
    assert "BUTLERS_DATABASE_URL:" not in text
