"""The verdicts on a run: exact, relaxed, severity, labels and the further figures (spec section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from utb_inspect.schema import AskStep, CallStep
from utb_inspect.trajectory.agreement import ArgumentCheck
from utb_inspect.trajectory.calls import Message
from utb_inspect.trajectory.questions import is_question, question_sentences
from utb_inspect.trajectory.rounds import fewest_rounds
from utb_inspect.trajectory.run import MadeCall, PathState, Run, replay

SPEC_VERSION = "spec-1"
"""Version of the scoring rules; figures made under different versions do not compare."""

Severity = Literal["none", "slight", "major"]
Label = Literal[
    "wrong_tool",
    "missing_tool",
    "user_constraint",
    "implicit_preference",
    "sequence_dependency",
    "clarification",
    "malformed_call",
    "no_answer",
    "stale_preference",
]
LABELS: tuple[Label, ...] = get_args(Label)


class PathVerdict:
    """A run judged against one path."""

    def __init__(self, run: Run, state: PathState) -> None:
        self.run = run
        self.state = state
        self.assigned = state.assignment(run.calls)
        """Call index to the reference call it stands for."""

    # --- what was made ---

    @cached_property
    def checks(self) -> dict[int, list[ArgumentCheck]]:
        """Argument checks of each assigned call."""
        return {i: self.state.checks(self.run.calls[i], step) for i, step in self.assigned.items()}

    @cached_property
    def missing(self) -> list[CallStep]:
        """Reference calls to which no call is assigned."""
        taken = {step.id for step in self.assigned.values()}
        return [step for step in self.state.path.calls if step.id not in taken]

    @cached_property
    def further(self) -> list[MadeCall]:
        """Valid calls that are left over."""
        return [call for call in self.run.calls if call.valid and call.index not in self.assigned]

    @cached_property
    def invalid(self) -> list[MadeCall]:
        return [call for call in self.run.calls if not call.valid]

    def is_write(self, call: MadeCall) -> bool:
        return self.run.tools[call.name].effect == "write"

    @cached_property
    def guesses(self) -> list[MadeCall]:
        """Further reads that disagree with each reference call of their tool on an unambiguous argument."""
        return [
            call
            for call in self.further
            if not self.is_write(call)
            and (steps := self.state.steps_of(call.name))
            and not any(self.state.fit(call, step).unambiguous for step in steps)
        ]

    @property
    def answered(self) -> bool:
        return bool(self.run.final_text.strip())

    # --- order and questions ---

    @cached_property
    def out_of_order(self) -> list[tuple[MadeCall, str]]:
        """Assigned calls with a step they should come after and do not."""
        return [
            (self.run.calls[i], before)
            for i, step in self.assigned.items()
            for before in step.after
            if not self.state.is_after(self.run.calls[i], before)
        ]

    @cached_property
    def ungrounded(self) -> list[tuple[MadeCall, str]]:
        """Assigned calls made before the observation that an argument is grounded in."""
        found = []
        for i, step in self.assigned.items():
            call = self.run.calls[i]
            for argument, ground in step.grounds.items():
                source = ground.from_
                top = argument.split(".")[0].removesuffix("[]")
                if source is not None and top in call.read.arguments and not self.state.is_after(call, source):
                    found.append((call, source))
        return found

    def _gated(self, ask: AskStep) -> Iterable[MadeCall]:
        """Calls that should wait for an ask: to a tool of a reference call that lists it."""
        gates = {step.call for step in self.state.path.calls if ask.id in step.after}
        for call in self.run.calls:
            if call.valid and call.name in gates:
                step = self.assigned.get(call.index)
                if step is None or ask.id in step.after:
                    yield call

    def ask_is_right(self, ask: AskStep) -> bool:
        """Whether an ask step was met, on target and in time."""
        asked = self.state.asked.get(ask.id)
        return asked is not None and asked.on_target and all(c.round > asked.round for c in self._gated(ask))

    @cached_property
    def wrong_asks(self) -> list[AskStep]:
        """Ask steps not met on target and in time."""
        return [ask for ask in self.state.path.asks if not self.ask_is_right(ask)]

    def _was_due(self, ask: AskStep) -> bool:
        """Whether an ask came due, or a call was made that should have waited for it."""
        done = all(before in self.state.returned for before in ask.after)
        return done or ask.id in self.state.asked or any(True for _ in self._gated(ask))

    @cached_property
    def ended_on_question(self) -> bool:
        return is_question(self.run.final_text)

    # --- verdicts ---

    @property
    def _leaves(self) -> Iterable[ArgumentCheck]:
        return (check for checks in self.checks.values() for check in checks)

    @cached_property
    def exact(self) -> bool:
        return (
            not self.missing
            and not self.further
            and not self.invalid
            and not self.out_of_order
            and not self.wrong_asks
            and all(check.agrees for check in self._leaves)
            and self.answered
        )

    @cached_property
    def relaxed(self) -> bool:
        if self.exact:
            return True
        all_count = self.run.turn.task_type == "lack_of_information"
        for i, checks in self.checks.items():
            for check in checks:
                if check.misses_unambiguous or (all_count and check.misses_preference):
                    return False
                if check.unsupported and self.is_write(self.run.calls[i]):
                    return False
        return (
            not self.missing
            and not self.ungrounded
            and not self.guesses
            and not any(self.is_write(call) for call in self.further)
            and not self.wrong_asks
            and self.answered
        )

    @cached_property
    def severity(self) -> Severity:
        if self.exact:
            return "none"
        slight = (
            not self.missing
            and len(self.further) + len(self.invalid) <= 1
            and not self.guesses
            and not any(self.is_write(call) for call in self.further)
            and not self.out_of_order
            and not self.wrong_asks
            and self.answered
            and all(check.agrees or check.misses_preference for check in self._leaves)
        )
        return "slight" if slight else "major"

    @cached_property
    def labels(self) -> frozenset[Label]:
        if self.exact:
            return frozenset()
        leaves = list(self._leaves)
        made = {step.id for step in self.assigned.values()}
        holds: dict[Label, bool] = {
            "wrong_tool": bool(self.further),
            "missing_tool": bool(self.missing),
            "user_constraint": bool(self.guesses)
            or any(c.unsupported or (c.misses_unambiguous and c.basis != "observation") for c in leaves),
            "implicit_preference": any(check.misses_preference for check in leaves),
            "sequence_dependency": any(before in made for _, before in self.out_of_order)
            or any(check.misses_unambiguous and check.basis == "observation" for check in leaves),
            "clarification": any(self._was_due(ask) for ask in self.wrong_asks)
            or (self.ended_on_question and bool(self.missing)),
            "malformed_call": bool(self.invalid),
            "no_answer": not self.answered,
            "stale_preference": any(check.stale for check in leaves),
        }
        return frozenset(label for label in LABELS if holds[label])

    @cached_property
    def progress(self) -> float:
        path = self.state.path
        total = len(path.calls) + len(path.asks)
        if total == 0:
            return float(self.answered)
        right = sum(all(check.agrees for check in checks) for checks in self.checks.values())
        return (right + len(path.asks) - len(self.wrong_asks)) / total

    @cached_property
    def optimal(self) -> bool:
        return self.exact and len(self.run.messages) == fewest_rounds(self.state.path)

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """Orders paths from the one that comes out best."""
        return (not self.exact, not self.relaxed, get_args(Severity).index(self.severity), len(self.labels))


@dataclass(frozen=True)
class Verdict:
    """The verdict on a run: against the path that comes out best."""

    exact: bool
    relaxed: bool
    severity: Severity
    labels: frozenset[Label]
    progress: float
    """Share of reference calls fully agreed with and asks met; 0 to 1."""
    optimal: bool
    rounds: int
    """Model messages."""
    calls: int
    asked: bool
    """Whether a question stands anywhere in the run."""
    questions: int
    question_sentences: int
    """Over all questions of the run."""
    path: int
    """Index of the path: 0 the reference, then the alternatives."""
    against: PathVerdict
    """How it came about, for explanations."""


def judge(run: Run) -> Verdict:
    """Judge a run. One that has not ended counts as one without an answer."""
    verdicts = [PathVerdict(run, state) for state in run.paths]
    best = min(range(len(verdicts)), key=lambda i: verdicts[i].rank)
    found = verdicts[best]
    return Verdict(
        exact=found.exact,
        relaxed=found.relaxed,
        severity=found.severity,
        labels=found.labels,
        progress=found.progress,
        optimal=found.optimal,
        rounds=len(run.messages),
        calls=len(run.calls),
        asked=bool(run.questions),
        questions=len(run.questions),
        question_sentences=sum(len(question_sentences(text)) for text in run.questions),
        path=best,
        against=found,
    )


def judge_messages(run: Run, messages: Iterable[Message]) -> Verdict:
    """Play scripted messages in a fresh run and judge it."""
    replay(run, messages)
    return judge(run)
