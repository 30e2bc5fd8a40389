"""What a plot draws: a table's rows as points, in the units of its axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from utb_inspect.compare.formats.text import LEFT, Cell, cells
from utb_inspect.compare.report import Column, Kind, Plot, Report, Section, Table

Channel = Literal["x", "y", "colour"]
Point = dict[str, Any]

SCALES: dict[Kind, float] = {"share": 100.0, "difference": 100.0}
"""Units of an axis to a unit of the frame."""


@dataclass(frozen=True)
class Drawing:
    """A plot with its points.

    Attributes:
        columns: The table's column of each channel. Of bars, `y` is the words and `x` the figure: names are long, so
            that bars lie.
        points: A point a row: a value under each channel, `x_low` to `y_high` where there is an interval, `series`,
            under `tip0`, `tip1` .. the columns of `tips` as text, and under `text` a heatmap's figure. Rows
            without a figure are left out, but that of a line's `y`, where the line breaks.
        tips: What a tooltip tells, words first.
    """

    columns: Mapping[Channel, Column]
    points: list[Point]
    tips: list[Column]

    @property
    def series(self) -> list[str]:
        """Names of the series, in order of appearance."""
        return list(dict.fromkeys(point["series"] for point in self.points))

    @property
    def legend(self) -> list[str]:
        """The series that need a legend: none where there is one, or where the axis names them already."""
        colour = self.columns.get("colour")
        told = colour is None or colour.kind not in LEFT or colour.key in (self.columns["x"].key, self.columns["y"].key)
        return [] if told else self.series

    def figures(self, channel: Channel) -> list[float]:
        """All figures along an axis, ends of intervals too."""
        keys = (channel, f"{channel}_low", f"{channel}_high")
        return [point[key] for point in self.points for key in keys if point.get(key) is not None]


def drawn_table(plot: Plot, section: Section, report: Report) -> Table | None:
    """The table that a plot draws: the section's own of that name, else the report's first."""
    return next((table for table in (*section.tables, *report.tables) if table.name == plot.table), None)


def drawing(plot: Plot, table: Table) -> Drawing:
    """A plot's points. There may be none."""
    found = {column.key: column for column in table.columns}
    columns: dict[Channel, Column] = {"x": found[plot.x], "y": found[plot.y]}
    if plot.colour is not None:
        columns["colour"] = found[plot.colour]
    if plot.kind == "bars" and columns["x"].kind in LEFT:
        columns["x"], columns["y"] = columns["y"], columns["x"]
    tips = sorted(dict.fromkeys(columns.values()), key=lambda column: column.kind not in LEFT)
    keys = [column.key for column in table.columns]
    points = []
    for row, frame_row in zip(cells(table), table.frame.to_dict("records"), strict=True):
        by_key = dict(zip(keys, row, strict=True))
        point: Point = {"series": by_key[columns["colour"].key].text if "colour" in columns else ""}
        for channel, column in columns.items():
            point |= _drawn(channel, column, by_key[column.key], frame_row)
        point |= {f"tip{number}": str(by_key[column.key]) for number, column in enumerate(tips)}
        if plot.kind == "heatmap":
            point["text"] = by_key[columns["colour"].key].text
        if all(point[channel] is not None for channel in columns if plot.kind != "lines" or channel != "y"):
            points.append(point)
    return Drawing(columns, points, tips)


def _drawn(channel: Channel, column: Column, cell: Cell, row: Mapping[Any, Any]) -> Point:
    if column.kind in LEFT:
        return {channel: cell.text}
    scale = SCALES.get(column.kind, 1.0)
    drawn: Point = {channel: None if cell.number is None else cell.number * scale}
    if cell.interval:
        drawn |= {f"{channel}_{end}": float(row[f"{column.key}_{end}"]) * scale for end in ("low", "high")}
    return drawn
