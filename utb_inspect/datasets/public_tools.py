"""What public tools do not say of themselves: which arguments are technical, and what changes the world."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from utb_inspect.schema import DataError, Effect, Toolset, parse
from utb_inspect.trajectory.calls import Tools

RUNTIME_TOOLS = frozenset(("ask_user_for_required_parameters", "prepare_to_answer"))
"""The public format's names for asking and answering; no tools of a toolset, though rows may list them."""

TECHNICAL = frozenset(
    """limit offset skip cursor page page_size per_page page_number page_num page_no page_index page_token
    next_page_token page_limit start_index max_results num_results result_limit results_per_page format output_format
    response_format return_format result_format data_format accept_format content_type encoding callback pretty
    verbose timeout request_id trace_id correlation_id idempotency_key api_key apikey app_key app_id access_token
    user_agent headers""".split()
)
"""Names of arguments that carry no decision, in snake case (`pageSize` counts as `page_size`)."""

READ_VERBS = frozenset(
    """access analyse analyze autocomplete browse calculate categorize check classify compare compute convert count
    describe detect determine discover download echo estimate evaluate explore extract fetch filter find forecast
    generate geocode get has identify inspect is list locate look lookup measure monitor normalize parse plan predict
    preview query random read recommand recommend retrieve reverse scan search show stream suggest summarize track
    translate validate verify view""".split()
)
"""First words of names of tools that change nothing; a tool whose name opens with another word is a write."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def name_words(name: str) -> list[str]:
    """The words of a name in camel or snake case, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def effect_of(name: str) -> Effect:
    """Whether a tool reads or writes, told by the first word of its name."""
    words = name_words(name)
    return "read" if words and words[0] in READ_VERBS else "write"


def is_technical(argument: str) -> bool:
    """Whether an argument's name says that it carries no decision."""
    return "_".join(name_words(argument)) in TECHNICAL


class PublicToolsets:
    """The distinct tool lists of public rows, each read and compiled once."""

    def __init__(self) -> None:
        self.toolsets: dict[str, Toolset] = {}
        self.compiled: dict[str, Tools] = {}
        self.warnings: list[str] = []

    def read(self, raw: Any, source: str) -> Tools:
        """The compiled toolset of a row's `tools`.

        Raises:
            DataError: with all faults, a line each, without the row's name.
        """
        canonical = json.dumps(raw, sort_keys=True)
        toolset_id = f"public-{hashlib.sha256(canonical.encode()).hexdigest()[:8]}"
        if toolset_id not in self.compiled:
            toolset = self._toolset(toolset_id, raw, source)
            self.compiled[toolset_id] = Tools(toolset)
            self.toolsets[toolset_id] = toolset
        return self.compiled[toolset_id]

    def _toolset(self, toolset_id: str, raw: Any, source: str) -> Toolset:
        if not isinstance(raw, list) or not raw:
            raise DataError("field 'tools': is missing; give the list of tools")
        tools: dict[str, dict[str, Any]] = {}
        faults = []
        for i, item in enumerate(raw):
            function = item.get("function") if isinstance(item, Mapping) else None
            name = function.get("name") if isinstance(function, Mapping) else None
            if not isinstance(function, Mapping) or not isinstance(name, str):
                faults.append(f"field 'tools[{i}]': has no function with a name")
            elif name in tools:
                self.warnings.append(f"{source}: field 'tools[{i}]': a tool '{name}' stands before; left out")
            elif name not in RUNTIME_TOOLS:
                tools[name] = _tool(function)
        if faults:
            raise DataError("\n".join(faults))
        data = {"id": toolset_id, "domain": "public", "description": "", "tools": list(tools.values())}
        return parse(Toolset, data, "field 'tools'")


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    parameters = function.get("parameters") or {}
    return {
        "function": {
            "name": function["name"],
            "description": function.get("description") or "",
            "parameters": parameters,
        },
        "effect": effect_of(function["name"]),
        "technical": [path for path in _paths(parameters) if is_technical(path.rpartition(".")[2])],
    }


def _paths(schema: Any, prefix: str = "") -> Iterator[str]:
    """Dotted paths of a schema's arguments, nested ones too, as grounds name them."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
        return
    for name, inner in schema["properties"].items():
        yield f"{prefix}{name}"
        yield from _paths(inner, f"{prefix}{name}.")
        if isinstance(inner, Mapping):
            yield from _paths(inner.get("items"), f"{prefix}{name}[].")
