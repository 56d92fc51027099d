"""A person acts on the cluster's dashboard as who they are (D80); nobody else does, and no form of another page."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.e2e.charts.test_reach import reaches as reaches
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.dashboard.desk import ACCOUNT, STRANGER, Desk, a_desk, hidden, token_for
from tests.e2e.scenarios.records import rows

READER = "butlers-reader"
LONG_AGO = {"date_from": "1999-01-01", "date_to": "1999-01-02"}
"""Before any mail: what is ordered finds nothing."""
SWITCHBOARD, MESSENGER = "butler-switchboard:40100", "butler-messenger:40104"
PAGES = {"app.kubernetes.io/name": "butlers-dashboard", "app.kubernetes.io/instance": "butlers"}


@pytest.fixture(scope="module")
def desk(cluster: Cluster, often: datetime) -> Iterator[Desk]:
    cluster.ready("butler,connector", timeout_s=240)
    with a_desk(cluster) as found:
        yield found


@contextlib.contextmanager
def unread_mailbox(cluster: Cluster) -> Iterator[None]:
    """The mailbox's connector is away, not long enough to be offline: what is ordered of it is not done at once."""
    labels = "butlers.dev/name=mail,butlers.dev/kind=Connector"
    try:
        suspend_mail(cluster, True)
        eventually(lambda: not cluster.list("pods", selector=labels), pause_s=1, what="the connector is away")
        yield
    finally:
        suspend_mail(cluster, False)
        eventually(lambda: cluster.list("pods", selector=labels), pause_s=1, what="the connector is back")
        cluster.ready("connector/mail")


def suspend_mail(cluster: Cluster, suspend: bool) -> None:
    wish = json.dumps({"spec": {"suspend": suspend}})
    cluster.kubectl(
        "patch", "connector", "mail", "--namespace", cluster.namespace, "--type=merge", "--patch", wish
    )


def ordered(cluster: Cluster) -> list[dict[str, Any]]:
    return rows(
        cluster, "SELECT job_id, created_by, status FROM switchboard.backfill_jobs ORDER BY created_at"
    )


def form(http: httpx.Client) -> dict[str, str]:
    """The order that a person fills in on the page, of the household's mailbox; other tests leave theirs behind."""
    page = http.get("/backfills").text
    source = re.search(r'<option value="(imap\|imap:household@[^"]+)"', page)
    assert source is not None
    return {
        "connector": source.group(1),
        "form_key": hidden(page, "form_key"),
        "order": hidden(page, "order"),
        **LONG_AGO,
    }


def test_a_person_orders_at_one_replica_and_cancels_at_the_other_and_is_on_record(
    cluster: Cluster, desk: Desk
) -> None:
    before = {job["job_id"] for job in ordered(cluster)}
    session = desk.session()
    first, second = (replica.browser(session) for replica in desk.replicas)
    with first, second:
        # Whichever replica has not read the changed trust document yet does so within a minute and a half.
        eventually(
            lambda: all("form_key" in http.get("/backfills").text for http in (first, second)),
            timeout_s=150, pause_s=3, what="both replicas know the person",
        )  # fmt: skip
        with unread_mailbox(cluster):
            done = second.post("/backfills", data=form(first), headers={"origin": desk.replicas[1].url})
            assert (done.status_code, done.headers.get("location")) == (303, "/backfills"), done.text
            (job,) = [job for job in ordered(cluster) if job["job_id"] not in before]
            person = f"system:serviceaccount:{cluster.namespace}:{ACCOUNT}"
            assert job["created_by"] == person
            key = {"form_key": hidden(first.get("/backfills").text, "form_key")}
            done = first.post(f"/backfills/{job['job_id']}/cancel", data=key)
            assert done.status_code == 303, done.text
    (job,) = [one for one in ordered(cluster) if one["job_id"] == job["job_id"]]
    assert job["status"] == "cancelled"
    audited = rows(
        cluster,
        f"SELECT operation FROM switchboard.dashboard_audit_log WHERE actor = '{person}' ORDER BY audit_id",
    )
    assert [row["operation"] for row in audited][-2:] == ["backfill.create", "backfill.cancel"]


def test_a_link_opens_one_session_at_whichever_replica(desk: Desk) -> None:
    desk.session()
    first, second = desk.replicas
    path = first.link(desk.token).raise_for_status().json()["path"]
    assert second.opened(path) is not None
    assert [replica.opened(path) for replica in (first, second)] == [None, None]


def test_a_form_without_the_page_s_key_of_another_site_or_of_a_stranger_changes_nothing(
    cluster: Cluster, desk: Desk
) -> None:
    before = ordered(cluster)
    replica = desk.replicas[0]
    with replica.browser(desk.session()) as http, replica.browser() as nobody:
        eventually(
            lambda: "form_key" in http.get("/backfills").text,
            timeout_s=150, pause_s=3, what="the replica knows the person",
        )  # fmt: skip
        mine = form(http)
        without = {name: value for name, value in mine.items() if name != "form_key"}
        assert http.post("/backfills", data=without).status_code == 403
        assert (
            http.post("/backfills", data=mine, headers={"origin": "https://evil.example"}).status_code == 403
        )
        sent = nobody.post("/backfills", data=mine)
        assert (sent.status_code, sent.headers["location"].partition("?")[0]) == (303, "/login")
    reader = replica.opened(replica.link(token_for(cluster, READER, receiver="dashboard")).json()["path"])
    with replica.browser(reader) as http:
        assert "form_key" not in http.get("/backfills").text
        refused = http.post("/backfills", data=mine)
        assert (refused.status_code, "may look, not act" in refused.text) == (403, True)
    assert ordered(cluster) == before


def test_nobody_gets_a_token_of_another_person(cluster: Cluster, desk: Desk) -> None:
    with pytest.raises(AssertionError, match=f"{STRANGER}.* cannot create"):
        token_for(cluster, ACCOUNT, user=STRANGER)


@pytest.mark.parametrize(("address", "open_"), [(SWITCHBOARD, True), (MESSENGER, False)])
def test_the_pages_reach_switchboard_and_no_other_butler(
    desk: Desk, reaches: Any, address: str, open_: bool
) -> None:
    assert reaches(PAGES, address) is open_
