"""Runs for the tests of comparisons: made of plain rows, and real ones of offline models, run once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from support import once, write_dataset

from utb_inspect.compare.build import build_report
from utb_inspect.compare.frame import RunInfo, Runs, sample_frame
from utb_inspect.compare.report import Table
from utb_inspect.tasks import dynamic_preference, user_tool_bench
from utb_inspect.trajectory.verdict import LABELS

SIGNATURE = (
    "data:harbour@1.0.0#a1b2c3|verdict:spec-1|history:full|environment:inline|off_path:continue"
    "|suite:0.1.0|inspect:0.3.285"
)
UPSTREAM_SIGNATURE = SIGNATURE.replace("spec-1", "upstream").replace("inline", "system")


def made_info(label: str, **fields: Any) -> RunInfo:
    """A log's description; `signature` decides `parts` and `upstream`."""
    signature = fields.get("signature", SIGNATURE)
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    known: dict[str, Any] = {
        "location": f"logs/{label}.eval",
        "model": label.split(" (")[0],
        "label": label,
        "repeats": None,
        "task": "user_tool_bench",
        "version": "1.0",
        "status": "success",
        "signature": signature,
        "parts": parts,
        "upstream": parts["verdict"] == "upstream",
        "epochs": 1,
        "samples": 0,
        "limits": {},
        "created": "2026-01-01T00:00:00+00:00",
    }
    return RunInfo(**known | fields)


def made_runs(rows: Iterable[Mapping[str, Any]], infos: Iterable[RunInfo] | None = None) -> Runs:
    """Runs made of rows; a row needs `model` and `sample`.

    What a row leaves out: epoch 1, profile and topic from a sample id such as `p01-t02.1`, scored unless `error` is
    given. A scored row that is `exact` (by default it is not) has no label, severity `none`, progress 1 and is relaxed;
    one that is not has severity `major` and `user_constraint`, unless it says otherwise.

    Args:
        rows: The samples. `run` is an index into `infos`; by default each `model` is one run.
        infos: The logs; by default one for each model, `made_info(model)`.
    """
    rows = [dict(row) for row in rows]
    if infos is None:
        labels = list(dict.fromkeys(row["model"] for row in rows))
        infos = [
            made_info(
                label,
                samples=sum(row["model"] == label for row in rows),
                epochs=max(row.get("epoch", 1) for row in rows if row["model"] == label),
            )
            for label in labels
        ]
    infos = list(infos)
    by_label = {info.label: index for index, info in enumerate(infos)}
    return Runs(infos, sample_frame(_made_row(row, by_label, infos) for row in rows))


def _made_row(row: Mapping[str, Any], by_label: Mapping[str, int], infos: list[RunInfo]) -> dict[str, Any]:
    run = row.get("run", by_label[row["model"]])
    info = infos[run]
    topic, _, turn = row["sample"].rpartition(".")
    known: dict[str, Any] = {
        "run": run,
        "task": info.task,
        "epoch": 1,
        "profile": topic.split("-")[0],
        "topic": topic,
        "turn_index": int(turn) if turn.isdigit() else None,
        "scored": row.get("error") is None,
    }
    if known["scored"]:
        known |= {"upstream": False} if info.upstream else _made_verdict(row)
    known |= row
    if known["scored"]:
        known.setdefault("correct", known["upstream"] if info.upstream else known["exact"])
    return known


def _made_verdict(row: Mapping[str, Any]) -> dict[str, Any]:
    exact = row.get("exact", False)
    given = any(row.get(label) for label in LABELS)
    return {
        **dict.fromkeys(LABELS, False),
        "exact": exact,
        "relaxed": exact,
        "severity": "none" if exact else "major",
        "user_constraint": not exact and not given,
        "step_cap": False,
        "output_cut": False,
        "progress": float(exact),
        "optimal": exact,
        "asked": False,
        "rounds": 2,
        "calls": 1,
        "questions": 0,
        "question_sentences": 0,
    }


def tables(runs: Runs, **options: Any) -> dict[str, Table]:
    return {table.name: table for table in build_report(runs, **options).tables}


def rows(runs: Runs, name: str, **options: Any) -> list[dict[str, Any]]:
    """A table's rows, with None for what is missing."""
    frame = tables(runs, **options)[name].frame.astype(object)
    return [{str(k): v for k, v in row.items()} for row in frame.where(frame.notna(), None).to_dict("records")]


def row(runs: Runs, name: str, **options: Any) -> dict[str, Any]:
    (found,) = rows(runs, name, **options)
    return found


def turn(sample: str, task_type: str = "single_tool", *, model: str = "a", **more: Any) -> dict[str, Any]:
    return {"model": model, "sample": sample, "task_type": task_type, "third": "first", **more}


def varied_rows(profiles: int, seed: int, **shares: float) -> list[dict[str, Any]]:
    """Nine turns a profile and system with figures at random; `shares` are the systems' chances to be right."""
    random = np.random.default_rng(seed)
    kinds = ("single_tool", "multi_tool", "lack_of_information")

    def chance(share: float = 0.4) -> bool:
        return bool(random.random() < share)

    return [
        {
            "model": model,
            "sample": f"p{profile}-t{index // 3}.{index % 3 + 1}",
            "task_type": kinds[index % 3],
            "third": ("first", "middle", "last")[index // 3],
            "topic_turns": 3,
            **({"exact": True} if chance(shares[model]) else wrong),
            "optimal": chance(),
            "progress": int(random.integers(0, 4)) / 3,
            "change": "update",
            "stale_preference": chance(),
            "recoverable": chance() if index % 3 == 2 else None,
            "rounds": int(random.integers(1, 9)),
        }
        for profile in range(profiles)
        for model in shares
        for index in range(9)
        for wrong in [{"exact": False, "relaxed": chance(), "severity": "slight" if chance() else "major"}]
    ]


def real_logs(factory: pytest.TempPathFactory) -> dict[str, str]:
    """Logs of offline models, run by the first test that asks: name to folder.

    `main`: oracle, recall and noisy at 0.3 and 0.6 on the ten turns of `support.TOPICS`; `dynamic`: oracle and noisy on
    one profile of the dynamic split.
    """
    found: dict[str, str] = once(factory, "compare-logs", _run_logs)
    return found


def _run_logs(folder: Path) -> dict[str, str]:
    data = str(write_dataset(folder / "harbour"))
    noisy = [get_model("utb/noisy", error_rate=rate, seed=3) for rate in (0.3, 0.6)]
    main, dynamic = folder / "main", folder / "dynamic"
    for model in ["utb/oracle", "utb/recall", *noisy]:
        _run(user_tool_bench(data=data), model, main)
    for model in ["utb/oracle", noisy[1]]:
        _run(dynamic_preference(profiles="d01"), model, dynamic)
    return {"main": str(main), "dynamic": str(dynamic), "data": data}


def _run(task: Any, model: Any, folder: Path) -> None:
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
