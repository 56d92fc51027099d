"""A manifest may name the images that the installation allows, and a Switchboard none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from butler_operator.reconcile.images import image_refused
from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster import Place
from tests.support.cluster_resources import api_connector, butler, switchboard

PLACE = Place(namespace="home", image="r.example/butlers:1", operator_namespace="butlers-system")
FOLDER, TAGS, DIGESTS = "r.example/team/", "r.example/own/codex:", "r.example/own/codex@"


def said(body: dict[str, Any], *allowed: str) -> str:
    kind: Any = Butler if body["kind"] == "Butler" else Connector
    resource: Butler | Connector = parse_object(kind, body)
    found = image_refused(resource, replace(PLACE, allowed_images=allowed))
    return "" if found is None else f"{found.type} {found.status} {found.reason}: {found.message}"


def with_image(image: str) -> list[dict[str, Any]]:
    return [butler("finance", pod={"image": image}), api_connector(pod={"image": image})]


@pytest.mark.parametrize("body", with_image("x.test/evil:1"))
def test_without_a_list_every_pod_has_the_installation_s_image(body: dict[str, Any]) -> None:
    told = said(body)
    assert told.startswith(
        "ResolvedRefs False ImageNotAllowed: spec.pod.image: x.test/evil:1 is not an image"
    )
    assert "(none)" in told
    assert "household.allowedImages" in told
    assert told.endswith("What runs stays as it is")


@pytest.mark.parametrize("body", [butler("finance"), api_connector(), switchboard()])
def test_a_manifest_without_an_image_or_with_the_installation_s_own_is_no_question(
    body: dict[str, Any],
) -> None:
    assert said(body) == ""
    body["spec"]["pod"] = {"labels": {"team": "home"}}
    assert said(body) == ""
    body["spec"]["pod"] = {"image": PLACE.image}
    assert said(body) == ""


@pytest.mark.parametrize(
    ("image", "prefix", "allowed"),
    [
        ("r.example/team/a:1", FOLDER, True),
        ("r.example/team/deep/a@sha256:0", FOLDER, True),
        ("r.example/teammate/a:1", FOLDER, False),
        ("r.example/team", FOLDER, False),
        ("x.test/r.example/team/a:1", FOLDER, False),
        ("r.example/own/codex:1", TAGS, True),
        ("r.example/own/codex:1@sha256:0", TAGS, True),
        ("r.example/own/codex@sha256:0", TAGS, False),
        ("r.example/own/codex@sha256:0", DIGESTS, True),
        ("r.example/own/codex", TAGS, False),
        # A port of a host with the repository's name is another registry.
        ("butlers:5000/evil:1", "butlers:", False),
        ("butlers:5000", "butlers:", True),
    ],
)
def test_an_image_is_allowed_by_registry_folder_or_repository(image: str, prefix: str, allowed: bool) -> None:
    for body in with_image(image):
        assert (said(body, "other.example/", prefix) == "") is allowed


def test_a_refusal_names_what_is_allowed() -> None:
    assert f"({FOLDER}, {TAGS})" in said(butler("finance", pod={"image": "x.test/a:1"}), FOLDER, TAGS)


def test_a_switchboard_has_no_image_of_its_own_even_of_those_that_are_allowed() -> None:
    told = said(switchboard(pod={"image": "r.example/team/a:1"}), FOLDER)
    assert "ImageNotAllowed: spec.pod.image: a Switchboard has the installation's image" in told


@pytest.mark.parametrize("prefix", ["r.example/team", "", "/", "*", "r.example/tea*/", " r.example/"])
def test_what_could_mean_more_than_it_says_is_no_prefix(prefix: str) -> None:
    known = {"namespace": "home", "image": "i", "operator_namespace": "o"}
    with pytest.raises(ValidationError):
        TypeAdapter(Place).validate_python({**known, "allowed_images": [prefix]})
    assert TypeAdapter(Place).validate_python({**known, "allowed_images": [FOLDER, TAGS, DIGESTS]})
