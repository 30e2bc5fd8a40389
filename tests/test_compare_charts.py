"""Charts of a comparison: which numbers they draw, and how they tell series apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from compare_report import (
    GAP,
    THIRDS,
    report,
)

from utb_inspect.compare.formats.html import html_text
from utb_inspect.compare.report import Plot, Report, Section


def charts(compared: Report) -> dict[str, Any]:
    found = BeautifulSoup(html_text(compared), "html.parser").find(id="charts")
    assert found is not None
    charts: dict[str, Any] = json.loads(found.get_text())
    return charts


def test_charts_draw_the_frames_numbers() -> None:
    bars, scatter, heatmap, thirds, history, cost = charts(report()).values()
    drawn = [(p["y"], p["series"], p["x"], p["x_low"], p["x_high"]) for p in bars["data"]["values"]]
    assert drawn == [
        ("lab/model-b", "Exact", 40, 30, 50),
        ("lab/model-b", "Relaxed", 80, 70, 90),
        ("lab/model-a", "Exact", 20, 10, 30),
    ]
    assert [p.get("x_low") for p in scatter["data"]["values"]] == [None, *map(pytest.approx, (55.0, 40.0, 1.0))]
    assert [(p["x"], p["y"], p["colour"]) for p in heatmap["data"]["values"]] == [
        ("wrong tool", "lab/model-b", 25),
        ("wrong tool", "lab/model-a", 50),
        ("user constraint", "lab/model-b", 12.5),
        ("user constraint", "lab/model-a", 75),
    ]
    assert [p["x"] for p in thirds["data"]["values"]] == ["first", "middle", "last"]
    gap = [(p["x"], p["y"]) for p in history["data"]["values"] if p["series"] == "lab/model-a"]
    assert gap == [(0, 30), (100, 20), (50, None)]
    assert [(p["series"], p["x"]) for p in cost["data"]["values"]] == [
        ("lab/model-b", 0.03125),
        ("lab/model-a", 1.25e-05),
    ]


def test_tooltips_have_the_words_of_the_tables() -> None:
    first = charts(report())["figure-1"]["data"]["values"][0]
    assert [first[f"tip{number}"] for number in range(3)] == ["lab/model-b", "Exact", "40.00 [30.00, 50.00]"]


def test_a_model_looks_the_same_in_all_plots() -> None:
    _, scatter, _, thirds, _, cost = charts(report()).values()
    looks = [
        dict(zip(scale["domain"], scale["range"], strict=True))
        for chart in (scatter, thirds, cost)
        for scale in (chart["layer"][-1]["encoding"]["color"]["scale"],)
    ]
    assert looks[0]["lab/model-b"] == looks[1]["lab/model-b"] == looks[2]["lab/model-b"]
    assert len(set(looks[0].values())) == 4


def test_two_shares_have_axes_of_one_scale() -> None:
    """Also where only one of them comes past the middle, or neither does: the end of the longest interval counts."""
    plot = Plot("scatter", "", "gap", "exact", "relaxed", "model")
    for exact, relaxed, top in ((0.4, 0.62, 100), (0.2, 0.31, 40), (0.01, 0.02, 10)):
        values = {"exact": exact, "exact_low": 0.0, "exact_high": exact, "relaxed": relaxed, "relaxed_low": 0.0}
        table = replace(GAP, frame=GAP.frame.assign(**values, relaxed_high=relaxed))
        (chart,) = charts(Report("", [Section("", tables=[table], plots=[plot])])).values()
        axes = chart["layer"][-1]["encoding"]
        assert axes["x"]["scale"]["domain"] == axes["y"]["scale"]["domain"] == [0, top]
        assert chart["width"] == chart["height"]


def test_a_plot_of_nothing_is_left_out() -> None:
    nothing = replace(GAP, frame=GAP.frame.assign(relaxed=None))
    plots = [Plot("scatter", "none", "gap", "exact", "relaxed", "model"), Plot("bars", "lost", "elsewhere", "x", "y")]
    page = html_text(Report("", [Section("", tables=[nothing], plots=plots)]))
    assert "<figure" not in page


def test_a_plot_draws_the_table_of_its_own_section() -> None:
    other = replace(THIRDS, frame=THIRDS.frame.assign(exact=0.1))
    plot = Plot("lines", "thirds", "by_third", "third", "exact", "model")
    compared = Report("", [Section("a", tables=[THIRDS], plots=[plot]), Section("b", tables=[other], plots=[plot])])
    drawn = [[p["y"] for p in chart["data"]["values"]] for chart in charts(compared).values()]
    assert drawn == [[pytest.approx(60), pytest.approx(55), pytest.approx(50)], [pytest.approx(10)] * 3]
