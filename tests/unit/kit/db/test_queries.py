"""SQL by name: what is in a file, and how a mistake in one is told."""

from __future__ import annotations

import sys

import pytest

from butler_kit.db import NamedQueries, QueryFileError, quote_identifier


@pytest.fixture
def queries_in(tmp_path, monkeypatch):
    """Makes a package with one SQL file and reads it."""

    def read(text):
        package = tmp_path / "sqlpackage"
        package.mkdir()
        package.joinpath("__init__.py").touch()
        package.joinpath("q.sql").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "sqlpackage", raising=False)
        return NamedQueries("sqlpackage", "q.sql")

    return read


def test_a_file_gives_its_statements_by_name(queries_in):
    queries = queries_in("-- header\n-- name: one\n-- why\nSELECT 1;\n\n--name: two\nSELECT '\n2';\n")
    assert queries.names() == ("one", "two")
    assert queries["one"] == "-- why\nSELECT 1"
    assert queries["two"] == "SELECT '\n2'"
    assert "one" in queries
    assert "three" not in queries


def test_an_unknown_name_is_told_with_the_known_ones(queries_in):
    with pytest.raises(QueryFileError, match=r"q\.sql: no query named 'tow'; it has: one, two"):
        queries_in("-- name: one\nSELECT 1\n-- name: two\nSELECT 2")["tow"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SELECT 1", "no `-- name"),
        ("-- name: a\nSELECT 1\n-- name: a\nSELECT 2", "defined twice"),
        ("-- name: a\n\n-- name: b\nSELECT 1", "'a' is empty"),
        ("-- name: Wrong-Name\nSELECT 1", "lower_case"),
    ],
)
def test_a_malformed_file_is_refused(queries_in, text, problem):
    with pytest.raises(QueryFileError, match=problem):
        queries_in(text)


@pytest.mark.parametrize(("package", "file"), [("butler_kit.db", "no.sql"), ("no_such_package", "q.sql")])
def test_a_missing_file_is_told(package, file):
    with pytest.raises(QueryFileError, match="no such SQL file"):
        NamedQueries(package, file)


def test_placeholders_are_replaced_and_unknown_ones_refused(queries_in):
    queries = queries_in("-- name: a\nSELECT * FROM {table} WHERE x = $1")
    assert queries.render("a", table='"t"') == 'SELECT * FROM "t" WHERE x = $1'
    with pytest.raises(QueryFileError, match="placeholder"):
        queries.render("a", tabel="t")


def test_identifiers_are_quoted_part_by_part():
    assert quote_identifier("finance.route_work") == '"finance"."route_work"'
    assert quote_identifier('we"ird') == '"we""ird"'
    for wrong in ("", "a.", ".b", "nul\x00"):
        with pytest.raises(ValueError, match="identifier"):
            quote_identifier(wrong)
