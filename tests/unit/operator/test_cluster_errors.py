"""What an answer of the API server means: tried again, or told to whoever wrote the manifest."""

from __future__ import annotations

import pytest

from butler_operator.cluster.errors import ClusterError, ClusterRefused, ClusterUnavailable, error_of

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
