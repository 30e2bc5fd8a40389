"""Scores the answers of the audit again: `python docs/audit/score.py` prints its table.

Each file holds a JSON object a turn: `id`, and `responses`, the messages that a reader gave. What they come to is
worked out on the data as it stands now.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample, read_eval_log
from rich.console import Console
from rich.table import Table

from utb_inspect.files import json_lines
from utb_inspect.tasks import user_tool_bench

HERE = Path(__file__).parent
RUNS = {
    "one pass": "full",
    "unlimited effort": "full",
    "with the profile": "full",
    "read again": "full",
    "no history": "none",
}
"""What readers were given, and how much of the history that is."""


def samples(split: str, history: str, file: Path) -> list[EvalSample]:
    ids = [recording["id"] for _, recording in json_lines(file)]
    with tempfile.TemporaryDirectory() as logs:
        (log,) = inspect_eval(
            user_tool_bench(data=split, history=history),
            model="utb/replay",
            model_args={"file": str(file.resolve())},
            sample_id=ids,
            log_dir=logs,
            display="none",
            fail_on_error=False,
        )
        found = read_eval_log(log.location).samples or []
    # A turn that was mended since may want another round than was answered.
    for sample in found:
        if sample.error is not None:
            print(f"{file.name}: {sample.id} is not scored ({sample.error.message})")
    return [sample for sample in found if sample.error is None]


def right(sample: EvalSample, scorer: str) -> bool:
    return bool((sample.scores or {})[scorer].value)


def asked_rightly(sample: EvalSample) -> bool:
    """Whether a question was put just when the reference has one."""
    asked = bool((sample.scores or {})["utb_progress"].as_dict()["asked"])
    return asked == (sample.metadata.get("recoverable") is False)


def main() -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("split", "given", "turns"):
        table.add_column(name, justify="right" if name == "turns" else "left")
    kinds = ("single_tool", "multi_tool", "recoverable", "unrecoverable", "chat")
    for name in ("exact", "relaxed", "asking right", *(kind.replace("_", " ") for kind in kinds)):
        table.add_column(name, justify="right")
    wrong: list[str] = []
    for split in ("utb_open", "utb_open_dynamic"):
        for given, history in RUNS.items():
            file = HERE / f"{split}-{given.replace(' ', '-')}.jsonl"
            if not file.exists():
                continue
            found = samples(split, history, file)
            cells = [_share([right(s, "utb_exact") for s in found]), _share([right(s, "utb_relaxed") for s in found])]
            cells.append(_share([asked_rightly(s) for s in found]))
            for kind in kinds:
                cells.append(_share([right(s, "utb_exact") for s in found if _kind(s) == kind]))
            table.add_row(split, given, str(len(found)), *cells)
            if history == "full":
                wrong += [f"{given}: {sample.id}" for sample in found if not right(sample, "utb_exact")]
    Console(width=160, highlight=False).print(table)
    print("not exact:", "; ".join(wrong) or "none")


def _kind(sample: EvalSample) -> str:
    recoverable = sample.metadata.get("recoverable")
    if recoverable is None:
        return str(sample.metadata["task_type"])
    return "recoverable" if recoverable else "unrecoverable"


def _share(values: list[bool]) -> str:
    return f"{sum(values)}/{len(values)}" if values else ""


if __name__ == "__main__":
    main()
