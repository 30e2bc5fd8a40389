"""The two ways to answer a run: by the spec, or as the public evaluator does."""

from __future__ import annotations

from utb_inspect.datasets.record import TurnRecord
from utb_inspect.trajectory.calls import Message
from utb_inspect.trajectory.run import Answers, End, Reply, Result
from utb_inspect.upstream import UpstreamCall, UpstreamRun, UpstreamVerdict, shown_tools


class UpstreamAnswers:
    """The public evaluator's answers: it stops at the first wrong action."""

    def __init__(self, record: TurnRecord) -> None:
        assert record.public is not None  # set for verdict=upstream
        self._run = UpstreamRun(shown_tools(record.public.tools), record.public.answer_list)
        self.ended: End | None = None

    def reply(self, message: Message) -> Reply:
        # Arguments that Inspect could not parse are shown to the evaluator as what they are: no JSON.
        calls = [UpstreamCall(c.id, c.name, "" if c.parse_error else c.arguments) for c in message.calls]
        reply = self._run.reply(message.text or None, calls or None)
        if reply.ended:
            self.ended = "answer" if message.text.strip() else "no_answer"
        results = tuple(Result(call_id, content, "reference") for call_id, content in reply.observations)
        return Reply(results, reply.user, self.ended)

    def verdict(self) -> UpstreamVerdict:
        return self._run.verdict()


def start_run(record: TurnRecord) -> Answers:
    """A fresh run of a turn, by the record's rules."""
    return UpstreamAnswers(record) if record.verdict == "upstream" else record.run()
