"""Every number of every table, worked out again from whole logs, and against the metrics that Inspect put into them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from compare_by_hand import LABELS, ByHand, log_rows
from compare_data import made_runs, real_logs, tables, varied_rows
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import Model, get_model
from support import Seen, once, output, scripted, write_dataset

from utb_inspect.compare.build import build_report
from utb_inspect.compare.reading import read_runs
from utb_inspect.compare.report import Report, Table
from utb_inspect.tasks import user_tool_bench


def run_more(folder: Path) -> dict[str, str]:
    """Three epochs, some of them in error; and runs with the public evaluator's verdict."""
    data = str(write_dataset(folder / "harbour"))
    found = {"epochs": str(folder / "epochs"), "upstream": str(folder / "upstream")}

    def script(seen: Seen) -> Any:
        if seen.sample == "p01-t01.2" and seen.epoch == 2:
            return output("", stop="content_filter")
        if seen.sample == "p02-t02.1":
            raise ConnectionError("gone")
        return output("Which day?" if seen.epoch == 1 else "Mild.")

    def evaluate(model: Model, folder: str, **options: Any) -> None:
        task = user_tool_bench(data=data, **options)
        inspect_eval(
            task,
            model=model,
            log_dir=folder,
            display="none",
            fail_on_error=False,
            epochs=1 if options else 3,
        )

    for rate in (0.3, 0.6):
        evaluate(get_model("utb/noisy", error_rate=rate, seed=3), found["epochs"])
    evaluate(scripted(script), found["epochs"])
    for model in (get_model("utb/oracle"), get_model("utb/recall"), get_model("utb/noisy", error_rate=0.5, seed=1)):
        evaluate(model, found["upstream"], verdict="upstream")
    return found


@dataclass(frozen=True)
class Case:
    """Logs, what the report says of them, and the same by hand."""

    logs: dict[str, EvalLog]
    """By system."""
    report: Report
    hand: ByHand

    @property
    def tables(self) -> dict[str, Table]:
        return {table.name: table for table in self.report.tables}


@pytest.fixture(scope="module", params=["main", "dynamic", "epochs", "upstream"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folders = {**real_logs(tmp_path_factory), **once(tmp_path_factory, "compare-more", run_more)}
    folder = folders[request.param]
    runs = read_runs([folder])
    assert not runs.refused
    logs = {info.label: read_eval_log(info.location) for info in runs.infos}
    rows = [row for label, log in logs.items() for row in log_rows(log, label)]
    verdicts = ["upstream"] if request.param == "upstream" else ["exact", "relaxed"]
    return Case(logs, build_report(runs), ByHand(rows, list(logs), verdicts))


# --- every number --------------------------------------------------------------------------------------------


def same(found: pd.DataFrame, wanted: list[dict[str, Any]], within: float = 1e-12) -> None:
    """The rows of a table have just these values, as far as they are given."""
    assert len(found) == len(wanted)
    for row, expected in zip(found.to_dict("records"), wanted, strict=True):
        for key, value in expected.items():
            if isinstance(value, str):
                assert row[key] == value, (key, row, expected)
            elif value is None or math.isnan(value):
                assert pd.isna(row[key]), (key, row, expected)
            else:
                assert row[key] == pytest.approx(value, abs=within), (key, row, expected)


def test_every_number_of_every_table_is_the_one_worked_out_by_hand(case: Case) -> None:
    wanted = case.hand.tables()
    name = "overview_upstream" if case.hand.verdicts == ["upstream"] else "overview"
    wanted[name] = case.hand.each(case.hand.overview)
    wanted["logs"] = [
        {key: row[key] for key in ("model", "samples", "scored", "errored", "never_ran", *case.hand.verdicts)}
        for row in wanted[name]
    ]
    assert set(case.tables) - {"differences"} == set(wanted)
    for name, rows in wanted.items():
        table = case.tables[name]
        same(table.frame, rows)
        numbers = {column.key for column in table.columns if column.kind not in ("text", "link")}
        assert not len(rows) or numbers <= set(rows[0]), name


@pytest.mark.parametrize(("profiles", "systems"), [(5, "ab"), (6, "ab"), (7, "abc"), (9, "abc"), (10, "abcd")])
def test_every_figure_of_pairs_is_the_one_worked_out_from_the_samples(profiles: int, systems: str) -> None:
    """Also the smallest difference that could have been found: none of 5 profiles, and of 6 and 7 by the lowest p."""
    given = varied_rows(profiles, profiles, **dict(zip(systems, (0.5, 0.6, 0.7, 0.8), strict=False)))
    for lost in range(3, len(given), 11):  # scored by one of a pair alone
        given[lost].update(error="gone", exact=None)
    given += [{**r, "model": "lost", "exact": None, "error": "gone"} for r in given if r["model"] == "a"]
    runs = made_runs(given)
    samples = runs.samples.astype({"exact": "Float64", "scored": bool}).astype({"exact": float})
    wanted = ByHand(samples.to_dict("records"), [*systems, "lost"], ["exact"]).pairs("exact")
    found = tables(runs)["pairs_exact"].frame
    same(found, wanted, within=1e-6)
    tested = found[found["second"] != "lost"]
    assert tested["smallest"].isna().all() if profiles == 5 else tested["smallest"].notna().all()


def test_intervals_hold_their_figures(case: Case) -> None:
    for table in case.tables.values():
        for column in table.columns:
            if column.interval:
                bounds = table.frame[[f"{column.key}_low", column.key, f"{column.key}_high"]].astype(float).dropna()
                assert (bounds.diff(axis=1).iloc[:, 1:] >= -1e-12).all(axis=None), (table.name, column.key)


def test_every_table_and_picture_carries_what_it_was_made_with(case: Case) -> None:
    made_with = {log.eval.metadata["signature"] for log in case.logs.values() if log.eval.metadata}
    for table in case.report.tables:
        assert set(table.signatures) == made_with, table.name
    for section in case.report.sections:
        for plot in section.plots:
            (table,) = [table for table in section.tables if table.name == plot.table]
            keys = {column.key for column in table.columns}
            assert {plot.x, plot.y, plot.colour} <= keys, plot


def test_where_systems_differ_lists_every_turn_that_one_gets_and_another_does_not(case: Case) -> None:
    key, turns = case.hand.verdicts[0], case.hand.turns
    wanted = set()
    for sample, own in turns.groupby("sample"):
        right = own[key] == 1
        if right.any() and not right.all():
            wanted |= {(sample, model) for model in own.model}
    found = case.tables["differences"].frame
    assert set(zip(found["sample"], found["model"], strict=True)) == wanted
    scored = case.hand.scored.set_index(["model", "sample", "epoch"])
    assert len(found) == sum((m, s) == (model, sample) for m, s, _ in scored.index for sample, model in wanted)
    for row in found.to_dict("records"):
        epoch = row.get("epoch", 1)
        truth = scored.loc[(row["model"], row["sample"], epoch), :]
        assert (row["verdict"] == "right") == (truth[key] == 1)
        assert row["answer"] == truth["answer"]
        log = Path(case.logs[row["model"]].location).name
        assert row["link"] == f"#/logs/{log}/samples/sample/{row['sample']}/{epoch}/"
        if "labels" in row:
            assert row["labels"] == ", ".join(label for label in LABELS if truth[label] == 1)


# --- Inspect's own metrics -----------------------------------------------------------------------------------


def inspect_metrics(log: EvalLog, scorer: str) -> dict[str, float]:
    assert log.results is not None
    return {name: metric.value for s in log.results.scores if s.name == scorer for name, metric in s.metrics.items()}


def by_model(table: Table) -> dict[str, dict[str, Any]]:
    return {str(row["model"]): dict(row) for row in table.frame.to_dict("records")}


def agree(found: Any, metrics: dict[str, float], name: str) -> bool:
    """Whether a figure is Inspect's; Inspect leaves out what there is none of."""
    return bool(pd.isna(found)) if name not in metrics else found == pytest.approx(metrics[name], abs=1e-12)


PARTS = ["single_tool", "multi_tool", "lack_of_information", "chat", "first", "middle", "last"]


def test_accuracies_are_those_of_inspect(case: Case) -> None:
    for key in case.hand.verdicts:
        pooled, profiles = (by_model(case.tables[f"accuracy_{key}{suffix}"]) for suffix in ("_pooled", ""))
        for model, log in case.logs.items():
            metrics = inspect_metrics(log, f"utb_{key}")
            assert agree(pooled[model]["all"], metrics, "accuracy")
            assert agree(pooled[model]["average"], metrics, "average")
            assert agree(profiles[model]["all"], metrics, "profile_mean")
            for part in PARTS:
                assert agree(pooled[model][part], metrics, part), part
                # Inspect gives means over profiles where there are two.
                name = f"{part}_profile_mean"
                assert name not in metrics or agree(profiles[model][part], metrics, name), part
            if "average_profile_mean" in metrics:
                assert agree(profiles[model]["average"], metrics, "average_profile_mean")


def test_breakdowns_are_those_of_inspect(case: Case) -> None:
    for key in case.hand.verdicts:
        for kind in ("third", "subtype", "structure", "recoverable", "profile"):
            for row in case.tables[f"by_{kind}"].frame.to_dict("records"):
                metrics = inspect_metrics(case.logs[row["model"]], f"utb_{key}")
                name = f"profile_{row[kind]}" if kind == "profile" else row[kind]
                assert agree(row[f"{key}_pooled"], metrics, name), (kind, row)
        for model, row in by_model(case.tables["sessions"]).items():
            metrics = inspect_metrics(case.logs[model], f"utb_{key}")
            # Inspect has no session accuracy of fractions.
            assert "session" not in metrics or agree(row[f"{key}_pooled"], metrics, "session")


def test_failures_progress_and_asking_are_those_of_inspect(case: Case) -> None:
    if case.hand.verdicts == ["upstream"]:
        return
    labels, severity, steps, asking = (
        by_model(case.tables[name]) for name in ("labels", "severity", "steps", "asking")
    )
    for model, log in case.logs.items():
        epochs = case.hand.of(case.hand.scored, model)["sample"].value_counts()
        if epochs.max() == 1:  # Inspect's shares of failures count epochs apart
            metrics = inspect_metrics(log, "utb_labels")
            assert labels[model]["failures"] == metrics["failures"]
            assert all(agree(labels[model][label], metrics, label) for label in LABELS)
        metrics = inspect_metrics(log, "utb_progress")
        if epochs.nunique() == 1:  # and so do its means, which are ours where turns have as many each
            assert all(agree(severity[model][k], inspect_metrics(log, "utb_severity"), k) for k in ("slight", "major"))
            assert all(agree(steps[model][f"{key}_pooled"], metrics, key) for key in ("progress", "optimal"))
            assert all(agree(steps[model][key], metrics, key) for key in ("rounds", "calls"))
        assert agree(asking[model]["precision"], metrics, "ask_precision")
        assert agree(asking[model]["recall"], metrics, "ask_recall")
        assert agree(asking[model]["sentences"], metrics, "sentences_per_question")


def test_stale_rates_are_those_of_inspect(case: Case) -> None:
    if "changes_by_change" not in case.tables:
        return
    for row in case.tables["changes_by_change"].frame.to_dict("records"):
        metrics = inspect_metrics(case.logs[row["model"]], "utb_labels")
        assert agree(row["stale_pooled"], metrics, f"stale_rate_{row['change']}")
        assert agree(row["exact_pooled"], inspect_metrics(case.logs[row["model"]], "utb_exact"), row["change"])
