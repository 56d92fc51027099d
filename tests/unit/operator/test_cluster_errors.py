"""What an answer of the API server means: tried again, or told to whoever wrote the manifest."""

from __future__ import annotations

import pytest

from butler_operator.cluster.errors import (
    ClusterError,
    ClusterRefused,
    ClusterUnavailable,
    error_of,
    words_of,
)

TYPED = (
    "failed to create typed patch object (home/butler-finance; apps/v1, Kind=Deployment): "
    ".spec.template.spec.affinity.nodeAffinity.any: field not declared in schema"
)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (422, "Deployment is invalid", ClusterRefused),
        (500, TYPED, ClusterRefused),
        (500, "etcdserver: request timed out", ClusterUnavailable),
        (503, TYPED, ClusterUnavailable),
    ],
)
def test_a_field_that_a_kind_does_not_have_is_refused_though_the_server_calls_it_its_own_error(
    status: int, message: str, kind: type[ClusterError]
) -> None:
    assert type(error_of(status, message=message)) is kind


def test_what_the_server_lists_in_another_order_is_the_same_refusal() -> None:
    said = "failed to create typed patch object (home/x): errors:\n  .b: field not declared\n  .a: field not declared"
    again = "failed to create typed patch object (home/x): errors:\n  .a: field not declared\n  .b: field not declared"
    assert words_of(said) == words_of(again)
    assert words_of(said).endswith("errors: .a: field not declared .b: field not declared")
    assert words_of("") == ""
