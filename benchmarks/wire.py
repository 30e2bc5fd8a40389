"""All samples of the main split over the wire: `python benchmarks/wire.py` prints the table of docs/reliability.md.

The real clients, through Inspect's own providers, send every sample to servers on loopback that check each request
against the SDK's types and the provider's rules, and look through it for what a model may not see. What comes out is
compared, sample by sample and scorer by scorer, with the same played by an offline model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspect_ai.model import Model, get_model

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support import run, samples, values
from wire import KINDS, Kind, serve
from wire.hidden import Watch, watched
from wire.policy import Planned, Turns, clumsy_plans, offline_model, reference_plans

from utb_inspect.baselines.oracle import Plan
from utb_inspect.datasets import Dataset, load
from utb_inspect.tasks import user_tool_bench

SPLIT = "utb_open"
PLAYS: Mapping[str, tuple[Callable[[Dataset], dict[str, Plan]], tuple[bool, ...]]] = {
    "reference": (reference_plans, (False, True)),
    "mistakes": (clumsy_plans, (True,)),
}
"""What is played, and whether streamed."""
NAMES: Mapping[Kind, str] = {
    "openai": "`openai/...`, chat completions",
    "responses": "`openai/...`, Responses",
    "compatible": "`openai-api/local/...`",
    "anthropic": "`anthropic/...`",
}

Scores = Mapping[str, Mapping[str, Any]]


def scores(model: Model, profiles: str | None) -> tuple[Scores, int]:
    """Sample to scorer to value, and how many samples ended in an error."""
    with tempfile.TemporaryDirectory() as folder:
        played = samples(run(user_tool_bench(data=SPLIT, profiles=profiles), model, log_dir=folder))
    return {name: values(sample) for name, sample in played.items()}, sum(s.error is not None for s in played.values())


def row(kind: Kind, played: str, streaming: bool, planned: Planned, expected: Scores, profiles: str | None) -> str:
    """A line of the table: one run of all samples on one client."""
    watch = Watch(planned.turns.dataset, planned.turns, planned.plans)
    with serve(kind, watched(watch, planned), keep=False) as server:
        found, errors = scores(server.model(streaming), profiles)
    for request in server.refused[:3]:
        print(f"refused: {'; '.join(request.problems)}", file=sys.stderr)
    for leak in watch.found[:3]:
        print(f"leak: {leak}", file=sys.stderr)
    equal = sum(found.get(name) == value for name, value in expected.items())
    figures = [
        len(found),
        errors,
        server.count,
        len(server.refused),
        equal,
        round(server.bytes / 1e6),
        len(watch.found),
    ]
    cells = [NAMES[kind], played, "yes" if streaming else "no", *(f"{figure:,}" for figure in figures)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", nargs="+", choices=KINDS, default=KINDS, help="which clients (default all)")
    parser.add_argument("--profiles", help="profiles, with commas between them (default all)")
    arguments = parser.parse_args()
    dataset = load(SPLIT)
    turns = Turns(dataset)
    print("| client | plays | streamed | samples | errors | requests | refused | as offline | MB sent | leaks |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for played, (plans_of, forms) in PLAYS.items():
        planned = Planned(turns, plans_of(dataset), reasoning="Let me think." if played == "mistakes" else "")
        model = get_model("utb/oracle") if played == "reference" else offline_model(planned.plans)
        expected, _ = scores(model, arguments.profiles)
        for kind in arguments.clients:
            for streaming in forms:
                print(row(kind, played, streaming, planned, expected, arguments.profiles), flush=True)


if __name__ == "__main__":
    main()
