"""What all tasks share: their parameters, and how a task is put together from them."""

from __future__ import annotations

from collections.abc import Sequence
from logging import getLogger
from typing import Any, Literal, TypedDict, cast, get_args, get_origin, get_type_hints

from inspect_ai import Task
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesView, ViewerConfig

from utb_inspect.datasets import load
from utb_inspect.datasets.dataset import Layout
from utb_inspect.datasets.language import Language
from utb_inspect.datasets.record import VerdictKind
from utb_inspect.datasets.samples import profile_names, to_samples
from utb_inspect.refusal import refusal
from utb_inspect.schema import DataError, TaskType
from utb_inspect.scorers import utb_exact, utb_labels, utb_progress, utb_relaxed, utb_severity, utb_turn, utb_upstream
from utb_inspect.signature import signature
from utb_inspect.solvers import play, show
from utb_inspect.start import from_start
from utb_inspect.trajectory.run import OffPath
from utb_inspect.trajectory.verdict import LABELS, SPEC_VERSION

logger = getLogger(__name__)

TASK_VERSION = "1.0"
"""Raised when figures stop being comparable with those of earlier versions."""


class Options(TypedDict, total=False):
    """Parameters of every task, given as `-T name=value`."""

    data: str
    """`utb_open`, `utb_open_dynamic`, a folder, a file, or `hf:OWNER/NAME`. By default the task's own split."""
    profiles: str | list[str]
    """Profiles to run, comma separated. By default all."""
    history: str
    """`full` (default), `none`, `topic` (the current topic's earlier turns) or `last:N` turns."""
    environment: Layout
    """Where date and place stand. By default as the data's format has it: native inline, public system."""
    system_prompt: str
    """Replaces the system message."""
    off_path: OffPath
    """`stop` ends a run at its first call off the reference path. By default `continue`."""
    max_rounds: int
    """Step cap in model messages. By default twice the reference's steps plus four."""
    verdict: VerdictKind
    """`upstream`: layout, stops and verdict of the public evaluator. By default `spec`."""
    language: Language
    """Language of data that has two."""


_CHOICES = {key: get_args(kind) for key, kind in get_type_hints(Options).items() if get_origin(kind) is Literal}
"""Parameters that take one of a few words."""


def build(
    name: str, display_name: str, task_types: Sequence[TaskType], options: Options, data: str = "utb_open"
) -> Task:
    """A task over the turns of some task types.

    Args:
        name: Task name, the same whether the task is run by path or by registry name.
        display_name: Name for people.
        task_types: Task types of the turns to run.
        options: What was given as `-T name=value`.
        data: Split to run by default.

    Raises:
        PrerequisiteError: data that cannot be read, or a parameter that makes no sense; shown as one message.
    """
    try:
        return _build(name, display_name, task_types, _checked(options), data)
    except DataError as error:
        raise refusal(f"{name}: {error}") from None


def _build(name: str, display_name: str, task_types: Sequence[TaskType], options: dict[str, Any], data: str) -> Task:
    profiles = options.pop("profiles", None)
    data = from_start(options.pop("data", data))
    upstream = options.get("verdict") == "upstream"
    if upstream:
        if ignored := sorted({"off_path", "max_rounds"} & set(options)):
            raise DataError(f"{ignored[0]} has no meaning with verdict=upstream, which stops as that evaluator does")
        options = {"environment": "system", **options}  # the public layout
    dataset = load(data, language=options.get("language"))
    for warning in dataset.warnings:
        logger.warning(warning)
    scorers = (
        [utb_upstream()]
        if upstream
        else [utb_exact(), utb_relaxed(), utb_severity(), utb_labels(), utb_progress(), utb_turn()]
    )
    headline = "utb_upstream" if upstream else "utb_exact"
    return Task(
        dataset=to_samples(dataset, task_types, profiles),
        setup=show(data=data, **options),
        solver=play(),
        scorer=scorers,
        config=GenerateConfig(internal_tools=False),
        name=name,
        display_name=display_name,
        version=TASK_VERSION,
        tags=["user-tool-bench", "tool-use", "personalization", "upstream" if upstream else SPEC_VERSION],
        metadata={
            "dataset": dataset.info.name,
            "dataset_version": dataset.info.version,
            "dataset_hash": dataset.hash,
            "signature": signature(dataset, options, profiles),
        },
        headline_metric=HeadlineMetric(scorer=headline, metric="accuracy"),
        viewer=_viewer(["utb_upstream"] if upstream else ["utb_exact", "utb_relaxed", "utb_severity"]),
    )


def _checked(options: Options) -> dict[str, Any]:
    """The parameters, checked; comma-separated values, which Inspect reads as lists, put right."""
    given = cast(dict[str, Any], {k: v for k, v in options.items() if v is not None})
    if unknown := sorted(set(given) - set(Options.__annotations__)):
        raise DataError(f"there is no parameter {', '.join(unknown)}; there are {', '.join(Options.__annotations__)}")
    for key, choices in _CHOICES.items():
        if key in given and given[key] not in choices:
            raise DataError(f"{key}={given[key]}: give {' or '.join(choices)}")
    for key in ("system_prompt", "data", "history"):
        if key in given:
            given[key] = _text(key, given[key])
    if not given.get("system_prompt", "-").strip():
        raise DataError("system_prompt is blank, which no provider takes; leave it out for the usual system message")
    if "profiles" in given:
        given["profiles"] = profile_names(given["profiles"])
    rounds = given.get("max_rounds", 1)
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise DataError(f"max_rounds={rounds}: give a whole number from 1")
    return given


def _text(key: str, value: Any) -> str:
    """A text that was given on the command line, where commas make lists and colons and words other things."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = ",".join(value)
    if not isinstance(value, str):
        raise DataError(f"{key} was read as {value!r}; put the value in quotes of its own, -T {key}='\"...\"'")
    return value


_TURN_COLUMNS = {
    "labels": "failure labels",
    "task_type": "task type",
    "subtype": "turn subtype",
    "third": "third",
    "profile": "profile",
    "flags": "flags",
}
"""What `utb_turn` shows, in the order of the sample list, with headings; the viewer gives long headings more room."""


def _viewer(scores: list[str]) -> ViewerConfig:
    """The sample list: request, decision, verdicts, what kind of turn it is; then each label by itself."""
    turn = [] if "utb_upstream" in scores else [TaskSamplesColumn.score("utb_turn", key) for key in _TURN_COLUMNS]
    columns = [
        TaskSamplesColumn(id="sampleStatus"),
        TaskSamplesColumn(id="sampleId"),
        TaskSamplesColumn(id="input"),
        TaskSamplesColumn(id="answer"),
        *(TaskSamplesColumn.score(score) for score in scores),
        *turn,
        TaskSamplesColumn(id="error"),
        TaskSamplesColumn(id="limit"),
        *(TaskSamplesColumn.score("utb_labels", label, visible=False) for label in LABELS),
        *(TaskSamplesColumn(id=hidden, visible=False) for hidden in ("target", "tokens", "duration")),
    ]
    view = TaskSamplesView(
        name="Decisions",
        columns=columns,
        score_labels={**{score: score.removeprefix("utb_") for score in scores}, **_TURN_COLUMNS},
        score_color_scales={"utb_severity": {"none": "good", "slight": "warn", "major": "bad"}},
    )
    return ViewerConfig(task_samples_view=view)
