"""What finished logs say, in one table: how many samples counted, and what came of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalLog, EvalScore, list_eval_logs, read_eval_log

from utb_inspect.schema import DataError


@dataclass(frozen=True)
class Summary:
    """A log's figures. Accuracies are over the scored samples; None: the log has no such score."""

    task: str
    model: str
    status: str
    signature: str
    samples: int
    """Samples of the run, epochs counted apart."""
    scored: int
    exact: float | None
    relaxed: float | None
    upstream: float | None

    @property
    def errored(self) -> int:
        """Samples that were not scored."""
        return self.samples - self.scored

    def with_errors_wrong(self, accuracy: float) -> float:
        """An accuracy over the scored samples, over all of them, errors counted as wrong."""
        return accuracy * self.scored / self.samples if self.samples else accuracy


def summaries(places: Iterable[str]) -> Iterator[Summary]:
    """Summaries of logs, oldest first.

    Args:
        places: Log files, or folders of logs.

    Raises:
        DataError: a place holds no log, or one that cannot be read, or is not of this suite.
    """
    for place in places:
        files = [place] if Path(place).is_file() else [info.name for info in list_eval_logs(place, descending=False)]
        if not files:
            raise DataError(f"{place}: holds no log; runs write theirs to ./logs unless --log-dir says otherwise")
        for file in files:
            try:
                log = read_eval_log(file, header_only=True)
            except (ValueError, OSError, KeyError) as error:
                raise DataError(f"{file}: is no log that can be read ({error})") from None
            yield summarise(log)


def summarise(log: EvalLog) -> Summary:
    """The summary of a log; a header is enough.

    Raises:
        DataError: the log is not of this suite.
    """
    metadata = log.eval.metadata or {}
    if "signature" not in metadata:
        raise DataError(f"{log.location}: is a log of {log.eval.task}, which is no task of this suite")
    scores = {score.name: score for score in (log.results.scores if log.results else [])}
    main = scores.get("utb_exact") or scores.get("utb_upstream")
    epochs = log.eval.config.epochs or 1
    total = log.results.total_samples if log.results else log.eval.dataset.samples or 0
    # Reduced scores count a sample once, however many epochs there were.
    scored = (main.scored_samples or 0) * epochs if main else 0
    return Summary(
        task=log.eval.task.split("/")[-1],
        model=log.eval.model,
        status=log.status,
        signature=str(metadata["signature"]),
        samples=total,
        scored=min(scored, total),
        exact=_accuracy(scores.get("utb_exact")),
        relaxed=_accuracy(scores.get("utb_relaxed")),
        upstream=_accuracy(scores.get("utb_upstream")),
    )


def _accuracy(score: EvalScore | None) -> float | None:
    return None if score is None or "accuracy" not in score.metrics else score.metrics["accuracy"].value
