"""The one rule in SQL, over everything that it looks at, against what it says in words (D68, ADR 0100)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from itertools import product
from uuid import UUID

from butler_specialist.store.model import Record, SaidAudience
from butler_specialist.store.visibility import Policy, Viewer
from tests.integration.specialist.household import Place
from tests.support.memory_records import sees

ADA, BEN = UUID(int=1), UUID(int=2)
POLICY = Policy(private=("note",), personal=("measurement",))
PLAIN = Record("bill", date(2026, 11, 21), "x", channel="telegram", sender="Mara")

AUDIENCES: tuple[SaidAudience | None, ...] = (None, "household", "private")
RECORDS = [
    replace(
        PLAIN,
        kind=kind,
        audience=audience,
        party=party,
        sender_class=sender_class,
        contact_id=contact,
        shared_with=shared,
        seq=number,
    )
    for number, (kind, audience, party, sender_class, contact, shared) in enumerate(
        product(
            ("bill", "note", "measurement", "fact"),
            AUDIENCES,
            (None, "Leo"),
            ("household", "other"),
            (ADA, None),
            ((), (str(BEN),)),
        )
    )
]
VIEWERS = [
    Viewer(person, POLICY, family=family)
    for person, family in product((str(ADA), str(BEN), "telegram:mara", None), (True, False))
]
INSERT = """
INSERT INTO records (
    record_id, request_id, segment_id, ordinal, subrequest_id, kind, occurred_on, party, text, source_channel, sender,
    sender_class, contact_id, recorded_at, audience, shared_with
)
SELECT gen_random_uuid(), gen_random_uuid(), 's1', row.seq, gen_random_uuid(), row.kind, '2026-11-21', row.party, 'x',
    'telegram', 'Mara', row.sender_class, row.contact_id, now(), row.audience, row.shared_with
FROM jsonb_to_recordset($1) AS row (
    seq integer, kind text, party text, sender_class text, contact_id uuid, audience text, shared_with text []
)
"""


def wire(record: Record) -> dict[str, object]:
    return {
        "seq": record.seq,
        "kind": record.kind,
        "party": record.party,
        "sender_class": record.sender_class,
        "contact_id": str(record.contact_id) if record.contact_id else None,
        "audience": record.audience,
        "shared_with": list(record.shared_with),
    }


async def test_the_function_shows_each_viewer_what_the_rule_says(place: Place) -> None:
    await place.pool.execute(INSERT, json.loads(json.dumps([wire(one) for one in RECORDS])))
    for viewer in VIEWERS:
        rows = await place.pool.fetch(
            "SELECT ordinal FROM records WHERE may_see(records, $1, $2, $3, $4)", *viewer.arguments
        )
        expected = {one.seq for one in RECORDS if sees(viewer, one)}
        assert {row["ordinal"] for row in rows} == expected, viewer


async def test_of_what_one_keeps_private_nobody_else_sees_any(place: Place) -> None:
    await place.pool.execute(INSERT, [wire(one) for one in RECORDS])
    for viewer in VIEWERS:
        if viewer.person == str(ADA):
            continue
        leaked = await place.pool.fetchval(
            "SELECT count(*) FROM records WHERE may_see(records, $1, $2, $3, $4) AND sender_class = 'household' "
            "AND contact_id = $5 AND audience = 'private' AND shared_with = '{}'",
            *viewer.arguments,
            ADA,
        )
        assert leaked == 0


async def test_the_rule_is_a_part_of_the_query_and_no_call_for_each_row(place: Place) -> None:
    viewer = VIEWERS[0]
    rows = await place.pool.fetch(
        "EXPLAIN SELECT * FROM records WHERE may_see(records, $1, $2, $3, $4)", *viewer.arguments
    )
    plan = " ".join(row[0] for row in rows)
    assert "may_see" not in plan, plan
