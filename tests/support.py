"""What the tests of the Inspect side share: a small dataset made to be awkward, scripted models, runs and commands."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.model._call_tools import parse_tool_call
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import ToolCall, ToolInfo
from oracle import oracle

from utb_inspect.datasets import Dataset, PlacedTurn, load
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.datasets.wire import wire_name
from utb_inspect.schema import DataError
from utb_inspect.trajectory.calls import Message

ROOT = Path(__file__).parent.parent
SCORERS = ("utb_exact", "utb_relaxed", "utb_severity", "utb_labels", "utb_progress", "utb_turn")
CANARY = "HARBOUR-CANARY 7f1c: never to be trained on"


# --- a dataset -----------------------------------------------------------------------------------------------
# Two profiles, two toolsets, four topics, ten turns: every task type and structure, an alternative, a question of
# two items, a preference, a write, a technical argument, and schemas that Inspect's own model would cut.

PROFILES: dict[str, dict[str, Any]] = {
    "p01": {
        "short_persona": "A clarinet maker who distrusts varnish that is sold in plastic bottles.",
        "age": 58,
        "gender": "woman",
        "stereotypical_preferences": ["Oils grenadilla wood on the first Sunday of every month"],
        "travel_style": {"trains": "Would rather watch the fields go by than read a timetable"},
        "therapy_background": "Two years with a counsellor in Breda after the workshop fire.",
    },
    "p02": {
        "short_persona": "A night porter who paints lighthouses from memory on old tram tickets.",
        "age": 31,
        "gender": "man",
        "sensitive_information": "Owes his brother eleven hundred euros since the boat sank.",
    },
}

_DAY = {"type": "string", "format": "date", "description": "YYYY-MM-DD"}
_SEAT = {"type": "string", "enum": ["any", "window", "aisle"], "default": "any"}

MENU_SCHEMA: dict[str, Any] = {
    "type": "object",
    "$defs": {
        "course": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "grams": {"type": "float"}},
            "required": ["name"],
        }
    },
    "properties": {
        "courses": {"type": "array", "items": {"$ref": "#/$defs/course"}, "minItems": 1, "uniqueItems": True},
        "diet": {"oneOf": [{"const": "vegan"}, {"const": "none"}]},
        "budget": {"type": ["float", "null"], "default": None},
        "wine": {"type": "any", "description": "Anything."},
        "notes": {"type": "dict"},
        "slot": {"type": "tuple", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["courses"],
}
"""Keywords and type names that `ToolParams` drops or refuses."""

MENU_SCHEMA_SENT: dict[str, Any] = {
    "type": "object",
    "$defs": {
        "course": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "grams": {"type": "number"}},
            "required": ["name"],
        }
    },
    "properties": {
        "courses": {"type": "array", "items": {"$ref": "#/$defs/course"}, "minItems": 1, "uniqueItems": True},
        "diet": {"oneOf": [{"const": "vegan"}, {"const": "none"}]},
        "budget": {"type": ["number", "null"], "default": None},
        "wine": {"description": "Anything."},
        "notes": {"type": "object"},
        "slot": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["courses"],
}
"""The same as a provider is to get it: type names alone are JSON Schema's."""


def tool(name: str, description: str, parameters: Any, effect: str = "read", technical: Sequence[str] = ()) -> Any:
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function, "effect": effect, "technical": list(technical)}


def _parameters(properties: Any, required: Sequence[str]) -> Any:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TOOLSETS: dict[str, Any] = {
    "rail": {
        "id": "rail",
        "domain": "travel",
        "description": "Trains.",
        "tools": [
            tool(
                "findTrains",
                "Lists trains of a day.",
                _parameters(
                    {
                        "origin": {"type": "string"},
                        "destination": {"type": "string"},
                        "day": _DAY,
                        "seat": _SEAT,
                        "limit": {"type": "integer", "default": 5},
                    },
                    ["origin", "destination", "day"],
                ),
                technical=["limit"],
            ),
            tool(
                "bookTrain",
                "Books a train.",
                _parameters({"train_id": {"type": "string"}, "seat": _SEAT}, ["train_id"]),
                "write",
            ),
            tool(
                "listBookings", "The user's bookings.", {"type": "object", "properties": {"past": {"type": "boolean"}}}
            ),
        ],
    },
    "table": {
        "id": "table",
        "domain": "food",
        "description": "Eating.",
        "tools": [
            tool(
                "reserveTable",
                "Reserves a table.",
                _parameters(
                    {
                        "restaurant": {"type": "string"},
                        "guests": {"type": "integer", "minimum": 1},
                        "day": _DAY,
                        "terrace": {"type": "boolean", "default": False},
                    },
                    ["restaurant", "guests", "day"],
                ),
                "write",
            ),
            tool("planMenu", "Plans a menu.", MENU_SCHEMA),
        ],
    },
}


def basis(name: str, *evidence: tuple[str, str], source: str | None = None) -> dict[str, Any]:
    ground: dict[str, Any] = {"basis": name, "evidence": [{"turn": t, "quote": q} for t, q in evidence]}
    return ground if source is None else {**ground, "from": source}


def call_step(
    step: str, name: str, arguments: Any, grounds: Any, observation: Any, after: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "id": step,
        "call": name,
        "arguments": arguments,
        "grounds": {k: basis(g) if isinstance(g, str) else g for k, g in grounds.items()},
        "after": list(after),
        "observation": observation,
    }


def answer_step(text: str, *after: str) -> dict[str, Any]:
    return {"id": "z", "answer": text, "after": list(after)}


def _turn(task_type: str, subtype: str, request: str, *reference: Any, **more: Any) -> dict[str, Any]:
    return {"task_type": task_type, "subtype": subtype, "request": request, "reference": list(reference), **more}


_AS_ALWAYS = ("p01-t01.1", "from Utrecht as always")
_WINDOW = ("p01-t01.1", "by the window")
_GHENT = ("p02-t01.1", "from Ghent")

TOPICS: list[dict[str, Any]] = [
    {
        "id": "p01-t01",
        "profile": "p01",
        "toolset": "rail",
        "environment": {"now": "2025-03-10T09:00:00+01:00", "place": "Utrecht, Netherlands"},
        "turns": [
            _turn(
                "single_tool",
                "cross_topic",
                "Trains to Lyon on Saturday, from Utrecht as always, and by the window.",
                call_step(
                    "a",
                    "findTrains",
                    {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window", "limit": 3},
                    {"origin": "request", "destination": "request", "day": "environment", "seat": "request"},
                    {"trains": [{"id": "T1"}, {"id": "T2"}]},
                ),
                answer_step("T1 and T2 go to Lyon.", "a"),
            ),
            _turn("chat", "partial_information", "Is Lyon nice in March?", answer_step("Mild, and less crowded.")),
            _turn(
                "multi_tool",
                "partial_information",
                "And to Lille on Sunday, book the early one.",
                call_step(
                    "a",
                    "findTrains",
                    {"origin": "Utrecht", "destination": "Lille", "day": "2025-03-16", "seat": "window"},
                    {
                        "origin": basis("history", _AS_ALWAYS),
                        "destination": "request",
                        "day": "environment",
                        "seat": basis("preference", _WINDOW),
                    },
                    {"trains": [{"id": "L1", "at": "07:10"}, {"id": "L2", "at": "09:10"}]},
                ),
                call_step(
                    "b",
                    "bookTrain",
                    {"train_id": "L1", "seat": "window"},
                    {"train_id": basis("observation", source="a"), "seat": basis("preference", _WINDOW)},
                    {"booking": "B77"},
                    after=["a"],
                ),
                answer_step("L1 is booked.", "a", "b"),
            ),
        ],
    },
    {
        "id": "p01-t02",
        "profile": "p01",
        "toolset": "table",
        "environment": {"now": "2025-03-14T18:20:00+01:00", "place": "Utrecht, Netherlands"},
        "turns": [
            _turn(
                "lack_of_information",
                "cross_topic",
                "Get me a table at De Eend, outside.",
                {
                    "id": "q",
                    "ask": ["guests"],
                    "cues": {"guests": ["how many", "people", "guests"]},
                    "settled": {"restaurant": ["restaurant", "where"]},
                    "message": "For how many people?",
                    "reply": "Four of us.",
                    "after": [],
                },
                {
                    "id": "r",
                    "ask": ["day"],
                    "cues": {"day": ["day", "date", "when"]},
                    "message": "On which day?",
                    "reply": "Friday the 21st.",
                    "after": [],
                },
                call_step(
                    "a",
                    "reserveTable",
                    {"restaurant": "De Eend", "guests": 4, "day": "2025-03-21", "terrace": True},
                    {"restaurant": "request", "guests": "reply", "day": "reply", "terrace": "request"},
                    {"table": "E9"},
                    after=["q", "r"],
                ),
                answer_step("Table E9 is yours.", "a"),
            ),
            _turn(
                "lack_of_information",
                "partial_information",
                "A table at De Eend for the 28th.",
                call_step(
                    "a",
                    "reserveTable",
                    {"restaurant": "De Eend", "guests": 4, "day": "2025-03-28", "terrace": True},
                    {
                        "restaurant": "request",
                        "guests": basis("history", ("p01-t02.1", "Four of us.")),
                        "day": "request",
                        "terrace": basis("preference", ("p01-t02.1", "outside")),
                    },
                    {"table": "E3"},
                ),
                answer_step("Table E3 is yours.", "a"),
            ),
        ],
    },
    {
        "id": "p02-t01",
        "profile": "p02",
        "toolset": "rail",
        "environment": {"now": "2025-04-01T08:00:00+02:00", "place": "Ghent, Belgium"},
        "turns": [
            _turn(
                "single_tool",
                "cross_topic",
                "Trains from Ghent to Bruges tomorrow?",
                call_step(
                    "a",
                    "findTrains",
                    {"origin": "Ghent", "destination": "Bruges", "day": "2025-04-02"},
                    {"origin": "request", "destination": "request", "day": "environment"},
                    "G1 leaves at nine. " * 2000,  # longer than what Inspect would cut
                ),
                answer_step("G1, at nine.", "a"),
            ),
            _turn(
                "multi_tool",
                "partial_information",
                "On Thursday to Leuven, and what is there to Mons?",
                call_step(
                    "a",
                    "findTrains",
                    {"origin": "Ghent", "destination": "Leuven", "day": "2025-04-03"},
                    {"origin": basis("history", _GHENT), "destination": "request", "day": "environment"},
                    {"trains": ["V1"]},
                ),
                call_step(
                    "b",
                    "findTrains",
                    {"origin": "Ghent", "destination": "Mons", "day": "2025-04-03"},
                    {"origin": basis("history", _GHENT), "destination": "request", "day": "environment"},
                    {"trains": ["M1"]},
                ),
                answer_step("V1 to Leuven, M1 to Mons.", "a", "b"),
            ),
        ],
    },
    {
        "id": "p02-t02",
        "profile": "p02",
        "toolset": "table",
        "environment": {"now": "2025-04-05T12:00:00+02:00", "place": "Ghent, Belgium"},
        "turns": [
            _turn(
                "single_tool",
                "cross_topic",
                "Vegan soup for me tonight, at home or at the Karper.",
                call_step(
                    "a",
                    "planMenu",
                    {"courses": [{"name": "soup"}], "diet": "vegan"},
                    {"courses": "request", "diet": "request"},
                    {"menu": "M-1"},
                ),
                answer_step("Menu M-1 has your soup.", "a"),
                alternatives=[
                    [
                        call_step(
                            "k",
                            "reserveTable",
                            {"restaurant": "Karper", "guests": 1, "day": "2025-04-05"},
                            {"restaurant": "request", "guests": "request", "day": "environment"},
                            {"table": "K2"},
                        ),
                        answer_step("Table K2 at the Karper.", "k"),
                    ]
                ],
            ),
            _turn(
                "multi_tool",
                "partial_information",
                "Plan pie and plan fish. With the pie, a table for two at the Karper on Monday.",
                call_step("a", "planMenu", {"courses": [{"name": "pie"}]}, {"courses": "request"}, {"menu": "M-2"}),
                call_step("b", "planMenu", {"courses": [{"name": "fish"}]}, {"courses": "request"}, {"menu": "M-3"}),
                call_step(
                    "c",
                    "reserveTable",
                    {"restaurant": "Karper", "guests": 2, "day": "2025-04-07"},
                    {"restaurant": "request", "guests": "request", "day": "environment"},
                    {"table": "K5"},
                    after=["a"],
                ),
                answer_step("Planned, and table K5 is yours.", "b", "c"),
            ),
            _turn("chat", "long_range_dependency", "You are a dear.", answer_step("Any time.")),
        ],
    },
]

TURNS = [f"{topic['id']}.{i + 1}" for topic in TOPICS for i in range(len(topic["turns"]))]
STARTED = [turn for pair in zip(TURNS[:5], TURNS[5:], strict=True) for turn in pair]
"""The turns in the order in which a run starts them, side by side from both profiles."""


def write_json(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def write_dataset(
    folder: Path,
    topics: Iterable[Mapping[str, Any]] = TOPICS,
    toolsets: Mapping[str, Any] = TOOLSETS,
    profiles: Mapping[str, Any] = PROFILES,
) -> Path:
    """The dataset as a native folder."""
    write_json(folder / "dataset.json", {"name": "harbour", "version": "1.0.0", "licence": "CC0-1.0", "canary": CANARY})
    for name, profile in profiles.items():
        write_json(folder / f"profiles/{name}.json", {"id": name, "canary": CANARY, **profile})
    for name, toolset in toolsets.items():
        write_json(folder / f"toolsets/{name}.json", {**toolset, "canary": CANARY})
    for topic in topics:
        write_json(folder / f"topics/{topic['profile']}/{topic['id']}.json", {**topic, "canary": CANARY})
    return folder


LONG_NAME = "findTheCheapestOvernightTrainBetweenTwoStationsThatCarriesABicycleAndADog"
AWKWARD_TOOLS = [
    tool("rail.search/v2", "", {"properties": {"to": {"type": "string"}, "page": {"type": "integer"}}}),
    tool(LONG_NAME, "Overnight trains.", MENU_SCHEMA),
    tool("rail_search_v2", "Another tool.", {}),
]
"""Public rows may name tools as no provider takes them, and leave descriptions out."""


def write_public(file: Path) -> Path:
    """A public row whose tools have awkward names."""
    functions = [{"type": "function", "function": t["function"]} for t in AWKWARD_TOOLS]

    def action(name: str, arguments: Any, observation: Any, *after: int) -> Any:
        return {
            "action": {"name": name, "arguments": arguments},
            "observation": observation,
            "dependency_list": list(after),
        }

    answer = action("prepare_to_answer", {"answer_type": "tool"}, "Found.", 0)
    row = {
        "id": "ann_topic_0",
        "env_info": "Current Time: 2024-05-08 19:05:10 Wednesday",
        "tools": functions,
        "tasks": ["Search trains to Oslo.", "And overnight, pie on board."],
        "answer_list": [
            [action("rail.search/v2", {"to": "Oslo"}, {"trains": ["O1"]}), answer],
            [action(LONG_NAME, {"courses": [{"name": "pie"}]}, {"trains": ["N1"]}), answer],
        ],
        "task_types": ["Single-Tool", "Single-Tool"],
        "turn_subtypes": ["Partial Information"],
    }
    file.write_text(json.dumps(row) + "\n")
    return file


# --- models --------------------------------------------------------------------------------------------------

Script = Callable[["Seen"], ModelOutput]


@dataclass(frozen=True)
class Seen:
    """What a model is given in a round, and which round of which sample that is."""

    messages: list[ChatMessage]
    tools: list[ToolInfo]
    sample: str
    epoch: int
    round: int
    """From 0."""

    def call(self, *calls: tuple[Any, ...], text: str = "", stop: str = "tool_calls") -> ModelOutput:
        """Calls (tool, arguments or their raw text, id), read as Inspect reads a provider's."""
        read = []
        for i, (name, arguments, *own) in enumerate(calls):
            raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
            read.append(parse_tool_call(own[0] if own else f"c{self.round}x{i}", name, raw, self.tools))
        return output(text, read, stop)


def output(text: Any = "", calls: Sequence[ToolCall] = (), stop: str = "stop") -> ModelOutput:
    """A model's output, with usage: without it, the mock model asks the network how to count tokens."""
    message = ChatMessageAssistant(content=text, tool_calls=list(calls) or None, source="generate")
    return ModelOutput(
        model="scripted",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15),
    )


def scripted(script: Script) -> Model:
    """A model that does what a function says."""
    rounds: Counter[tuple[str, int]] = Counter()

    def generate(messages: list[ChatMessage], tools: list[ToolInfo], choice: Any, config: Any) -> ModelOutput:
        state = sample_state()
        assert state is not None
        key = (str(state.sample_id), state.epoch)
        rounds[key] += 1
        return script(Seen(messages, tools, *key, rounds[key] - 1))

    return get_model("mockllm/model", custom_outputs=generate, memoize=False)


def as_output(message: Message, seen: Seen) -> ModelOutput:
    """A message of the scoring core as a model's output."""
    if not message.calls:
        return output(message.text)
    return seen.call(*[(wire_name(c.name), c.arguments) for c in message.calls], text=message.text)


def plays(dataset: Dataset) -> Script:
    """The reference of every turn."""
    plans = {turn.id: oracle(turn) for turn in dataset.turns}
    return lambda seen: as_output(plans[seen.sample][seen.round], seen)


# --- runs ----------------------------------------------------------------------------------------------------


def run(task: Task, script: Script | Model, **options: Any) -> EvalLog:
    """Evaluate, without a display; samples with errors do not stop the others."""
    model = script if isinstance(script, Model) else scripted(script)
    options = {"display": "none", "fail_on_error": False, "log_realtime": False, **options}
    (log,) = inspect_eval(task, model=model, **options)
    return log


def samples(log: EvalLog) -> dict[str, EvalSample]:
    assert log.samples is not None
    return {str(sample.id): sample for sample in log.samples}


def values(sample: EvalSample) -> dict[str, Any]:
    """Scorer to value."""
    return {name: score.value for name, score in (sample.scores or {}).items()}


def metrics(log: EvalLog, scorer: str) -> dict[str, float]:
    assert log.results is not None
    (found,) = [score for score in log.results.scores if score.name == scorer]
    return {name: metric.value for name, metric in found.metrics.items()}


def made(sample: EvalSample) -> list[ChatMessage]:
    """The messages of the run itself: what follows the request."""
    start = sample.store["utb"]["start"]
    return sample.messages[start:]


def record(turn: PlacedTurn, **rules: Any) -> TurnRecord:
    return TurnRecord(turn=turn.turn, toolset=turn.toolset, start=0, **rules)


def shipped_or_skip(split: str) -> Dataset:
    """A shipped split; a split that does not load is a failure of its own tests, not of these."""
    try:
        return load(split)
    except DataError as error:
        pytest.skip(f"{split} does not load: {str(error).splitlines()[0]}")


# --- commands ------------------------------------------------------------------------------------------------

_RUNNER = """
import importlib, json, os, sys, tempfile
from inspect_ai._cli.main import main
# What every command would import for itself; the package is none of it.
for slow in (
    "inspect_ai.agent._acp.server inspect_ai.model._openai_responses inspect_ai.model._providers.anthropic "
    "fastapi pandas rapidfuzz scipy.optimize uvicorn"
).split():
    try:
        importlib.import_module(slow)
    except ImportError:
        pass
if "preload" in sys.argv:
    import utb_inspect._registry
for command in json.load(sys.stdin):
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            os.chdir(command["cwd"])
            sys.argv = ["inspect", *command["argv"]]
            code = 0
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status), "output": out.read().decode()}), flush=True)
"""


def inspect_commands(
    commands: Mapping[str, tuple[Path, Sequence[str]]], preload: Path | None = None
) -> dict[str, dict[str, Any]]:
    """Run `inspect` commands (name to folder and arguments), each in a process of its own: name to code and output.

    The processes are forked from one that has imported Inspect, which saves most of the time; the package too, in the
    folder `preload`, when that is given.
    """
    given = [{"cwd": str(cwd), "argv": list(argv)} for cwd, argv in commands.values()]
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER, *(["preload"] if preload else [])],
        cwd=preload,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(given), done.stderr
    return dict(zip(commands, results, strict=True))


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Any]) -> Any:
    """What `make` returns (JSON), made by the first of several test processes; it is given a folder to work in."""
    base = factory.getbasetemp()
    base = base.parent if base.name.startswith("popen-") else base
    folder = base / f"once-{name}"
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = folder / ".result.json"
        if not result.exists():
            made = json.dumps(make(folder))
            result.write_text(made)
        return json.loads(result.read_text())


def newest_log(folder: Path) -> EvalLog:
    """The only log of a folder."""
    (file,) = folder.glob("*.eval")
    return read_eval_log(str(file))
