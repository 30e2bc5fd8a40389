"""A comparison as one page that needs nothing else: no server, no network, no further file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

import jinja2
import vl_convert
from markupsafe import Markup

from utb_inspect.compare.formats.charts import COLOURS, SHAPES, Spec, chart
from utb_inspect.compare.formats.drawing import Drawing, drawing, drawn_table
from utb_inspect.compare.formats.text import KEY, LEFT, cells, headings, plain, section_words, table_notes, title
from utb_inspect.compare.report import Plot, Report, Section, Table

PAGE = files("utb_inspect.compare.formats") / "page"
OPENED = ("http", "https", "file")
"""Kinds of address that a reader may follow."""


@dataclass(frozen=True)
class Figure:
    """A plot on the page: its anchor, its table and that one's anchor, and the legend's names, colours and shapes."""

    anchor: str
    plot: Plot
    table: Table
    table_anchor: str
    legend: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class PageSection:
    """A section on the page: its tables by their anchors, and its figures."""

    anchor: str
    section: Section
    tables: Mapping[str, Table]
    figures: Sequence[Figure]


def html_text(report: Report) -> str:
    """The report as a page.

    Nothing on it is asked of a network, and its Content-Security-Policy would let nothing be. It runs two scripts,
    which the policy names by their hashes: Vega with Vega-Lite, which draws without `eval`, and its own.
    """
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters |= {"plain": plain, "minus": _minus, "address": _address}
    environment.globals |= {name.__name__: name for name in (cells, headings, section_words, table_notes, title)} | {
        "KEY": KEY,
        "LEFT": LEFT,
    }
    sections, specs = _layout(report)
    style = (PAGE / "style.css").read_text(encoding="utf-8")
    scripts = [_library(), (PAGE / "page.js").read_text(encoding="utf-8")]
    return environment.from_string((PAGE / "page.html").read_text(encoding="utf-8")).render(
        report=report,
        sections=sections,
        specs=specs,
        policy=_policy(style, scripts),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
    )


def _policy(style: str, scripts: Sequence[str]) -> str:
    hashes = " ".join(map(_hash, scripts))
    return f"default-src 'none'; script-src {hashes}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _library() -> str:
    """Vega-Lite and Vega. Nothing in it reads as the end of a script or the start of a comment."""
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _minus(text: str) -> str:
    return text.replace("-", "\u2212")


def _address(text: str) -> str:
    """An address to follow, or nothing when it is of a kind that could do more than open a page."""
    try:
        return text if urlsplit(text).scheme in OPENED else ""
    except ValueError:
        return ""


def _layout(report: Report) -> tuple[list[PageSection], dict[str, Spec]]:
    """What stands where on the page, and each figure's chart under its anchor."""
    sections: list[PageSection] = []
    specs: dict[str, Spec] = {}
    looks: dict[str | None, dict[str, int]] = {}
    anchors = {
        id(table): f"table-{number}-{count}"
        for number, section in enumerate(report.sections, 1)
        for count, table in enumerate(section.tables, 1)
    }
    for number, section in enumerate(report.sections, 1):
        figures = []
        for plot, table, drawn in _drawings(report, section):
            look = looks.setdefault(plot.colour, {})
            for name in drawn.series:
                look.setdefault(name, len(look))
            anchor = f"figure-{len(specs) + 1}"
            specs[anchor] = chart(plot.kind, drawn, look)
            legend = [_key(name, look[name], plot) for name in drawn.legend]
            figures.append(Figure(anchor, plot, table, anchors[id(table)], legend))
        tables = {anchors[id(table)]: table for table in section.tables}
        sections.append(PageSection(f"section-{number}", section, tables, figures))
    return sections, specs


def _drawings(report: Report, section: Section) -> Iterator[tuple[Plot, Table, Drawing]]:
    """The plots that have something to draw."""
    for plot in section.plots:
        table = drawn_table(plot, section, report)
        if table is not None and (drawn := drawing(plot, table)).points:
            yield plot, table, drawn


def _key(name: str, look: int, plot: Plot) -> tuple[str, str, str]:
    shape = "square" if plot.kind == "bars" else SHAPES[look % len(SHAPES)]
    return name, COLOURS[look % len(COLOURS)], shape
