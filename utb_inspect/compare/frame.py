"""Finished runs as data: what each log is, and a row for every sample of it.

`utb_inspect.compare.reading` makes these from logs; tables and statistics read nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from utb_inspect.explain import FLAGS as FLAG_WORDS
from utb_inspect.trajectory.verdict import LABELS

NEVER_RAN = "never ran"
"""Error of a sample that the run was to have and that left no trace, as after a cancelled run."""
NOT_SCORED = "no scorer of this suite has scored it"
"""Error of a sample that ended well and waits to be scored, as after `--no-score`: neither right, wrong nor errored."""
PLACE = (
    *("profile", "topic", "topic_turns", "turn_index", "position", "third", "task_type", "subtype", "structure"),
    *("recoverable", "change", "toolset", "domain"),
)
"""What a sample's metadata says of its turn."""
FLAGS: Mapping[str, str] = {words.replace(" ", "_"): words for words in FLAG_WORDS}
"""Columns that flag a decision, which counts like others, and their wording."""

COLUMNS: Mapping[str, str] = {
    # where the row is from
    "run": "int64",  # index into `Runs.infos`
    "model": "string",  # label of the run's system
    "task": "string",
    "sample": "string",
    "epoch": "Int64",  # from 1
    "uuid": "string",
    # what the turn is; missing where nothing tells (a sample that no run of the same data ran)
    "profile": "string",
    "topic": "string",
    "topic_turns": "Int64",
    "turn_index": "Int64",  # in its topic, from 1
    "position": "Int64",  # among all turns of the profile, from 1
    "third": "string",
    "task_type": "string",
    "subtype": "string",
    "structure": "string",  # of multi-tool turns
    "recoverable": "boolean",  # of lack-of-information turns
    "change": "string",  # of turns that turn on a change of preference
    "toolset": "string",
    "domain": "string",
    "history_turns": "Int64",  # earlier turns that the model was shown
    # the verdict; missing where `scored` is false
    "scored": "bool",
    "error": "string",  # why it is not scored; missing where it is
    **dict.fromkeys(FLAGS, "boolean"),
    "correct": "boolean",  # the run's main verdict: `upstream` of upstream runs, else `exact`
    "exact": "boolean",
    "relaxed": "boolean",
    "severity": "string",  # none | slight | major
    **dict.fromkeys(LABELS, "boolean"),
    "upstream": "boolean",  # the public evaluator's verdict, of upstream runs alone
    "progress": "Float64",  # 0 to 1
    "optimal": "boolean",
    "asked": "boolean",
    "rounds": "Int64",
    "calls": "Int64",
    "questions": "Int64",
    "question_sentences": "Int64",
    "answer": "string",
    # what it cost; of samples that are not scored too
    "input_tokens": "Int64",  # at the full rate: neither read from a cache nor written to one
    "cached_tokens": "Int64",  # read from a provider's cache
    "cache_write_tokens": "Int64",
    "output_tokens": "Int64",  # with reasoning
    "reasoning_tokens": "Int64",
    "total_tokens": "Int64",
    "cost": "Float64",  # USD, where the log has it
    "seconds": "Float64",
    "working_seconds": "Float64",  # without waiting for rate limits and retries
    "retries": "Int64",
}
"""Columns of `Runs.samples` and their pandas types. Missing is `pd.NA`, also where a run has no such score."""

_OTHER_PARTS = frozenset({"data", "profiles", "suite", "inspect"})


@dataclass(frozen=True)
class RunInfo:
    """A log.

    Attributes:
        location: Path or address of the log.
        model: Model name as Inspect has it.
        label: Name of the run's system in tables: the model, and what tells it apart where several systems share one.
            Of runs that compare, all with one label are one system's samples, and no sample is in two of them.
        repeats: Label of the system that this one is, run again; None where it is no repeat.
        task: Task name without its package.
        version: Task version, raised when figures stop being comparable.
        status: `success`, `error` or `cancelled`.
        signature: What its figures were made with (`utb_inspect.signature`).
        parts: The signature's parts: `data`, `verdict`, `history`, `environment`, `off_path`, where given `profiles`,
            `prompt`, `max_rounds` and `language`, then `suite` and `inspect`.
        upstream: Whether the verdict is the public evaluator's.
        epochs: Times each sample was to run.
        samples: Rows it is to have: samples by epochs.
        limits: Limits on a sample that were set, such as `message_limit`.
        created: When it began, ISO 8601.
    """

    location: str
    model: str
    label: str
    repeats: str | None
    task: str
    version: str
    status: str
    signature: str
    parts: Mapping[str, str]
    upstream: bool
    epochs: int
    samples: int
    limits: Mapping[str, Any]
    created: str

    @property
    def data(self) -> str:
        """Dataset, version and hash: `utb_open@1.0.0#a1b2c3`."""
        return self.parts["data"]

    @property
    def options(self) -> dict[str, Any]:
        """What changes figures beside model and data: parts of the signature, limits, task version.

        Without the profiles, which say what samples there are, and the versions of suite and Inspect.
        """
        parts = {key: value for key, value in self.parts.items() if key not in _OTHER_PARTS}
        return {**parts, **self.limits, "task_version": self.version}


@dataclass(frozen=True)
class Runs:
    """Runs to compare.

    Attributes:
        infos: The logs, oldest first.
        samples: A row for every sample and epoch of every log, `COLUMNS`; also of those that failed or never ran.
        refused: What was not read or not taken as it stands, and why; a sentence each.
    """

    infos: list[RunInfo]
    samples: pd.DataFrame
    refused: list[str] = field(default_factory=list)


def sample_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a frame of `COLUMNS`; what a row leaves out is missing."""
    rows = list(rows)
    return pd.DataFrame(
        {column: pd.Series([row.get(column) for row in rows], dtype=dtype) for column, dtype in COLUMNS.items()}
    )
