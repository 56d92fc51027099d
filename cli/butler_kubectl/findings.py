"""PURE: what is wrong with a household, and what to do about each thing.

Invariant: anything that could not be looked at is a finding too; no finding means that it was seen to be well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from butler_cli.output.moments import instant
from butler_kubectl.causes import PULL_FAILED, Unpulled, unpulled, waiting_for
from butler_kubectl.standing import BESIDE, STAGES, conditions_of, standing_of

__all__ = ["Evidence", "Finding", "findings"]

Body = Mapping[str, Any]
RECENT: Final = timedelta(hours=1)
EVENTS_SHOWN: Final = 10
LOOKED_AT: Final = ("Pod", "Butler", "Connector", "BackfillJob", "ButlerOperation")
SWITCHBOARD_ISSUER: Final = "butlers.dev/switchboard"
_ADVICE: Final = {
    "SecretNotFound": "create the Secret, in the same namespace: kubectl create secret generic",
    "SecretKeyNotFound": "add the key to the Secret: kubectl edit secret",
    "SecretNotShared": "do what the message says: label the Secret for the household, or name another one",
    "ImageNotAllowed": "do what the message says: remove the image, or have it allowed in household.allowedImages",
    "SwitchboardNotFound": "apply a Butler with role switchboard, or correct switchboardRef",
    "SwitchboardUnreachable": "look at it: kubectl butler logs switchboard",
    "ConnectorNotFound": "apply that Connector, or correct connectorRef",
    "DatabaseUnavailable": "look at the database's pod and at the Secret with its address",
    "OwnerMissing": "give exactly one contact the role owner, in the Secret with the contacts",
    "NoTrustedServer": "set spec.routing.trustedAuthservIds of the Butler switchboard: kubectl edit butler switchboard",
    "ContactsInvalid": "correct the Secret with the contacts",
    "InvalidSpec": "correct the manifest and apply it again",
    "NameTaken": "rename one of the two",
    "OwnershipConflict": "rename the resource, or delete the object that has the child's name",
    "ApplyFailed": "the message has the API server's words; a quota or a policy may refuse the child",
    "MessengerMissing": "apply a Butler with role messenger and contactsFrom, or let the one that is there run",
    "PodsNotReady": "look at its pods: kubectl butler logs",
    "CrashLoop": "look at what its pods said last: kubectl butler logs --previous",
    "ImagePullFailed": "check the chart's image and imagePullSecrets",
    "Unauthorized": "put the right token or password into the Secret that its manifest names",
    "Unreachable": "check the address in its manifest, and what lies between: network policies, proxies, the provider",
    "SourceTaken": "end the other process that reads this source; a source has one reader",
    "ProgressDeadlineExceeded": "look at its pods, or go back: helm rollback",
    "Paused": "to let the operator go on: remove the annotation butlers.dev/paused",
    "Quarantined": "to end the hold: kubectl butler release; a manifest's hold is ended in the manifest",
    "HeartbeatMissed": "look at its log: kubectl butler logs",
    "NeverSeen": "look at its log: kubectl butler logs",
    "Stale": "look at its log: kubectl butler logs",
}


@dataclass(frozen=True)
class Finding:
    """`what` is wrong; `said` describes it, and `do` says what helps."""

    what: str
    said: str
    do: str


@dataclass(frozen=True)
class Evidence:
    """What was looked at; None means absent, `unseen` is what could not be looked at and why."""

    resources: Sequence[Body] = ()
    operators: Sequence[Body] = ()
    pods: Sequence[Body] = ()
    events: Sequence[Body] = ()
    trust: Body | None = None
    signing_keys: frozenset[str] | None = None
    unseen: Mapping[str, str] = field(default_factory=dict)


def findings(found: Evidence, *, now: datetime) -> list[Finding]:
    """Return all findings, causes before their consequences."""
    images = unpulled(found.pods, found.resources)
    rest = _without(found, images)
    return [
        *_operator(found),
        *_trust(found),
        *(_image(one, found.resources) for one in images),
        *(finding for one in rest.resources for finding in _resource(one)),
        *(finding for pod in rest.pods for finding in _pod(pod)),
        *_events(_of_the_unwell(rest), now),
        *(
            Finding(what, f"not looked at: {why}", "ask somebody who may")
            for what, why in found.unseen.items()
        ),
    ]


def _image(one: Unpulled, resources: Sequence[Body]) -> Finding:
    do = f"{_ADVICE[PULL_FAILED]}, or go back: helm rollback"
    return Finding(f"image {one.image}", one.words(waiting_for(resources, one.image)), do)


def _without(found: Evidence, images: Sequence[Unpulled]) -> Evidence:
    """Return the evidence without pods and resources that lack only one of these images."""
    names = {name for one in images for name in (*one.pods, *one.resources)}

    def explained(one: Body) -> bool:
        standing = standing_of(one)
        return standing.short in names and standing.said.startswith(PULL_FAILED)

    pods = [pod for pod in found.pods if pod["metadata"]["name"] not in names]
    return replace(found, pods=pods, resources=[one for one in found.resources if not explained(one)])


def _operator(found: Evidence) -> Iterator[Finding]:
    if "operator" in found.unseen:
        return
    if not found.operators:
        yield Finding("operator", "no operator is installed", "install the chart butlers")
    for one in found.operators:
        if not (one.get("status") or {}).get("readyReplicas"):
            metadata = one["metadata"]
            place = f"-n {metadata.get('namespace')} deployment/{metadata['name']}"
            yield Finding(
                "operator",
                "it does not run: no pod of it is ready",
                f"kubectl logs {place}; kubectl describe {place}",
            )


def _trust(found: Evidence) -> Iterator[Finding]:
    wait = "the operator writes it: look at the operator's log"
    if not found.resources:
        yield Finding(
            "household", "there is no butler and no connector here", "-n names the household's namespace"
        )
        return
    if "configmap/butlers-trust" not in found.unseen:
        problem = _trust_problem(found.trust)
        if problem is not None:
            yield Finding("configmap/butlers-trust", problem, wait)
    if "secret/switchboard-signing" not in found.unseen:
        if found.signing_keys is None:
            yield Finding("secret/switchboard-signing", "Switchboard's signing key is missing", wait)
        elif "signing.pem" not in found.signing_keys:
            yield Finding("secret/switchboard-signing", "it has no signing.pem", f"delete it; {wait}")


def _trust_problem(trust: Body | None) -> str | None:
    if trust is None:
        return "the trust document is missing, so no token is accepted"
    try:
        data = trust["data"]
        issuers = {key.get("iss") for key in json.loads(data["jwks.json"])["keys"]}
        json.loads(data["subjects.json"])["subjects"]
    except (KeyError, ValueError, TypeError, AttributeError):
        return "the trust document cannot be read"
    if SWITCHBOARD_ISSUER not in issuers:
        return "it has no key of Switchboard, so butlers take no calls"
    if issuers == {SWITCHBOARD_ISSUER}:
        return "it has no key of the cluster, so nobody's token is accepted"
    return None


def _resource(one: Body) -> Iterator[Finding]:
    short = f"{str(one['kind']).lower()}/{one['metadata']['name']}"
    conditions = conditions_of(one)
    if one["kind"] in ("Butler", "Connector"):
        standing = standing_of(one)
        if standing.said and not standing.switched_off:
            yield Finding(short, standing.said, _advice(standing.said, conditions, short))
        return
    for name in ("Failed", "CostCapped", "ConnectorOffline"):
        condition = conditions.get(name)
        if condition is not None and condition.get("status") == "True":
            yield Finding(
                short,
                f"{name}: {condition.get('message') or condition.get('reason')}",
                "kubectl butler backfill",
            )


def _advice(said: str, conditions: Mapping[str, Body], short: str) -> str:
    for name in (*STAGES, *BESIDE):
        reason = str((conditions.get(name) or {}).get("reason") or "")
        if said.startswith(reason) and reason in _ADVICE:
            return _ADVICE[reason].replace("kubectl butler logs", f"kubectl butler logs {short}")
    return f"kubectl describe {short}"


def _pod(pod: Body) -> Iterator[Finding]:
    status, name = pod.get("status") or {}, pod["metadata"]["name"]
    conditions = {one.get("type"): one for one in status.get("conditions") or ()}
    if status.get("phase") == "Succeeded" or (conditions.get("Ready") or {}).get("status") == "True":
        return
    reasons = [text for one in _containers(status) if (text := _waits(one)) is not None]
    scheduled = conditions.get("PodScheduled") or {}
    if scheduled.get("status") == "False":
        reasons.append(f"no node takes it: {scheduled.get('message')}")
    said = "; ".join(reasons) or f"is {status.get('phase')}, not ready"
    yield Finding(f"pod/{name}", said, f"kubectl describe pod {name}; kubectl logs {name} --all-containers")


def _containers(status: Body) -> list[Body]:
    return [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]


def _waits(container: Body) -> str | None:
    name, state = container.get("name"), container.get("state") or {}
    ended = state.get("terminated") or (container.get("lastState") or {}).get("terminated") or {}
    waiting = state.get("waiting")
    last = (
        f", ended last with {ended.get('exitCode')} ({ended.get('reason')})" if ended.get("exitCode") else ""
    )
    if waiting is not None:
        said = f": {waiting['message']}" if waiting.get("message") else ""
        return f"{name} waits ({waiting.get('reason')}){last}{said}"
    if state.get("terminated") is not None:
        return f"{name} ended with {ended.get('exitCode')} ({ended.get('reason')})" if last else None
    return None if container.get("ready") else f"{name} runs and is not ready{last}"


def _of_the_unwell(found: Evidence) -> list[Body]:
    """Return the warnings, without those about objects that are well by now or gone."""
    unwell = {("Pod", str(pod["metadata"]["name"])) for pod in found.pods if any(_pod(pod))}
    unwell |= {
        (str(one["kind"]), str(one["metadata"]["name"])) for one in found.resources if any(_resource(one))
    }
    about = [(event, event.get("involvedObject") or {}) for event in found.events]
    return [
        event
        for event, whom in about
        if whom.get("kind") not in LOOKED_AT or (str(whom["kind"]), str(whom.get("name"))) in unwell
    ]


def _events(events: Sequence[Body], now: datetime) -> list[Finding]:
    """Return the newest event for each object and reason, of the last hour."""
    newest: dict[tuple[str, str], tuple[datetime, Body]] = {}
    for event in events:
        at = instant(
            event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp")
        )
        about = event.get("involvedObject") or {}
        key = (f"{str(about.get('kind')).lower()}/{about.get('name')}", str(event.get("reason")))
        if at is not None and now - at <= RECENT and (key not in newest or newest[key][0] < at):
            newest[key] = (at, event)
    ordered = sorted(newest.items(), key=lambda item: item[1][0], reverse=True)[:EVENTS_SHOWN]
    return [
        Finding(what, f"event {reason}: {event.get('message')}", f"kubectl describe {what}")
        for (what, reason), (_, event) in ordered
    ]
