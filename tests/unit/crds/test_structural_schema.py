"""What pydantic emits becomes what an API server takes, or is refused with what to write instead."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field, StringConstraints, create_model

from butler_resources.crds import SchemaError, structural_schema
from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.rules import Rule

Short = Annotated[str, StringConstraints(max_length=10)]
Small = Annotated[int, Field(ge=0, le=9)]


def field(annotation: Any, default: Any = ..., **extra: Any) -> Any:
    """The schema of one field of that type."""
    described = Field(default, description="A field.", **extra)
    return whole(create_model("Thing", __doc__="A thing.", name=(annotation, described)))["properties"][
        "name"
    ]


def whole(model: type[BaseModel]) -> dict[str, Any]:
    return structural_schema(model)


def refused(annotation: Any, default: Any = ..., **extra: Any) -> str:
    with pytest.raises(SchemaError) as caught:
        field(annotation, default, **extra)
    return str(caught.value)


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    """A part of something."""

    key: Short = Field(description="Its key.")
    size: Small = Field(default=3, description="Its size.")


class Tree(BaseModel):
    """A thing with things of its own kind in it."""

    children: list[Tree] = Field(default=[], max_length=3, description="Below it.")


def keywords(node: Any) -> set[str]:
    """Every keyword in the schema, names of properties left out."""
    if isinstance(node, list):
        return set().union(*(keywords(item) for item in node)) if node else set()
    if not isinstance(node, dict):
        return set()
    found = set(node)
    for key, child in node.items():
        found |= set().union(*map(keywords, child.values())) if key == "properties" else keywords(child)
    return found


def test_references_are_written_out_where_they_are_used() -> None:
    class Pair(BaseModel):
        """Two parts."""

        left: Part = Field(description="The left one.")
        right: Part = Field(description="The right one.")

    schema = whole(Pair)
    assert schema["properties"]["left"]["properties"] == schema["properties"]["right"]["properties"]
    assert not keywords(schema) & {"$ref", "$defs"}


def test_what_a_field_says_wins_over_what_its_model_says() -> None:
    assert field(Part)["description"] == "A field."
    assert field(Part)["properties"]["key"]["description"] == "Its key."


def test_a_model_that_contains_itself_is_refused() -> None:
    with pytest.raises(SchemaError, match="contains itself"):
        structural_schema(Tree)


def test_an_optional_field_is_its_type_and_simply_not_required() -> None:
    schema = whole(create_model("Thing", __doc__="A thing.", n=(Small | None, Field(None, description="N."))))
    assert schema["properties"]["n"] == {
        "type": "integer", "description": "N.", "format": "int32", "minimum": 0, "maximum": 9,
    }  # fmt: skip
    assert "required" not in schema


def test_an_optional_model_keeps_its_rules_and_has_no_default() -> None:
    class Guarded(ResourceModel):
        """Guarded."""

        size: Small = Field(default=1, description="Size.")
        RULES: ClassVar[tuple[Rule, ...]] = (
            Rule(cel="self.size < 5", message="size is too large", path=".size"),
        )

    node = field(Guarded | None, None)
    assert node["x-kubernetes-validations"] == [
        {"rule": "self.size < 5", "message": "size is too large", "fieldPath": ".size"}
    ]
    assert "default" not in node


def test_a_constant_becomes_a_choice_of_one() -> None:
    assert field(Literal["x"], "x") == {
        "type": "string", "description": "A field.", "default": "x", "enum": ["x"],
    }  # fmt: skip


def test_an_exclusive_bound_is_a_bound_and_a_flag() -> None:
    node = field(Annotated[float, Field(gt=0, lt=1)])
    assert (node["minimum"], node["exclusiveMinimum"]) == (0, True)
    assert (node["maximum"], node["exclusiveMaximum"]) == (1, True)


def test_a_set_is_a_list_of_kind_set() -> None:
    node = field(set[Short], max_length=5)
    assert (node["type"], node["x-kubernetes-list-type"], node["maxItems"]) == ("array", "set", 5)
    assert "uniqueItems" not in node


def test_a_tuple_of_different_types_is_refused() -> None:
    assert "use an object with named fields" in refused(tuple[Short, Small])


def test_a_typed_map_stays_typed_and_bounded() -> None:
    node = field(dict[str, Short], max_length=4)
    assert node["additionalProperties"]["maxLength"] == 10
    assert node["maxProperties"] == 4


def test_a_pattern_of_keys_becomes_a_rule_on_the_keys() -> None:
    node = field(dict[Annotated[str, StringConstraints(pattern="^[a-z]+$")], Short], max_length=4)
    assert node["x-kubernetes-validations"] == [
        {
            "rule": "self.all(key, key.matches('^[a-z]+$'))",
            "message": "keys have the form ^[a-z]+$; use one of that form",
        }
    ]
    assert "patternProperties" not in node


def test_the_length_of_keys_becomes_a_rule_too() -> None:
    node = field(dict[Short, Short], max_length=4)
    assert node["x-kubernetes-validations"][0]["rule"] == "self.all(key, key.size() <= 10)"
    assert "propertyNames" not in node


def test_a_map_of_anything_is_refused_because_its_values_would_be_emptied() -> None:
    assert "would be emptied when stored" in refused(dict[str, object], max_length=3)


def test_a_free_form_block_says_so_and_is_kept() -> None:
    extra = {"x-kubernetes-preserve-unknown-fields": True}
    node = field(dict[str, object], max_length=3, json_schema_extra=extra)
    assert node == {"type": "object", "description": "A field.", "maxProperties": 3} | extra


def test_closed_models_leave_refusing_unknown_keys_to_the_server() -> None:
    class Closed(ResourceModel):
        """Closed."""

        size: Small = Field(default=1, description="Size.")

    assert "additionalProperties" not in keywords(structural_schema(Closed))


def test_a_tagged_union_becomes_one_object_and_rules() -> None:
    class Circle(BaseModel):
        """Round."""

        kind: Literal["circle"] = Field(description="Kind.")
        radius: Small = Field(description="Radius.")

    class Square(BaseModel):
        """Square."""

        kind: Literal["square"] = Field(description="Kind.")
        side: Small | None = Field(None, description="Side.")

    node = field(Circle | Square, discriminator="kind")
    assert node["properties"]["kind"]["enum"] == ["circle", "square"]
    assert set(node["properties"]) == {"kind", "radius", "side"}
    assert node["required"] == ["kind"]
    assert node["x-kubernetes-validations"] == [
        {"rule": "self.kind != 'circle' || has(self.radius)", "message": "kind circle needs `radius`"},
        {
            "rule": "self.kind != 'circle' || !has(self.side)",
            "message": "`side` does not go with kind circle; remove it",
        },
        {
            "rule": "self.kind != 'square' || !has(self.radius)",
            "message": "`radius` does not go with kind square; remove it",
        },
    ]
    assert not keywords(node) & {"oneOf", "discriminator"}


def test_a_whole_number_or_text_has_the_servers_own_keyword() -> None:
    assert field(int | str) == {"description": "A field.", "x-kubernetes-int-or-string": True}


@pytest.mark.parametrize("union", [int | float | bool, Decimal, bool | Short])
def test_other_unions_are_refused(union: Any) -> None:
    assert "a union of types" in refused(union)


def test_a_duration_is_refused_because_the_server_reads_it_otherwise() -> None:
    assert "format duration means something else here" in refused(timedelta)


def test_dates_and_times_keep_their_format_and_need_no_length() -> None:
    assert field(date)["format"] == "date"
    assert field(datetime)["format"] == "date-time"


def test_an_enumeration_is_written_out_with_its_default() -> None:
    assert field(Colour, Colour.RED) == {
        "type": "string", "description": "A field.", "default": "red", "enum": ["red", "blue"],
    }  # fmt: skip


def test_titles_and_examples_are_left_out() -> None:
    assert not keywords(field(Short, examples=["x"], title="Name")) & {"title", "examples"}


def test_deprecation_is_said_in_the_description() -> None:
    assert field(Short | None, None, deprecated=True)["description"] == "Deprecated. A field."


def test_a_pattern_that_looks_around_is_refused() -> None:
    lookahead = {"pattern": "^(?!x)"}
    assert "looks around" in refused(Short, json_schema_extra=lookahead)


@pytest.mark.parametrize(
    ("annotation", "missing"),
    [
        (str, "maxLength"),
        (int, "minimum"),
        (Annotated[int, Field(ge=0)], "maximum"),
        (list[Short], "maxItems"),
        (dict[str, Short], "maxProperties"),
        (Annotated[list[str], Field(max_length=3)], "maxLength"),
    ],
)
def test_everything_needs_bounds(annotation: Any, missing: str) -> None:
    assert f"has no {missing}" in refused(annotation)


def test_everything_needs_a_description() -> None:
    with pytest.raises(SchemaError, match="has no description"):
        structural_schema(create_model("Thing", __doc__="A thing.", name=(Short, ...)))


def test_references_to_requirements_are_not_for_those_who_read_explain() -> None:
    class Cited(BaseModel):
        """Limits how many
        there are (CNX-08.2, D31)."""

        size: Small = Field(default=1, description="Size (SWB-06) of it (D5).")

    schema = structural_schema(Cited)
    assert schema["description"] == "Limits how many there are."
    assert schema["properties"]["size"]["description"] == "Size of it."


def test_a_list_of_objects_says_how_it_is_merged() -> None:
    assert "x-kubernetes-list-type" in refused(list[Part], max_length=3)
    by_key = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]}
    node = field(list[Part], max_length=3, json_schema_extra=by_key)
    assert node["x-kubernetes-list-map-keys"] == ["key"]


def test_a_key_of_a_list_is_required_or_has_a_default() -> None:
    class Loose(BaseModel):
        """Loose."""

        key: Short | None = Field(None, description="Its key.")

    by_key = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]}
    assert "list-map key key must be a scalar" in refused(list[Loose], max_length=3, json_schema_extra=by_key)


def test_defaults_inside_a_block_apply_when_the_block_is_left_out() -> None:
    class Sized(BaseModel):
        """Sized."""

        size: Small = Field(default=3, description="Its size.")

    node = structural_schema(
        create_model("Thing", __doc__="T.", sized=(Sized, Field(default_factory=Sized, description="S.")))
    )["properties"]["sized"]
    assert (node["default"], node["properties"]["size"]["default"]) == ({}, 3)


@pytest.mark.parametrize(("annotation", "empty"), [(list[Short], []), (dict[str, Short], {}), (str, "")])
def test_an_empty_value_is_not_written_into_every_object(annotation: Any, empty: object) -> None:
    assert "default" not in field(annotation, empty, max_length=3)


def test_large_numbers_are_int64() -> None:
    assert field(Annotated[int, Field(ge=0, le=2**40)])["format"] == "int64"


def test_an_unknown_keyword_is_refused() -> None:
    assert "no keyword of a structural schema" in refused(Short, json_schema_extra={"readOnly": True})
