"""What a run does: how each message of a model is answered from the reference (spec section 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from utb_inspect.schema import AnswerStep, AskStep, CallStep, DataError, Path, Turn
from utb_inspect.trajectory.agreement import ArgumentCheck, check_arguments, fit_of
from utb_inspect.trajectory.assignment import Fit, assign
from utb_inspect.trajectory.calls import Message, ReadCall, Tools
from utb_inspect.trajectory.questions import is_question, on_target

OffPath = Literal["continue", "stop"]
ResultKind = Literal["reference", "repeat", "further", "off_path", "invalid"]
End = Literal["answer", "no_answer", "off_path", "step_cap"]

NO_DATA = {"status": "no_data"}
"""What a call off the reference path returns."""


@dataclass(frozen=True)
class Result:
    """What a call returned."""

    call_id: str
    """The call's own id, or the new one of a call whose id was taken."""
    content: Any
    """The recorded observation, `NO_DATA`, or `{"error": ...}`."""
    kind: ResultKind
    """`further`: a read that agrees with a reference call already answered."""


@dataclass(frozen=True)
class Reply:
    """What follows a message of the model."""

    results: tuple[Result, ...] = ()
    user: str | None = None
    """Recorded replies to a question, joined in order."""
    ended: End | None = None


@dataclass(frozen=True)
class MadeCall:
    """A call of the run."""

    index: int
    round: int
    """Index of the model message that made it."""
    id: str
    read: ReadCall

    @property
    def name(self) -> str:
        return self.read.name

    @property
    def valid(self) -> bool:
        return self.read.fault is None


@dataclass(frozen=True)
class Asked:
    """An ask step that a question met or spent."""

    round: int
    on_target: bool


@dataclass
class PathState:
    """How far a run is along one path."""

    path: Path
    tools: Tools
    matched: dict[str, int] = field(default_factory=dict)
    """Call step to the index of the call that took it while the run went on."""
    returned: dict[str, int] = field(default_factory=dict)
    """Step to the round in which its observation or reply was first returned."""
    asked: dict[str, Asked] = field(default_factory=dict)
    _checks: dict[tuple[int, str], list[ArgumentCheck]] = field(default_factory=dict)

    @cached_property
    def observations(self) -> dict[str, Any]:
        return {step.id: step.observation for step in self.path.calls}

    def checks(self, call: MadeCall, step: CallStep) -> list[ArgumentCheck]:
        """The arguments of a valid call beside those of a reference call of its tool."""
        key = (call.index, step.id)
        if key not in self._checks:
            self._checks[key] = check_arguments(self.tools[call.name], step, call.read.arguments, self.observations)
        return self._checks[key]

    def fit(self, call: MadeCall, step: CallStep) -> Fit:
        in_order = all(
            self.is_after(call, before) for before in step.after if isinstance(self.path.by_id[before], CallStep)
        )
        return fit_of(self.checks(call, step), in_order)

    def is_after(self, call: MadeCall, step_id: str) -> bool:
        """Whether a call comes after a step: made in a later round than the step's return."""
        return self.returned.get(step_id, call.round) < call.round

    def steps_of(self, name: str) -> list[CallStep]:
        return [step for step in self.path.calls if step.call == name]

    def answer(self, call: MadeCall, repeated: bool) -> tuple[ResultKind, Any]:
        """Answer a valid call along this path, taking the step it stands for."""
        steps = self.steps_of(call.name)
        unmatched = [step for step in steps if step.id not in self.matched]
        fits = {step.id: self.fit(call, step) for step in steps}
        step = next((s for s in self._ready_first(call, unmatched) if fits[s.id].full), None)
        if step is None and not repeated and unmatched:
            ready = [s for s in unmatched if self._is_ready(call, s)] or unmatched
            step = min(ready, key=lambda s: (not fits[s.id].unambiguous, fits[s.id].disagreements))
        if step is not None:
            self.matched[step.id] = call.index
            self.returned[step.id] = call.round
            return "reference", step.observation
        if repeated:
            return "repeat", None
        answered = [s for s in steps if fits[s.id].full]
        if answered and self.tools[call.name].effect == "read":
            return "further", max(answered, key=lambda s: self.returned[s.id]).observation
        return "off_path", NO_DATA

    def _is_ready(self, call: MadeCall, step: CallStep) -> bool:
        return all(self.is_after(call, before) for before in step.after)

    def _ready_first(self, call: MadeCall, steps: Iterable[CallStep]) -> list[CallStep]:
        return sorted(steps, key=lambda step: not self._is_ready(call, step))

    def due(self) -> list[AskStep]:
        """Ask steps not yet asked whose `after` is done."""
        return [
            ask
            for ask in self.path.asks
            if ask.id not in self.asked and all(before in self.returned for before in ask.after)
        ]

    def next_steps(self) -> Sequence[CallStep | AskStep | AnswerStep]:
        """What the reference does next: its first due question, else every call that is ready, else the answer."""
        ready = [
            step
            for step in self.path.steps[:-1]
            if step.id not in self.returned and all(before in self.returned for before in step.after)
        ]
        asks = [step for step in ready if isinstance(step, AskStep)]
        return asks[:1] or ready or self.path.steps[-1:]

    def ask(self, step: AskStep, round_: int, on_target: bool) -> None:
        self.asked[step.id] = Asked(round_, on_target)
        self.returned[step.id] = round_

    def assignment(self, calls: Sequence[MadeCall]) -> dict[int, CallStep]:
        """Calls (by index) to reference calls: the one assignment of all scores (spec section 5)."""
        assigned: dict[int, CallStep] = {}
        for name in dict.fromkeys(step.call for step in self.path.calls):
            steps = self.steps_of(name)
            made = [call for call in calls if call.valid and call.name == name]
            fits = [[self.fit(call, step) for step in steps] for call in made]
            assigned |= {made[i].index: steps[j] for i, j in assign(fits).items()}
        return assigned

    def agreement(self, calls: Sequence[MadeCall]) -> tuple[int, int, int]:
        """How well the calls so far agree: fully agreeing, agreeing on unambiguous arguments, assigned."""
        assigned = self.assignment(calls)
        fits = [self.fit(call, assigned[call.index]) for call in calls if call.index in assigned]
        return sum(fit.full for fit in fits), sum(fit.unambiguous for fit in fits), len(fits)


def step_cap(turn: Turn) -> int:
    """Model messages after which a run is ended: twice the steps of the longest path plus four."""
    return 2 * max(len(path.steps) for path in turn.paths) + 4


class Run:
    """A run of one turn: takes the model's messages one by one and says what follows.

    Args:
        turn: The turn, with its reference.
        tools: The topic's toolset, compiled.
        off_path: `stop` ends the run at the first call off the reference path.
        max_rounds: Step cap; by default twice the reference steps plus four.

    Raises:
        DataError: a reference call names a tool that the toolset lacks.
    """

    def __init__(self, turn: Turn, tools: Tools, off_path: OffPath = "continue", max_rounds: int | None = None) -> None:
        if unknown := sorted({s.call for path in turn.paths for s in path.calls if s.call not in tools}):
            raise DataError(f"the reference calls {', '.join(unknown)}, which toolset '{tools.toolset.id}' lacks")
        self.turn = turn
        self.tools = tools
        self.off_path = off_path
        self.max_rounds = step_cap(turn) if max_rounds is None else max_rounds
        self.paths = [PathState(path, tools) for path in turn.paths]
        self.messages: list[Message] = []
        self.calls: list[MadeCall] = []
        self.questions: list[str] = []
        """Texts without calls that were questions, the final one too."""
        self.ended: End | None = None
        self._ids: set[str] = set()
        self._reads: dict[str, Any] = {}
        """Key of each read made to what it last returned."""

    @property
    def final_text(self) -> str:
        """The final answer; empty when the run ended without one."""
        return self.messages[-1].text if self.ended == "answer" else ""

    def reply(self, message: Message) -> Reply:
        """Take the next message of the model.

        Raises:
            RuntimeError: the run has ended.
        """
        if self.ended is not None:
            raise RuntimeError("the run has ended")
        self.messages.append(message)
        reply = self._answer_calls(message) if message.calls else self._answer_text(message.text)
        ended = reply.ended
        if ended is None and len(self.messages) >= self.max_rounds:
            ended = "step_cap"
        self.ended = ended
        return Reply(reply.results, reply.user, ended)

    def _best_path(self) -> PathState:
        if len(self.paths) == 1:
            return self.paths[0]
        return max(self.paths, key=lambda state: state.agreement(self.calls))

    def _answer_calls(self, message: Message) -> Reply:
        first = len(self.calls)
        kinds: list[list[tuple[ResultKind, Any]]] = []
        reads: set[str] = set()
        for call in message.calls:
            made = MadeCall(len(self.calls), len(self.messages) - 1, own_id(call.id, self._ids), self.tools.read(call))
            self.calls.append(made)
            if not made.valid:
                kinds.append([])
                continue
            # Only along the whole message is it known which path answers it.
            repeated = made.read.key in self._reads or made.read.key in reads
            if self.tools[made.name].effect == "read":
                reads.add(made.read.key)
            kinds.append([state.answer(made, repeated) for state in self.paths])

        best = self.paths.index(self._best_path())
        results = []
        stopped = False
        for made, answers in zip(self.calls[first:], kinds, strict=True):
            if not answers:
                results.append(Result(made.id, {"error": made.read.fault}, "invalid"))
                continue
            kind, content = answers[best]
            if kind == "repeat":
                content = self._reads[made.read.key]
            if self.tools[made.name].effect == "read":
                self._reads[made.read.key] = content
            stopped = stopped or all(kind == "off_path" for kind, _ in answers)
            results.append(Result(made.id, content, kind))
        return Reply(tuple(results), ended="off_path" if stopped and self.off_path == "stop" else None)

    def _answer_text(self, text: str) -> Reply:
        if not text.strip():
            return Reply(ended="no_answer")
        asks = is_question(text)
        if asks:
            self.questions.append(text)
        best = self._best_path()
        due = best.due()
        if not due or not asks:
            return Reply(ended="answer")
        round_ = len(self.messages) - 1
        met = [step for step in due if on_target(step, text)]
        for state in self.paths:
            self._ask_along(state, text, round_, {tuple(step.ask) for step in met} if state is not best else set())
        return Reply(user=" ".join(step.reply for step in met or due))

    @staticmethod
    def _ask_along(state: PathState, text: str, round_: int, met_elsewhere: set[tuple[str, ...]]) -> None:
        """Let a question meet the due asks of a path that it is on target for, or spend them all."""
        due = state.due()
        met = [step for step in due if tuple(step.ask) in met_elsewhere or on_target(step, text)]
        for step in met or due:
            state.ask(step, round_, on_target=bool(met))


def own_id(call_id: str, taken: set[str]) -> str:
    """A call's id, or a new one when it is empty or taken; taken from now on."""
    own, number = call_id, len(taken)
    while not own or own in taken:
        own = f"call{number:05d}"
        number += 1
    taken.add(own)
    return own


class Answers(Protocol):
    """Something that takes a model's messages and says what follows: a `Run`, or one by other rules."""

    @property
    def ended(self) -> End | None: ...

    def reply(self, message: Message) -> Reply: ...


def replay(run: Answers, messages: Iterable[Message]) -> list[Reply]:
    """Play scripted messages until the run ends; what is left over is not used."""
    replies = []
    for message in messages:
        if run.ended is not None:
            break
        replies.append(run.reply(message))
    return replies


def content_text(content: Any) -> str:
    """An observation as the text of a tool message."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
