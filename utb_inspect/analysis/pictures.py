"""The figures of a dataset as PNG and SVG: names of profiles and field groups, and numbers; no text of a profile."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import altair

from utb_inspect.analysis.dataset_stats import DatasetStatistics, DomainShare
from utb_inspect.analysis.profile_fields import FieldGroup
from utb_inspect.analysis.profile_similarity import Similarity
from utb_inspect.files import write_bytes
from utb_inspect.foreign_text import printable
from utb_inspect.schema import DataError

Chart = Any
"""An altair chart, whose generated types are not read."""

SCALE = 2
"""Pixels of a PNG to a pixel of the chart."""


def write_pictures(stats: DatasetStatistics, folder: Path) -> list[Path]:
    """Draw what a dataset has of figures 2 and 3.

    Args:
        stats: The dataset's figures.
        folder: Made when it is not there and there is something to draw.

    Returns:
        The files written: `domains`, `field_groups`, `profile_jaccard` and `profile_tfidf`, each as .png and .svg.
        Without profiles the last three are not drawn, with one profile the last two, without domains the first.

    Raises:
        DataError: a file cannot be written.
    """
    charts = dataset_charts(stats)
    if not charts:
        return []
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made ({error.strerror or error})") from None
    for name, chart in charts.items():
        png, svg = render(chart)
        for path, content in ((folder / f"{name}.png", png), (folder / f"{name}.svg", svg.encode())):
            write_bytes(path, content)
            written.append(path)
    return written


def dataset_charts(stats: DatasetStatistics) -> dict[str, Chart]:
    """The charts that a dataset has figures for, by the name of their files."""
    charts: dict[str, Chart] = {}
    if stats.domains:
        charts["domains"] = domain_chart(stats.domains, stats.signature)
    if stats.profiles is not None:
        if stats.profiles.field_groups:
            charts["field_groups"] = field_group_chart(stats.profiles.field_groups, stats.signature)
        if stats.profiles.similarity.pairs:
            charts["profile_jaccard"] = heatmap(stats.profiles.similarity, "jaccard", stats.signature)
            charts["profile_tfidf"] = heatmap(stats.profiles.similarity, "tfidf", stats.signature)
    return charts


def domain_chart(domains: Sequence[DomainShare], signature: str) -> Chart:
    """Share of each domain in the toolsets in use."""
    rows = [
        {"name": printable(row.domain), "value": row.share, "label": f"{row.share:.1%} ({row.toolsets})"}
        for row in domains
    ]
    return _bars(rows, "Domains of the toolsets in use", signature, "share of toolsets (count)", ".0%")


def field_group_chart(groups: Sequence[FieldGroup], signature: str) -> Chart:
    """Fields of the profiles by group."""
    rows = [{"name": row.group, "value": row.fields, "label": str(row.fields)} for row in groups]
    return _bars(rows, "Field groups of the profiles", signature, "fields over all profiles", "d")


def heatmap(similarity: Similarity, figure: Literal["jaccard", "tfidf"], signature: str) -> Chart:
    """Every pair of profiles, twice, mirrored; the diagonal is left empty."""
    alt = altair
    names = list(similarity.profiles)
    values = [getattr(pair, figure) for pair in similarity.pairs]
    top = max(values) or 1.0
    cells = [
        {"row": row, "column": column, "value": value, "light": value > 0.6 * top}
        for pair, value in zip(similarity.pairs, values, strict=True)
        for row, column in ((pair.first, pair.second), (pair.second, pair.first))
    ]
    size = 44 if len(names) <= 20 else 18
    axis = {"sort": names, "scale": alt.Scale(domain=names)}
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("column:N", title=None, axis=alt.Axis(labelAngle=0 if len(names) <= 20 else -90), **axis),
        y=alt.Y("row:N", title=None, **axis),
    )
    title = "Token Jaccard of profiles" if figure == "jaccard" else "TF-IDF cosine of profiles"
    cell = base.mark_rect().encode(
        color=alt.Color(
            "value:Q",
            title="similarity",
            scale=alt.Scale(scheme="blues", domain=[0, top]),
            legend=alt.Legend(format=".2f"),
        )
    )
    text = base.mark_text(fontSize=11).encode(
        text=alt.Text("value:Q", format=".3f"),
        color=alt.condition("datum.light", alt.value("white"), alt.value("black")),
    )
    layers = (cell, text) if len(names) <= 20 else (cell,)
    side = size * len(names)
    chart = alt.layer(*layers).properties(width=side, height=side, title=_title(title, signature))
    return _finished(chart, fill="#e6e6e6", stroke=None)


def _bars(rows: Sequence[dict[str, Any]], title: str, signature: str, axis: str, format_: str) -> Chart:
    alt = altair
    top = max(row["value"] for row in rows)
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        x=alt.X(
            "value:Q",
            title=axis,
            # Room for the labels behind the bars.
            scale=alt.Scale(domain=[0, top * 1.15], nice=False),
            axis=alt.Axis(format=format_, tickMinStep=1 if format_ == "d" else 0.01),
        ),
        y=alt.Y("name:N", title=None, sort=[row["name"] for row in rows], axis=alt.Axis(labelLimit=240)),
    )
    bars = base.mark_bar(color="#3b6ea5")
    labels = base.mark_text(align="left", dx=4, fontSize=11).encode(text="label:N")
    chart = alt.layer(bars, labels)
    chart = chart.properties(width=420, height=22 * len(rows), title=_title(title, signature))
    return _finished(chart, stroke=None)


def _title(text: str, signature: str) -> Any:
    return altair.TitleParams(text=text, subtitle=printable(signature), anchor="start")


def _finished(chart: Any, **view: Any) -> Chart:
    styled = chart.configure(background="white", font="sans-serif").configure_view(**view)
    finished: Chart = styled.configure_axis(grid=False, labelFontSize=11, titleFontSize=11)
    return finished


def render(chart: Chart) -> tuple[bytes, str]:
    """A chart as PNG and as SVG."""
    png, svg = io.BytesIO(), io.StringIO()
    chart.save(png, format="png", scale_factor=SCALE)
    chart.save(svg, format="svg")
    return png.getvalue(), svg.getvalue()
