"""A small sound dataset that breaks no rule, to be broken in one place by each test of the checks.

One profile, one toolset of canal boats, five topics, seventeen turns: every task type, a vague reply, a choice among
candidates, a long-range turn.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from utb_inspect.checks.finding import Finding, Rule
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.native import read_native

Files = dict[str, Any]
"""File name, seen from the dataset's folder, to its content."""
Edit = Callable[[Files], None]
CANARY = "LOCKGATE-CANARY 52: never to be trained on"


def tool(
    name: str, properties: dict[str, Any], required: list[str], effect: str = "read", technical: tuple[str, ...] = ()
) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    function = {"name": name, "description": f"{name} of canal boats.", "parameters": parameters}
    return {"type": "function", "function": function, "effect": effect, "technical": list(technical)}


_TEXT = {"type": "string"}
_DAY = {"type": "string", "format": "date", "description": "YYYY-MM-DD"}
_DECK = {"type": "string", "enum": ["open_deck", "glass_roof", "cabin"]}

TOOLSET = {
    "id": "canal_boats",
    "canary": CANARY,
    "domain": "travel",
    "description": "Boats to hire.",
    "tools": [
        tool(
            "findBoats",
            {
                "basin": _TEXT,
                "day": _DAY,
                "hours": {"type": "integer", "description": "Length of the hire."},
                "deck": _DECK,
                "limit": {"type": "integer", "default": 5},
            },
            ["basin", "day", "hours"],
            technical=("limit",),
        ),
        tool(
            "hireBoat",
            {
                "boat_id": _TEXT,
                "skipper": _TEXT,
                "note": _TEXT,
                "extras": {"type": "object", "properties": {"blankets": {"type": "integer"}}},
            },
            ["boat_id", "skipper"],
            "write",
        ),
        tool("listHires", {"since": _DAY, "past": {"type": "boolean", "default": False}}, ["since"]),
    ],
}

PROFILE = {
    "id": "p01",
    "canary": CANARY,
    "short_persona": "A bookbinder who keeps her needles in a cigar tin and rows on the city canals before breakfast.",
    "age": 44,
    "gender": "woman",
    "contact": {"email": "dorien@example.org", "phone": "+31 20 555 0171"},
    "health_and_medical_conditions": "Wears a brace on the left wrist since the fall in the attic",
    "therapy_background": "None",
    "sensitive_information": "Owes a former landlord two months of rent",
}


def ground(basis: str, *evidence: tuple[str, str], source: str | None = None, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"basis": basis, **more}
    if evidence:
        found["evidence"] = [{"turn": f"p01-{turn}", "quote": quote} for turn, quote in evidence]
    return found if source is None else {**found, "from": source}


def call(step: str, name: str, arguments: Any, grounds: Any, observation: Any, *after: str) -> dict[str, Any]:
    return {
        "id": step,
        "call": name,
        "arguments": arguments,
        "grounds": {key: ground(value) if isinstance(value, str) else value for key, value in grounds.items()},
        "after": list(after),
        "observation": observation,
    }


def ask(step: str, item: str, cues: list[str], message: str, reply: str, *after: str, **settled: Any) -> dict[str, Any]:
    return {
        "id": step,
        "ask": [item],
        "cues": {item: cues},
        "settled": settled,
        "message": message,
        "reply": reply,
        "after": list(after),
    }


def answer(text: str, *after: str) -> dict[str, Any]:
    return {"id": "z", "answer": text, "after": list(after)}


def turn(task_type: str, subtype: str, request: str, *reference: Any, **more: Any) -> dict[str, Any]:
    return {"task_type": task_type, "subtype": subtype, "request": request, "reference": list(reference), **more}


def topic(number: int, now: str, *turns: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"p01-t{number:02d}",
        "canary": CANARY,
        "profile": "p01",
        "toolset": "canal_boats",
        "environment": {"now": now, "place": "Utrecht, Netherlands"},
        "turns": list(turns),
    }


def boats(*ids: str) -> dict[str, Any]:
    return {
        "boats": [{"boat_id": boat, "departs": f"{10 + i}:00", "arrives": f"{13 + i}:00"} for i, boat in enumerate(ids)]
    }


CHAT = "chat", "partial_information"
_ROW = "I sat at the back under the open sky and would not have swapped with anybody"
_RAIN = "we stayed out in the drizzle while the others crept in under the roof"

TOPICS = [
    topic(
        1,
        "2025-03-03T09:00:00+01:00",
        turn(
            "single_tool",
            "cross_topic",
            "What floats from the Weerd basin on Saturday the 8th of March, for three hours?",
            call(
                "a",
                "findBoats",
                {"basin": "Weerd", "day": "2025-03-08", "hours": 3, "limit": 3},
                {"basin": "request", "day": "request", "hours": "request"},
                boats("CB-12", "CB-17", "CB-31"),
            ),
            answer("Three do on Saturday 8 March: CB-12 at 10:00, CB-17 at 11:00 and CB-31 at 12:00.", "a"),
        ),
        turn(
            "single_tool",
            "partial_information",
            f"Take the middle one, in the name of Kuipers as for all my hires; last spring {_ROW}.",
            call(
                "a",
                "hireBoat",
                {"boat_id": "CB-17", "skipper": "Kuipers"},
                {"boat_id": ground("history", ("t01.1", "CB-17")), "skipper": "request"},
                {"hire_id": "H-401", "start": "2025-03-08T11:00", "end": "2025-03-08T14:00"},
            ),
            answer("CB-17 is yours on Saturday at eleven, H-401.", "a"),
        ),
        turn(*CHAT, f"In February {_RAIN}, and I was the only one who saw the heron.", answer("A fair reward for it.")),
    ),
    topic(
        2,
        "2025-03-20T19:30:00+01:00",
        turn(
            "lack_of_information",
            "cross_topic",
            "My sister is over from Ghent on Sunday the 23rd; show her the water from the Ledig basin, roofs and all.",
            ask(
                "q",
                "hours",
                ["hours", "how long"],
                "How long shall it take?",
                "Until she has had enough, you know her.",
            ),
            ask(
                "r",
                "hours",
                ["hours", "how long"],
                "How many hours would that be?",
                "Two, then she is cold.",
                "q",
            ),
            call(
                "a",
                "findBoats",
                {"basin": "Ledig", "day": "2025-03-23", "hours": 2, "deck": "glass_roof"},
                {"basin": "request", "day": "request", "hours": "reply", "deck": "request"},
                boats("CB-44", "CB-45"),
                "q",
                "r",
            ),
            answer("Two can take her: CB-44 at 10:00 and CB-45 at 11:00.", "a", "q", "r"),
        ),
        turn(
            "multi_tool",
            "partial_information",
            "And one for me alone from the Weerd basin on the 29th, four hours, a blanket with it. Hire it at once.",
            call(
                "a",
                "findBoats",
                {"basin": "Weerd", "day": "2025-03-29", "hours": 4, "deck": "open_deck"},
                {
                    "basin": "request",
                    "day": "request",
                    "hours": "request",
                    "deck": ground("preference", ("t01.2", _ROW), ("t01.3", _RAIN)),
                },
                {"boats": [{"boat_id": "CB-52", "roof": "fixed"}, {"boat_id": "CB-58", "roof": "none"}]},
            ),
            call(
                "b",
                "hireBoat",
                {
                    "boat_id": "CB-58",
                    "skipper": "Kuipers",
                    "note": "Please lay out one woollen blanket.",
                    "extras": {"blankets": 1},
                },
                {
                    "boat_id": ground("preference", ("t01.2", _ROW), ("t01.3", _RAIN), source="a"),
                    "skipper": ground("history", ("t01.2", "in the name of Kuipers as for all my hires")),
                    "note": ground("request", match={"kind": "contains_all", "terms": [["blanket", "blankets"]]}),
                    "extras.blankets": "request",
                },
                {"hire_id": "H-409", "start": "2025-03-29T10:00", "end": "2025-03-29T14:00"},
                "a",
            ),
            answer("CB-58 is hired for Saturday 29 March, ten to two, with a blanket; H-409.", "a", "b"),
        ),
    ),
    topic(
        3,
        "2025-04-10T08:15:00+02:00",
        turn(
            "chat", "cross_topic", "The locks were shut all week, a barge had lost its rudder.", answer("A slow week.")
        ),
        *[
            turn(*CHAT, text, answer("Noted with pleasure."))
            for text in (
                "Glue will not dry in this damp, the presses are full of somebody's atlas.",
                "Did you know that herons stand on one leg to warm the other?",
                "They are painting the Weerd bridge green, of all colours.",
                "A pupil sewed a whole quire upside down and called it modern.",
            )
        ],
    ),
    topic(
        4,
        "2025-05-02T10:00:00+02:00",
        turn("chat", "cross_topic", "Kingsday left confetti in every lock.", answer("It floats, at least.")),
        *[
            turn(*CHAT, text, answer("So it goes."))
            for text in (
                "My needles rust faster than I can thread them.",
                "The atlas has gone home, all eleven kilos of it.",
                "Somebody stole the bell from the ferry and left a cowbell.",
            )
        ],
        turn(
            "lack_of_information",
            "partial_information",
            "Back onto the water on Sunday the 11th, the old basin, five hours, I have earned it.",
            call(
                "a",
                "findBoats",
                {"basin": "Weerd", "day": "2025-05-11", "hours": 5, "deck": "open_deck"},
                {
                    "basin": ground("history", ("t01.1", "the Weerd basin"), accept=["De Weerd"]),
                    "day": "request",
                    "hours": "request",
                    "deck": ground("preference", ("t01.2", _ROW), ("t01.3", _RAIN)),
                },
                boats("CB-61", "CB-66"),
            ),
            answer("CB-61 at 10:00 or CB-66 at 11:00.", "a"),
        ),
    ),
    topic(
        5,
        "2025-05-20T10:00:00+02:00",
        turn(
            "single_tool",
            "cross_topic",
            "Which of my hires are still to come, from today on?",
            call("a", "listHires", {"since": "2025-05-20"}, {"since": "environment"}, {"hires": []}),
            answer("None, as it stands.", "a"),
        ),
        turn(
            "multi_tool",
            "long_range_dependency",
            "Then look at Sunday the 25th and at Thursday 29 May as well, Ledig basin, six hours each.",
            call(
                "a",
                "findBoats",
                {"basin": "Ledig", "day": "2025-05-25", "hours": 6, "deck": "open_deck"},
                {
                    "basin": "request",
                    "day": "request",
                    "hours": "request",
                    "deck": ground("preference", ("t01.2", _ROW), ("t01.3", _RAIN)),
                },
                boats("CB-70"),
            ),
            call(
                "b",
                "findBoats",
                {"basin": "Ledig", "day": "2025-05-29", "hours": 6, "deck": "open_deck"},
                {
                    "basin": "request",
                    "day": "request",
                    "hours": "request",
                    "deck": ground("preference", ("t01.2", _ROW), ("t01.3", _RAIN)),
                },
                boats("CB-71"),
            ),
            answer("CB-70 on the 25th and CB-71 on the 29th.", "a", "b"),
        ),
    ),
]


def good_files() -> Files:
    """The sound dataset, file by file."""
    files: Files = {
        "dataset.json": {
            "name": "lockgate",
            "version": "1.2.0",
            "licence": "CC BY-NC 4.0",
            "canary": CANARY,
            "counts": {
                "profiles": 1,
                "toolsets": 1,
                "topics": 5,
                "turns": 17,
                "task_types": {"single_tool": 3, "multi_tool": 2, "lack_of_information": 2, "chat": 10},
                "subtypes": {"cross_topic": 5, "partial_information": 11, "long_range_dependency": 1},
                "structures": {"sequential": 1, "parallel": 1},
                "loi": {"recoverable": 1, "unrecoverable": 1},
            },
        },
        "profiles/p01.json": PROFILE,
        "toolsets/canal_boats.json": TOOLSET,
    }
    files |= {f"topics/p01/{topic['id']}.json": topic for topic in TOPICS}
    return deepcopy(files)


def write(folder: Path, edit: Edit | None = None) -> Path:
    """Write the sound dataset, or a broken one."""
    files = good_files()
    if edit is not None:
        edit(files)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False))
    return folder


def dataset(folder: Path, edit: Edit | None = None) -> Dataset:
    return read_native(write(folder, edit), "lockgate")


def turn_of(files: Files, turn_id: str) -> Any:
    """A turn, `t01.2`, of the files, to be edited."""
    number, _, index = turn_id.partition(".")
    return files[f"topics/p01/p01-{number}.json"]["turns"][int(index) - 1]


def step_of(files: Files, turn_id: str, step: str) -> Any:
    return next(s for s in turn_of(files, turn_id)["reference"] if s["id"] == step)


def findings(rule: Rule, folder: Path, edit: Edit) -> list[Finding]:
    """What a rule finds in a dataset broken by an edit."""
    return list(rule(dataset(folder, edit)))
