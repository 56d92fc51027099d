"""The URL for a job on a butler's tables: the butler's own, and nothing is made for it."""

from __future__ import annotations

import asyncpg

from butler_provision.plans import Member
from butler_provision.prepare import find_url, prepare
from butler_provision.urls import parse_admin_url

FINANCE = Member("specialist", "finance")


async def test_a_job_gets_the_butler_s_own_url_before_and_after_its_pod_and_changes_nothing(fresh_database):
    admin = parse_admin_url(fresh_database.admin_dsn)
    early = await find_url(FINANCE, admin, wait_s=30.0, tell=print)
    connection = await asyncpg.connect(fresh_database.admin_dsn)
    try:
        assert await connection.fetchval("SELECT to_regnamespace('finance') IS NULL")
    finally:
        await connection.close()
    prepared = await prepare(FINANCE, admin, wait_s=30.0, tell=print)
    late = await find_url(FINANCE, admin, wait_s=30.0, tell=print)
    assert late.url == early.url == prepared.url
    assert (late.role_isolation, late.applied) == (True, ())
