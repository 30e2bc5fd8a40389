"""One measured run: `load_run.py suite|bare|lean DATA SCRIPT SAMPLES` prints seconds, megabytes and log size.

`suite` runs the suite's task and writes the tool results and replies of each sample to SCRIPT. `bare` runs a plain
Inspect task with the same messages, tools and rounds from there, `execute_tools` and a scorer that does nothing; its
messages are the samples' input, as in most tasks. `lean` is the same with the messages set by the solver, which makes
smaller logs.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    execute_tools,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParams

from utb_inspect.datasets import load
from utb_inspect.datasets.history import Prompts, View
from utb_inspect.datasets.wire import tool_info
from utb_inspect.tasks import user_tool_bench


def suite(data: str, history: str = "full") -> Task:
    return user_tool_bench(data=data, history=history)


def bare(data: str, script: Path, *, lean: bool, history: str = "full") -> Task:
    dataset = load(data)
    prompts = Prompts(dataset, View(history))
    scripted = json.loads(script.read_text())

    @solver
    def plain() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            turn = dataset.by_id[str(state.sample_id)]
            if lean:
                state.messages = list(prompts.messages(turn))
            infos = [tool_info(tool) for tool in turn.toolset.tools]
            for round_ in scripted[str(state.sample_id)]:
                output = await get_model().generate(state.messages, tools=infos)
                state.output = output
                state.messages.append(output.message)
                if output.message.tool_calls:
                    results = deque(round_["results"])

                    async def run(results: deque[str] = results, **arguments: object) -> str:
                        return results.popleft()

                    names = dict.fromkeys(call.function for call in output.message.tool_calls)
                    open_params = ToolParams(additionalProperties=True)
                    tools = [ToolDef(run, n, n, open_params, parallel=False, max_output=0) for n in names]
                    state.messages.extend((await execute_tools(state.messages, tools)).messages)
                if round_["reply"] is not None:
                    state.messages.append(ChatMessageUser(content=round_["reply"]))
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def trivial() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=True)

        return score

    turns = [
        Sample(id=t.id, input=t.turn.request if lean else prompts.messages(t), metadata={"profile": t.profile})
        for t in dataset.turns
        if t.id in scripted
    ]
    return Task(MemoryDataset(turns), solver=plain(), scorer=trivial(), config=GenerateConfig(internal_tools=False))


def write_script(log: EvalLog, script: Path) -> None:
    """What each round of each sample was answered with."""
    scripted = {}
    for sample in log.samples or []:
        rounds: list[dict[str, object]] = []
        for message in sample.messages[sample.store["utb"]["start"] :]:
            if isinstance(message, ChatMessageAssistant):
                rounds.append({"results": [], "reply": None})
            elif isinstance(message, ChatMessageTool):
                rounds[-1]["results"].append(message.text)  # type: ignore[attr-defined]
            else:
                rounds[-1]["reply"] = message.text
        scripted[str(sample.id)] = rounds
    script.write_text(json.dumps(scripted))


def main() -> None:
    kind, data, script, samples = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    with tempfile.TemporaryDirectory() as logs:
        os.environ |= {"XDG_DATA_HOME": logs, "XDG_CACHE_HOME": logs}
        load(data)  # reading is measured by itself
        start = time.perf_counter()
        task = suite(data) if kind == "suite" else bare(data, script, lean=kind == "lean")
        log = eval(task, model="utb/recall", limit=samples, log_dir=logs, display="none")[0]
        seconds = time.perf_counter() - start
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        assert log.status == "success", log.error
        if kind == "suite":
            write_script(read_eval_log(log.location), script)
        size = Path(log.location.removeprefix("file://")).stat().st_size / 1e6
    print(json.dumps({"seconds": seconds, "megabytes": megabytes, "log": size}))


if __name__ == "__main__":
    main()
