"""Tools over the wire: schemas whole, names that every provider takes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log
from inspect_ai.model._openai import openai_chat_tools
from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util._json import json_schema_dump
from support import (
    AWKWARD_TOOLS,
    LONG_NAME,
    MENU_SCHEMA,
    MENU_SCHEMA_SENT,
    TOOLSETS,
    plays,
    run,
    samples,
    shipped_or_skip,
    values,
    write_dataset,
    write_public,
)
from wire.rules import tool_faults

from utb_inspect.datasets import load
from utb_inspect.datasets.wire import WireParams, is_wire_name, tool_info, tool_names, wire_name
from utb_inspect.schema import Function, Tool, Toolset
from utb_inspect.tasks import user_tool_bench

TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def info(parameters: Any) -> ToolInfo:
    return tool_info(Tool(function=Function(name="plan", description="", parameters=parameters), effect="read"))


def toolset(*names: str) -> Toolset:
    tools = [Tool(function=Function(name=name), effect="read") for name in names]
    return Toolset(id="set", domain="d", description="", tools=tools)


# --- schemas -------------------------------------------------------------------------------------------------


def test_the_schema_is_one_that_inspect_would_cut() -> None:
    """Otherwise the tests below would hold for any code."""
    fit = {"type": "object", "properties": {"diet": {"oneOf": [{"const": "vegan"}], "minItems": 1, "default": None}}}
    assert json_schema_dump(ToolParams.model_validate(fit)) != fit
    with pytest.raises(ValueError, match="float"):
        ToolParams.model_validate(MENU_SCHEMA)


def test_every_provider_gets_the_schema_whole() -> None:
    sent = info(MENU_SCHEMA)
    assert json_schema_dump(sent.parameters) == MENU_SCHEMA_SENT
    assert sent.parameters.model_dump() == MENU_SCHEMA_SENT
    assert sent.parameters.model_dump(mode="json", exclude_none=True, by_alias=True) == MENU_SCHEMA_SENT
    assert openai_chat_tools([sent])[0]["function"]["parameters"] == MENU_SCHEMA_SENT


def test_what_is_referred_to_beside_all_keywords_is_spelled_out_too() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/components/X"}},
        "components": {"X": {"type": "array", "contains": True}},
    }
    spelled = {"type": "array", "items": {}, "contains": {}}
    assert info(schema).parameters.model_dump() == {**schema, "components": {"X": spelled}}


def test_providers_that_dump_the_whole_tool_get_the_schema_whole() -> None:
    """As Inspect's providers for local models do."""
    assert json_schema_dump(info(MENU_SCHEMA))["parameters"] == MENU_SCHEMA_SENT
    assert info(MENU_SCHEMA).model_dump(exclude_none=True)["parameters"] == MENU_SCHEMA_SENT


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"anyOf": [{"required": ["day"]}]}, "'anyOf' stands at the top; some providers refuse that"),
        ({"type": ["object", "null"]}, "type is ['object', 'null'], not 'object'; some providers refuse that"),
        ({"properties": {"the day": {}}}, "some providers refuse the name 'the day'"),
        ({"properties": {"x": {"type": "array", "items": {"properties": {"天": {}}}}}}, "refuse the name '天'"),
        (
            {
                "properties": {"x": {"$ref": "#/components/Y"}},
                "components": {"Y": {"properties": {"the hour": {}}}},
            },
            "some providers refuse the name 'the hour'",
        ),
        ({"properties": {"x" * 65: {}}}, "some providers refuse the name"),
    ],
)
@pytest.mark.parametrize("native", [True, False])
def test_what_providers_refuse_in_a_schema_is_told(
    change: dict[str, Any], fault: str, native: bool, tmp_path: Path
) -> None:
    """Once for each tool, when the data is read; the rules of the wire refuse it too."""
    schema = {"type": "object", "properties": {"x": {}}, **change}
    if native:
        odd = {"function": {"name": "odd", "description": "Odd.", "parameters": schema}, "effect": "read"}
        extra = {**TOOLSETS["rail"], "tools": [*TOOLSETS["rail"]["tools"], odd]}
        data = write_dataset(tmp_path / "harbour", toolsets={**TOOLSETS, "rail": extra})
    else:
        data = write_public(tmp_path / "ann.jsonl")
        row = json.loads(data.read_text())
        odd = {"type": "function", "function": {"name": "odd", "parameters": schema}}
        rows = [{**row, "tools": [odd, *row["tools"]]}, {**row, "id": "bo_topic_0", "tools": [*row["tools"], odd]}]
        data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (warning,) = load(str(data)).warnings
    assert warning.startswith("tool 'odd', field 'parameters': ")
    assert fault in warning
    assert list(tool_faults([("odd", "Odd.", info(schema).parameters.model_dump())])) != []


def test_key_order_is_kept() -> None:
    assert json.dumps(json_schema_dump(info(MENU_SCHEMA).parameters)) == json.dumps(MENU_SCHEMA_SENT)


@pytest.mark.parametrize("providers", ["anthropic", "openai"])
def test_providers_of_inspect_send_the_schema_whole(providers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the request: what the provider classes make of a tool."""
    from inspect_ai.model import GenerateConfig, get_model

    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    config = GenerateConfig(internal_tools=False)
    if providers == "anthropic":
        api: Any = get_model("anthropic/claude-sonnet-4-5", memoize=False).api
        (param,) = api.tool_params_for_tool_info(info(MENU_SCHEMA), config)
        assert param["input_schema"] == MENU_SCHEMA_SENT
    else:
        from inspect_ai.model._openai_responses import openai_responses_tools

        (function,) = openai_responses_tools([info(MENU_SCHEMA)], "gpt-5", config)
        assert function["parameters"] == MENU_SCHEMA_SENT  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [
        ({}, {"type": "object", "properties": {}}),
        (
            {"properties": {"a": {"type": "float"}}},
            {"properties": {"a": {"type": "number"}}, "type": "object"},
        ),
        ({"type": "dict", "properties": {}}, {"type": "object", "properties": {}}),
        (
            {"type": "object", "properties": {"a": {"type": "any"}, "b": {"type": "tuple", "items": {"type": "any"}}}},
            {"type": "object", "properties": {"a": {}, "b": {"type": "array", "items": {}}}},
        ),
        (
            {"type": "object", "properties": {"a": {"anyOf": [{"type": "float"}, {"type": "null"}], "default": None}}},
            {"type": "object", "properties": {"a": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None}}},
        ),
        # A value of these names is no type.
        (
            {"type": "object", "properties": {"type": {"enum": ["float", "any"], "default": "dict"}}},
            {"type": "object", "properties": {"type": {"enum": ["float", "any"], "default": "dict"}}},
        ),
        # An array that may hold anything says so.
        (
            {"type": "object", "properties": {"a": {"type": "tuple"}, "b": {"type": ["array", "null"]}}},
            {
                "type": "object",
                "properties": {"a": {"type": "array", "items": {}}, "b": {"type": ["array", "null"], "items": {}}},
            },
        ),
        # The list form of older drafts.
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "float"}]}}},
            {
                "type": "object",
                "properties": {"a": {"type": "array", "prefixItems": [{"type": "number"}], "items": {}}},
            },
        ),
        # Items stated otherwise stay as they are.
        (
            {"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{}], "unevaluatedItems": False}}},
            {"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{}], "unevaluatedItems": False}}},
        ),
        # Not closed when the toolset does not close it, not opened when it does.
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "float"}},
            {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "number"}},
        ),
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        ),
    ],
)
def test_only_the_spelling_changes(parameters: Any, sent: Any) -> None:
    before = json.dumps(parameters)
    assert json_schema_dump(info(parameters).parameters) == sent
    assert json.dumps(parameters) == before


def test_a_dump_can_be_changed_without_changing_the_tool() -> None:
    """Providers edit what they dump."""
    sent = info(MENU_SCHEMA)
    sent.parameters.model_dump()["properties"].clear()
    assert sent.parameters.model_dump() == MENU_SCHEMA_SENT


def test_argument_names_can_be_looked_up() -> None:
    """Inspect gives an argument that is no object to the first property."""
    assert list(WireParams.of(MENU_SCHEMA).properties) == list(MENU_SCHEMA["properties"])
    assert WireParams.of(MENU_SCHEMA).required == ["courses"]


@pytest.mark.parametrize("split", ["utb_open", "utb_open_dynamic"])
def test_shipped_schemas_are_sent_as_written(split: str) -> None:
    dataset = shipped_or_skip(split)
    assert dataset.toolsets
    for tools in dataset.toolsets.values():
        for tool in tools.tools:
            assert json_schema_dump(tool_info(tool).parameters) == tool.function.parameters
            assert tool_info(tool).name == tool.name


@pytest.mark.parametrize("split", ["utb_open", "utb_open_dynamic"])
def test_providers_take_the_shipped_tools(split: str) -> None:
    for tools in shipped_or_skip(split).toolsets.values():
        assert list(tool_faults(sent_tools(tools.tools))) == []


def test_providers_take_the_tools_of_the_public_rows(shared: Path) -> None:
    lines = (shared / "upstream" / "tools_en.jsonl").read_text().splitlines()
    functions = {json.dumps(tool["function"], sort_keys=True) for line in lines for tool in json.loads(line)}
    assert len(functions) > 500
    for text in functions:
        tool = Tool(function=Function.model_validate_json(text), effect="read")
        assert list(tool_faults(sent_tools([tool]))) == []


def sent_tools(tools: Sequence[Tool]) -> list[tuple[str, str, Any]]:
    infos = [tool_info(tool) for tool in tools]
    return [(info.name, info.description, json_schema_dump(info.parameters)) for info in infos]


# --- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["findTrains", "a", "get-it_2", "x" * 64])
def test_a_name_that_fits_is_kept(name: str) -> None:
    assert wire_name(name) == name


@pytest.mark.parametrize(
    ("name", "taken"), [("a-b_2", True), ("", False), ("a.b", False), ("x" * 65, False), ("é", False)]
)
def test_whether_providers_take_a_name(name: str, taken: bool) -> None:
    assert is_wire_name(name) is taken


@pytest.mark.parametrize(
    "name", ["rail.search/v2", LONG_NAME, "x" * 65, "查询", "find trains", "a\n", "é" * 70, "a\ud83d"]
)
def test_a_name_that_does_not_fit_is_made_to(name: str) -> None:
    assert TAKEN.fullmatch(wire_name(name))
    assert wire_name(name) == wire_name(name) != name


@given(st.lists(st.text(min_size=1, max_size=80), min_size=2, max_size=6, unique=True))
def test_names_map_back_and_never_collide(names: list[str]) -> None:
    found = tool_names(toolset(*names))
    assert sorted(found.values()) == sorted(names)
    assert all(TAKEN.fullmatch(name) for name in found)


@pytest.mark.parametrize(
    "names",
    [
        ("rail.search/v2", "rail.search.v2", "rail/search/v2", "rail_search_v2"),
        (LONG_NAME, LONG_NAME + "s", LONG_NAME[:64]),
        ("rail.search/v2", wire_name("rail.search/v2")),
    ],
)
def test_names_that_look_alike_stay_apart(names: tuple[str, ...]) -> None:
    assert sorted(tool_names(toolset(*names)).values()) == sorted(names)


# --- in a log ------------------------------------------------------------------------------------------------


def test_awkward_tools_run_and_their_log_is_read_back(tmp_path: Path) -> None:
    file = write_public(tmp_path / "ann.jsonl")
    log = run(user_tool_bench(data=str(file)), plays(load(str(file))), log_dir=str(tmp_path / "logs"))
    again = read_eval_log(log.location)
    assert again.status == "success"
    assert [values(s)["utb_exact"] for s in samples(again).values()] == [True, True]
    (event, *_) = [e for e in samples(again)["ann_topic_0.2"].events if e.event == "model"]
    assert [t.name for t in event.tools] == [wire_name(t["function"]["name"]) for t in AWKWARD_TOOLS]
    assert [t.description for t in event.tools] == ["", "Overnight trains.", "Another tool."]
    assert again.samples is not None
    # Scores and sample lists show tools by their own names.
    assert again.samples[0].scores is not None
    assert again.samples[0].scores["utb_exact"].answer == "rail.search/v2 > answer"


def test_the_log_shows_of_a_schema_what_inspect_can_hold(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour")
    log = run(user_tool_bench(data=str(folder)), plays(load(str(folder))), sample_id="p02-t02.1", log_format="json")
    again = read_eval_log(log.location)
    assert again.status == "success"
    (event, *_) = [e for e in samples(again)["p02-t02.1"].events if e.event == "model"]
    (plan,) = [t for t in event.tools if t.name == "planMenu"]
    assert list(plan.parameters.properties) == list(MENU_SCHEMA["properties"])
    assert plan.parameters.required == ["courses"]
    assert plan.parameters.properties["courses"].type == "array"
    assert plan.parameters.properties["budget"].type == ["number", "null"]
    assert plan.parameters.properties["wine"].description == "Anything."
