"""Inspect View in a real browser, as docs/reading-results.md describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import browser
from inspect_ai.log import EvalSample, read_eval_log
from support import ROOT, samples, values
from view_logs import AWKWARD, LISTS, wine, write_logs, wrong_wine
from view_support import View, inspect_view, plain

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

__all__ = ["browser"]

GUIDE = ROOT / "docs/reading-results.md"
EXACT, RELAXED, SEVERITY = (f"score__{name}__{name}" for name in ("utb_exact", "utb_relaxed", "utb_severity"))
ERRORS = {
    "p01-t02.2": "the provider's content filter stopped the output",
    "p02-t01.1": "the line is dead",
    "p02-t01.2": "the prompt overflowed the model's context",
    "p02-t02.3": "the provider timed out",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("view")


@pytest.fixture(scope="module")
def logs(folder: Path) -> dict[str, str]:
    return write_logs(folder)


@pytest.fixture(scope="module")
def runs(folder: Path, logs: dict[str, str]) -> dict[str, dict[str, EvalSample]]:
    """Log to its samples, read past the viewer."""
    return {name: samples(read_eval_log(str(folder / "logs" / file))) for name, file in logs.items()}


@pytest.fixture(scope="module")
def faults() -> list[str]:
    """What the pages complained of."""
    return []


@pytest.fixture(scope="module")
def view(folder: Path, logs: dict[str, str], faults: list[str], browser: Browser) -> Iterator[View]:
    # `logs` stands before `browser`, which keeps an event loop running.
    with inspect_view(folder / "logs") as address:
        page = browser.new_page(viewport={"width": 1400, "height": 3000})
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else faults.append(r.url))
        yield View(page, address)


def until(locator: Locator, text: str | re.Pattern[str]) -> None:
    """Wait until something holds a text."""
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text)


def finds(view: View, text: str, found: list[str]) -> None:
    """Filter the list, and wait until it holds these samples in this order."""
    from playwright.sync_api import expect

    view.filter(text)
    expect(view.rows.locator('[data-col-id="sampleId"]')).to_have_text(found)
    count = {0: "No matching items", 1: "1 row"}.get(len(found), f"{len(found)} rows")
    expect(view.status).to_have_text(count)


# --- the sample list -----------------------------------------------------------------------------------------


def test_columns_stand_in_order(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["scripted"])
    shown = [heading.lower() for heading in view.columns.values()]
    assert shown[:15] == [
        "",  # status
        "id",
        "input",
        "answer",
        "exact",
        "relaxed",
        "severity",
        "failure labels",
        "task type",
        "turn subtype",
        "third",
        "profile",
        "flags",
        "error",
        "limit",
    ]
    assert shown[15] == "wrong_tool"
    assert not {"target", "tokens", "duration"} & set(shown)


def test_a_public_runs_columns(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["public"])
    shown = [heading.lower() for heading in view.columns.values()]
    assert shown[:5] == ["", "id", "input", "answer", "score"]
    assert view.column("score__utb_upstream__utb_upstream") == ["false", "false"]


def test_a_row_tells_the_decision(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["scripted"])
    row = {column: plain(view.cell("p01-t01.3", column).inner_text()) for column in view.columns}
    assert row["input"] == "And to Lille on Sunday, book the early one."
    assert row["answer"] == "listBookings > findTrains > bookTrain > answer"
    assert [row[column] for column in (EXACT, RELAXED, SEVERITY)] == ["false", "true", "slight"]
    turn = ("labels", "task_type", "subtype", "third", "profile", "flags")
    assert [row[f"score__utb_turn__{key}"] for key in turn] == [
        "implicit_preference, wrong_tool",
        "multi_tool",
        "partial_information",
        "middle",
        "p01",
        "",
    ]


def test_severities_have_their_colours(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["scripted"])

    def colour(sample: str) -> tuple[int, ...]:
        style = view.cell(sample, SEVERITY).evaluate("cell => getComputedStyle(cell).backgroundColor")
        return tuple(map(int, re.findall(r"\d+", style)[:3]))

    red, green, blue = colour("p01-t01.1")  # major
    assert red > max(green, blue)
    red, green, blue = colour("p01-t01.3")  # slight: yellow
    assert min(red, green) > blue
    red, green, blue = colour("p01-t02.1")  # none
    assert green > max(red, blue)


def test_a_heading_sorts(view: View, logs: dict[str, str], runs: dict[str, dict[str, EvalSample]]) -> None:
    view.open_list(logs["shipped"])
    made = [str(values(sample)["utb_severity"]) for sample in runs["shipped"].values()]
    head = view.page.locator(f'[data-header-col-id="{SEVERITY}"]')
    for direction, order in (("ascending", sorted(made)), ("descending", sorted(made, reverse=True))):
        head.click()
        view.page.locator(f'[role=columnheader][aria-sort="{direction}"]').wait_for()
        assert view.column(SEVERITY) == order


# --- filters -------------------------------------------------------------------------------------------------


def scores(sample: EvalSample, scorer: str) -> Any:
    """A sample's value of a scorer; nothing that any filter asks for when it was not scored."""
    value = values(sample).get(scorer)
    return {} if isinstance(value, float) and scorer != "utb_severity" else value or {}


def carries(sample: EvalSample, label: str) -> bool:
    return bool(scores(sample, "utb_labels").get(label))


def answer(sample: EvalSample) -> str:
    score = (sample.scores or {}).get("utb_exact")
    return (score and score.answer) or ""


def flags(sample: EvalSample) -> str:
    return str(scores(sample, "utb_turn").get("flags", ""))


FILTERS: Mapping[str, Callable[[EvalSample], bool]] = {
    'utb_severity == "major" and metadata.third == "last"': lambda s: (
        values(s).get("utb_severity") == "major" and s.metadata["third"] == "last"
    ),
    'utb_severity in ("slight", "major")': lambda s: values(s).get("utb_severity") in ("slight", "major"),
    "utb_relaxed and not utb_exact": lambda s: values(s).get("utb_relaxed") is True and not values(s)["utb_exact"],
    'labels ~= "implicit_preference"': lambda s: carries(s, "implicit_preference"),
    'labels ~= "clarification" and metadata.recoverable == True': lambda s: (
        carries(s, "clarification") and s.metadata.get("recoverable") is True
    ),
    'metadata.task_type == "multi_tool"': lambda s: s.metadata["task_type"] == "multi_tool",
    'metadata.structure == "sequential"': lambda s: s.metadata.get("structure") == "sequential",
    'metadata.profile == "p01"': lambda s: s.metadata["profile"] == "p01",
    'metadata.topic == "p01-t02"': lambda s: s.metadata["topic"] == "p01-t02",
    "progress > 0 and progress < 1": lambda s: 0 < scores(s, "utb_progress").get("progress", 0) < 1,
    'answer_contains("question")': lambda s: "question" in answer(s),
    'flags == "step cap"': lambda s: flags(s) == "step cap",
    'flags == "output cut"': lambda s: flags(s) == "output cut",
    "has_error": lambda s: s.error is not None,
    'error_contains("content filter")': lambda s: s.error is not None and "content filter" in s.error.message,
    "has_limit": lambda s: s.limit is not None,
}
"""Every filter of the guide, and what it is to find, worked out from the log."""


def test_the_guide_names_these_filters() -> None:
    (section,) = [part for part in GUIDE.read_text().split("\n## ") if part.startswith("Filters")]
    assert re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE) == list(FILTERS)


@pytest.mark.parametrize("log", ["scripted", "shipped", "limited"])
def test_a_filter_of_the_guide_finds_what_it_says(
    view: View, logs: dict[str, str], runs: dict[str, dict[str, EvalSample]], log: str
) -> None:
    view.open_list(logs[log])
    for text, holds in FILTERS.items():
        found = [name for name, sample in runs[log].items() if holds(sample)]
        finds(view, text, sorted(found))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # The list without errors, which have no scores, and with them.
        ('task_type == "multi_tool"', ["p01-t01.3", "p02-t02.2"]),
        ('metadata.task_type == "multi_tool"', ["p01-t01.3", "p02-t01.2", "p02-t02.2"]),
        ('utb_severity == "major" and metadata.third == "last"', [f"p02-t03.{n}" for n in (5, 6, 7, 8)]),
        ("utb_relaxed and not utb_exact", ["p01-t01.3", "p02-t02.2"]),
        ("has_error", list(ERRORS)),
        ("utb_exact", ["p01-t02.1", "p02-t02.1"]),
        ("not utb_exact and has_error", []),  # an error is never a wrong decision
        ('flags == "step cap"', ["p01-t01.2"]),
        ('flags == "output cut"', ["p02-t02.1"]),
        ('labels ~= "malformed_call"', ["p02-t02.2"]),
        ('metadata.profile == "p01" and metadata.task_type == "lack_of_information"', ["p01-t02.1", "p01-t02.2"]),
    ],
)
def test_a_filter_finds_these_runs(view: View, logs: dict[str, str], text: str, found: list[str]) -> None:
    view.open_list(logs["scripted"])
    finds(view, text, found)


def test_a_run_that_a_limit_cut_short_is_in_no_filter_by_severity(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["limited"])
    finds(view, "utb_exact == False", ["p01-t01.1"])  # as the guide warns
    finds(view, 'utb_severity in ("slight", "major")', [])


def test_every_filter_finds_something_somewhere(runs: dict[str, dict[str, EvalSample]]) -> None:
    everything = [sample for log in ("scripted", "shipped", "limited") for sample in runs[log].values()]
    for text, holds in FILTERS.items():
        assert 0 < sum(map(holds, everything)) < len(everything), text


# --- the explanation -----------------------------------------------------------------------------------------


def test_a_row_opens_its_sample(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["scripted"])
    view.cell("p01-t01.3", "input").click()
    view.page.wait_for_url(re.compile(r"/sample/p01-t01\.3/1"))
    view.page.get_by_role("tab", name="Scoring").click()
    assert view.tables()[0][0] == ["#", "made", "reference", "verdict"]


def test_the_explanation_puts_steps_and_arguments_side_by_side(view: View, logs: dict[str, str]) -> None:
    view.open_sample(logs["scripted"], "p01-t01.3", "scoring")
    steps, arguments = view.tables()
    assert steps[1:] == [
        ["1", "listBookings {}", "", "further read"],
        ["2", "findTrains", "a: findTrains", "1 of 4 arguments differs"],
        ["3", "bookTrain", "b: bookTrain", "right"],
        ["4", "answers: “L1 is booked.”", "answer", "given"],
    ]
    assert [row[:3] for row in arguments] == [
        ["argument", "made", "reference"],
        ["origin", '"Utrecht"', '"Utrecht"'],
        ["destination", '"Lille"', '"Lille"'],
        ["day", '"2025-03-16"', '"2025-03-16"'],
        ["seat", '"aisle"', '"window"'],
    ]
    assert [row[3].split(":")[0] for row in arguments[1:]] == [
        "agrees (history)",
        "agrees (request)",
        "agrees (environment)",
        "differs (preference)",
    ]
    body = plain(view.page.locator("body").inner_text())
    assert "The decision is relaxed, not exact, severity slight since" in body
    assert re.search(r"implicit_preference: .*findTrains \(round 2\).*seat", body)
    assert 'seat = "window" (preference): p01-t01.1 “by the window”' in body


@pytest.mark.parametrize("number", range(1, len(AWKWARD) + 1))
def test_awkward_values_are_shown_as_they_are(view: View, logs: dict[str, str], number: int) -> None:
    """Pipes, HTML, backticks, formulas, links, lists, line ends: none breaks a table or loses a character."""
    view.open_sample(logs["scripted"], f"p02-t03.{number}", "scoring")
    steps, arguments = view.tables()
    assert steps[1:] == [
        ["1", "planMenu", "a: planMenu", steps[1][3]],
        ["2", f"answers: “{cut(joined(wine(number)))}”", "answer", "given"],
    ]
    shown = {path: (made, reference) for path, made, reference, _ in arguments[1:]}
    assert shown["wine"] == (as_json(wrong_wine(number)), as_json(wine(number)))
    assert shown["slot"] == (json.dumps(LISTS), '["a", "b"]')
    explanation = view.page.locator("li", has_text="wine")
    assert not explanation.locator("a, b, script, mjx-container, img").count()
    assert not view.page.locator("td :is(a, b, script, mjx-container, img)").count()
    if number > 1:
        before = cut(joined(wine(number - 1)), 240)
        evidence = plain(view.page.locator("li", has_text=f"p02-t03.{number - 1}").inner_text())
        assert evidence.endswith(f"p02-t03.{number - 1} “{before}”")


def joined(text: str) -> str:
    return " ".join(text.split())


def as_json(text: str) -> str:
    return cut(joined(json.dumps(text, ensure_ascii=False)))


def cut(text: str, longest: int = 48) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


def test_the_path_that_was_taken_is_told(view: View, logs: dict[str, str]) -> None:
    view.open_sample(logs["scripted"], "p02-t02.1", "scoring")
    assert view.tables()[0][1] == ["1", "reserveTable", "k: reserveTable", "right"]
    until(view.page.locator("body"), "Judged against alternative 1")


# --- the run -------------------------------------------------------------------------------------------------


def test_history_ends_at_a_mark_that_tells_date_and_place(view: View, logs: dict[str, str]) -> None:
    view.open_sample(logs["scripted"], "p01-t02.2", "transcript")
    body = view.page.locator("body")
    until(body, "History ends here and the run begins.")
    for line in (
        "History: 4 turns, from p01-t01.1 to p01-t02.1; 22 messages with the system message and the request",
        "Date and place: Friday 2025-03-14 18:20, Utrecht, Netherlands",
        "Request: A table at De Eend for the 28th.",
        "Reference: reserveTable > answer",
    ):
        until(body, line)


def test_the_mark_shows_awkward_texts_as_they_are(view: View, logs: dict[str, str]) -> None:
    view.open_sample(logs["scripted"], "p02-t03.4", "transcript")
    mark = view.page.locator("li")
    until(mark.filter(has_text="Request:"), f"Request: Soup, with {wine(4)}")
    place = mark.filter(has_text="Date and place:")
    assert plain(place.inner_text()).endswith("Ghent | <b>Belgium</b> $1$")
    assert not place.locator("b, mjx-container").count()


def test_messages_tell_history_request_and_recorded_replies_apart(view: View, logs: dict[str, str]) -> None:
    view.open_sample(logs["scripted"], "p01-t02.1", "messages")
    until(view.page.locator("body"), "E9 is yours.")
    text = view.page.locator("body").inner_text()
    marks = re.findall(r"history: \S+|current request: \S+|recorded reply", text)
    assert marks == [
        "history: p01-t01.1",
        "history: p01-t01.2",
        "history: p01-t01.3",
        "current request: p01-t02.1",
        "recorded reply",
        "recorded reply",
    ]
    after = text[text.index("current request") :]
    assert after.index("For how many people?") < after.index("Four of us.") < after.index("On which day?")


def test_calls_off_the_path_and_not_valid_are_marked(view: View, logs: dict[str, str]) -> None:
    view.open_sample(logs["scripted"], "p01-t01.3", "transcript")
    until(view.page.locator("body"), "listBookings: off the reference path")
    text = view.page.locator("body").inner_text()
    assert "no_data" in text[text.index("listBookings: off the reference path") :]
    assert "findTrains:" not in text
    view.open_sample(logs["scripted"], "p02-t02.2", "transcript")
    until(view.page.locator("body"), "planMenu: not a valid call")
    text = view.page.locator("body").inner_text()
    assert re.search(r"^get_\S+: not a valid call", text, re.MULTILINE)  # its name as a provider would take it
    assert text.count("planMenu: not a valid call") == 2
    assert "there is no tool named" in text
    assert "the arguments could not be read" in text
    assert json.dumps(wine(1)) in text
    assert json.dumps(wine(3)) in text


# --- errors and flags ----------------------------------------------------------------------------------------


def test_errors_have_no_verdict_in_the_list_but_their_reason(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["scripted"])
    until(view.page.locator("body"), "4 of 18 samples (22%) had errors and were not scored")
    for sample, reason in ERRORS.items():
        assert reason in view.cell(sample, "error").inner_text()
        for column in ("answer", EXACT, RELAXED, SEVERITY, "score__utb_turn__labels"):
            assert view.cell(sample, column).inner_text().strip() == ""
    assert view.cell("p01-t01.1", "error").inner_text() == ""


@pytest.mark.parametrize("sample", ERRORS)
def test_an_errors_sample_shows_the_error_and_no_decision(view: View, logs: dict[str, str], sample: str) -> None:
    view.open_sample(logs["scripted"], sample, "transcript")
    body = view.page.locator("body")
    until(body, ERRORS[sample])
    assert "The decision is" not in body.inner_text()


def test_a_time_limit_is_told_and_not_judged(view: View, logs: dict[str, str]) -> None:
    view.open_list(logs["limited"])
    assert view.column("limit") == ["time", ""]
    assert (view.column(EXACT), view.column(SEVERITY)) == (["", "true"], ["", "none"])
    view.open_sample(logs["limited"], "p01-t01.1", "scoring")
    until(view.page.locator("body"), "Not scored: the run was cut short from outside")
    assert "The decision is" not in view.page.locator("body").inner_text()


@pytest.mark.parametrize(
    ("sample", "flag", "decision"),
    [("p01-t01.2", "step cap", "The decision is wrong"), ("p02-t02.1", "output cut", "The decision is exact")],
)
def test_step_cap_and_cut_are_flagged_decisions(
    view: View, logs: dict[str, str], sample: str, flag: str, decision: str
) -> None:
    view.open_list(logs["scripted"])
    assert view.cell(sample, "score__utb_turn__flags").inner_text() == flag
    assert view.cell(sample, "answer").inner_text().strip().endswith(f"({flag})")
    view.open_sample(logs["scripted"], sample, "scoring")
    until(view.page.locator("p", has_text="Flagged"), f"Flagged: {flag}")
    until(view.page.locator("p", has_text="The decision is"), decision)


def test_pages_ask_no_other_server_and_raise_no_error(view: View, faults: list[str]) -> None:
    """The last of the module, after all pages."""
    assert view.page.url
    assert faults == []
