"""A database whose server shows a private authority's certificate: verified by the household's own bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import asyncpg
import pytest

from butler_contracts.errors import TargetUnavailable
from butler_provision.member import read_member
from butler_provision.prepare import prepare
from butler_provision.urls import parse_admin_url, with_authority
from tests.integration.provision.test_program import BUTLER_TOML
from tests.support.certificates import Authority
from tests.support.loopback import HOST
from tests.support.tls_front import tls_front


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.make(tmp_path / "authority", "database")


async def prepared(tmp_path: Path, url: str, bundle: Path | None) -> str:
    """The URL that a service gets."""
    config = tmp_path / "butler.toml"
    config.write_text(BUTLER_TOML)
    admin = parse_admin_url(with_authority(url, None if bundle is None else str(bundle)))
    result = await prepare(read_member(config), admin, wait_s=60.0, tell=lambda _: None)
    return result.url


def by_tls(database: Any, port: int, query: str = "?sslmode=verify-full") -> str:
    plain = f"{HOST}:{database.server.postgres.port}"
    url: str = database.admin_dsn.replace(plain, f"{HOST}:{port}") + query
    return url


async def test_a_butler_verifies_its_database_by_the_households_bundle(
    fresh_database: Any, authority: Authority, tmp_path: Path
) -> None:
    async with tls_front(fresh_database.server.postgres.port, authority.server()) as port:
        url = await prepared(tmp_path, by_tls(fresh_database, port), authority.file)
        assert "sslmode=verify-full" in url
        connection = await asyncpg.connect(url, timeout=30)
        assert await connection.fetchval("SELECT current_user") == "butler_finance_2"
        await connection.close()


@pytest.mark.parametrize(
    ("address", "own", "words"),
    [("127.0.0.2", True, "is for another name"), (HOST, False, "is not trusted")],
)
async def test_a_server_that_cannot_be_verified_is_refused_at_once_and_in_words(
    fresh_database: Any, authority: Authority, tmp_path: Path, address: str, own: bool, words: str
) -> None:
    bundle = authority.file if own else Authority.make(tmp_path / "other", "other").file
    async with tls_front(fresh_database.server.postgres.port, authority.server(address)) as port:
        with pytest.raises(TargetUnavailable, match=words):
            await prepared(tmp_path, by_tls(fresh_database, port), bundle)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://a:b@db/x",
        "postgresql://a:b@db/x?sslmode=require",
        "postgresql://a:b@db/x?sslmode=verify-full&sslrootcert=/elsewhere.pem",
    ],
)
def test_a_url_that_asks_for_nothing_or_names_its_own_authority_stays_as_it_is(url: str) -> None:
    assert with_authority(url, "/etc/ca.crt") == url
