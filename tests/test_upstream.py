"""The public evaluator's verdicts: recorded ones, its quirks worked out by hand, and what must hold for any run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utb_inspect.upstream import (
    UpstreamCall,
    UpstreamReply,
    UpstreamRun,
    judge,
    play_order,
    shown_tools,
    verify_case,
)
from utb_inspect.upstream.arguments import arguments_difference
from utb_inspect.upstream.text import text_difference
from utb_inspect.upstream.tools import read_tools

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "upstream_verdicts.jsonl").read_text("utf-8").splitlines()
]
ASK = "ask_user_for_required_parameters"
ANSWER = "prepare_to_answer"
TEXT = {"content": "Here you are.", "tool_calls": None}


def step(name: Any, after: list[Any], arguments: Any = None, observation: Any = None) -> dict[str, Any]:
    """A reference step; what it observes defaults to its own name."""
    return {
        "action": {"name": name, "arguments": arguments or {}},
        "observation": observation or name,
        "user_input": f"reply to {observation}",
        "dependency_list": after,
    }


def calls(*names: str, arguments: str = "{}") -> dict[str, Any]:
    """A message that calls these tools."""
    functions = [{"name": name, "arguments": arguments} for name in names]
    return {
        "content": None,
        "tool_calls": [{"id": f"id{i}", "function": function} for i, function in enumerate(functions)],
    }


def tool(name: str, properties: dict[str, Any] | None = None, **schema: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties or {}, **schema}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [tool(name) for name in "abcdfg"]


def outcome(answer_list: list[dict[str, Any]], *responses: dict[str, Any]) -> tuple[str, str, bool, int, int]:
    """Both labels, whether optimal, and both counts."""
    verdict = judge(TOOLS, answer_list, responses)
    right = verdict.action_name_label == verdict.action_arguments_label == "correct"
    assert verdict.label == ("correct" if right else "error")
    assert bool(verdict.reasons) == (not right)
    return (
        verdict.action_name_label,
        verdict.action_arguments_label,
        verdict.is_optimal,
        verdict.steps,
        verdict.used,
    )


def test_all_recorded_verdicts() -> None:
    assert len(CASES) == 1500
    assert {case["id"]: differences for case in CASES if (differences := verify_case(case))} == {}


def test_verify_tells_what_differs_and_why() -> None:
    case = {"tools": TOOLS, "answer_list": [step("a", []), step(ANSWER, [0])], "responses": [calls("b")]}
    assert verify_case(case | {"expected": {"label": "error", "used": 1}}) == []
    assert verify_case(case | {"expected": {"label": "correct", "used": 1}}) == [
        "label: expected 'correct', got 'error'. Message 1 calls b, where the reference has a."
    ]


# Which actions are right


PARALLEL = [step("a", []), step("b", []), step(ANSWER, [0, 1])]
CHAIN = [step("a", []), step("b", [0]), step(ANSWER, [1])]
# Two neighbours of one name, then another tool.
BLOCK = [step("f", []), step("f", []), step("g", []), step(ANSWER, [0, 1, 2])]
# The same with the other tool between them: no block.
SPLIT = [step("f", []), step("g", []), step("f", []), step(ANSWER, [0, 1, 2])]


@pytest.mark.parametrize(
    ("answer_list", "responses", "right", "optimal"),
    [
        # Two rounds at best, in either order within a message.
        (PARALLEL, [calls("a", "b"), TEXT], True, True),
        (PARALLEL, [calls("b", "a"), TEXT], True, True),
        (PARALLEL, [calls("b"), calls("a"), TEXT], True, False),
        (PARALLEL, [calls("a"), TEXT], False, False),
        (PARALLEL, [calls("a", "a"), TEXT], False, False),
        (PARALLEL, [calls("a", "b", "c"), TEXT], False, False),
        (CHAIN, [calls("a"), calls("b"), TEXT], True, True),
        (CHAIN, [calls("a", "b"), TEXT], False, False),
        (CHAIN, [calls("b"), calls("a"), TEXT], False, False),
        # A block goes together or is played out step by step; nothing comes between.
        (BLOCK, [calls("f", "g", "f"), TEXT], True, True),
        (BLOCK, [calls("f", "f"), calls("g"), TEXT], True, False),
        (BLOCK, [calls("f"), calls("f"), calls("g"), TEXT], True, False),
        (BLOCK, [calls("g"), calls("f"), calls("f"), TEXT], True, False),
        (BLOCK, [calls("f"), calls("g"), calls("f"), TEXT], False, False),
        (BLOCK, [calls("f"), calls("f", "g"), TEXT], False, False),
        (BLOCK, [calls("f", "g"), calls("f"), TEXT], False, False),
        (SPLIT, [calls("f"), calls("g"), calls("f"), TEXT], True, False),
        (SPLIT, [calls("f", "g"), calls("f"), TEXT], True, False),
    ],
)
def test_rounds(answer_list: list[dict[str, Any]], responses: list[dict[str, Any]], right: bool, optimal: bool) -> None:
    label, arguments, is_optimal, steps, used = outcome(answer_list, *responses)
    assert (label, is_optimal) == ("correct" if right else "error", optimal)
    assert (arguments, steps) == ("correct", used)


def test_first_fitting_round_decides_what_is_left() -> None:
    # f and g fit both (0, 1) and (1, 2); the first counts, and b, which waits for step 2, stays closed.
    reference = [step("f", []), step("g", []), step("f", []), step("b", [2]), step(ANSWER, [0, 1, 2, 3])]
    assert outcome(reference, calls("g", "f"), calls("b"))[0] == "error"
    assert outcome(reference, calls("g", "f"), calls("f"), calls("b"), TEXT)[0] == "correct"


@pytest.mark.parametrize(
    ("message", "label"),
    [
        (TEXT, "correct"),
        ({"content": " ", "tool_calls": []}, "correct"),  # any character is text
        ({"content": "", "tool_calls": None}, "error"),
        ({"content": None, "tool_calls": []}, "error"),
        ({"content": "Done.", "tool_calls": [{"id": "1"}]}, "error"),  # calls come first, readable or not
        (calls("a"), "error"),
    ],
)
def test_answer(message: dict[str, Any], label: str) -> None:
    optimal = label == "correct"
    assert outcome([step(ANSWER, [])], message) == (label, "correct", optimal, 1, 1)


def test_wrong_arguments_overrule_a_wrong_action() -> None:
    # b instead of the answer is a wrong action, but a had wrong arguments before it: the actions are called
    # correct, and the message after the wrong arguments leaves the log.
    reference = [step("a", []), step(ANSWER, [0])]
    wrong = calls("a", arguments='{"x": 1}')
    assert outcome(reference, wrong, calls("b")) == ("correct", "error", False, 1, 2)
    assert outcome(reference, wrong, TEXT) == ("correct", "error", False, 1, 2)
    assert outcome(reference, calls("a"), calls("b")) == ("error", "correct", False, 2, 2)


def test_only_the_first_wrong_arguments_are_told() -> None:
    wrong = ({"x": 1}, {"y": 1})
    responses = [calls(name, arguments=json.dumps(value)) for name, value in zip("ab", wrong, strict=True)]
    verdict = judge(TOOLS, CHAIN, [*responses, TEXT])
    assert verdict.reasons == ("Message 1, a: the arguments: x is not defined by the schema.",)
    assert (verdict.steps, verdict.used) == (2, 3)


def test_run_that_stops_early_is_wrong() -> None:
    assert outcome(PARALLEL, calls("a", "b")) == ("error", "correct", False, 1, 1)
    # No message follows the wrong arguments, so that nothing is overruled.
    assert outcome(PARALLEL, calls("a", "b", arguments="{")) == ("error", "error", False, 1, 1)
    assert outcome(PARALLEL) == ("error", "correct", False, 0, 0)


def test_messages_after_the_last_step_are_wrong() -> None:
    # The original looks up a step that does not exist and breaks down.
    assert outcome([step("a", [])], calls("a"), TEXT)[0] == "error"
    assert outcome([], TEXT)[0] == "error"
    assert outcome([], calls("a"))[0] == "error"


def test_circle_has_no_ordering() -> None:
    circle = [step("a", [1]), step("b", [0]), step(ANSWER, [])]
    assert outcome(circle, calls("a"))[0] == "error"
    assert outcome(circle, TEXT)[0] == "error"
    with pytest.raises(ValueError, match="circle"):
        play_order(circle)


@pytest.mark.parametrize("broken", [{}, step("a", [7]), step("a", [-1]), step("a", ["x"]), step(5, [])])
def test_broken_reference_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Reference step 0"):
        judge(TOOLS, [broken], [])


# Questions


BESIDE = [step(ASK, [], observation="Which?"), step("a", []), step(ANSWER, [0, 1])]


def test_question_is_met_by_any_text() -> None:
    run = UpstreamRun(TOOLS, [step(ASK, [], observation="Which?"), step("a", [0]), step(ANSWER, [1])])
    assert run.reply("Sorry, no.") == UpstreamReply([], "reply to Which?", ended=False)
    assert run.reply(None, [UpstreamCall("1", "a", {})]) == UpstreamReply([("1", "a")], None, ended=False)
    assert run.reply("Done.").ended
    assert (run.verdict().label, run.verdict().is_optimal) == ("correct", True)
    with pytest.raises(RuntimeError):
        run.reply("More.")


def test_met_question_rules_out_no_ordering() -> None:
    # Orderings: ask, a, answer; a, ask, answer; ask with a, answer. The second text finds the ask again in the second
    # ordering, and the third finds an answer: right, though a was never called. The shortest ordering has two rounds.
    assert outcome(BESIDE, TEXT, TEXT, TEXT) == ("correct", "correct", False, 3, 3)
    assert outcome(BESIDE, TEXT, calls("a"), TEXT) == ("correct", "correct", False, 3, 3)
    assert outcome(BESIDE, calls("a"), TEXT, TEXT) == ("correct", "correct", False, 3, 3)


def test_calls_when_an_ordering_is_over() -> None:
    # Among the orderings kept by two texts is: ask with a and b, answer. It has no third round to look at.
    reference = [step(ASK, []), step("a", []), step("b", []), step(ANSWER, [0, 1, 2])]
    assert outcome(reference, TEXT, TEXT, calls("a"))[0] == "error"
    assert outcome(reference, TEXT, calls("a"), calls("b"), TEXT)[0] == "correct"


def test_talk_called_as_a_tool() -> None:
    # The names are compared like any; arguments are not looked at, and the answer does not end the run.
    run = UpstreamRun(TOOLS, [step(ASK, [], observation="Which?"), step(ANSWER, [0])])
    assert run.reply(None, [UpstreamCall("1", ASK, "{")]).observations == [("1", "Which?")]
    assert run.reply(None, [UpstreamCall("2", ANSWER, "{")]) == UpstreamReply([("2", ANSWER)], None, False)
    assert run.reply("Done.").ended
    verdict = run.verdict()
    assert (verdict.action_name_label, verdict.action_arguments_label) == ("error", "correct")


# Pairing within a round


def test_observations_go_out_by_name_under_the_ids_as_called() -> None:
    run = UpstreamRun(TOOLS, PARALLEL)
    reply = run.reply(None, [UpstreamCall("1", "b", "{}"), UpstreamCall("2", "a", "{}")])
    assert reply.observations == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    ("first", "second", "label"),
    [
        ('{"n": 9}', '{"n": 10}', "correct"),
        ('{"n": 10}', '{"n": 9}', "correct"),
        # As texts, `{"n": 9` comes before `{"n":10`, but `{"n": 10` before `{"n": 9`: 9 is paired with 10.
        ('{"n": 9}', '{"n":10}', "error"),
        ({"n": 9}, {"n": 10}, "correct"),  # an object stands for its text
    ],
)
def test_calls_of_one_name_are_paired_by_their_text(first: Any, second: Any, label: str) -> None:
    tools = [tool("f", {"n": {"type": "integer"}})]
    run = UpstreamRun(tools, [step("f", [], {"n": 9}), step("f", [], {"n": 10}), step(ANSWER, [0, 1])])
    run.reply(None, [UpstreamCall("1", "f", first), UpstreamCall("2", "f", second)])
    run.reply("Done.")
    assert run.verdict().action_arguments_label == label


# Arguments


def agree(properties: Any, predicted: Any, expected: Any, **schema: Any) -> bool:
    """Whether arguments pass for a tool with these parameters; a text is taken as the raw arguments."""
    tools = read_tools([tool("f", properties, **schema)])
    text = predicted if isinstance(predicted, str) else json.dumps(predicted)
    return arguments_difference(tools, "f", text, json.dumps(expected)) is None


@pytest.mark.parametrize(
    ("schema", "value", "right"),
    [
        ({"type": "integer"}, 3, True),
        ({"type": "integer"}, 3.0, False),
        ({"type": "integer"}, True, True),  # a Python bool is an int
        ({"type": "number"}, 3, True),
        ({"type": "float"}, 3, False),  # where a tool is given as it stands in the file
        ({"type": "float"}, 3.0, True),
        ({"type": "boolean"}, 1, False),
        ({"type": "null"}, None, True),
        ({"type": "any"}, [1], True),
        ({"type": "tuple", "items": {"type": "string"}}, [1], False),
        ({"type": "dict"}, {}, True),
        ({"type": "dict"}, {"k": 1}, False),  # no key is defined
        ({"type": "dict", "properties": {"k": {"type": "integer"}}}, {"k": 1}, True),
        ({"type": "object", "additionalProperties": True}, {"k": 1}, True),
        ({"type": "object", "additionalProperties": {}}, {"k": 1}, False),
        ({"type": "object", "required": ["k"]}, {}, False),
        ({}, "text", True),
        ({}, 1, False),  # without a type, text is meant
        ({"enum": [1, 2]}, 1, False),
        ({"type": "integer", "enum": [1, 2]}, 1, True),
        ({"type": "integer", "enum": [1, 2]}, 3, False),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "text", True),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 1.5, False),
        ({"anyOf": []}, 1, False),  # breaks down: there is no first violation to tell
        ({"type": ["string", "null"]}, "text", False),  # breaks down: a list is no name of a type
        ({"type": "array", "items": {"type": "integer"}}, [1, "x"], False),
        ({"type": "string", "pattern": "^z", "minLength": 99}, "text", True),  # not looked at
    ],
)
def test_schema(schema: dict[str, Any], value: Any, right: bool) -> None:
    assert agree({"p": schema}, {"p": value}, {"p": value}) is right


ANY = {"p": {"type": "any"}}


@pytest.mark.parametrize(
    ("predicted", "expected", "right"),
    [
        ({"p": 10}, {"p": 10.0}, False),
        ({"p": True}, {"p": 1}, False),
        ({"p": None}, {}, False),  # a null too many
        ({}, {"p": 5}, False),
        ({"p": [1, 2]}, {"p": [2, 1]}, False),
        ({"p": [1]}, {"p": [1, 1]}, False),
        ('{"p": NaN}', {"p": float("nan")}, False),
        ({"p": ["Quiet Room"]}, {"p": ["quietroom"]}, True),
        ("", {}, False),
        ("{", {}, False),
        ("[]", {}, False),
        ("null", {}, False),
        ("{}", {}, True),
    ],
)
def test_values(predicted: Any, expected: Any, right: bool) -> None:
    assert agree(ANY, predicted, expected) is right


def test_top_level_schema() -> None:
    assert not agree(ANY, {}, {}, required=["p"])
    assert not agree(ANY, {"q": 1}, {"q": 1}, additionalProperties=True)  # only read further down


def test_list_under_a_keyword_of_any_of() -> None:
    # Under `anyOf` the comparison takes the schema's own `description` for the property's schema, and a text has no
    # items to look up. Any other key is fine.
    schema = {"anyOf": [{"type": "object", "additionalProperties": True}], "description": "Filters."}
    assert agree({"p": schema}, {"p": {"other": [1]}}, {"p": {"other": [1]}})
    assert not agree({"p": schema}, {"p": {"description": [1]}}, {"p": {"description": [1]}})


def test_tool_that_is_not_offered_or_broken() -> None:
    assert outcome([step("z", []), step(ANSWER, [0])], calls("z"), TEXT)[:2] == ("correct", "error")
    assert list(read_tools([{}, {"function": None}, tool(""), tool("a", required=5), tool("b")])) == ["b"]


def test_shown_tools_have_no_float() -> None:
    given_tools = [tool("f", {"p": {"type": "float"}, "q": {"anyOf": [{"type": "float"}]}, "r": {"type": "any"}})]
    assert shown_tools(given_tools) == [
        tool("f", {"p": {"type": "number"}, "q": {"anyOf": [{"type": "number"}]}, "r": {"type": "any"}})
    ]


@pytest.mark.parametrize(
    ("predicted", "expected", "right"),
    [
        ("  NEW york", "New York", True),
        (" ", "", True),
        ("x", "", False),
        # Ten letters of twelve match, 0.83, but the one word differs: ROUGE-L is 0.
        ("Berlim", "Berlin", False),
        # Nine characters: eight match, 0.89, and four words of five, 0.8.
        ("a b c d x", "a b c d e", True),
        # Four words of five, but of the 14 characters and 9 only 8 match: 16 / 23 is under 0.8.
        ("a b c d xxxxxx", "a b c d e", False),
        ("quiet room by the lake", "quiet room near the lake", True),  # 4 of 5: 0.8
        ("calm room by the lake", "quiet room near the lake", False),  # 3 of 5: 0.6
        # 7 of 10 is 0.7 but for the 1e-8 that keeps ROUGE from dividing by zero.
        ("a b c d e f g x y z", "a b c d e f g h i j", False),
        ("a quiet room by the Lake", "A quiet room near the lake", False),  # case counts now: 3 of 6
        ("no window", "no no no no window", True),  # a repeated word counts once: 2 of 2
        ("Call the host. Book a table.", "Book a table. Call the host.", True),  # sentences in any order
        ("Version 5.2 of the guide", "Version 2.5 of the guide", True),  # two "sentences", the same words
        ("............", "..........", False),  # ROUGE finds no sentence and fails
        # 安静 的 靠窗 座位: three of the reference's four words and of the model's five, 0.67.
        ("安静的靠走道座位", "安静的靠窗座位", False),
        # 我 想 要 一个 安静 的 靠窗 座位 against the same without 要: cut into words, most are shared.
        ("我想要一个安静的靠窗座位", "我想一个安静的靠窗座位", True),
        # Not one word of two shared were it split at spaces only.
        ("北京市朝阳区建国路88号", "北京市朝阳区建国路99号", True),
    ],
)
def test_text(predicted: str, expected: str, right: bool) -> None:
    assert (text_difference(predicted, expected) is None) is right


def test_text_too_long_for_rouge() -> None:
    # Two thirds of the words are there, but the library recurses once a word.
    words = [f"w{i}" for i in range(1200)]
    assert text_difference(" ".join(words[:800]), " ".join(words)) == "ROUGE-L cannot be taken"


def test_segmentation_is_silent_and_leaves_no_cache(tmp_path: Path) -> None:
    code = "from utb_inspect.upstream.text import text_difference; print(text_difference('安静的座位', '靠窗座位'))"
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (result.stdout.count("\n"), result.stderr) == (1, "")
    assert list(tmp_path.iterdir()) == []


# Size


@pytest.mark.parametrize("size", [9, 14, 60])
def test_many_independent_calls(size: int) -> None:
    # The original lists the ordered partitions of the calls: over seven million for nine.
    names = [f"t{i}" for i in range(size)]
    tools = [tool(name) for name in names]
    reference = [*(step(name, []) for name in names), step(ANSWER, list(range(size)))]
    together = judge(tools, reference, [calls(*reversed(names)), TEXT])
    singly = judge(tools, reference, [*(calls(name) for name in names), TEXT])
    assert (together.label, together.is_optimal) == ("correct", True)
    assert (singly.label, singly.is_optimal) == ("correct", False)
    assert play_order(reference) == [list(range(size)), [size]]


def test_long_chain() -> None:
    reference = [step("a", [i - 1] if i else []) for i in range(40)] + [step(ANSWER, [39])]
    verdict = judge(TOOLS, reference, [*[calls("a")] * 40, TEXT])
    assert (verdict.label, verdict.is_optimal, verdict.used) == ("correct", True, 41)
    assert play_order(reference) == [[i] for i in range(41)]


@pytest.mark.parametrize("size", [14, 60])
def test_question_beside_many_calls(size: int) -> None:
    # The met question keeps every ordering: any of 2^size sets of steps may have gone in its round.
    names = [f"t{i}" for i in range(size)]
    tools = [tool(name) for name in [*names, "last"]]
    everything = list(range(size + 1))
    reference = [
        step(ASK, []),
        *(step(name, []) for name in names),
        step("last", everything),
        step(ANSWER, [*everything, size + 1]),
    ]
    assert judge(tools, reference, [TEXT, calls(*names), calls("last"), TEXT]).label == "correct"
    assert judge(tools, reference, [TEXT, *map(calls, names), calls("last"), TEXT]).label == "correct"
    # In one ordering all that is open went in the question's round.
    assert judge(tools, reference, [TEXT, calls("last"), TEXT]).is_optimal
    assert judge(tools, reference, [TEXT, calls("last", "t0")]).label == "error"
    assert judge(tools, reference, [TEXT, calls("unknown")]).label == "error"


# The layout of history


@pytest.mark.parametrize(
    ("reference", "rounds"),
    [
        ([], []),
        (PARALLEL, [[0, 1], [2]]),
        (CHAIN, [[0], [1], [2]]),
        (BLOCK, [[0, 1, 2], [3]]),
        # b hangs on a, so that a is due first; c can wait and waits.
        ([step("c", []), step("a", []), step("b", [1]), step(ANSWER, [0, 1, 2])], [[1], [0, 2], [3]]),
        # The second f is due, but there is no round with it that leaves out the first.
        ([step("f", []), step("f", []), step("g", [1]), step(ANSWER, [0, 1, 2])], [[0, 1], [2], [3]]),
        # With g before it there is: g and the f after g. But f and f are earlier, and as few.
        (
            [step("f", []), step("g", []), step("f", []), step("b", [2]), step(ANSWER, [0, 1, 2, 3])],
            [[0, 2], [1, 3], [4]],
        ),
    ],
)
def test_play_order(reference: list[dict[str, Any]], rounds: list[list[int]]) -> None:
    assert play_order(reference) == rounds


# What holds for any run


ODD_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "type", "properties", "items", "anyOf"]), inner, max_size=3)
    ),
    max_leaves=8,
)
ODD_CALL = st.fixed_dictionaries(
    {"id": ODD_JSON, "function": st.fixed_dictionaries({"name": st.just("a"), "arguments": ODD_JSON})}
)
ODD_MESSAGE = ODD_JSON | st.fixed_dictionaries(
    {"content": ODD_JSON, "tool_calls": ODD_JSON | st.lists(ODD_CALL | ODD_JSON, max_size=2)}
)


@given(
    parameters=ODD_JSON,
    arguments=ODD_JSON,
    observation=ODD_JSON,
    odd_tool=ODD_JSON,
    responses=st.lists(ODD_MESSAGE, max_size=4),
)
def test_odd_json_has_a_verdict(
    parameters: Any, arguments: Any, observation: Any, odd_tool: Any, responses: list[Any]
) -> None:
    tools = [odd_tool, {"function": {"name": "a", "parameters": parameters}}]
    reference = [step("a", [], arguments, observation), step(ASK, []), step(ANSWER, [0])]
    verdict = judge(tools, reference, responses)
    assert verdict.used <= len(responses)
    assert (verdict.label == "correct") == (not verdict.reasons)


@st.composite
def references(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A reference of calls of different tools in any dependency."""
    size = draw(st.integers(0, 8))
    steps = [step(f"t{i}", draw(st.lists(st.sampled_from(range(i)))) if i else []) for i in range(size)]
    return [*steps, step(ANSWER, list(range(size)))]


@given(references())
def test_layout_of_history_is_an_optimal_run(reference: list[dict[str, Any]]) -> None:
    rounds = play_order(reference)
    names = [[reference[index]["action"]["name"] for index in steps] for steps in rounds[:-1]]
    tools = [tool(f"t{i}") for i in range(8)]
    verdict = judge(tools, reference, [*(calls(*round_names) for round_names in names), TEXT])
    assert (verdict.label, verdict.is_optimal) == ("correct", True)


@given(references())
def test_one_call_at_a_time_is_right(reference: list[dict[str, Any]]) -> None:
    tools = [tool(f"t{i}") for i in range(8)]
    singly = [calls(f"t{i}") for i in range(len(reference) - 1)]
    verdict = judge(tools, reference, [*singly, TEXT])
    assert (verdict.label, verdict.is_optimal) == ("correct", len(play_order(reference)) == len(reference))
