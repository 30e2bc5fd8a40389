"""The figures of a dataset as the paper's tables, and as JSON with the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from utb_inspect.analysis.dataset_stats import DatasetStatistics, ProfileStatistics
from utb_inspect.analysis.diversity import Diversity
from utb_inspect.analysis.field_diversity import WINDOW
from utb_inspect.analysis.profile_similarity import Similarity, Spread
from utb_inspect.analysis.tables import Table
from utb_inspect.analysis.tool_stats import ToolStatistics
from utb_inspect.analysis.turn_counts import Count

NO_PROFILES = "Not available: the dataset holds no profiles."
NO_DOMAINS = "Not available: public rows name no domains."
ONE_PROFILE = "Not available: the dataset holds one profile, and pairs need two."
WIDEST_MATRIX = 20
"""Profiles up to which the pairs are shown as a matrix; for more, JSON and pictures have them."""


def dataset_tables(stats: DatasetStatistics) -> list[Table]:
    """All tables of a dataset in the paper's order; one that cannot be had says so."""
    return [
        _overview(stats),
        *_turn_tables(stats),
        _trajectories(stats),
        *_profile_tables(stats.profiles),
        tool_table(stats.tools),
        _field_groups(stats.profiles),
        _domains(stats),
        *_pair_tables(stats.profiles),
    ]


def tool_table(tools: ToolStatistics) -> Table:
    """The paper's table 11."""
    return Table(
        "Table 11. Tool ecosystem",
        ("statistic", "value"),
        [
            ("tool-name occurrences", f"{tools.occurrences:,}"),
            ("toolsets", f"{tools.toolsets:,}"),
            ("unique tool names", f"{tools.unique_names:,}"),
            ("tool names a toolset", _number(tools.tools_per_toolset)),
            ("parameter slots a tool", _number(tools.slots_per_tool, 2)),
        ],
    )


def tool_figures(tools: ToolStatistics) -> dict[str, Any]:
    """Table 11 as JSON, unrounded."""
    return {**asdict(tools), "tools_per_toolset": tools.tools_per_toolset, "slots_per_tool": tools.slots_per_tool}


def dataset_figures(stats: DatasetStatistics) -> dict[str, Any]:
    """All figures as JSON, unrounded; rates and similarities are 0 to 1. What cannot be had is null."""
    profiles = stats.profiles
    return {
        "dataset": stats.dataset,
        "users": stats.users,
        "profiles": profiles.descriptors.profiles if profiles else None,
        "topics": stats.topics,
        "turns": stats.turns.turns,
        "chat": stats.turns.chat,
        "toolsets_offered": stats.toolsets_offered,
        "table_2a": [asdict(row) for row in stats.turns.task_types],
        "table_2b": [asdict(row) for row in stats.turns.subtypes],
        "recoverability": [asdict(row) for row in stats.turns.recoverability],
        "structures": [asdict(row) for row in stats.turns.structures],
        "changes": [asdict(row) for row in stats.turns.changes],
        "table_3": {
            "tool_sequences": _diversity_figures(stats.sequences),
            "exact_trajectories": _diversity_figures(stats.trajectories),
        },
        "table_7": [asdict(row) for row in profiles.schema_groups] if profiles else None,
        "table_8": [asdict(row) for row in profiles.coverage] if profiles else None,
        "table_9": asdict(profiles.descriptors) if profiles else None,
        "table_10": [asdict(row) for row in profiles.fields] if profiles else None,
        "table_11": tool_figures(stats.tools),
        "figure_2": {
            "field_groups": [asdict(row) for row in profiles.field_groups] if profiles else None,
            "domains": [asdict(row) for row in stats.domains] if stats.domains is not None else None,
        },
        "figure_3": asdict(profiles.similarity) if profiles else None,
        "figure_3_all_words": asdict(profiles.similarity_all_words) if profiles else None,
    }


# --- turns and trajectories ----------------------------------------------------------------------------------


def _overview(stats: DatasetStatistics) -> Table:
    profiles = "none" if stats.profiles is None else str(stats.profiles.descriptors.profiles)
    unused = stats.toolsets_offered - stats.tools.toolsets
    return Table(
        f"Dataset {stats.dataset}",
        ("statistic", "value"),
        [
            ("users", f"{stats.users:,}"),
            ("profiles", profiles),
            ("topics", f"{stats.topics:,}"),
            ("turns", f"{stats.turns.turns:,}"),
            ("of them chat", f"{stats.turns.chat:,}"),
            ("toolsets in use", f"{stats.tools.toolsets:,}"),
            ("unique tool names", f"{stats.tools.unique_names:,}"),
        ],
        f"Toolsets that no topic uses, left out of all figures: {unused}." if unused else "",
    )


def _turn_tables(stats: DatasetStatistics) -> list[Table]:
    turns = stats.turns
    tasks = turns.turns - turns.chat
    tables = [
        _counts(f"Table 2a. Task types (n = {tasks:,} turns that are tasks)", turns.task_types),
        _counts(f"Table 2b. Turn subtypes (n = {turns.turns:,} turns)", turns.subtypes),
        _counts("Lack-of-information turns", turns.recoverability),
        _counts("Structures of multi-tool turns", turns.structures),
    ]
    return [*tables, _counts("Turns on a change", turns.changes)] if turns.changes else tables


def _counts(title: str, rows: Sequence[Count]) -> Table:
    return Table(
        title,
        ("kind", "count", "rate"),
        [(row.kind.replace("_", " "), f"{row.count:,}", _percent(row.rate)) for row in rows],
    )


def _trajectories(stats: DatasetStatistics) -> Table:
    sequence, exact = stats.sequences, stats.trajectories
    rows = [
        ("uniqueness ratio", _percent(sequence.uniqueness), _percent(exact.uniqueness)),
        ("mean pairwise distance", _percent(sequence.mean_distance), _percent(exact.mean_distance)),
        (
            "the same, pairs of different profiles",
            _percent(sequence.mean_distance_across_profiles),
            _percent(exact.mean_distance_across_profiles),
        ),
    ]
    note = (
        f"Topics: {sequence.topics:,}. Pairs of topics under the same toolset: {sequence.pairs:,}, "
        f"of different profiles: {sequence.pairs_across_profiles:,}."
    )
    return Table("Table 3. Trajectory diversity", ("statistic", "tool sequence", "exact trajectory"), rows, note)


def _diversity_figures(diversity: Diversity) -> dict[str, Any]:
    return {**asdict(diversity), "uniqueness": diversity.uniqueness}


# --- profiles ------------------------------------------------------------------------------------------------


def _profile_tables(profiles: ProfileStatistics | None) -> list[Table]:
    titles = (
        "Table 7. Schema of the profiles",
        "Table 8. Fields of each profile",
        "Table 9. Descriptors",
        "Table 10. Diversity of fields",
    )
    if profiles is None:
        return [Table(title, (), (), NO_PROFILES) for title in titles]
    return [
        _schema(titles[0], profiles),
        _coverage(titles[1], profiles),
        _descriptors(titles[2], profiles),
        _field_diversity(titles[3], profiles),
    ]


def _schema(title: str, profiles: ProfileStatistics) -> Table:
    rows = [
        (row.group, ", ".join(row.fields) or "see table 8", str(row.profiles), str(row.occurrences))
        if row.occurrences
        else (row.group, "none", "0", "0")
        for row in profiles.schema_groups
    ]
    return Table(title, ("group", "fields present", "profiles", "fields"), rows, text_columns=2)


def _coverage(title: str, profiles: ProfileStatistics) -> Table:
    rows = []
    for row in profiles.coverage:
        names = [name.replace("_", " ") for name in row.extra_fields]
        if row.sensitive_extra:
            names.append(f"{row.sensitive_extra} sensitive")
        rows.append((row.profile, ", ".join(names) or "none", str(row.total), str(row.extra)))
    return Table(title, ("profile", "its own fields", "total", "extra"), rows, text_columns=2)


def _descriptors(title: str, profiles: ProfileStatistics) -> Table:
    found = profiles.descriptors
    rows = [("profiles", str(found.profiles))]
    if found.age_range is not None:
        rows.append(("ages", f"{found.age_range[0]} to {found.age_range[1]}"))
    rows += [(f"gender {gender}", str(count)) for gender, count in found.genders.items()]
    rows += [(f"distinct {name}", str(count)) for name, count in found.distinct.items()]
    note = "" if found.profiles > 1 else "Ages and genders are shown for two profiles or more."
    return Table(title, ("descriptor", "value"), rows, note)


def _field_diversity(title: str, profiles: ProfileStatistics) -> Table:
    rows = [
        (
            row.field,
            str(row.profiles),
            str(row.items),
            str(row.words),
            _percent(row.unique),
            _number(row.tfidf),
            _number(row.jaccard),
            _number(row.cttr, 2),
            _number(row.mattr) + ("*" if row.words < WINDOW else ""),
        )
        for row in profiles.fields
    ]
    columns = ("field", "profiles", "items", "words", "unique", "TF-IDF", "Jaccard", "CTTR", "MATTR")
    if not rows:
        return Table(title, (), (), "Not available: no two profiles share a field that is measured.")
    note = "Fields that two profiles or more have, without sensitive and identifying ones and demographic labels."
    if any(row.words < WINDOW for row in profiles.fields):
        note += f" * Fewer words than the window of {WINDOW}: their plain type-token ratio."
    return Table(title, columns, rows, note)


def _field_groups(profiles: ProfileStatistics | None) -> Table:
    title = "Figure 2, left. Field groups of the profiles"
    if profiles is None:
        return Table(title, (), (), NO_PROFILES)
    rows = [(row.group, str(row.fields), str(row.profiles)) for row in profiles.field_groups]
    return Table(title, ("group", "fields", "profiles"), rows)


def _domains(stats: DatasetStatistics) -> Table:
    title = "Figure 2, right. Domains of the toolsets in use"
    if stats.domains is None:
        return Table(title, (), (), NO_DOMAINS)
    rows = [(row.domain, str(row.toolsets), _percent(row.share), str(row.topics)) for row in stats.domains]
    return Table(title, ("domain", "toolsets", "share", "topics"), rows)


def _pair_tables(profiles: ProfileStatistics | None) -> list[Table]:
    title = "Figure 3. Pairs of profiles"
    if profiles is None:
        return [Table(title, (), (), NO_PROFILES)]
    similarity = profiles.similarity
    if not similarity.pairs:
        return [Table(title, (), (), ONE_PROFILE)]
    rows = [
        _spread("token Jaccard", similarity.jaccard),
        _spread("TF-IDF cosine", similarity.tfidf),
        _spread("token Jaccard, stop words kept", profiles.similarity_all_words.jaccard),
        _spread("TF-IDF cosine, stop words kept", profiles.similarity_all_words.tfidf),
    ]
    columns = ("similarity", "most similar pair", "mean", "median", "lowest", "highest")
    count = len(similarity.pairs)
    tables = [Table(f"{title} ({count:,} pair{'s' if count > 1 else ''})", columns, rows, text_columns=2)]
    if len(similarity.profiles) > WIDEST_MATRIX:
        return tables
    return [
        *tables,
        Table("Figure 3, left. Token Jaccard", *_matrix(similarity, "jaccard")),
        Table("Figure 3, right. TF-IDF cosine", *_matrix(similarity, "tfidf")),
    ]


def _spread(name: str, spread: Spread | None) -> tuple[str, ...]:
    assert spread is not None  # there is a pair
    figures = (spread.mean, spread.median, spread.minimum, spread.maximum)
    return (name, " and ".join(spread.most_similar), *map(_number, figures))


def _matrix(similarity: Similarity, figure: str) -> tuple[list[str], list[list[str]]]:
    values = {frozenset((pair.first, pair.second)): getattr(pair, figure) for pair in similarity.pairs}
    names = similarity.profiles
    rows = [[row, *("" if row == name else _number(values[frozenset((row, name))]) for name in names)] for row in names]
    return ["", *names], rows


# --- figures -------------------------------------------------------------------------------------------------


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.2%}"


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
