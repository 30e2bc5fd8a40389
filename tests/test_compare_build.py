"""What stands in a report: groups that do not compare, links, and published figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compare_data import SIGNATURE, UPSTREAM_SIGNATURE, made_info, made_runs

from utb_inspect.compare.build import build_report
from utb_inspect.compare.formats.terminal import terminal_text
from utb_inspect.compare.links import SampleLinks
from utb_inspect.compare.published import read_published
from utb_inspect.compare.report import Report, Table
from utb_inspect.schema import DataError

KINDS = ("single_tool", "multi_tool", "lack_of_information")


def turns(model: str, *right: bool, profile: str = "p1", **more: Any) -> list[dict[str, Any]]:
    return [
        {"model": model, "sample": f"{profile}-t1.{i + 1}", "task_type": KINDS[i % 3], "third": "first", "exact": r}
        | more
        for i, r in enumerate(right)
    ]


def table(report: Report, name: str) -> Table:
    (found,) = [table for table in report.tables if table.name == name]
    return found


# --- groups --------------------------------------------------------------------------------------------------

WITHOUT = SIGNATURE.replace("history:full", "history:none")


def two_groups() -> Report:
    infos = [made_info("a"), made_info("b"), made_info("a", signature=WITHOUT)]
    rows = [
        *turns("a", True, True, True, run=0),
        *turns("b", True, False, True, run=1),
        *turns("a", False, False, True, run=2),
    ]
    return build_report(made_runs(rows, infos))


def test_runs_that_do_not_compare_have_sections_and_tables_of_their_own() -> None:
    report = two_groups()
    assert any("history" in warning for warning in report.warnings)
    assert report.sections[0].text == list(report.warnings)
    assert table(report, "accuracy_exact_g1").frame["all"].tolist() == pytest.approx([1, 2 / 3])
    assert table(report, "accuracy_exact_g2").frame["all"].tolist() == pytest.approx([1 / 3])
    # Pairs are formed within a group.
    assert [(r["first"], r["second"]) for r in table(report, "pairs_exact_g1").frame.to_dict("records")] == [("a", "b")]
    assert not [t for t in report.tables if t.name == "pairs_exact_g2"]
    titles = [section.title for section in report.sections]
    assert len(set(titles)) == len(titles)
    assert all("history" in title for title in titles[1:])
    names = [t.name for t in report.tables]
    assert len(set(names)) == len(names)


def test_the_first_table_has_all_systems_each_with_its_group() -> None:
    overview = table(two_groups(), "overview")
    assert overview.frame["model"].tolist() == ["a", "b", "a"]
    assert len(set(overview.frame["group"])) == 2
    assert list(overview.signatures) == [SIGNATURE, WITHOUT]


def test_each_table_has_the_signatures_of_its_own_runs() -> None:
    report = two_groups()
    for found in report.tables:
        if found.name.endswith("_g1"):
            assert list(found.signatures) == [SIGNATURE], found.name
        elif found.name.endswith("_g2"):
            assert list(found.signatures) == [WITHOUT], found.name


def test_pictures_draw_tables_of_their_section() -> None:
    for section in two_groups().sections:
        names = [found.name for found in section.tables]
        assert all(plot.table in names for plot in section.plots)


def test_the_public_evaluators_verdict_stands_apart() -> None:
    infos = [made_info("a"), made_info("a", signature=UPSTREAM_SIGNATURE)]
    rows = [*turns("a", True, True, True, run=0), *turns("a", False, False, False, run=1, upstream=True)]
    report = build_report(made_runs(rows, infos))
    assert table(report, "overview").frame["exact"].tolist() == [1.0]
    assert table(report, "overview_upstream").frame["upstream"].tolist() == [1.0]
    assert not [t for t in report.tables if t.name.startswith("pairs")]


def test_what_was_left_out_is_told_first() -> None:
    runs = made_runs(turns("a", True))
    runs.refused.append("logs/broken.eval: cannot be read")
    assert build_report(runs).warnings == ["logs/broken.eval: cannot be read"]


def test_different_samples_are_told_and_cut_to_the_common_ones_when_asked() -> None:
    rows = [*turns("a", True, False, True, True), *turns("b", True, False, False)]
    own, common = (build_report(made_runs(rows), common=asked) for asked in (False, True))
    assert table(own, "accuracy_exact").frame["all"].tolist() == pytest.approx([3 / 4, 1 / 3])
    assert table(common, "accuracy_exact").frame["all"].tolist() == pytest.approx([2 / 3, 1 / 3])
    for report in (own, common):
        (section,) = [section for section in report.sections if section.title == "Accuracy"]
        assert any("samples" in sentence for sentence in section.text)


# --- links ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("locations", "link"),
    [
        (["/x/logs/a.eval"], "#/logs/a.eval/samples/sample/p1-t1.1/2/"),
        (["/x/logs/one/a.eval", "/x/logs/two/a.eval"], "#/logs/one/a.eval/samples/sample/p1-t1.1/2/"),
        (["/x/logs/a.eval", "/x/logs/two/b.eval"], "#/logs/a.eval/samples/sample/p1-t1.1/2/"),
        (["s3://bucket/runs/a.eval", "s3://bucket/b.eval"], "#/logs/runs/a.eval/samples/sample/p1-t1.1/2/"),
        (["C:\\logs\\one\\a.eval", "C:\\logs\\b.eval"], "#/logs/one/a.eval/samples/sample/p1-t1.1/2/"),
        (["/x/my logs/a b.eval", "/x/b.eval"], "#/logs/my%20logs/a%20b.eval/samples/sample/p1-t1.1/2/"),
    ],
)
def test_links_are_relative_to_the_innermost_folder_of_all_logs(locations: list[str], link: str) -> None:
    assert SampleLinks(locations).link(locations[0], "p1-t1.1", 2) == link


def test_links_hold_any_sample_id() -> None:
    link = SampleLinks(["/x/a.eval"]).link("/x/a.eval", "Zoë/topic #1?", 1)
    assert link == "#/logs/a.eval/samples/sample/Zo%C3%AB%2Ftopic%20%231%3F/1/"


# --- published figures ---------------------------------------------------------------------------------------

FIGURES = {"ST": 60.5, "MT": 30, "LOI": 20.25, "First": 40, "Mid": 50, "Last": 45, "Avg": 36.92}
UPSTREAM_DATA = "harbour@1.0.0#a1b2c3"
COUNTS = [["Single-Tool", 2, 33.3], ["Multi-Tool", 2, 33.3], ["Lack-of-Information", 2, 33.4]]


@pytest.fixture
def published(tmp_path: Path) -> Any:
    def write(**more: Any) -> Path:
        file = tmp_path / "published.json"
        file.write_text(
            json.dumps({"exact": {"Model X": FIGURES}, "relaxed": {"Model X": FIGURES | {"ST": 70}}, **more})
        )
        return file

    return write


def upstream_report(file: Path) -> Report:
    rows = [
        {k: v for k, v in r.items() if k != "exact"} | {"upstream": r["exact"]}
        for profile in ("p1", "p2")
        for r in turns("a", True, False, True, profile=profile)
    ]
    rows.append({"model": "a", "sample": "p1-t2.1", "task_type": "chat", "upstream": True})
    return build_report(made_runs(rows, [made_info("a", signature=UPSTREAM_SIGNATURE)]), published=file)


def test_published_figures_are_a_reference_in_the_papers_columns(published: Any) -> None:
    report = build_report(made_runs(turns("a", True, False, True)), published=published())
    exact, relaxed = table(report, "published_exact"), table(report, "published_relaxed")
    assert exact.reference
    assert relaxed.reference
    heads = ["Model", "ST", "MT", "LOI", "First", "Middle", "Last", "Average"]
    assert [column.label for column in exact.columns] == heads
    assert exact.frame["model"].tolist() == ["Model X"]
    assert exact.frame.iloc[0, 1:].tolist() == pytest.approx([0.605, 0.3, 0.2025, 0.4, 0.5, 0.45, 0.3692])
    assert relaxed.frame["single_tool"].tolist() == pytest.approx([0.7])
    # They are in no other table.
    others = [t for t in report.tables if not t.reference]
    assert not any("Model X" in t.frame.to_string() for t in others)
    assert not any(t.reference for t in build_report(made_runs(turns("a", True))).tables)


def test_a_file_that_names_no_data_never_stands_beside_runs(published: Any) -> None:
    report = upstream_report(published())
    assert not [t for t in report.tables if t.name == "beside_published"]


@pytest.mark.parametrize(
    "about",
    [
        {"data": UPSTREAM_DATA},  # how many turns it has is not said
        {"data": UPSTREAM_DATA, "task_dist": [["Single-Tool", 3, 50], *COUNTS[1:]]},  # a turn was not run
        {"data": UPSTREAM_DATA, "task_dist": COUNTS[:2]},
        {"data": "harbour@1.0.0#ffffff", "task_dist": COUNTS},
        {"task_dist": COUNTS},
    ],
)
def test_other_data_never_stands_beside(about: dict[str, Any], published: Any) -> None:
    report = upstream_report(published(**about))
    assert not [t for t in report.tables if t.name == "beside_published"]


def test_another_verdict_never_stands_beside(published: Any) -> None:
    rows = [r for profile in ("p1", "p2") for r in turns("a", True, False, True, profile=profile)]
    report = build_report(made_runs(rows), published=published(data=UPSTREAM_DATA, task_dist=COUNTS))
    assert not [t for t in report.tables if t.name == "beside_published"]


def test_the_same_verdict_on_the_same_data_stands_beside(published: Any) -> None:
    found = table(upstream_report(published(data=UPSTREAM_DATA, task_dist=COUNTS)), "beside_published")
    assert not found.reference
    assert found.frame[["model", "source"]].values.tolist() == [["a", "run"], ["Model X", "published"]]
    assert found.frame["single_tool"].tolist() == pytest.approx([1, 0.605])
    assert found.frame["average"].tolist() == pytest.approx([2 / 3, 0.3692])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("nothing", "is no JSON"),
        ("[]", ""),
        ('{"exact": {}}', "relaxed"),
        ('{"exact": {"X": {"ST": 101}}, "relaxed": {}}', "exact.X.ST"),
        ('{"exact": {"X": {"ST": "high"}}, "relaxed": {}}', "exact.X.ST"),
        ('{"exact": {"X": {"SR": 1}}, "relaxed": {}}', "exact.X.SR"),
        ('{"exact": {}, "relaxed": {}, "task_dist": [["Single-Tool"]]}', "task_dist"),
        ('{"exact": {}, "relaxed": {}, "data": 1}', "data"),
    ],
)
def test_faults_of_the_file_are_named(content: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "published.json"
    file.write_text(content)
    with pytest.raises(DataError, match=r"published\.json") as error:
        read_published(file)
    assert told in str(error.value)
    with pytest.raises(DataError, match="absent"):
        build_report(made_runs(turns("a", True)), published=tmp_path / "absent.json")


def test_the_papers_figures_are_read(shared: Path) -> None:
    found = read_published(shared / "upstream" / "published_results.json")
    assert len(found.exact) == len(found.relaxed) == 9
    assert (found.exact["GLM-5"].ST, found.exact["GLM-5"].Avg, found.relaxed["GLM-5"].LOI) == (70.62, 49.36, 53.47)
    assert found.turns == {"lack_of_information": 278, "single_tool": 265, "multi_tool": 256}
    assert found.data is None
    for row in (*found.exact.values(), *found.relaxed.values()):
        assert row.Avg == pytest.approx((row.ST + row.MT + row.LOI) / 3, abs=0.011)


# --- a baseline ----------------------------------------------------------------------------------------------


def three_systems() -> list[dict[str, Any]]:
    profiles = [f"p{i}" for i in range(1, 8)]
    right = {"a": (True, True, True), "b": (True, True, False), "c": (False, False, False)}
    rows = [row for model, turns_ in right.items() for p in profiles for row in turns(model, *turns_, profile=p)]
    return [row | {"run": list(right).index(row["model"])} for row in rows]


def test_with_a_baseline_the_others_are_paired_with_it_alone() -> None:
    report = build_report(made_runs(three_systems()), baseline="b")
    pairs = table(report, "pairs_exact").frame
    assert [(r["first"], r["second"]) for r in pairs.to_dict("records")] == [("a", "b"), ("c", "b")]
    # Seven profiles that all differ the same way: p = 2 / 2 ** 7 each, twice that by Holm for two tests.
    assert pairs["p_corrected"].tolist() == pytest.approx([4 / 2**7] * 2)
    every = table(build_report(made_runs(three_systems())), "pairs_exact").frame
    assert every["p_corrected"].tolist() == pytest.approx([6 / 2**7] * 3)


def test_a_baseline_that_is_no_system_is_named() -> None:
    with pytest.raises(DataError, match="baseline z: there is no such system; there are a, b, c"):
        build_report(made_runs(three_systems()), baseline="z")


def test_published_figures_are_main_tables(published: Any) -> None:
    report = upstream_report(published(data=UPSTREAM_DATA, task_dist=COUNTS))
    for name in ("published_exact", "published_relaxed", "beside_published"):
        assert not table(report, name).detail
    assert "Model X" in terminal_text(report)


def test_every_verdict_has_its_main_tables() -> None:
    own = [*turns("a", True, False, True), *turns("b", True, True, False)]
    upstream = [r | {"upstream": r["exact"]} for r in own]
    infos = [made_info(model, signature=UPSTREAM_SIGNATURE) for model in "ab"]
    for report, key in (
        (build_report(made_runs(own)), "exact"),
        (build_report(made_runs(upstream, infos)), "upstream"),
    ):
        main = {found.name for found in report.tables if not found.detail}
        assert {"headline", f"accuracy_{key}", f"pairs_{key}", "cost"} <= main


def test_the_main_tables_are_told_from_details() -> None:
    report = two_groups()
    assert not table(report, "accuracy_exact_g1").detail
    assert table(report, "accuracy_exact_pooled_g1").detail
