"""The `Place` of a household's namespace: the operator's settings, and a file for what has no variable."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from butler_operator.settings import OWN_NAMESPACE_FILE, OperatorSettings, SettingsError
from butler_resources.kinds import SecretRef
from butler_resources.kinds.objects import without_nulls
from butler_resources.kinds.pod import HouseholdPod
from butler_resources.kinds.problems import problems_of
from butler_resources.render.cluster import Place

__all__ = ["place_for"]

_PLACE = TypeAdapter(Place)


def place_for(settings: OperatorSettings, namespace: str) -> Place:
    """Return the place of `namespace`; raises `SettingsError` for a file that cannot be used."""
    given: dict[str, Any] = {
        **_from_file(settings),
        **_from_settings(settings),
        "namespace": namespace,
        "operator_namespace": settings.operator_namespace or _own_namespace() or namespace,
        "by_label": namespace not in settings.namespaces,
    }
    try:
        return _PLACE.validate_python(given)
    except ValidationError as error:
        text = "; ".join(
            f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}"
            for detail in error.errors(include_url=False)
        )
        raise SettingsError(f"{settings.place_file}: {text}") from None


def _from_settings(settings: OperatorSettings) -> dict[str, Any]:
    given: dict[str, Any] = {
        "image": settings.image,
        "image_pull_policy": settings.image_pull_policy,
        "image_pull_secrets": settings.image_pull_secrets,
        "database": SecretRef(name=settings.database_secret, key=settings.database_secret_key),
        "progress_deadline_s": settings.progress_deadline_s,
        "log_level": settings.service_log_level,
        "log_format": settings.service_log_format,
    }
    return given | ({"storage_class": settings.storage_class} if settings.storage_class else {})


def _from_file(settings: OperatorSettings) -> dict[str, Any]:
    if settings.place_file is None:
        return {}
    try:
        document = json.loads(settings.place_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{settings.place_file} cannot be read: {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{settings.place_file}: expected a JSON object with fields of the place")
    return document | _pod(document.get("pod"), settings)


def _pod(said: Any, settings: OperatorSettings) -> dict[str, Any]:
    """Validate pod settings in the same way as those of a manifest."""
    if said is None:
        return {}
    try:
        return {"pod": HouseholdPod.model_validate_json(json.dumps(without_nulls(said)))}
    except ValidationError as error:
        problems = problems_of(error, model=HouseholdPod, where=str(settings.place_file))
        raise SettingsError(
            "; ".join(f"pod.{problem.path}: {problem.text}" for problem in problems)
        ) from None


def _own_namespace() -> str | None:
    try:
        return OWN_NAMESPACE_FILE.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None
