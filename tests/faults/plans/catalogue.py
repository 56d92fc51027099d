"""What every named query may do to a large database: nothing but look up, unless it says here why.

A query that is not in `CATALOGUE` fails the test: whoever adds one gives it arguments as the service does, for rows
that exist in `rows.fill`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from tests.faults.plans.rows import MIDDLE, NOW, ROWS, item, moment

__all__ = ["CATALOGUE", "NO_SERVICE_QUERIES", "SCHEMAS", "Query"]

NEW = item(ROWS + 1)
SOME = item(MIDDLE)
AT = moment(MIDDLE)
LEASE = item(1)
WORKED = item(1)
LONG_AGO = moment(0) - timedelta(days=300)
_VIEWER = ("telegram:1001", True, ["fact", "preference"], ["measurement"])
_WINDOWS = ([300.0, 1800.0, 3600.0, 21_600.0], 21_600.0)
FAR_AWAY, LAST = NOW + timedelta(days=1), item(2**128 - 1)

NO_SERVICE_QUERIES: Final = {
    "butler_kit/db/sql/logins.sql": "who connects for a role, before any service starts",
    "butler_kit/db/sql/provision.sql": "roles and schemas, before any service starts",
    "butler_kit/db/sql/retire.sql": "roles and schemas of butlers that are gone, before Switchboard starts",
    "butler_kit/db/sql/migrate.sql": "the ledger of migrations",
    "butler_kit/db/sql/partitions.sql": "locks and whole partitions",
}
SCHEMAS: Final = {
    "butler_switchboard": "switchboard",
    "butler_messenger": "messenger",
    "butler_dashboard": "switchboard, messenger",
    "butler_specialist": "finance",
    "butler_rollups": "switchboard",
    "butler_kit/operations": "switchboard",
    "butler_kit/queue": "switchboard",
    "butler_kit/runtime": "finance",
}


@dataclass(frozen=True)
class Query:
    """One named query. `reads_all` names a table that it reads from end to end, and why that is no harm."""

    arguments: tuple[object, ...] = ()
    reads_all: tuple[str, str] | None = None
    before: str = ""
    most_pages: int = 1_500
    most_discarded: int = 500
    mode: str = "force_generic_plan"
    """Beside `force_custom_plan`, under which every query is tried."""
    statement: bool = True
    """False for a setting, which has no plan."""


def q(*arguments: object, **exceptions: object) -> Query:
    return Query(arguments, **exceptions)  # type: ignore[arg-type]


_OLD = "SET LOCAL enable_seqscan = off"
_LETTERS: Final = "some thousands are kept, and most of them are decided"
_DAYS_SESSIONS: Final = "sums up the sessions of the days that a person asks for"
_CORRECTIONS: Final = "a household has some hundred of them"
_SPOKEN: Final = "an operator asks; what is older than `episodeDays` is gone"
_RULES: Final = "a household has some dozens of them, and a person asks"
_TIMINGS: Final = '[{"name": "schedule 1", "cron": "0 7 * * *", "zone": "UTC"}]'
_QUEUED = "counts what waits, which a bound or the workers keep small"
_WAITING: Final = "what is still to come, some hundred of a household, at each heartbeat"

DAY = NOW.replace(hour=0, minute=0, second=0)
# The end of a window inside a day that has many more rows than the window, whatever time of day it is: where a day has
# just begun, its first hour is nearly all of its partition, and reading it from end to end is right.
HOUR = NOW.replace(minute=0, second=0) if NOW.hour >= 12 else DAY - timedelta(hours=1)
LAST_HOUR = (SOME, HOUR - timedelta(hours=1), HOUR)
YESTERDAY = (SOME, DAY - timedelta(days=1), DAY)

CATALOGUE: Final[dict[str, dict[str, Query]]] = {
    "butler_rollups/sql/runs.sql": {
        "now": q(),
        "try_lock": q("hourly"),
        "patient": q("1000", statement=False),
        "published": q("hourly", reads_all=("switchboard.rollup_run", "a row an hour, once a run")),
        "backfills": q(NOW - timedelta(days=31)),
        "backfill_known": q(item(1)),
        "backfill_hours": q(item(1)),
        "published_before": q("hourly", [HOUR, HOUR - timedelta(hours=1)], NOW),
        "hourly_missing": q(DAY - timedelta(days=1), DAY),
    },
    "butler_rollups/sql/prune.sql": {
        "forget_hours": q(NOW - timedelta(days=30), 100),
        "forget_days": q(NOW - timedelta(days=300), 100),
        "forget_fanout": q(NOW - timedelta(days=300), 100),
        "forget_quality": q(NOW - timedelta(days=300), 100),
        "forget_runs": q("hourly", NOW - timedelta(days=800), 100),
    },
    "butler_rollups/sql/heartbeat_days.sql": {
        # The catalogue of the whole database, once a day.
        "oldest_day": q(moment(0) - timedelta(days=100), most_discarded=4000),
        "empty_months": q(moment(0) - timedelta(days=100), most_discarded=4000),
        "held_by": q(statement=False),
    },
    "butler_rollups/sql/hourly.sql": {
        # A window's beats are sorted once; half an hour of them is below the bound of what may be sorted.
        "stage": q(SOME, HOUR - timedelta(minutes=30), HOUR),
        "check": q(*LAST_HOUR),
        "unknown": q(SOME),
        "merge": q(SOME),
        "delete_vanished": q(*LAST_HOUR),
        "record": q(*LAST_HOUR, "sql", "v"),
        "totals": q(SOME),
        "clear": q(SOME),
        "source_starts_at": q(),
        "oldest_source": q(moment(0) - timedelta(days=100)),
    },
    "butler_rollups/sql/daily.sql": {
        "stage": q(*YESTERDAY),
        "check": q(*YESTERDAY),
        "unknown": q(),
        "merge": q(SOME),
        "delete_vanished": q(*YESTERDAY),
        "record": q(*YESTERDAY, "sql", "v"),
        "totals": q(SOME),
        "clear": q(SOME),
        "source_starts_at": q(),
        "oldest_source": q(NOW),
    },
    "butler_rollups/sql/fanout.sql": {
        "stage": q(*YESTERDAY),
        "check": q(*YESTERDAY),
        "unknown": q(),
        "merge": q(SOME),
        "delete_vanished": q(*YESTERDAY),
        "record": q(*YESTERDAY, "sql", "v"),
        "totals": q(SOME),
        "clear": q(SOME),
        "source_starts_at": q(),
        "oldest_source": q(NOW, NOW - timedelta(days=365)),
    },
    "butler_rollups/sql/quality.sql": {
        # A window's decisions are sorted once, as the beats of an hour are.
        "stage": q(SOME, DAY - timedelta(hours=6), DAY),
        "check": q(*YESTERDAY),
        "unknown": q(),
        "merge": q(SOME),
        "delete_vanished": q(*YESTERDAY),
        "record": q(*YESTERDAY, "sql", "v"),
        "totals": q(SOME),
        "clear": q(SOME),
        "source_starts_at": q(),
        "oldest_source": q(NOW, NOW - timedelta(days=365)),
        # Some messages are corrected; here every one is.
        "corrected_days": q(NOW - timedelta(hours=6), timedelta(hours=1)),
        "days": q((NOW - timedelta(days=35)).date(), NOW.date(), 50_000),
    },
    "butler_rollups/spark/source.sql": {
        "beats": q(HOUR - timedelta(hours=1), HOUR),
        "baselines": q(HOUR - timedelta(minutes=30), HOUR),
        "hours": q(DAY - timedelta(days=1), DAY),
        "outcomes": q(DAY - timedelta(days=1), DAY),
        "decisions": q(DAY - timedelta(days=1), DAY),
    },
    "butler_dashboard/sql/views.sql": {
        "switchboard_is_there": q(), "messenger_is_there": q(), "people_are_there": q(),
    },
    "butler_dashboard/sql/people.sql": {"people": q()},
    "butler_dashboard/sql/records.sql": {
        "holders": q(),
        "page": q(2**62, ROWS, *[None] * 5, 51, None),
        "edge": q(2**62, ROWS),
        "one": q(SOME),
        "kinds": q(),
        "coming": q(["expense"], NOW.date(), NOW.date() + timedelta(days=7), 100),
        "listed": q(["expense"], 100),
        "withheld": q([SOME]),
    },
    "butler_dashboard/sql/connectors.sql": {
        "page": q("", "", "Europe/Amsterdam", *[None] * 4, 201),
        "one": q("telegram_bot", "bot-1", "UTC"),
        "known": q("telegram_bot", "bot-1"),
        # So few connectors have their hours on the same pages: the index by hour is the shorter way.
        "hours_of": q("telegram_bot", "bot-1", NOW - timedelta(days=7), NOW, most_discarded=4_000),
        "days_of": q("telegram_bot", "bot-1", (NOW - timedelta(days=30)).date(), NOW.date()),
        "fleet": q(),
        "now": q(),
        "hours_of_all": q(NOW - timedelta(days=1), NOW),
        "days_of_all": q((NOW - timedelta(days=7)).date(), NOW.date()),
        "volume_by_hour": q(NOW - timedelta(days=1), NOW),
        "volume_by_day": q((NOW - timedelta(days=7)).date(), NOW.date()),
        "fanout": q((NOW - timedelta(days=7)).date(), NOW.date()),
        # Everything of the day that no roll-up has counted.
        "uncounted": q(most_discarded=100_000, most_pages=20_000),
        "errors": q(FAR_AWAY, "", "", LAST, 51),
        # A healthy beat in between is passed over.
        "errors_of": q("telegram_bot", "bot-1", FAR_AWAY, LAST, 51, most_discarded=6_000, most_pages=8_000),
        "standing": q("telegram_bot", "bot-1"),
        "transitions": q("butler", "butler-1", 2**62, 50),
    },
    "butler_dashboard/sql/today.sql": {
        "counts": q("UTC", most_discarded=100_000, most_pages=20_000),
        "causes_of_requests": q(10, reads_all=("switchboard.dead_letter", _LETTERS)),
        "causes_of_deliveries": q(
            10, reads_all=("messenger.delivery_dead_letter", _LETTERS)
        ),
        # Failed deliveries of a week, of which some are uncertain.
        "uncertain": q(most_discarded=10_000, most_pages=10_000),
        "approvals_waiting": q(),
        "requests_open": q(reads_all=("switchboard.dead_letter", _LETTERS)),
        "deliveries_open": q(reads_all=("messenger.delivery_dead_letter", _LETTERS)),
    },
    "butler_dashboard/sql/requests.sql": {
        "page": q(FAR_AWAY, LAST, LONG_AGO, ROWS, *[None] * 6, ["telegram"], ["1001"], 51),
        "page_failed": q(FAR_AWAY, LAST, LONG_AGO, ROWS, *[None] * 6, ["telegram"], ["1001"], 51),
        "edge": q(FAR_AWAY, LAST, LONG_AGO, ROWS),
        "edge_failed": q(FAR_AWAY, LAST, LONG_AGO, ROWS),
        "request": q(SOME, AT),
        "work_of": q(WORKED),
        "plan_of": q(SOME),
        "subroutes_of": q(SOME),
        "calls_of": q(SOME),
        "notifications_of": q(SOME),
        "sessions_of": q(SOME),
        "audit_of": q(SOME),
        "conflicts_of": q(SOME),
        "letters_of": q(SOME),
        "diverted": q([SOME]),
        "answers": q([SOME]),
        "level": q(),
    },
    "butler_dashboard/sql/deliveries.sql": {
        "page": q(FAR_AWAY, LAST, LONG_AGO, ROWS, *[None] * 4, "react", 51),
        "page_failed": q(FAR_AWAY, LAST, LONG_AGO, ROWS, *[None] * 4, "react", 51),
        "edge": q(FAR_AWAY, LAST, LONG_AGO, ROWS),
        "edge_failed": q(FAR_AWAY, LAST, LONG_AGO, ROWS),
        "figures": q(reads_all=("messenger.delivery_work", _QUEUED)),
        "levels": q(),
        "one": q(SOME),
        "of_request": q(SOME),
        "attempts": q([SOME]),
        "receipts": q([SOME]),
        "suppressions": q(200),
    },
    "butler_dashboard/sql/approvals.sql": {
        "page": q(FAR_AWAY, LAST, None, 51),
        "page_waiting": q(FAR_AWAY, LAST, 51),
        "calls": q(FAR_AWAY, LAST, None, 51),
        "calls_waiting": q(FAR_AWAY, LAST, 51),
        "rules": q(200),
    },
    "butler_dashboard/sql/dead_letters.sql": {
        "page_of_requests": q(FAR_AWAY, LAST, None, None, None, 51),
        "page_of_deliveries": q(FAR_AWAY, LAST, None, None, None, 51),
        "one_of_requests": q(SOME),
        "one_of_deliveries": q(SOME),
        "lineage": q(SOME),
        "open_like": q(SOME, 100, reads_all=("switchboard.dead_letter", _LETTERS)),
        "open_deliveries_like": q(SOME, 100, reads_all=("messenger.delivery_dead_letter", _LETTERS)),
    },
    "butler_dashboard/sql/backfills.sql": {
        "page": q(FAR_AWAY, LAST, None, None, None, 51),
        "one": q(item(1)),
        "sources": q(),
    },
    "butler_dashboard/sql/quality.sql": {
        "until": q(),
        "days": q((NOW - timedelta(days=35)).date(), NOW.date(), 50_000),
        "rollouts": q(3),
        "rollout_counts": q(["key-1"], reads_all=("switchboard.correction", _CORRECTIONS)),
    },
    "butler_dashboard/sql/usage.sql": {
        "used": q(1, 500, reads_all=("switchboard.model_spending", _DAYS_SESSIONS)),
        "summed": q(1, reads_all=("switchboard.model_spending", _DAYS_SESSIONS)),
        "refused": q(1, 500),
    },
    "butler_dashboard/sql/sign_ins.sql": {
        "allow_writing": q(statement=False),
        "open_sign_in": q(b"n" * 32, b"sealed", FAR_AWAY),
        "forget_sign_ins": q(),
        "find_sign_in": q(b"n" * 32),
        "close_sign_in": q(b"n" * 32),
    },
    "butler_dashboard/sql/links.sql": {
        "allow_writing": q(statement=False),
        "make_links_in_turn": q(),
        "forget_links": q(),
        "make_link": q(b"n" * 32, b"sealed", 300.0, 64),
        "claim_link": q(b"n" * 32),
    },
    "butler_dashboard/sql/butlers.sql": {
        "page": q("", None, None, 51),
        "one": q("butler-1"),
        "transitions": q("butler-1", 2**62, 50),
        "runtimes": q(),
        "runtime": q("switchboard"),
    },
    "butler_dashboard/sql/changes.sql": {
        "connectors": q(),
        "requests": q(reads_all=("switchboard.inbox_work", _QUEUED)),
        "deliveries": q(reads_all=("messenger.delivery_work", _QUEUED)),
        "approvals": q(),
        "dead_letters": q(),
        "butlers": q(reads_all=("switchboard.runtime_standing", "a row a Switchboard")),
        "backfills": q(),
    },
    "butler_kit/queue/sql/leases.sql": {
        "enqueue": q([NEW], ["default"], ["api"], ["t1"], [0.0]),
        "claim": q(WORKED, LEASE, 30.0),
        "free": q(WORKED),
        "claim_head": q("t7", LEASE, 30.0),
        "head": q("t7"),
        # Rows behind the head of their thread are passed over.
        "due": q(
            50, 10.0, [item(n) for n in range(1, 101)], ["interactive"], most_discarded=4000, most_pages=4000
        ),
        "next_due": q(),
        "renew": q([WORKED, item(2)], [LEASE, item(3)], 30.0),
        "release_former": q(
            *(item(n) for n in (1, 9, 3, 4)),
            reads_all=("switchboard.inbox_work", "once a process start, over what is queued"),
        ),
        "defer": q(WORKED, LEASE, 5.0, 0),
        "fail": q(WORKED, LEASE, 5.0, True),
        "unblock": q(WORKED, LEASE, None, 0),
        "finish": q(WORKED, LEASE),
        "remove": q(WORKED),
        "wake": q(WORKED),
        "depth": q(reads_all=("switchboard.inbox_work", _QUEUED)),
    },
    "butler_kit/runtime/sessions.sql": {
        "open_session": q(NEW, "route", "message", SOME, "rules", None, None, NOW, []),
        "close_session": q(SOME, NOW, "ok", [], None, 1.0, "rules", None, None, None, None),
        "sessions_with_words": q(SOME),
    },
    "butler_switchboard/sql/backfill.sql": {
        "add_job": q(NEW, "uid", None, "imap", "box", [], NOW.date(), NOW.date(), 100, 500, "pending", "ada"),
        "job_by_external_id": q("uid-1"),
        "lock_job": q(item(1)),
        "lock_next": q("imap", "box"),
        "lock_silent": q(),
        "save_job": q(
            item(1), "pending", "c", 1, LEASE, None, 1, 0, 0, NOW.date(), 0, None, None, NOW, None, NOW
        ),
        "set_limits": q(item(1), 100, 500),
        "jobs": q(None, None, None, None, 100),
        "job": q(item(1)),
        "connector_of": q("telegram_bot", "bot-1"),
        "scope_of": q(item(1)),
        "dirty_hours": q(item(1), 1000),
    },
    "butler_switchboard/sql/sources.sql": {
        "take_lease": q("imap", "box", NEW, 20.0),
        "release_lease": q("imap", "box", NEW),
        "stand_by": q("imap", "box", NEW),
        "stand_by_no_more": q("imap", "box", NEW, 60.0),
        "lease": q("imap", "box", 60.0),
        "lock_lease": q("imap", "box", 1),
        "read_document": q("imap", "box", "cursor"),
        "change_document": q("imap", "box", "cursor", 1, "{}"),
        "add_document": q("imap", "box", "cursor", "{}", 1_100, 10**8),
        "remove_document": q("imap", "box", "cursor"),
        "document_names": q("imap", "box", "parked"),
        "last_known": q("telegram_bot", "bot-1"),
    },
    "butler_switchboard/sql/connectors.sql": {
        "now": q(),
        "lock_connector": q("telegram_bot", "bot-1"),
        "lock_connectors": q(["telegram_bot"], ["bot-1"]),
        "add_connector": q(
            "t", "e", NEW, NOW, "1", "healthy", None, 1.0, {}, "c", NOW, {}, NOW
        ),
        "update_connector": q(
            "telegram_bot", "bot-1", NEW, NOW, "1", "healthy", None, 1.0, {}, "c", NOW, {}, NOW, "active"
        ),
        "append_beat": q(
            "telegram_bot", "bot-1", item(1), NOW, NOW, "healthy", None, ROWS + 1.0, 120.0, 1, 0, 0, 0, 0,
            NOW - timedelta(days=1), NOW + timedelta(hours=1),
        ),
        "plan_each_time": q(statement=False),
        "connectors": q(),
        "set_eligibility": q("telegram_bot", "bot-1", "active", "stale", NOW, NOW),
        "set_quarantine": q("telegram_bot", "bot-1", "quarantined", "reason", NOW),
    },
    "butler_kit/operations/operations.sql": {
        "claim": q("new", "butler.quarantine", "butler/finance", "why", "ada", None, {}),
        "finish": q(f"uid:{MIDDLE}", "done", {}, None, "x", 1),
        "known": q(f"uid:{MIDDLE}"),
    },
    "butler_switchboard/sql/bindings.sql": {
        "bindings": q(),
        "one_at_a_time": q(),
        "in_question": q("system:serviceaccount:home:butler-new", "new", None, None),
        "bind": q("system:serviceaccount:home:butler-new", "new", None, None, None),
        "unbind": q("system:serviceaccount:home:butler-new"),
    },
    "butler_switchboard/sql/declarations.sql": {
        "forget_butler": q("butler-1"),
        "connector_undeclared": q("webhook", "webhook:1"),
        "connector_declared": q("webhook", "webhook:1"),
    },
    "butler_switchboard/sql/dead_letters.sql": {
        "find": q(SOME),
        "lock": q(SOME),
        "newest_of_request": q(SOME),
        "of_request": q(SOME),
        "plan_each_time": q(statement=False),
        "page": q(NOW, item(2**128 - 1), *[None] * 6, 51, mode="auto"),
        "moment_of": q(SOME),
        "message_is_there": q(SOME, AT),
        "make_month": q(AT),
        "restore_message": q(SOME),
        "restore_plan": q(SOME),
        "restore_subroutes": q(SOME),
        "reopen": q(SOME, AT),
        "leave_queue": q(WORKED),
        "queue_again": q(NEW, AT),
        "close": q(SOME, "replayed", "ada", "mended", f"uid:{MIDDLE}"),
    },
    "butler_switchboard/sql/dispatch.sql": {
        "load_request": q(SOME, AT),
        "spoke_last": q("1", "bot", NEW, NOW - timedelta(minutes=30), 20, "1001"),
        "thread_before": q("bot", "1", NOW, NEW, 200, 30, NOW - timedelta(minutes=15), 64_000),
        "commit_plan": q(
            NEW, NOW, LEASE, "rules", "m", "p", "runtime", 0.9, False, "routed", "parallel", "all", "continue", {},
            [NEW], ["s1"], ["finance"], [0], [], "key-1", "candidate", False, False, "t-1",
        ),
        "add_subroutes": q(NEW, NOW, [NEW], ["s1"], ["finance"], [1], [0], [NOW], [None], [None]),
        "count_try": q(SOME, WORKED, "finance"),
        "put_off": q(SOME, NOW, NOW),
        "mark_accepted": q(SOME, NOW, NOW, SOME, "finance", "telegram", "1", 1.0),
        "mark_started": q(SOME, "finance", NOW, ["default", "interactive"], [NOW, NOW], NOW),
        "mark_terminal": q(SOME, "ok", {}, None, None, None, None, 1.0),
        "mark_given_up": q(SOME, "timeout", None, "silent", False, "accepted", NOW),
        "mark_skipped": q([SOME]),
        "keep_late_response": q(SOME, {}),
        "keep_called": q(SOME, "; called outside before: home lamp_on"),
        "subroute_by_id": q(SOME),
        "write_conclusion": q(SOME, AT, "parsed", {}, {}, {}, None, None, 0),
        "add_dead_letter": q(SOME, AT, ["finance"], "timeout", "silent", 3),
        "hold_lease": q(WORKED, LEASE),
        "abandon": q(SOME, AT, "internal_error", "it could not be worked on", "Not done."),
        "abandon_subroutes": q(SOME, "internal_error", "it could not be worked on"),
        "failed_targets": q(SOME),
        "settle_replay": q(SOME, "parsed"),
        "log_route": q(SOME, SOME, "finance", "telegram", "1", True, 1.0, None, None),
        "wrote_last": q("bot", "1", NOW, NEW, NOW - timedelta(minutes=30), "1001", 8),
        "wrote_last_unthreaded": q("bot", NOW, NEW, NOW - timedelta(minutes=30), "1001", 8),
        "replied_message": q("bot", "1", "77", NEW),
        "replied_telling": q("77", "telegram", "1001"),
        "offered_last": q("1001", "telegram", NOW - timedelta(minutes=30), NOW, "1", NEW, ["1001", str(SOME)]),
        "open_notification": q(NEW, SOME, "finance", "reply", "reply", "telegram", "1001", "text", ["done.7"]),
        "update_notification": q(SOME, "ok", "d", "sent", None, None, "77", "1001"),
        "fail_notification": q(SOME, "timeout", "silent"),
        "origin_of_notification": q(SOME),
        "told_by": q(SOME, ["finance"]),
        "unanswered_notification": q(SOME),
    },
    "butler_switchboard/sql/held.sql": {
        "note_asked": q(SOME, AT, {"asked": ["Ada"], "until": None}, "I have asked Ada."),
        "settle": q(SOME, "denied", "Ada"),
        "release": q(SOME, AT, "Ada", [NEW], ["s1"], ["finance"], [1]),
    },
    "butler_switchboard/sql/ingress.sql": {
        "admit_batch": q(
            [NEW], [NOW], ["event:new"], [None], ["f"], ["ingest.v1"], ["telegram"], ["telegram"], ["bot"], ["1001"],
            ["1"], ["e"], ["m"], [None], ["interactive"], ["full"], ["household"], ["allow"], ["{}"], ["{}"], ["text"],
            ["accepted"], [0.0], [None],
        ),
        "plan_once": q(statement=False),
        "backlog": q(reads_all=("switchboard.inbox_work", _QUEUED)),
        "shed": q(1_000, reads_all=("switchboard.inbox_work", _QUEUED)),
        "record_conflict": q("event:1", SOME, "other", {}, None),
        "load_message": q(SOME, AT),
        "stored_envelope": q(SOME, AT),
        "former_versions": q("bot", str(MIDDLE % 20), str(MIDDLE // 20), "1001", NEW),
        "thread_butlers": q("1", "bot", NOW - timedelta(days=90), True, 20),
        "contacts": q(),
    },
    "butler_switchboard/sql/corrections.sql": {
        "keep": q("correction:1", SOME, "s1", "ada", "operator", "household", "the bill", "general", "finance"),
    },
    "butler_switchboard/sql/learning.sql": {
        "examples": q(),
        "rules_of": q(SOME),
        "rule": q(SOME),
        "offer": q(NEW, SOME, "finance", ["the bill"], SOME),
        "answer": q(SOME, SOME, "in_force"),
        "end": q(SOME, "ada", "why"),
        "listed": q(False, 50, reads_all=("switchboard.learned_rule", _RULES)),
        "decided": q(NOW - timedelta(days=30), 1_000, most_pages=10_000),
    },
    "butler_switchboard/sql/rollouts.sql": {
        "begin": q("key-new", "stub", "p", "next", "p", 1),
        "running": q("key-1"),
        "standing": q("key-1"),
        "counts": q("key-1", reads_all=("switchboard.correction", _CORRECTIONS)),
        "roll_back": q("key-1", {"signal": "errors"}),
    },
    "butler_switchboard/sql/extraction.sql": {
        "add": q(NEW, "default", str(item(1)), 1_000, reads_all=("switchboard.extraction_queue", _QUEUED)),
        "write": q(
            NEW, LEASE, [SOME], item(1), ["fact"], ["Anna"], [0], [4], [0.9], "skill", "1", "rules", "m",
        ),
        "drop": q([SOME]),
        "forget_waiting": q(str(item(1)), "default"),
        "forget_words": q(str(SOME)),
        "forget_found": q(SOME, 100),
    },
    "butler_switchboard/sql/overrides.sql": {
        "hold_work": q(WORKED),
        "end_request": q(SOME, AT, "cancelled", {}, "Not done."),
        "standing": q(SOME, AT),
        "stop_branches": q(SOME, "cancelled by ada", None),
        "keep_outcomes": q(SOME, AT, {}, {}),
        "announce_end": q(WORKED),
        "lock_request": q(SOME, AT),
        "count_reroute": q(SOME, AT),
        "target_standing": q("butler-1"),
        "open_dead_letter": q(SOME),
    },
    "butler_switchboard/sql/operations.sql": {
        "record_runtime": q("api", "rules", None, None, NOW, "finance"),
        "runtimes": q(),
        "record_audit": q("finance", "ada", "session", None, None, "x", None, "ok", None, SOME),
        "request": q(SOME, AT),
        "work_of": q(WORKED),
        "plan_of": q(SOME),
        "subroutes_of": q(SOME),
        "calls_of": q(SOME),
        "notifications_of": q(SOME),
        "sessions_of": q(SOME),
        "audit_of": q(SOME),
        "signals_of": q(SOME),
        "conflicts_of": q(SOME),
        "requests": q(NOW + timedelta(days=1), item(2**128 - 1), LONG_AGO, None, None, 50),
        "request_by_key": q(f"event:{MIDDLE}"),
    },
    "butler_switchboard/sql/partitions.sql": {
        "database_now": q(),
        "make_inbox_months": q(NOW, NOW + timedelta(days=62), most_pages=20_000),  # the catalogue's
        "make_heartbeat_days": q(NOW, NOW + timedelta(days=62), most_pages=250_000),
        "month_is_leaving": q(AT),
        "inbox_months": q(LONG_AGO),
        "inbox_begins": q(),
        "month_holds_work": q("2020-01-01 00:00:00+00", reads_all=("switchboard.inbox_work", _QUEUED)),
        "attach_month": q(statement=False),
        "find_by_index": q(statement=False),
        **{
            f"forget_{name}": q(LONG_AGO, 5000, before=_OLD)
            for name in (
                "keys", "conflicts", "plans", "subroutes", "routing_log", "notifications", "audit", "transitions",
                "sessions", "schedule_runs", "operations", "corrections", "learned_rules", "spending", "spending_days",
                "extraction_log", "rollout_decisions", "service_counts", "service_changes",
            )
        },
        # By what an id says of its moment, and the ids here say 1970.
        "forget_extraction_queue": q(datetime(1970, 1, 1, tzinfo=UTC), 5000, before=_OLD),
        "forget_dead_letters": q(LONG_AGO, 5000, ROWS, before=_OLD),
    },
    "butler_switchboard/sql/service_levels.sql": {
        "add": q("accept", 1, 0),
        "claim": q(10.0),
        "hold": q(),
        "save": q("tight", NOW, NOW, "success", None, 20.0),
        "record_change": q(NOW, "tight", "success", "switchboard"),
        "level": q(),
        "changes": q(10),
        "tallied": q(*_WINDOWS, most_discarded=1_000),
        "tight": q(),
    },
    "butler_switchboard/sql/spending.sql": {
        "reserve": q(NEW, "finance", item(1), None, 100, 60.0, None, None, None),
        "note_question": q(SOME, "finance", 1, 1),
        "settle": q(NEW, "finance", item(1), None, "m", True, 1, 10, 5, 100),
        "lapse": q(),
        "usage": q(AT.date(), AT.date(), 1000, reads_all=("switchboard.model_spending", _DAYS_SESSIONS)),
        "refusals": q(AT.date(), AT.date(), 1000),
        "today": q(),
    },
    "butler_switchboard/sql/registry.sql": {
        "now": q(),
        "butler": q("butler-1"),
        "butlers": q(),
        "add_butler": q("new", "specialist"),
        "save_butler": q(
            "butler-1", 1, "active", "specialist", None, "", [], [], [], [], None, [], 90, NOW, NOW, NOW, "active",
            "alive", NOW, None, None, None, None, None, None, "imap:home@example.org", 0,
        ),
        "save_evidence": q("butler-1", True, NOW, None, 0, False, False, NOW),
        "log_transition": q("butler", "butler-1", "active", "stale", "not_seen", "sweep", NOW, NOW),
        "transitions": q("butler", "butler-1", 50),
    },
    "butler_switchboard/sql/schedules.sql": {
        "now": q(),
        "claim_run": q("job-1", NOW, "replica"),
        "finish_run": q("job-1", AT, "done", None, "replica"),
        "last_run": q("job-1"),
        "unfinished_run": q("job-1"),
        "last_runs": q(["job-1", "job-2"], 10),
        "take_over_run": q("job-1", AT, "replica", 30.0),
    },
    "butler_messenger/sql/admission.sql": {
        "find_by_key": q(f"key:{MIDDLE}"),
        "find_by_call": q(SOME, SOME, "finance", "send", "telegram"),
        "find_by_id": q(SOME),
        "admit": q(
            NEW, "key:new", SOME, SOME, "finance", "reply", "telegram", "bot", None, "1001", None, None, {}, None,
            "pending", 3600.0, "reply", None, [f"recipient:{MIDDLE}", "tight:telegram.bot"], [10.0, 10.0], [8.0, 8.0],
            0.5, 60.0, 2 * ROWS, 2 * ROWS, 0, reads_all=("messenger.delivery_work", _QUEUED),
        ),
        "lock_admission": q(),
        "insert_request": q(
            NEW, "key:new", SOME, SOME, "finance", "reply", "telegram", "bot", None, "1001", None, None, {}, None,
            "pending", 3600.0, "interactive", None, False, None,
        ),
    },
    "butler_messenger/sql/approvals.sql": {
        "open_count": q(),
        "request": q(item(ROWS - 30), "telegram_send_message", before="DELETE FROM messenger.delivery_approval"),
        "hold": q(SOME, 60.0),
        "decide": q(item(ROWS), "approved", "ada", "operator", "x"),
        "find": q(SOME),
        "question": q(SOME, "telegram", "1001"),
        "plan_each_time": q(statement=False),
        "page": q(None, None, None, 51, mode="auto"),
        "overdue": q(100),
        "expire": q(SOME),
        "approved": q(500),
        "lock_approved": q(item(ROWS - 30), 3600.0),
        "settled": q(SOME),
        "approvers": q(["Ada"]),
        "unasked": q(50),
        "asked": q(SOME),
    },
    "butler_messenger/sql/quiet.sql": {
        "of_person": q("telegram", "1001", SOME),
        "waiting_count": q(),
        "keep": q(SOME, NOW, 3600.0),
        "due": q(100, ["telegram"], ["1001"]),
        "lock_due": q(SOME),
        "due_with": q(SOME, 1000),
        "tell_with": q([SOME], NEW),
    },
    "butler_messenger/sql/approval_rules.sql": {
        "add": q(NEW, item(ROWS), "ada", "x", 3600.0),
        "allows": q("finance", "telegram", "1001", "telegram_send_message"),
        "page": q(None, None, 51, mode="auto"),
        "page_in_force": q(None, None, 51, mode="auto"),
        "end": q(SOME, "ada", "x"),
        "find": q(SOME),
    },
    "butler_messenger/sql/call_approvals.sql": {
        "open_count": q(),
        "open_count_of": q("telegram", "1001"),
        "ask": q(NEW, "home", SOME, "telegram", "1001", "door", "unlock", "{}", "d", 60.0),
        "verdict": q(SOME),
        "decide": q(item(ROWS), "approved", "ada", "operator", "x"),
        "find": q(SOME),
        "page": q(None, None, None, 51, mode="auto"),
        "expire": q(100),
        "unasked": q(50),
        "asked": q(SOME),
        "allow": q(NEW, SOME, "ada", "x", 3600.0),
        "withdraw": q(SOME, "x"),
        "take_back": q(SOME, "x"),
    },
    "butler_messenger/sql/suppressions.sql": {
        "in_force": q("telegram", "1001"),
        "add": q(NEW, "telegram", "nobody", "operator", "x", None, "ada"),
        "refused": q(SOME, "finance"),
        "bounced": q("<nothing@example.org>", "validation_error", "5.1.1"),
        "unsubscribed": q(SOME),
        "page": q(None, None, 51, mode="auto"),
        "page_in_force": q(None, None, 51, mode="auto"),
        "end": q(SOME, "ada", "x"),
        "find": q(SOME),
        "untold": q(50),
        "told": q(SOME),
    },
    "butler_messenger/sql/circuit.sql": {
        "hold": q("telegram", "bot"),
        "save": q("telegram", "bot", "open", 5, 0, 1, NOW, NOW, None, None, "no route"),
        "circuits": q(),
        "wake_held": q("telegram", "bot", NOW, reads_all=("messenger.delivery_work", _QUEUED)),
    },
    "butler_messenger/sql/conversation.sql": {
        "count_answered": q("email:<root@example.org>", SOME),
    },
    "butler_messenger/sql/contacts.sql": {
        "identifier": q(item(1), "telegram"),
        "contact_name": q(item(1)),
        "owner": q(),
        "is_household": q("telegram", "1"),
        "language_of": q("telegram", "1"),
        "identifiers_of": q(item(1)),
        "open_action": q(NEW, SOME, SOME, "finance", None, "telegram", "x", None),
        "open_notice": q("telegram", SOME),
        "lock_contacts": q(),
        "contact_names": q(),
        "known_identifiers": q(),
        "demote_owner": q(item(1)),
        "upsert_contact": q(item(ROWS), "somebody", "other", "{}"),
        "remove_contacts": q([item(1)]),
        "remove_identifiers": q([item(1)], ["telegram"], ["1"]),
        "upsert_identifier": q(item(1), "email", "ada@example.org", True),
    },
    "butler_messenger/sql/dead_letters.sql": {
        "find": q(SOME),
        "lock": q(SOME),
        "wish_of_letter": q(SOME),
        "wish_of_delivery": q(SOME),
        "of_delivery": q(SOME),
        "lock_delivery": q(SOME),
        "quarantined_by": q(SOME, "ada"),
        "plan_each_time": q(statement=False),
        "page": q(*[None] * 8, 51, mode="auto"),
        "replayed": q(SOME, "ada", "mended", NEW),
        "discard": q(SOME, "ada", "wrong"),
        "link_replay": q(SOME, SOME),
        "keep_receipts": q(item(ROWS), SOME),
    },
    "butler_messenger/sql/delivery.sql": {
        "load": q(SOME),
        "hold_lease": q(WORKED, LEASE),
        "mark": q(SOME, 1, 1, "telegram_reply", LEASE),
        "unmark": q(SOME, 1),
        "add_receipt": q(SOME, 2, "p", "provider", None),
        "clear_marker": q(SOME, 1),
        "settle_attempt": q(SOME, 1, "telegram_reply", "sent", True, 1.0, None, None, None, None),
        "settle_open_attempt": q(SOME, 1, "uncertain", "timeout", "x"),
        "complete_sent": q(SOME, 1),
        "complete_call": q(SOME, 1, "p", None, 1, "telegram_reply", 1.0, LEASE, True),
        "put_back": q(SOME, 1, None, None, None),
        "go_without": q(SOME, {}),
        "end_unsent": q(SOME, "failed", 1, "timeout", "x", False),
        "withdraw": q(SOME, "validation_error", "withdrawn", None),
        "abandon": q(SOME, "internal_error", "it could not be delivered", False),
        "add_dead_letter": q(NEW, SOME, "exhausted"),
        "throttle_recipient": q("telegram", "bot", "1001", 5.0),
        "throttle": q("telegram", "bot", 5.0),
    },
    "butler_messenger/sql/health.sql": {
        "rates": q(60.0, reads_all=("messenger.rate_used", "holds an hour of what was said, a row a budget and 5 s")),
        "rates_of": q(60.0, [f"recipient:{MIDDLE}", "global"]),
        "pauses": q("telegram"),
        "queue": q(None, reads_all=("messenger.delivery_work", _QUEUED)),
        "held": q(None),
        "stats": q(NOW - timedelta(hours=12), NOW, "channel"),
    },
    "butler_messenger/sql/owner.sql": {
        "enter_window": q("telegram", "1001", "strangers", 600.0, 10),
        "look_into_window": q("telegram", "1001", "strangers", 600.0, 10),
        "close_window": q(600.0),
        "take_collected": q("telegram", "1001", "strangers", NEW, 20),
        "note": q(SOME, "telegram", "1001"),
        "settle_collected": q(500),
        "untold_uncertain": q(50),
        "owner_told": q(SOME),
    },
    "butler_messenger/sql/parked.sql": {
        "expired": q(100),
        "resolvable": q(100),
        "release": q(SOME, "1001", None),
        "close_action": q(SOME),
    },
    "butler_messenger/sql/reports.sql": {
        "claim_due": q(10),
        "acknowledged": q(SOME, NOW),
        "given_up": q(SOME, NOW),
    },
    "butler_messenger/sql/retention.sql": {
        "drop_deliveries": q(365, 1000),
        "drop_dead_letters": q(90, ROWS, 1000),
        "drop_operations": q(365, 1000),
        "drop_throttles": q(),
        "drop_recipient_throttles": q(),
        "drop_tallies": q(),
        "drop_call_approvals": q(365, 1000),
        "drop_rules": q(365, reads_all=("messenger.approval_rule", "once an hour, over a household's few")),
        "drop_changes": q(365, reads_all=("messenger.service_level_change", "once an hour, over a year's few changes")),
        "drop_rates": q(reads_all=("messenger.rate_used", "once an hour, over what was said in it")),
        "drop_actions": q(365),
        "drop_suppressions": q(365, reads_all=("messenger.suppression", "once an hour, over a household's few")),
    },
    "butler_messenger/sql/service_levels.sql": {
        "add": q("telegram", 1, 0, 0, 0, 1, 0),
        "claim": q("telegram", "bot", 10.0),
        "hold": q("telegram", "bot"),
        "save": q("telegram", "bot", "tight", NOW, NOW, "success", None, 20.0),
        "record_change": q("telegram", "bot", NOW, "tight", "success", "messenger"),
        "levels": q(),
        "changes": q("telegram", "bot", 10),
        "ended": q(*_WINDOWS, ["telegram"], ["reply"], [30.0], most_discarded=1_000),
        "most_within": q(3600.0),
        "tallied": q(*_WINDOWS, "bot", most_discarded=1_000),
        "letters": q(*_WINDOWS, most_discarded=1_000),
        "places": q(reads_all=("messenger.delivery_work", _QUEUED)),
        "tight": q(),
    },
    "butler_messenger/sql/tracking.sql": {
        "status": q(SOME),
        # Any field may be open: PostgreSQL goes on planning it for its values, as that is cheaper.
        "plan_each_time": q(statement=False),
        "search": q(*[None] * 9, 51, mode="auto"),
        "attempts": q([SOME]),
        "receipts": q([SOME]),
        "by_request": q(SOME),
        "channels": q(NOW - timedelta(days=1)),
    },
    "butler_specialist/sql/conversation.sql": {
        "last_answers": q("telegram:1001", NEW, 30, 20, None, None),
        "told": q([SOME], *_VIEWER),
        "changed": q([SOME], *_VIEWER),
        "by_id": q([SOME], *_VIEWER),
        "thread_before": q("telegram:bot:1", NOW, NEW, "5", "telegram:1001", 200, 30, NOW, 12_000),
    },
    "butler_specialist/sql/former.sql": {
        "versions": q(f'[{{"request_id": "{SOME}", "segment_id": "s1"}}]', NEW),
        "noted": q([SOME], ["s1"], str(NEW)),
        "states": q([SOME], [SOME], str(NEW)),
        "changed_others": q([SOME], [SOME]),
        "overtaken": q(SOME, "s1"),
    },
    "butler_specialist/sql/inbox.sql": {
        "accept": q(
            NEW, NEW, "s1", {}, 900.0, 1000, "default", "telegram", None, NOW, None, "telegram:1001",
            "telegram:1001", reads_all=("finance.route_work", _QUEUED),
        ),
        "find": q(SOME),
        "begin_run": q(SOME, LEASE),
        "meet": q(SOME, LEASE, {}),
        "commit_outcome": q(
            SOME, {}, None, None, None, [], LEASE, '[{"ordinal": 0, "kind": "bill"}]', "telegram", "1001", "household",
            SOME, "[]", None,
            f'[{{"reminder_id": "{NEW}", "ordinal": 0, "due_at": "2027-01-01T00:00:00Z"}}]', [WORKED],
            f'[{{"reminder_id": "{SOME}", "due_at": "2027-01-01T00:00:00Z", "answer": "done", "replaces": true}}]',
            '[{"topic": "bills", "wanted": true, "channel": "telegram", "language": "en"}]', "[]",
            *_VIEWER[1:],
            f'[{{"call_id": "{NEW}", "session_id": "{NEW}", "server": "door", "tool": "unlock", "read_only": false, '
            '"arguments": "{}", "arguments_digest": "d", "shown": "x", "language": "en", "context": {}}]',
            True,
        ),
        "earlier_outcome": q(SOME, "s1", NEW),
        "cancel": q(WORKED, {}),
        "keep_notify_response": q(SOME, LEASE, {}),
        "keep_telling_response": q(SOME, LEASE, 0, {}),
        "keep_booking": q(SOME, LEASE, "It is in the calendar."),
        "use_fallback": q(SOME, LEASE),
        "finish": q(SOME, [], LEASE),
        "abandon": q(SOME, {}, LEASE),
    },
    "butler_specialist/sql/schedules.sql": {
        "standing": q(),
        "retire": q(_TIMINGS),
        "adopt": q(_TIMINGS),
        "queue": q(
            "schedule 1", "0 7 * * *", "UTC", NOW, NOW,
            f'[{{"subrequest_id": "{NEW}", "request_id": "{NEW}", "segment_id": "schedule", "envelope": {{}}, '
            '"scheduled": {"name": "schedule 1", "until": "2027-01-01T00:00:00Z"}}]',
        ),
    },
    "butler_specialist/sql/bookings.sql": {
        "wanted": q((NOW - timedelta(days=2)).date(), 20),
        "of_work": q(SOME, "s1"),
        "claim": q([SOME], 90.0, NOW.date()),
        "settle": q(SOME, 1, AT, "booked", True, None, 0.0),
        "records_of": q([SOME]),
        "standing": q([SOME]),
        "promise": q([SOME], True),
        "untold": q(10),
        "told": q(SOME, 1),
    },
    "butler_specialist/sql/outside.sql": {
        "begin_call": q(NEW, SOME, "s1", WORKED, NEW, "lamps", "switch", False, "d", "room: hall", LEASE),
        "end_call": q(SOME, "returned"),
        "calls_of_work": q(SOME, "s1"),
        "calls_of_subrequest": q(SOME),
    },
    "butler_specialist/sql/held_calls.sql": {
        "find": q(SOME),
        "any_waits": q(reads_all=("finance.held_call_work", _QUEUED)),
        "decided": q(WORKED, LEASE, "approved", "ada", 0.0, None),
        "begin": q(WORKED, LEASE),
        "keep_outcome": q(WORKED, LEASE, "returned", "done", "returned"),
        "finish": q(WORKED, LEASE, None),
    },
    "butler_specialist/sql/orders.sql": {
        "made": q(SOME),
        "lock": q(SOME),
        "last_change": q(SOME, 2, 24),
        "change": q(SOME, 2, {}, NEW, "corrected", "ada", None, "operator"),
    },
    "butler_specialist/sql/memory.sql": {
        "lock_person": q(str(NEW)),
        "known": q(str(NEW), 500),
        "recall": q(str(NEW), "vegan:*", 20),
        "keep": q(
            NEW, NEW, '{"kind": "fact", "text": "x", "occurred_on": "2027-01-01", "details": {}}', "mcp", "ada", SOME
        ),
        "told_by": q(SOME),
        "erase_records": q(str(NEW), 100),
        "erase_episodes": q(str(NEW), 100),
        "erase_transcripts": q(str(SOME), 100),
        "forget_unfolded": q(str(NEW)),
        "recall_episodes": q(str(NEW), "boiler:*", 20),
        "spoken_between": q(str(item(10)), None, AT, NOW, 200),
        "spoken_lately": q(str(item(10)), None, AT, NOW, 200),
        "people": q(100),
        "how_much_is_known": q(500),
        "how_much_was_spoken": q(500, reads_all=("finance.memory_episodes", _SPOKEN)),
        "unfolded": q(500),
        "last_episodes": q([str(NEW)], ["telegram:1001"], NOW),
        "keep_episodes": q(
            f'[{{"episode_id": "{NEW}", "person": "x", "source_channel": "telegram", "thread_key": "", '
            '"begun_at": "2027-01-01T00:00:00Z", "ended_at": "2027-01-01T00:00:00Z", "messages": 1, "words": "x"}]'
        ),
        "mark_folded": q(f'[{{"subrequest_id": "{SOME}", "episode_id": "{NEW}"}}]'),
        "drop_episodes": q(90, 500),
        "drop_forgotten": q(30, 500),
    },
    "butler_specialist/sql/ops.sql": {
        "request_routes": q(SOME),
        "request_records": q(SOME),
        "newest_records": q(None, None, 50),
        "request_changes": q(SOME),
        "request_outside_calls": q(SOME),
        "request_held_calls": q(SOME),
        "waiting_reminders": q(50),
        "ended_reminders": q("missed", 50),
        "schedule_runs": q(["schedule 1"], 10),
    },
    "butler_specialist/sql/reminders.sql": {
        "find": q(WORKED),
        "find_waiting": q(str(item(10)), 500, "telegram:bot:1"),
        "find_stopped": q(str(item(10)), SOME, 500),
        "find_told": q(SOME, NOW),
        "begin": q(WORKED, LEASE, NOW),
        "advance": q(WORKED, LEASE, "sent", 1, None, NOW.replace(tzinfo=None), NOW),
        "abandon": q(WORKED, LEASE, "why"),
        "waiting": q(reads_all=("finance.reminder_work", _QUEUED)),
    },
    "butler_specialist/sql/upcoming.sql": {
        "wishes": q(),
        "waiting": q(50),
        "ended": q([SOME]),
        "keep": q(
            f'[{{"reminder_id": "{NEW}", "record_id": "{SOME}", "version": 1, "occasion": "bills:2027-01-01", '
            '"text": "x", "language": "en", "channel": "telegram", "zone": "UTC", "can_wait": true, '
            '"grace_seconds": 1, "due_wall": "2027-01-01T00:00:00", "due_at": "2027-01-01T00:00:00Z"}]'
        ),
        "reword": q(f'[{{"reminder_id": "{SOME}", "text": "y"}}]'),
        "lapse": q(f'[{{"reminder_id": "{WORKED}", "version": 1}}]'),
        "lapse_held": q(WORKED, LEASE),
    },
    "butler_specialist/sql/people.sql": {
        "settings": q(),
        "replace": q(f'{{"{SOME}": {{"timezone": "UTC"}}}}'),
        "elsewhere": q("UTC", f'{{"{SOME}": "Asia/Kolkata"}}', 50, reads_all=("finance.reminders", _WAITING)),
        "move": q(
            f'[{{"reminder_id": "{WORKED}", "due_before": "2027-01-01T00:00:00Z", "zone_before": "UTC", '
            '"zone": "Asia/Kolkata", "due_wall": "2027-01-01T08:00:00", "due_at": "2027-01-01T02:30:00Z"}]'
        ),
    },
    "butler_specialist/sql/records.sql": {
        "find": q(
            ["expense", "bill"], (NOW - timedelta(days=2)).date(), (NOW + timedelta(days=1)).date(), False, 50,
            *_VIEWER,
        ),
        "of_everybody": q(["expense", "bill"], 50),
        "find_private": q(str(NEW), ["fact"], None, None, 50),
        "find_own": q(
            str(NEW), ["expense", "bill"], (NOW - timedelta(days=2)).date(), (NOW + timedelta(days=1)).date(), ["gas"],
            50, True, *_VIEWER[2:],
        ),
        "own_by_id": q(str(NEW), SOME, True, *_VIEWER[2:]),
        "of_invitation": q("dentist@example.org", *_VIEWER, 20),
        # A row that moves is written into every index of its table.
        "move_to_contacts": q(
            f'[{{"contact_id": "{NEW}", "channel": "telegram", "value": "1001"}}, '
            f'{{"contact_id": "{NEW}", "channel": "email", "value": "nobody@example.org"}}]',
            20,
        ),
    },
    "butler_specialist/sql/retention.sql": {
        "drop_routes": q(30, 1000),
        "drop_reminders": q(90, 1000),
        "drop_sessions": q(90, 1000),
        "drop_reminder_answers": q(90, 1000),
        "drop_superseded": q(365, 1000),
        "drop_held_calls": q(90, 1000),
        "drop_external_calls": q(90, 1000),
    },
}  # fmt: skip
