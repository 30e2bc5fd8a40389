"""Noisy: the oracle with planned mistakes."""

from __future__ import annotations

from itertools import islice
from random import Random

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from utb_inspect.baselines.mistakes import MISTAKES
from utb_inspect.baselines.oracle import Plan, current_record, planned, reference_plan
from utb_inspect.baselines.player import Action, SampleKey, current_sample, to_message
from utb_inspect.datasets.record import TurnRecord
from utb_inspect.trajectory.verdict import LABELS, Label, judge_messages

_OFTEN: dict[Label, int] = {
    "stale_preference": 6,
    "sequence_dependency": 3,
    "implicit_preference": 3,
    "clarification": 2,
}
"""How many times as often a label is tried that few turns admit, so that a dataset shows them all."""
_TRIES = 60
"""Plans of a mistake that are looked at."""


class Noisy:
    """The oracle with at most one planned mistake a run, drawn by seed, sample and epoch.

    For tests and demonstrations: every label of the benchmark comes up, a share of about `error_rate` of the runs is
    wrong, and each run is the same next time.
    """

    def __init__(self, error_rate: float = 0.3, seed: int = 0) -> None:
        """Set how often to go wrong.

        Args:
            error_rate: Probability of a mistake in a run, 0 to 1.
            seed: Another seed makes other mistakes.

        Raises:
            ValueError: an argument that makes no sense.
        """
        if isinstance(error_rate, bool) or not isinstance(error_rate, int | float) or not 0 <= error_rate <= 1:
            raise ValueError(f"error_rate={error_rate}: give a number from 0 to 1")
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise ValueError(f"seed={seed}: give a whole number")
        self.error_rate = error_rate
        self.seed = seed

    async def act(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> Action:
        plan, _ = self.plan(current_record(), tools, current_sample())
        return planned(plan, messages)

    def plan(self, record: TurnRecord, tools: list[ToolInfo], sample: SampleKey) -> tuple[Plan, Label | None]:
        """What is played in a sample, and the label of the mistake in it; None for no mistake."""
        right = reference_plan(record)
        chance = Random(f"{self.seed}/{sample.id}/{sample.epoch}")
        if chance.random() >= self.error_rate:
            return right, None
        often = [_OFTEN.get(label, 1) for label in LABELS]
        for label in dict.fromkeys(chance.sample(LABELS, counts=often, k=sum(often))):
            for mistake in chance.sample(MISTAKES[label], k=len(MISTAKES[label])):
                wrong = None
                for plan in islice(mistake(right, record.tools), _TRIES):
                    earned = labels(plan, record, tools)
                    if earned == {label}:
                        return plan, label
                    if label in earned and wrong is None:
                        wrong = plan
                if wrong is not None:
                    return wrong, label
        return right, None


def labels(plan: Plan, record: TurnRecord, tools: list[ToolInfo]) -> frozenset[Label]:
    """The labels that a run as planned gets."""
    messages = [record.message(to_message(round_.action, tools, i)) for i, round_ in enumerate(plan)]
    return judge_messages(record.run(), messages).labels
