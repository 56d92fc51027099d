"""The runtime family `api`: sessions that ask a model over HTTP, in this process (D57).

Invariant: nothing here imports the model library but `library`, and that only when a session of the family asks its
first question; a household of `rules` neither needs nor loads it.
"""

from butler_kit.runtime.api.endpoint import Endpoint, Limits
from butler_kit.runtime.api.faults import FaultKind, ModelFault, ModelMisled
from butler_kit.runtime.api.look import Look
from butler_kit.runtime.api.models import Models
from butler_kit.runtime.api.program import ApiFamily

__all__ = ["ApiFamily", "Endpoint", "FaultKind", "Limits", "Look", "ModelFault", "ModelMisled", "Models"]
