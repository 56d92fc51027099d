"""`make demo-llm` puts a stand-in for a model behind Switchboard and a butler of the demo, and hides no failure."""

from __future__ import annotations

from pathlib import Path

from butler_resources.kinds import load_manifests
from examples.demo.thinking import THINK, running_model, write_model

DEMO = Path(__file__).parents[3] / "examples" / "demo"


async def test_the_copied_manifests_name_the_server_and_nothing_that_stands_in(tmp_path: Path) -> None:
    for file in DEMO.glob("*.yaml"):
        (tmp_path / file.name).write_text(file.read_text("utf-8"), encoding="utf-8")
    async with running_model(True) as server:
        assert server is not None
        write_model(server, tmp_path)
        runtimes = {butler.name: butler.spec.runtime for butler in load_manifests(tmp_path).butlers}
        assert runtimes["switchboard"].base_url == f"{server.url}/v1"
        assert runtimes["finance"].base_url == server.url
    assert {name: runtimes[name].provider for name in THINK} == {
        "switchboard": "openai",
        "finance": "anthropic",
    }
    assert {(runtimes[name].family, runtimes[name].fallback) for name in THINK} == {("api", None)}
    assert {runtime.family for name, runtime in runtimes.items() if name not in THINK} == {"rules"}


async def test_the_usual_demo_starts_no_model() -> None:
    async with running_model(False) as server:
        assert server is None
