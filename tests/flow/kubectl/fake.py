"""A `kubectl` that plays recorded answers and writes down how it was called.

Each answer is `{"words": [...], "stdout", "stderr", "code", "forward": port}`: the first one whose words are all among
the arguments is played; one that is used `once` is played once.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["FakeKubectl", "butler", "condition", "connector", "operation"]

PROGRAM = """#!%s -IS
import json, os, pathlib, sys, time
here = pathlib.Path(%r)
argv = sys.argv[1:]
stdin = sys.stdin.read() if "--filename=-" in argv else ""
with (here / "calls.jsonl").open("a") as log:
    log.write(json.dumps({"argv": argv, "stdin": stdin, "pid": os.getpid()}) + "\\n")
answers = json.loads((here / "answers.json").read_text())
for number, answer in enumerate(answers):
    used = here / f"used-{number}"
    if all(word in argv for word in answer["words"]) and not (answer["once"] and used.exists()):
        used.touch()
        break
else:
    sys.exit("error: no answer was recorded for " + " ".join(argv))
text = answer["stdout"]
if answer["echo"]:
    body = json.loads(stdin)
    body["metadata"]["name"] = body["metadata"].pop("generateName") + "abcde"
    text = json.dumps(body)
sys.stdout.write(text)
sys.stderr.write(answer["stderr"])
if answer["forward"]:
    print("Forwarding from 127.0.0.1:%%d -> 40101" %% answer["forward"], flush=True)
    time.sleep(60)
if answer["stays"]:
    sys.stdout.flush()
    time.sleep(60)
sys.exit(answer["code"])
"""


@dataclass
class FakeKubectl:
    """The program in a folder of its own; `path` is what `$KUBECTL` names."""

    folder: Path
    answers: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.path = self.folder / "kubectl"
        self.path.write_text(PROGRAM % (sys.executable, str(self.folder)))
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)
        self._write()

    def on(
        self, *words: str, says: Any = "", complains: str = "", code: int = 0, forward: int = 0,
        once: bool = False, echo: bool = False, stays: bool = False,
    ) -> FakeKubectl:  # fmt: skip
        """Record an answer to calls with these words; `echo` gives back what it was told to create."""
        text = says if isinstance(says, str) else json.dumps(says)
        self.answers.append(
            {"words": words, "stdout": text, "stderr": complains, "code": code, "forward": forward,
             "once": once, "echo": echo, "stays": stays}
        )  # fmt: skip
        self._write()
        return self

    @property
    def calls(self) -> list[list[str]]:
        return [call["argv"] for call in self._calls()]

    @property
    def created(self) -> list[dict[str, Any]]:
        return [json.loads(call["stdin"]) for call in self._calls() if call["stdin"]]

    def living(self) -> list[int]:
        """Processes of it that still run."""
        return [call["pid"] for call in self._calls() if _runs(call["pid"])]

    def _calls(self) -> list[dict[str, Any]]:
        log = self.folder / "calls.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def _write(self) -> None:
        (self.folder / "answers.json").write_text(json.dumps(self.answers))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False


def condition(type_: str, status: str = "True", reason: str = "Ready", message: str = "") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def butler(
    name: str, *conditions: dict[str, str], role: str = "specialist", state: str = "active"
) -> dict[str, Any]:
    return {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "Butler",
        "metadata": {"name": name, "namespace": "home", "creationTimestamp": "2026-03-01T09:00:00Z"},
        "spec": {"role": role},
        "status": {
            "replicas": 1,
            "readyReplicas": 1,
            "conditions": list(conditions) or [condition("Ready")],
            "eligibility": {"state": state},
        },
    }


def connector(name: str, *conditions: dict[str, str], state: str = "online") -> dict[str, Any]:
    found = butler(name, *conditions)
    found |= {"kind": "Connector", "spec": {"type": "webhook"}}
    found["status"] = {"conditions": found["status"]["conditions"], "liveness": {"state": state}}
    return found


def operation(phase: str, message: str = "", *, name: str = "quarantine-finance-abcde") -> dict[str, Any]:
    return {
        "kind": "ButlerOperation",
        "metadata": {"name": name},
        "spec": {},
        "status": {"phase": phase, "result": {"message": message}, "auditId": "17"},
    }
