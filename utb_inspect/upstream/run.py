"""A run as the public evaluator conducts and judges it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .arguments import arguments_difference, arguments_text
from .graph import Round
from .orderings import OpenOrderings
from .reference import ANSWER, TALK, read_reference
from .tools import read_tools

Label = Literal["correct", "error"]


@dataclass(frozen=True)
class UpstreamCall:
    """A tool call as the model gave it."""

    id: str
    name: str
    arguments: Any
    """The raw JSON text, or the object it stands for."""

    @classmethod
    def read(cls, raw: Any) -> "UpstreamCall | None":
        """Read a call in chat-completions form; None if it lacks a part, at which the public run stops."""
        try:
            call = cls(raw["id"], raw["function"]["name"], raw["function"]["arguments"])
        except (KeyError, TypeError):
            return None
        return call if isinstance(call.name, str) else None


@dataclass(frozen=True)
class UpstreamReply:
    """What the public evaluator sends back to one model message."""

    observations: list[tuple[str, Any]]
    """Call id and recorded observation, in the order in which they are sent as tool messages."""
    user: str | None
    """The user's recorded reply, if the message met a question of the reference."""
    ended: bool


@dataclass(frozen=True)
class UpstreamVerdict:
    """The public evaluator's verdict on a run."""

    action_name_label: Label
    """Whether the run took the reference's actions to the answer. "correct" also where it did not, if the
    arguments of an earlier round were wrong."""
    action_arguments_label: Label
    label: Label
    is_optimal: bool
    """Right throughout, in as few messages as the reference's dependencies allow."""
    steps: int
    """Messages left in the evaluator's log, which its progress rate counts: one less than `used` if arguments
    were wrong before the last message."""
    used: int
    """Messages that the run took."""
    reasons: tuple[str, ...]
    """Why the run is wrong, a sentence a reason; empty if it is right."""


class UpstreamRun:
    """One turn under the public evaluator: it answers each model message and stops at the first wrong action.

    The evaluator looks at names while the run goes on, and at arguments afterwards. A message is right when it

    - has calls, and some ordering of the reference that is still open has a round of exactly these names here:
      the first such ordering counts, and the calls are answered whatever their arguments;
    - is text without calls, of white space even, and some open ordering has an ask or an answer here: the first
      that has either decides whether the user replies or the run has ended well. What the text says is not read.

    To check their arguments, a round's calls and reference steps are paired off by name and then by the order of
    their JSON texts. For observations they are not paired: those go out in the order of the reference steps'
    names, under the ids in the model's order, so that a call may get another's. Arguments are checked up to the
    first round with wrong ones, and not in a round that begins, by name, with an ask or answer called as a tool.

    Where the public evaluator breaks down it has no verdict. Here a message is wrong then: one after the last
    step of the reference, and calls when met questions have left an ordering open that is over.

    Source: public evaluator, `base_handler.py` and `eval_runner.py`.
    """

    def __init__(self, tools: Sequence[dict[str, Any]], answer_list: Sequence[dict[str, Any]]) -> None:
        """Begin a turn.

        Args:
            tools: The tools as the model is shown them (`shown_tools` of a public row's).
            answer_list: The reference of the turn, as a public row has it.

        Raises:
            ValueError: The reference cannot be read.
        """
        self._steps = read_reference(answer_list)
        self._tools = read_tools(tools)
        self._orderings = OpenOrderings(self._steps)
        self._used = 0
        self._ended = False
        self._answered = False
        self._wrong_action: str | None = None
        self._wrong_arguments: tuple[str, ...] = ()
        self._wrong_arguments_at = 0

    def reply(self, content: str | None, tool_calls: Sequence[UpstreamCall | None] | None = None) -> UpstreamReply:
        """Answer one model message.

        Args:
            content: The message's text. Text beside calls is not looked at.
            tool_calls: Its calls; None in the place of one that cannot be read, at which the run stops.

        Raises:
            RuntimeError: The run has ended.
        """
        if self._ended:
            raise RuntimeError("The run has ended.")
        self._used += 1
        if not tool_calls:
            return self._reply_to_text(content)
        calls = [call for call in tool_calls if call is not None]
        if len(calls) < len(tool_calls):
            return self._stop("has a call that cannot be read")
        return self._reply_to_calls(calls)

    def verdict(self) -> UpstreamVerdict:
        """The verdict on the run so far; a run that has not ended has not taken the reference's actions."""
        right_arguments = not self._wrong_arguments
        # The checker stops at the message after wrong arguments: it drops that message from its log and calls
        # the actions correct, whatever came of them.
        overruled = not right_arguments and self._used > self._wrong_arguments_at
        right = self._answered and right_arguments
        reasons = self._wrong_arguments + ((self._wrong_action,) if self._wrong_action else ())
        if not self._ended:
            reasons += ("The run stopped before the answer.",)
        return UpstreamVerdict(
            action_name_label=_label(self._answered or overruled),
            action_arguments_label=_label(right_arguments),
            label=_label(right),
            is_optimal=right and self._used == self._orderings.graph.shortest,
            steps=self._used - overruled,
            used=self._used,
            reasons=reasons,
        )

    def _reply_to_text(self, content: str | None) -> UpstreamReply:
        if content is None or content == "":
            return self._stop("is empty")
        steps = self._orderings.talk_round()
        if steps is None:
            return self._stop(f"is text, where the reference has {self._expected()}")
        step = self._steps[steps[0]]
        if step.name == ANSWER:
            self._answered = self._ended = True
            return UpstreamReply([], None, ended=True)
        self._orderings.play_question()
        return UpstreamReply([], step.user_input, ended=False)

    def _reply_to_calls(self, calls: Sequence[UpstreamCall]) -> UpstreamReply:
        steps = self._orderings.call_round([call.name for call in calls])
        if steps is None:
            names = ", ".join(call.name for call in calls)
            return self._stop(f"calls {names}, where the reference has {self._expected()}")
        if self._orderings.has_ended_ordering():
            return self._stop("calls tools where one way to play the reference is over")
        self._orderings.play_calls(steps)
        if not self._wrong_arguments:
            self._wrong_arguments = tuple(self._argument_reasons(calls, steps))
            self._wrong_arguments_at = self._used
        observations = [self._steps[step].observation for step in self._by_name(steps)]
        ids = [call.id for call in calls]
        return UpstreamReply(list(zip(ids, observations, strict=True)), None, ended=False)

    def _argument_reasons(self, calls: Sequence[UpstreamCall], steps: Round) -> list[str]:
        predicted = sorted((call.name, arguments_text(call.arguments)) for call in calls)
        expected = sorted(
            (self._steps[step].name, json.dumps(self._steps[step].arguments, ensure_ascii=False)) for step in steps
        )
        if expected[0][0] in TALK:
            return []
        reasons = []
        for (name, arguments), (_, reference) in zip(predicted, expected, strict=True):
            difference = arguments_difference(self._tools, name, arguments, reference)
            if difference:
                reasons.append(f"Message {self._used}, {name}: {difference}.")
        return reasons

    def _by_name(self, steps: Round) -> list[int]:
        return sorted(steps, key=lambda step: self._steps[step].name)

    def _expected(self) -> str:
        return ", ".join(self._orderings.open_names()) or "no step left"

    def _stop(self, what: str) -> UpstreamReply:
        self._ended = True
        self._wrong_action = f"Message {self._used} {what}."
        return UpstreamReply([], None, ended=True)


def judge(
    tools: Sequence[dict[str, Any]], answer_list: Sequence[dict[str, Any]], responses: Sequence[Any]
) -> UpstreamVerdict:
    """Replay scripted responses and give the public evaluator's verdict.

    Args:
        tools: The tools as the model was shown them.
        answer_list: The reference of the turn.
        responses: Messages with `content` and `tool_calls`, as chat completions have them; those after the end
            of the run are not looked at.

    Raises:
        ValueError: The reference cannot be read.
    """
    run = UpstreamRun(tools, answer_list)
    for response in responses:
        message = response if isinstance(response, dict) else {}
        calls = message.get("tool_calls") or []
        readable = [UpstreamCall.read(call) for call in calls] if isinstance(calls, list) else [None]
        if run.reply(message.get("content"), readable).ended:
            break
    return run.verdict()


def _label(right: bool) -> Label:
    return "correct" if right else "error"
