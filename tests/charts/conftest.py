"""Charts are rendered by the real helm, once for each set of values; nothing here needs a cluster."""

from __future__ import annotations

import os

import pytest

from tests.support.helm import CHARTS, Helm, find_helm

CASES = (
    "default",
    *sorted(path.name.removesuffix("-values.yaml") for path in (CHARTS / "butlers/ci").iterdir()),
)
MONITORING = ("ServiceMonitor", "PodMonitor", "PrometheusRule")


@pytest.fixture(scope="session")
def helm(tmp_path_factory):
    program = find_helm()
    if program is None:
        told = "charts are not tested: no helm here; cluster/binaries.sh helm gets it, or set HELM"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    return Helm(program, tmp_path_factory.mktemp("helm-home"))


@pytest.fixture(scope="session")
def render(helm):
    """Renders chart `butlers` for one of `CASES`."""

    def make(case, *more):
        values = () if case == "default" else ("--values", str(CHARTS / f"butlers/ci/{case}-values.yaml"))
        known = [
            word for kind in MONITORING for word in ("--api-versions", f"monitoring.coreos.com/v1/{kind}")
        ]
        return helm.render("butlers", *values, *known, *more)

    return make


@pytest.fixture(params=CASES)
def rendered(request, render):
    return render(request.param)
