"""Runs to a report: which tables and pictures stand in which section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from utb_inspect.compare.frame import Runs
from utb_inspect.compare.guards import Group, comparable
from utb_inspect.compare.links import SampleLinks
from utb_inspect.compare.published import Published, beside_published, published_tables, read_published
from utb_inspect.compare.report import Plot, Report, Section
from utb_inspect.compare.tables.accuracy import (
    accuracy_tables,
    gap_table,
    headline_part,
    headline_table,
    lacking_words,
)
from utb_inspect.compare.tables.asking import asking_table
from utb_inspect.compare.tables.changes import change_tables
from utb_inspect.compare.tables.cost import cost_table, tokens_table
from utb_inspect.compare.tables.differences import difference_tables
from utb_inspect.compare.tables.epochs import epoch_tables
from utb_inspect.compare.tables.failures import flags_table, label_shares_table, labels_table, severity_table
from utb_inspect.compare.tables.kinds import (
    owner_tables,
    position_tables,
    recoverable_table,
    session_table,
    turn_tables,
)
from utb_inspect.compare.tables.overview import logs_table, overview_table
from utb_inspect.compare.tables.pairs import pair_tables
from utb_inspect.compare.tables.steps import steps_table
from utb_inspect.compare.tables.unscored import unscored_table
from utb_inspect.compare.tables.view import View
from utb_inspect.schema import DataError

INTERVALS = (
    "Intervals are 95 % t intervals whose unit is the profile, since turns of one are not independent. Where such an "
    "interval would run past 0 or 1, or have no width because all profiles are alike, it is Korn and Graubard's (for a "
    "difference Bonett and Price's). A single profile shows no spread, and has no interval."
)


_MAIN = frozenset(
    {
        *("overview", "overview_upstream", "unscored"),
        *("headline", "accuracy_exact", "accuracy_relaxed", "accuracy_upstream", "beside_published"),
        *("pairs_exact", "pairs_upstream", "labels", "severity", "asking", "changes_by_change", "cost"),
        *("published_exact", "published_relaxed"),
    }
)
"""Tables that are no detail."""


def build_report(
    runs: Runs, *, common: bool = False, baseline: str | None = None, published: Path | None = None
) -> Report:
    """All tables of a comparison.

    Args:
        runs: The runs.
        common: Compare on the samples that all systems of a group have.
        baseline: Pair the others with this system alone.
        published: File of published figures, to stand by as a reference (`utb_inspect.compare.published`).

    Raises:
        DataError: the published figures cannot be read, or there is no such baseline.
    """
    reference = None if published is None else read_published(published)
    found = comparable(runs, common=common)
    groups = [(group, View.of(group)) for group in found.groups]
    systems = dict.fromkeys(system for _, view in groups for system in view.systems)
    if baseline is not None and baseline not in systems:
        raise DataError(f"baseline {baseline}: there is no such system; there are {', '.join(systems)}")
    links = SampleLinks(info.location for info in runs.infos)
    sections = [_runs_section(runs, groups, found.reasons)]
    for number, (group, view) in enumerate(groups, 1):
        own = _group_sections(view, group.warnings, links, baseline, reference)
        sections += own if len(groups) == 1 else (_of_group(section, group.title, number) for section in own)
    if reference is not None:
        words = "Figures from elsewhere, on other data: for orientation, not for ranking."
        sections.append(Section("Published figures", [words], published_tables(reference)))
    return Report("Systems compared", [_marked(section) for section in sections], [*runs.refused, *found.reasons])


def _marked(section: Section) -> Section:
    """The section with its details told from its main tables."""
    main = re.compile(rf"(?:{'|'.join(_MAIN)})(?:_g\d+)?")
    return replace(section, tables=[replace(t, detail=not main.fullmatch(t.name)) for t in section.tables])


def _runs_section(runs: Runs, groups: Sequence[tuple[Group, View]], reasons: Sequence[str]) -> Section:
    tables = []
    for upstream in (False, True):
        if views := [(group.title, view) for group, view in groups if group.upstream == upstream]:
            tables.append(overview_table(views, upstream=upstream))
    if not runs.samples["scored"].all():
        tables.append(unscored_table([(group.title, view) for group, view in groups]))
    return Section("Runs", reasons, [*tables, logs_table(runs)])


def _group_sections(
    view: View,
    warnings: Sequence[str],
    links: SampleLinks,
    baseline: str | None,
    reference: Published | None,
) -> Iterator[Section]:
    """The sections of runs that compare; those with nothing to show are left out."""
    pairs, findings = pair_tables(view, baseline)
    # What pairs show is what most readers came for: it stands above the tables of accuracy, which are long.
    yield _accuracy(view, [*warnings, *lacking_words(view), *findings], reference)
    if pairs:
        yield Section("Pairs", tables=pairs)
    if not view.upstream:
        yield _failures(view)
        yield Section("Progress", tables=[steps_table(view)])
    if view.rows["recoverable"].notna().any():
        asking = [] if view.upstream else [asking_table(view)]
        yield Section("Lack of information", tables=[recoverable_table(view), *asking])
    yield _position(view)
    yield Section("Kinds of turn", tables=[*turn_tables(view), session_table(view)])
    yield Section("Profiles, domains and toolsets", tables=owner_tables(view))
    if changes := change_tables(view):
        yield Section("Changed preferences", tables=changes)
    if epochs := epoch_tables(view):
        yield Section("Epochs", tables=epochs)
    yield _cost(view)
    if differences := difference_tables(view, links):
        yield Section("Where systems differ", tables=differences)


def _accuracy(view: View, words: Sequence[str], reference: Published | None) -> Section:
    part = headline_part(view)
    tables = [headline_table(view), *accuracy_tables(view)]
    plots = [Plot("bars", "Accuracy", "headline", "model", part, "verdict")]
    if not view.upstream:
        tables.append(gap_table(view))
        plots.append(Plot("scatter", "Exact against relaxed", "gap", "exact", "relaxed", "model"))
    if reference is not None and (beside := beside_published(reference, view)):
        tables.append(beside)
    return Section("Accuracy", [*words, INTERVALS], tables, plots)


def _failures(view: View) -> Section:
    tables = [labels_table(view), label_shares_table(view), severity_table(view), flags_table(view)]
    return Section(
        "What went wrong",
        tables=tables,
        plots=[Plot("heatmap", "Labels among failures", "label_shares", "label", "model", "share")],
    )


def _position(view: View) -> Section:
    measure = view.measures[0]
    return Section(
        "Position and history",
        tables=position_tables(view),
        plots=[
            Plot("lines", f"{measure.label} by third", "by_third", "third", measure.key, "model"),
            Plot("lines", f"{measure.label} by length of history", "by_history", "history", measure.key, "model"),
        ],
    )


def _cost(view: View) -> Section:
    measure, table = view.measures[0], cost_table(view)
    known = table.frame["cost_per_sample"].notna()
    drawn = {"cost": known.any(), "tokens": not known.all()}
    plots = [
        Plot("scatter", f"{x.capitalize()} a sample against accuracy", "cost", f"{x}_per_sample", measure.key, "model")
        for x, wanted in drawn.items()
        if wanted
    ]
    return Section("Tokens, time and cost", tables=[table, tokens_table(view)], plots=plots)


def _of_group(section: Section, title: str, number: int) -> Section:
    """A section of one group among several: told in its title, and in the names of its tables."""
    return replace(
        section,
        title=f"{section.title} ({title})",
        tables=[replace(table, name=f"{table.name}_g{number}") for table in section.tables],
        plots=[replace(plot, table=f"{plot.table}_g{number}") for plot in section.plots],
    )
