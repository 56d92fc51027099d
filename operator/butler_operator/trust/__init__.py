"""Trust in a household's namespace, as pure plans: the key set, the subjects, revocations, Switchboard's key.

The observed objects and the current time go in, whole manifests and the time of the next look come out; applying
them is the caller's task. How it all fits together: `docs/reference/trust.md`.
"""

from butler_operator.trust.document import CHANGED_AT, KEYS_SINCE, TrustInputs, TrustPlan, plan_trust
from butler_operator.trust.freshness import SEEN, pods_to_wake
from butler_operator.trust.issuer import ClusterIssuer, discovered
from butler_operator.trust.rotation import ROTATE, Rotation
from butler_operator.trust.signing import SigningPlan, Step, plan_signing

__all__ = [
    "CHANGED_AT",
    "KEYS_SINCE",
    "ROTATE",
    "SEEN",
    "ClusterIssuer",
    "Rotation",
    "SigningPlan",
    "Step",
    "TrustInputs",
    "TrustPlan",
    "discovered",
    "plan_signing",
    "plan_trust",
    "pods_to_wake",
]
