"""Drawings as Vega-Lite specifications.

Colours are the page's CSS variables, so that a picture follows the page into the dark and onto paper. What comes from
logs stands in the data alone, never in an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from utb_inspect.compare.formats.drawing import Channel, Drawing
from utb_inspect.compare.formats.text import LEFT, heading, plain
from utb_inspect.compare.report import PlotKind

Spec = dict[str, Any]

COLOURS = [f"var(--series-{number})" for number in range(1, 9)]
SHAPES = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"]
"""Tell series apart where colours do not; with eight colours, a look repeats only after 24 series."""
MOST_HEADINGS = 12
"""Columns of a heatmap whose headings stand level, a word a line."""
MOST_LEVEL = 5
"""Words along a line's axis that stand level."""
FOCUS = "focus === null || datum.series === focus"
"""`focus` is the series that the reader has picked in the legend."""


def chart(kind: PlotKind, drawing: Drawing, looks: Mapping[str, int]) -> Spec:
    """A drawing as Vega-Lite.

    Args:
        kind: What to draw.
        drawing: With a point at least.
        looks: Number of each series' colour and shape, so that a model looks the same in all plots of a page.
    """
    numbers = [looks.get(name, 0) for name in drawing.series]
    colour = _look(drawing, numbers, COLOURS)
    shape = _look(drawing, numbers, SHAPES)
    match kind:
        case "bars":
            spec = _bars(drawing, colour)
        case "scatter":
            spec = _scatter(drawing, colour, shape)
        case "lines":
            spec = _lines(drawing, colour, shape)
        case "heatmap":
            spec = _heatmap(drawing)
    frame = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    return {**frame, "data": {"values": drawing.points}, "params": [{"name": "focus", "value": None}], **spec}


def _look(drawing: Drawing, numbers: Sequence[int], values: Sequence[str]) -> Spec:
    scale = {"domain": drawing.series, "range": [values[number % len(values)] for number in numbers]}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": None}


def _tooltip(drawing: Drawing) -> list[Spec]:
    return [
        {"field": f"tip{number}", "type": "nominal", "title": heading(column)}
        for number, column in enumerate(drawing.tips)
    ]


def _figures(drawing: Drawing, channel: Channel, *, zero: bool = False, alike: Sequence[Channel] = ()) -> Spec:
    """An axis of figures. One of shares starts at 0, and goes to 100 where it comes past the middle.

    Args:
        drawing: What is drawn.
        channel: The axis.
        zero: Whether figures of other kinds start at 0 too.
        alike: Axes that go as far as each other, this one among them; by default it goes by its own figures.
    """
    column = drawing.columns[channel]
    scale: Spec = {"zero": zero, "nice": True}
    if column.kind == "share":
        top = max((figure for axis in alike or (channel,) for figure in drawing.figures(axis)), default=100.0)
        scale = {"domain": [0, 100 if top > 50 else max(10, -(-top // 10) * 10)]}
    axis = {"tickCount": 6}
    return {"field": channel, "type": "quantitative", "title": heading(column), "scale": scale, "axis": axis}


def _words(drawing: Drawing, channel: Channel, *, titled: bool = False, **more: Any) -> Spec:
    title = plain(drawing.columns[channel].label) if titled else None
    return {"field": channel, "type": "nominal", "sort": None, "title": title, **more}


def _faded(value: float) -> Spec:
    """Opacity: little when another series is in focus."""
    return {"condition": {"test": FOCUS, "value": value}, "value": value / 8}


def _intervals(drawing: Drawing, channel: str, **more: Any) -> list[Spec]:
    """A layer with a rule over each interval; none without intervals."""
    low, high = f"{channel}_low", f"{channel}_high"
    if not any(low in point for point in drawing.points):
        return []
    rule = {
        "transform": [{"filter": f"isValid(datum.{low})"}],
        "mark": {"type": "rule", "strokeWidth": 1.5, "tooltip": None},
        "encoding": {channel: {"field": low, "type": "quantitative"}, f"{channel}2": {"field": high}, **more},
    }
    return [rule]


def _bars(drawing: Drawing, colour: Spec) -> Spec:
    series = len(drawing.series) if drawing.legend else 1
    rows = len({point["y"] for point in drawing.points})
    offset = {"yOffset": {"field": "series", "sort": None}} if series > 1 else {}
    bar = {
        "mark": {"type": "bar", "cornerRadiusEnd": 2},
        "encoding": {"x": _figures(drawing, "x", zero=True), "color": colour, "opacity": _faded(0.85)},
    }
    return {
        "height": rows * (10 + 16 * series),
        "encoding": {"y": _words(drawing, "y", axis={"labelLimit": 260}), **offset, "tooltip": _tooltip(drawing)},
        "layer": [bar, *_intervals(drawing, "x", color={"value": "var(--text)"}, opacity=_faded(0.8))],
    }


def _scatter(drawing: Drawing, colour: Spec, shape: Spec) -> Spec:
    # Two shares are read against the diagonal, so that a percent is as long on one axis as on the other.
    square = drawing.columns["x"].kind == drawing.columns["y"].kind == "share"
    alike: tuple[Channel, ...] = ("x", "y") if square else ()
    layers = [_diagonal()] if square else []
    for channel, other in (("x", "y"), ("y", "x")):
        across = {other: {"field": other, "type": "quantitative"}}
        layers += _intervals(drawing, channel, color=colour, opacity=_faded(0.55), **across)
    dots = {
        "mark": {"type": "point", "filled": True, "size": 110},
        "encoding": {
            "x": _figures(drawing, "x", zero=True, alike=alike),
            "y": _figures(drawing, "y", zero=True, alike=alike),
            "color": colour,
            "shape": shape,
            "opacity": _faded(1.0),
            "tooltip": _tooltip(drawing),
        },
    }
    frame: Spec = {"width": 360, "autosize": "pad"} if square else {}
    return {**frame, "height": 360, "layer": [*layers, dots]}


def _diagonal() -> Spec:
    """Where both figures are the same."""
    return {
        "data": {"values": [{"x": 0, "y": 0}, {"x": 100, "y": 100}]},
        "mark": {"type": "line", "color": "var(--rule)", "strokeDash": [4, 4], "clip": True, "tooltip": None},
        "encoding": {channel: {"field": channel, "type": "quantitative"} for channel in ("x", "y")},
    }


def _lines(drawing: Drawing, colour: Spec, shape: Spec) -> Spec:
    if drawing.columns["x"].kind in LEFT:
        few = len({point["x"] for point in drawing.points}) <= MOST_LEVEL
        axis = {"labelAngle": 0 if few else -35}
        x = _words(drawing, "x", titled=True, axis=axis, scale={"type": "point", "padding": 0.3})
    else:
        x = _figures(drawing, "x")
    y = _figures(drawing, "y")
    band = {
        "transform": [{"filter": "isValid(datum.y_low)"}],
        "mark": {"type": "area", "tooltip": None},
        "encoding": {
            "y": {"field": "y_low", "type": "quantitative"},
            "y2": {"field": "y_high"},
            "color": colour,
            "opacity": {"condition": {"test": "datum.series === focus", "value": 0.3}, "value": 0.07},
        },
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2, "tooltip": None},
        "encoding": {"y": y, "color": colour, "opacity": _faded(1.0)},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 60},
        "encoding": {
            "y": y,
            "color": colour,
            "shape": shape,
            "opacity": _faded(1.0),
            "tooltip": _tooltip(drawing),
        },
    }
    detail = {"detail": {"field": "series", "type": "nominal"}}
    return {"height": 300, "encoding": {"x": x, **detail}, "layer": [band, line, dots]}


def _heatmap(drawing: Drawing) -> Spec:
    top = max(point["colour"] for point in drawing.points) or 1.0
    few = len({point["x"] for point in drawing.points}) <= MOST_HEADINGS
    heads = {"labelAngle": 0, "labelExpr": "split(datum.label, ' ')"} if few else {"labelAngle": -90}
    # Depth of one colour, rather than a scale of several, works on a light page and on a dark one; it goes to the half,
    # so that text stays readable on it.
    depth = {"domain": [0, top], "range": [0.04, 0.5]}
    return {
        "height": 30 * len({point["y"] for point in drawing.points}),
        "encoding": {
            "x": _words(drawing, "x", axis={"labelLimit": 160, **heads}),
            "y": _words(drawing, "y", axis={"labelLimit": 260}),
            "tooltip": _tooltip(drawing),
        },
        "layer": [
            {
                "mark": {"type": "rect", "color": COLOURS[0], "stroke": "var(--surface)", "strokeWidth": 2},
                "encoding": {"opacity": {"field": "colour", "type": "quantitative", "scale": depth, "legend": None}},
            },
            {
                "mark": {"type": "text", "fontSize": 12, "color": "var(--text)"},
                "encoding": {"text": {"field": "text", "type": "nominal"}},
            },
        ],
    }
