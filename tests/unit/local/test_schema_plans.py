"""Who owns which schema of a household's database, and who may read what of whom (D51, D49, D22)."""

from pathlib import Path

from butler_cli.local.provision import schema_plans
from butler_kit.db import Grant, load_migrations
from butler_provision.plans import DASHBOARD_VIEWS
from butler_resources.kinds import load_manifests

MANIFESTS = load_manifests(Path(__file__).parents[3] / "examples" / "demo")
PLANS = {plan.schema: plan for plan in schema_plans(MANIFESTS, lambda butler: f"password of {butler.name}")}


def test_every_butler_owns_one_schema_under_a_role_of_its_own() -> None:
    assert {schema: plan.role for schema, plan in PLANS.items()} == {
        "switchboard": "butler_switchboard",
        "messenger": "butler_messenger",
        "shared": "butler_messenger",
        "general": "butler_general",
        "relationship": "butler_relationship",
        "health": "butler_health",
        "finance": "butler_finance",
        "travel": "butler_travel",
    }
    assert PLANS["finance"].password == "password of finance"
    assert "password of" not in repr(PLANS)


def test_switchboard_may_read_the_contacts_the_dashboard_its_views_and_nobody_reads_anything_else() -> None:
    granted = {schema: plan.grants for schema, plan in PLANS.items() if plan.grants}
    contacts = Grant("butler_switchboard", ("contacts", "contact_info"), ("SELECT",), schema="shared")
    shown = {
        schema: Grant("butler_dashboard", DASHBOARD_VIEWS[schema], ("SELECT",), schema=schema)
        for schema in ("switchboard", "messenger")
    }
    tables = ("dashboard_sign_in", "dashboard_link")
    kept = Grant("butler_dashboard", tables, ("SELECT", "INSERT", "DELETE"), schema="switchboard")
    people = Grant("butler_dashboard", ("dashboard_people",), ("SELECT",), schema="shared")
    known = {
        schema: (Grant("butler_dashboard", ("dashboard_records",), ("SELECT",), schema=schema),)
        for schema in ("general", "relationship", "health", "finance", "travel")
    }
    assert granted == {
        "shared": (contacts, people),
        **known,
        "switchboard": (contacts, shown["switchboard"], kept),
        "messenger": (shown["messenger"],),
    }
    assert all(view.startswith("dashboard_") for views in DASHBOARD_VIEWS.values() for view in views)


def test_every_planned_migration_is_in_its_service() -> None:
    for plan in PLANS.values():
        for source in plan.migrations:
            assert load_migrations(source), source
