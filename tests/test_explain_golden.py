"""Explanations of all kinds, as files to be read: `UPDATE_GOLDEN=1 pytest tests/test_explain_golden.py` writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from explained import OURS, read
from inspect_ai import score as score_log
from inspect_ai.model import ModelOutput
from support import TOOLSETS, TOPICS, Seen, output, run, write_dataset

from utb_inspect.explain import explain
from utb_inspect.schema import Toolset, Turn
from utb_inspect.scorers import utb_exact, utb_upstream
from utb_inspect.tasks import user_tool_bench
from utb_inspect.trajectory.calls import Call, Message, Tools
from utb_inspect.trajectory.run import Run, replay
from utb_inspect.trajectory.verdict import judge
from utb_inspect.verify import message, read_cases

GOLDEN = Path(__file__).parent / "golden"
EXAMPLE = Path(__file__).parent / "example"


def compare(name: str, text: str) -> None:
    """Compare with the file, or write it."""
    file = GOLDEN / f"{name}.md"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == file.read_text(encoding="utf-8")
    assert read(text).elements <= OURS


# --- decisions -----------------------------------------------------------------------------------------------


def explained(turn: Any, toolset: Any, messages: list[Any], cut: bool = False, **rules: Any) -> str:
    """Messages are texts, lists of calls (tool, arguments), or responses as files of cases have them."""
    run_ = Run(Turn.model_validate(turn), Tools(Toolset.model_validate(toolset)), **rules)
    replay(run_, map(_message, messages))
    return explain(run_, judge(run_), cut=cut)


def _message(said: Any) -> Message:
    match said:
        case str():
            return Message(said)
        case list():
            return Message(calls=tuple(Call("", name, arguments) for name, arguments in said))
        case _:
            return message(said)


COMPANY = {"value": "company", "turn": "p04-t01.2", "quote": "a proper company please, with a receipt"}


def visits(turn: int, *messages: Any, superseded: bool = False, **rules: Any) -> str:
    """A run of the worked example, whose wrong runs its README lists; turns are counted from 1."""
    topic, toolset = (json.loads((EXAMPLE / f"{name}.json").read_text()) for name in ("p04-t14", "home_visits"))
    if superseded:
        topic["turns"][0]["reference"][0]["grounds"]["firm"]["superseded"] = [COMPANY]
    return explained(topic["turns"][turn - 1], toolset, list(messages), **rules)


def harbour(turn_id: str, *messages: Any, **rules: Any) -> str:
    topic_id, _, index = turn_id.rpartition(".")
    (topic,) = (topic for topic in TOPICS if topic["id"] == topic_id)
    return explained(topic["turns"][int(index) - 1], TOOLSETS[topic["toolset"]], list(messages), **rules)


def case(case_id: str) -> str:
    """A case of tests/cases."""
    for file in ("decisions", "decisions_more"):
        for found in read_cases(EXAMPLE.parent / "cases" / f"{file}.jsonl"):
            if found["id"] == case_id:
                return explained(found["turn"], found["toolset"], found["responses"])
    raise KeyError(case_id)


TAP = {"trade": "plumber", "area": "LS8", "day": "2025-05-15", "part_of_day": "afternoon", "firm": "sole_trader"}
SLOTS = {"tradesperson_id": "TP-318", "day": "2025-05-15", "finish_by": "15:00"}
BOOKING = {"tradesperson_id": "TP-318", "slot_id": "S-8843", "job": "dripping kitchen tap", "access": "phone_first"}
RADIATOR = {"trade": "heating_engineer", "area": "LS12", "day": "2025-05-21", "firm": "sole_trader"}
NOTE = {"visit_id": "V-20417", "note": "Behind the bath panel, left end. Bring an 8 mm hex key."}
TABLE = {"restaurant": "De Eend", "guests": 4, "day": "2025-03-21", "terrace": True}


def find(**changed: Any) -> list[Any]:
    return [("findTradespeople", {**TAP, **changed})]


def slots(**changed: Any) -> list[Any]:
    return [("getVisitSlots", {**SLOTS, **changed})]


def book(**changed: Any) -> list[Any]:
    return [("bookVisit", {**BOOKING, **changed})]


def radiator(**changed: Any) -> list[Any]:
    return [("findTradespeople", {**RADIATOR, **changed})]


def reserve(**changed: Any) -> list[Any]:
    return [("reserveTable", {**TABLE, **changed})]


LISTED = [("listVisits", {})]
THREE = "Three can come on Thursday afternoon."
BOOKED = "Carol Hirst is booked."

DECISIONS: dict[str, Callable[[], str]] = {
    # Right
    "exact": lambda: visits(1, find(), THREE),
    "exact_with_question": lambda: visits(3, "On which day?", radiator(), "Two are free."),
    "chat": lambda: harbour("p01-t01.2", "Mild, and quiet."),
    # Each label
    "wrong_tool": lambda: visits(2, LISTED, slots(), slots(), book(), BOOKED),
    "wrong_tool_in_chat": lambda: harbour("p01-t01.2", [("listBookings", {})], "Mild."),
    "wrong_tool_write": lambda: visits(2, slots(), book(), book(access="key_safe"), BOOKED),
    "wrong_tool_guess": lambda: visits(1, find(area="LS12"), find(), THREE),
    "missing_tool": lambda: visits(2, slots(), BOOKED),
    "user_constraint": lambda: visits(1, find(part_of_day="morning"), THREE),
    "user_constraint_chosen": lambda: visits(2, slots(), book(slot_id="S-8841"), BOOKED),
    "user_constraint_unsupported": lambda: visits(
        3, "On which day?", radiator(part_of_day="afternoon"), "Two are free."
    ),
    "user_constraint_text": lambda: visits(
        4, [("addVisitNote", {**NOTE, "note": "The stopcock is under the stairs by the meter."})], "Noted."
    ),
    "implicit_preference": lambda: visits(1, find(firm="company"), THREE),
    "implicit_preference_not_forgiven": lambda: harbour("p01-t02.2", reserve(day="2025-03-28", terrace=False), "E3."),
    "sequence_dependency_early": lambda: visits(2, [*slots(), *book()], BOOKED),
    "sequence_dependency_invented": lambda: visits(2, slots(), book(slot_id="S-1"), BOOKED),
    "clarification_not_asked": lambda: visits(3, radiator(day="2025-05-19"), "Two are free."),
    "clarification_settled_asked": lambda: visits(3, "Which day, and in which area?", radiator(), "Two are free."),
    "clarification_too_late": lambda: visits(3, radiator(), "Which day would suit you?", "Two are free."),
    "clarification_needless": lambda: harbour("p01-t02.2", "For how many people shall I book?"),
    "clarification_of_several": lambda: harbour("p01-t02.1", "Which wine do you like?", reserve(), "E9."),
    "clarification_of_several_at_once": lambda: harbour(
        "p01-t02.1", "For how many people, and which day?", reserve(guests=5), "E9."
    ),
    "malformed_call": lambda: visits(2, slots(), book(access="doorbell"), book(), BOOKED),
    "malformed_call_unreadable": lambda: visits(
        2, [("getVisitSlots", '{"tradesperson_id": "TP-318", "da')], [("phoneCarol", {})], slots(), book(), BOOKED
    ),
    "no_answer": lambda: visits(4, [("addVisitNote", NOTE)], " "),
    "stale_preference": lambda: visits(1, find(firm="company"), THREE, superseded=True),
    "stale_preference_chosen": lambda: case("cho-11"),
    "stale_preference_in_a_list": lambda: case("more-09"),
    # Several at once
    "two_labels": lambda: visits(2, slots(), book(slot_id="S-8841", access="ring_bell"), BOOKED),
    "many_labels": lambda: case("lab-08"),
    # Ends
    "step_cap": lambda: visits(1, *[LISTED, find(day="2025-05-16")] * 4),
    "output_cut": lambda: visits(1, find(), "Three can come on", cut=True),
    "off_path_stop": lambda: visits(1, LISTED, find(), THREE, off_path="stop"),
    "no_call_at_all": lambda: visits(2, "I have booked her for Thursday."),
    # Alternatives
    "alternative_exact": lambda: harbour("p02-t02.1", reserve(**_KARPER), "K2."),
    "alternative_wrong": lambda: harbour("p02-t02.1", reserve(**{**_KARPER, "guests": 2}), "K2."),
    "alternatives_reference_wrong": lambda: harbour(
        "p02-t02.1", [("planMenu", {"courses": [{"name": "soup"}], "diet": "none"})], "M-1."
    ),
    # Values
    "nested": lambda: case("hotel-n02"),
    "list_of_objects": lambda: case("val-04"),
    "list_of_other_length": lambda: harbour(
        "p02-t02.2",
        [
            ("planMenu", {"courses": [{"name": "pie"}, {"name": "fish"}]}),
            ("reserveTable", {"restaurant": "Karper", "guests": 2, "day": "2025-04-07"}),
        ],
        "Planned.",
    ),
    "long_value": lambda: visits(4, [("addVisitNote", {**NOTE, "note": "Mind the cat. " * 300})], "Noted."),
}
_KARPER = {"restaurant": "Karper", "guests": 1, "day": "2025-04-05", "terrace": False}


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_is_explained_as_before(name: str) -> None:
    compare(name, DECISIONS[name]())


# --- through the scorers -------------------------------------------------------------------------------------

FIND = "p01-t01.1"
LYON = {"origin": "Utrecht", "destination": "Lyon", "day": "2025-03-15", "seat": "window", "limit": 3}


def raises(error: Exception) -> Callable[[Seen], ModelOutput]:
    def script(seen: Seen) -> ModelOutput:
        raise error

    return script


def finds(seen: Seen, **changed: Any) -> ModelOutput:
    return output("T1.") if seen.round else seen.call(("findTrains", {**LYON, **changed}))


RUNS: dict[str, tuple[Callable[[Seen], ModelOutput], dict[str, Any]]] = {
    "error_provider": (raises(ConnectionError("<the line is dead>\nTry later.")), {}),
    "error_timeout": (raises(TimeoutError()), {}),
    "error_content_filter": (lambda seen: output("", stop="content_filter"), {}),
    "error_context_overflow": (lambda seen: output("", stop="model_length"), {}),
    "error_message_limit": (lambda seen: seen.call(("listBookings", {})), {"message_limit": 4}),
    "error_token_limit": (lambda seen: seen.call(("listBookings", {})), {"token_limit": 20}),
    "scored_exact": (finds, {}),
    "scored_wrong": (lambda seen: finds(seen, destination="Nice"), {}),
    "scored_output_cut": (lambda seen: output("T1 and", stop="max_tokens") if seen.round else finds(seen), {}),
    "upstream_right": (finds, {"verdict": "upstream"}),
    "upstream_wrong_arguments": (lambda seen: finds(seen, destination="Nice", seat="aisle"), {"verdict": "upstream"}),
    "upstream_wrong_action": (lambda seen: seen.call(("listBookings", {})), {"verdict": "upstream"}),
    "upstream_no_answer": (lambda seen: output("") if seen.round else finds(seen), {"verdict": "upstream"}),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("golden") / "harbour"))


@pytest.mark.parametrize("name", RUNS)
def test_a_score_is_explained_as_before(data: str, name: str) -> None:
    script, options = RUNS[name]
    verdict = options.get("verdict", "spec")
    limits = {key: value for key, value in options.items() if key != "verdict"}
    log = run(user_tool_bench(data=data, verdict=verdict), script, sample_id=FIND, **limits)
    # An error keeps a sample from being scored at once; scoring the log again says why.
    scorer = utb_upstream() if verdict == "upstream" else utb_exact()
    again = score_log(log, scorer, model="none/none", action="overwrite", display="none")
    (sample,) = again.samples or ()
    (score,) = (sample.scores or {}).values()
    assert score.explanation is not None
    compare(name, score.explanation)


def test_every_file_is_of_a_case() -> None:
    assert {file.stem for file in GOLDEN.glob("*")} == {*DECISIONS, *RUNS}
