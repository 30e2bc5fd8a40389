"""A log scored again through Inspect's own scoring, from nothing but the log."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai._eval.score import score_async
from inspect_ai.log import EvalLog, EvalResults, EvalSample
from inspect_ai.scorer import Score
from inspect_ai.util import Store
from pydantic_core import to_jsonable_python

from utb_inspect.datasets.record import TurnRecord
from utb_inspect.rescoring.log_file import Json, LogFile, failing_as
from utb_inspect.rescoring.suite import bare_name, scorers
from utb_inspect.rescoring.transcript import with_scoring
from utb_inspect.rescoring.versions import installed_version, rescored_metadata, scoring_versions
from utb_inspect.schema import DataError

_UNREAD = ("attachments", "error_retries", "events", "events_data", "scores", "timelines")
"""Fields of a sample that no scorer needs; most of its size."""


@dataclass(frozen=True)
class SampleScores:
    """The suite's scores of a sample, by name, as the log has them and as they are now."""

    id: str | int
    epoch: int
    before: dict[str, Json]
    after: dict[str, Json]
    events: list[Json] = field(repr=False)
    """What the scoring adds to the transcript."""

    @property
    def same(self) -> bool:
        return equal(self.before, self.after)

    def put(self, sample: Json) -> Json:
        """The sample with the new scores; those of other scorers stay."""
        others = {name: score for name, score in (sample.get("scores") or {}).items() if not bare_name(name)}
        return {
            **sample,
            "scores": self.after | others,
            "events": with_scoring(sample.get("events") or [], self.events),
        }


@dataclass(frozen=True)
class Rescored:
    """A log with its new scores."""

    file: LogFile
    header: Json
    reductions: list[Json] | None
    samples: dict[int, SampleScores]
    """By index in the file, in the dataset's order; samples that ended in an error and were not scored are left out."""

    @property
    def log(self) -> EvalLog:
        """The re-scored log without its samples."""
        return EvalLog.model_validate(self.header)

    @property
    def same(self) -> bool:
        """Whether there is nothing to write."""
        old, new = (self.file.header, self.file.reductions), (self.header, self.reductions)
        return equal(old, new) and all(scores.same for scores in self.samples.values())

    def save(self, target: Path) -> None:
        """Write the re-scored log by rename; samples whose scores are the same are copied as they are.

        Raises:
            DataError: the file is damaged, or the target cannot be written.
        """
        edits = {index: scores.put for index, scores in self.samples.items() if not scores.same}
        self.file.save(target, self.header, self.reductions, edits)


def rescore(file: LogFile, advance: Callable[[], None] = lambda: None) -> Rescored:
    """Score a log again with all the suite's scorers that its task has.

    Scores of other scorers stay, and so does a sample that ended in an error and was not scored.

    Args:
        file: The log.
        advance: Called after each sample.

    Raises:
        DataError: a sample is damaged, or was not set up by this suite.
    """
    indices = [index for index in _dataset_order(file) if _counts(file.outline(index))]
    found: dict[int, SampleScores] = {}
    one = asyncio.Lock()  # one sample in memory at a time

    @asynccontextmanager
    async def sample(number: int) -> AsyncIterator[EvalSample]:
        async with one:
            index = indices[number]
            with failing_as(file.path, f"sample {file.outline(index)['id']} cannot be scored"):
                raw = file.sample(index)
                slim = _slim(raw, file.path)
                own = len(slim.events)
                yield slim
                found[index] = SampleScores(
                    slim.id, slim.epoch, _suite_scores(raw), _json(slim.scores or {}), _json(slim.events[own:])
                )
        advance()

    scored = asyncio.run(
        score_async(
            _to_score(file.log, len(indices)),
            scorers([scorer.name for scorer in file.log.eval.scorers or []], installed_version(file.log)),
            model="none/none",
            action="overwrite",
            display="none",
            copy=False,
            samples=sample,
        )
    )
    return Rescored(file, _header(file, scored), _reductions(file, scored), {index: found[index] for index in indices})


def _dataset_order(file: LogFile) -> list[int]:
    """Indices of the samples, epoch by epoch in the dataset's order, so that sums are rounded as in the run."""
    order = {str(sample): place for place, sample in enumerate(file.log.eval.dataset.sample_ids or [])}
    outlines = [file.outline(index) for index in range(len(file))]
    return sorted(range(len(file)), key=lambda i: (outlines[i]["epoch"], order.get(str(outlines[i]["id"]), i)))


def _counts(outline: Json) -> bool:
    """Whether a sample counts in the figures: it ended without an error, or was scored in spite of one."""
    return not outline.get("error") or any(bare_name(name) for name in outline.get("scores") or {})


def _to_score(log: EvalLog, samples: int) -> EvalLog:
    """The log's header as scoring needs it.

    Without the models that had other roles in the run: they are not asked, and their providers may want keys.
    """
    spec = log.eval.model_copy(update={"model_roles": None})
    return log.model_copy(update={"eval": spec, "results": EvalResults(total_samples=samples)})


def _slim(raw: Json, path: Path) -> EvalSample:
    """A sample without what no scorer needs.

    Of its events those stay in which an error of the run shows, without what they repeat of the messages.
    """
    events = [e for e in (raw.get("events") or []) if e["event"] in ("error", "sample_limit")]
    events += [
        {**e, "input": [], "input_refs": None, "tools": [], "call": None}
        for e in (raw.get("events") or [])
        if e["event"] == "model"
    ]
    slim = EvalSample.model_validate({**{k: v for k, v in raw.items() if k not in _UNREAD}, "events": events})
    try:
        record = TurnRecord.load(Store(slim.store))
    except ValueError as error:
        raise DataError(f"{path}: the turn of sample {slim.id} is not in this version's form ({error})") from None
    if record is None and not raw.get("limit"):  # a limit may have struck before it was set up
        raise DataError(f"{path}: sample {slim.id} has no turn in its store; it was not set up by utb_inspect/show")
    return slim


def _suite_scores(raw: Json) -> dict[str, Json]:
    scores = {name: score for name, score in (raw.get("scores") or {}).items() if bare_name(name)}
    return {name: _json(Score.model_validate(score)) for name, score in scores.items()}


def _header(file: LogFile, scored: EvalLog) -> Json:
    """The header with the new scorers, figures and signature; other scorers and all else stay."""
    spec, results = file.header["eval"], file.header.get("results")
    version, versions = installed_version(file.log), scoring_versions(file.log)
    others = [scorer for scorer in spec.get("scorers") or [] if not bare_name(scorer["name"])]
    spec = {
        **spec,
        "scorers": [*_json(scored.eval.scorers), *others],
        "metadata": rescored_metadata(file.log),
    }
    if "tags" in spec:
        spec["tags"] = list(dict.fromkeys(version if tag in versions else tag for tag in spec["tags"]))
    header = {**file.header, "eval": spec}
    if results is not None and scored.results is not None:  # a run that was broken off has no figures, and gets none
        others = [score for score in results["scores"] if not bare_name(score["name"])]
        header["results"] = {**results, "scores": [*_json(scored.results.scores), *others]}
        if bare_name(str((results.get("headline") or {}).get("scorer", ""))) is not None:
            header["results"]["headline"] = _json(scored.results.headline)
    return header


def _reductions(file: LogFile, scored: EvalLog) -> list[Json] | None:
    if file.reductions is None:
        return None
    others = [reduction for reduction in file.reductions if not bare_name(reduction["scorer"])]
    return [*_json(scored.reductions or []), *others]


def _json(value: Any) -> Any:
    """As Inspect writes it to a log."""
    return to_jsonable_python(value, exclude_none=True)


def equal(one: Any, other: Any) -> bool:
    """Whether two scores are the same. NaN, the value of what is not scored, equals itself; true is 1."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
        case (list(), list()) | (tuple(), tuple()):
            return len(one) == len(other) and all(map(equal, one, other))
        case float(), float() if math.isnan(one):
            return math.isnan(other)
    return bool(one == other)
