"""Logs for the tests of Inspect View: scripted runs of every kind that a reader is to tell apart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.model import ModelOutput, get_model
from support import TOPICS, Seen, answer_step, basis, call_step, output, run, write_dataset, write_public

from utb_inspect.tasks import user_tool_bench

AWKWARD = (
    "a | b || c",
    "<script>alert(1)</script> <b>x</b> &lt; <!-- y",
    "`code` ``` fence ~~~",
    r"$math$ $$x$$ \(y\) \[z\] \| \\",
    '[a](http://x.y) ![i](z) ["a"] [[b]] <http://u.v>',
    "**bold** _it_ ~~gone~~ __x__ # 1. - http://w.x",
    "line one\nline two\r\n| new | row |",
    "x" * 5000,
)
"""Values that Markdown, HTML, formulas or tables would take for their own. All but the last fit in a cell."""

_SAME = {"courses": [{"name": "soup"}], "slot": ["a", "b"]}
LISTS = ["b | c", "[c](d)"]
"""What the runs of the awkward turns give for a list."""


def wine(number: int) -> str:
    """What the awkward turn of a number (from 1) asks for."""
    return AWKWARD[number - 1]


def wrong_wine(number: int) -> str:
    """What the run of that turn gives instead: the next turn's value."""
    return AWKWARD[number % len(AWKWARD)]


def _awkward_turn(number: int) -> dict[str, Any]:
    before = (f"p02-t03.{number - 1}", wine(number - 1))
    step = call_step(
        "a",
        "planMenu",
        {**_SAME, "wine": wine(number)},
        {"courses": "request", "slot": "request", "wine": "request" if number == 1 else basis("history", before)},
        {"menu": wine(number)},
    )
    return {
        "task_type": "single_tool",
        "subtype": "cross_topic" if number == 1 else "partial_information",
        "request": f"Soup, with {wine(number)}",
        "reference": [step, answer_step("Soup it is.", "a")],
    }


AWKWARD_TOPIC: dict[str, Any] = {
    "id": "p02-t03",
    "profile": "p02",
    "toolset": "table",
    "environment": {"now": "2025-04-06T08:00:00+02:00", "place": "Ghent | <b>Belgium</b> $1$"},
    "turns": [_awkward_turn(number) for number in range(1, len(AWKWARD) + 1)],
}

_LYON = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window"}
_LILLE = {"origin": "Utrecht", "destination": "Lille", "day": "2025-03-16"}
_TABLE = {"restaurant": "De Eend", "guests": 4, "day": "2025-03-21", "terrace": True}
ODD_TOOL = "get_*it*_<b>now</b>|`x`"

Step = str | Sequence[tuple[str, Any]] | ModelOutput | Exception
"""A text, calls (tool and arguments), an output as it is, or an error of the provider."""

SCRIPTS: Mapping[str, Sequence[Step]] = {
    "p01-t01.1": [[("findTrains", {**_LYON, "destination": "Nice"})], "T1."],
    "p01-t01.2": [[("listBookings", {"past": bool(i % 2)})] for i in range(6)],  # a chat turn: the step cap is six
    "p01-t01.3": [
        [("listBookings", {})],
        [("findTrains", {**_LILLE, "seat": "aisle"})],
        [("bookTrain", {"train_id": "L1", "seat": "window"})],
        "L1 is booked.",
    ],
    "p01-t02.1": ["For how many people?", "On which day?", [("reserveTable", _TABLE)], "E9 is yours."],
    "p01-t02.2": [output("", stop="content_filter")],
    "p02-t01.1": [ConnectionError("the line is dead")],
    "p02-t01.2": [output("", stop="model_length")],
    "p02-t02.1": [  # the alternative
        [("reserveTable", {"restaurant": "Karper", "guests": 1, "day": "2025-04-05"})],
        output("K2 and", stop="max_tokens"),
    ],
    "p02-t02.2": [
        [(ODD_TOOL, {"to": wine(1)}), ("planMenu", '{"courses": [')],
        [("planMenu", {"courses": wine(3)})],
        [("planMenu", {"courses": [{"name": "pie"}]}), ("planMenu", {"courses": [{"name": "fish"}]})],
        [("reserveTable", {"restaurant": "Karper", "guests": 2, "day": "2025-04-07"})],
        "Done.",
    ],
    "p02-t02.3": [TimeoutError()],
    **{
        f"p02-t03.{number}": [
            [("planMenu", {**_SAME, "slot": LISTS, "wine": wrong_wine(number)})],
            wine(number),
        ]
        for number in range(1, len(AWKWARD) + 1)
    },
}


def _play(seen: Seen) -> ModelOutput:
    step = SCRIPTS[seen.sample][seen.round]
    match step:
        case str():
            return output(step)
        case ModelOutput():
            return step
        case Exception():
            raise step
        case calls:
            return seen.call(*calls)


async def _sleep() -> ModelOutput:
    await asyncio.sleep(30)
    return output("T1.")


def _slow(seen: Seen) -> Any:
    return _sleep() if seen.sample == LIMITED_TURNS[0] else output("Mild.")


LIMITED_TURNS = ("p01-t01.1", "p01-t01.2")
SHIPPED_TURNS = tuple(f"p01-t{topic:02}.{1 + topic % 2}" for topic in range(1, 31))


def write_logs(folder: Path) -> dict[str, str]:
    """Logs by name: the file of each in `folder / "logs"`.

    `scripted` plays `SCRIPTS`; in `limited` a time limit ends the first of `LIMITED_TURNS`; `public` has the public
    evaluator's verdict; `shipped` is `utb/noisy` on a turn of every topic of a shipped profile.
    """
    harbour = str(write_dataset(folder / "harbour", [*TOPICS, AWKWARD_TOPIC]))
    public = str(write_public(folder / "public.jsonl"))
    logs = str(folder / "logs")
    made = {
        "scripted": run(user_tool_bench(data=harbour), _play, log_dir=logs),
        "limited": run(user_tool_bench(data=harbour), _slow, log_dir=logs, sample_id=list(LIMITED_TURNS), time_limit=2),
        "public": run(user_tool_bench(data=public, verdict="upstream"), lambda _: output("Done."), log_dir=logs),
        "shipped": run(
            user_tool_bench(profiles="p01"),
            get_model("utb/noisy", error_rate=0.6, seed=4),
            log_dir=logs,
            sample_id=list(SHIPPED_TURNS),
        ),
    }
    assert all(log.status == "success" for log in made.values())
    return {name: Path(log.location).name for name, log in made.items()}
