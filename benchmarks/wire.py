"""All samples of the main split over the wire: `python benchmarks/wire.py` prints the table of docs/reliability.md.

The real clients, through Inspect's own providers, send every sample to servers on loopback that check each request
against the SDK's types and the provider's rules, and look through it for what a model may not see. What comes out is
compared, sample by sample and scorer by scorer, with the same played by an offline model. Exits 1 when a request was
refused, something leaked, a sample is in error or lost, or a score differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
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


@dataclass(frozen=True)
class Outcome:
    """What came of one run of all samples on one client."""

    samples: int
    errors: int
    lost: int
    requests: int
    refused: int
    equal: int
    """Samples that every scorer gave the value that it gave offline."""
    megabytes: int
    leaks: int

    @property
    def sound(self) -> bool:
        bad = self.errors or self.lost or self.refused or self.leaks
        return not bad and 0 < self.samples == self.equal


def play(kind: Kind, streaming: bool, planned: Planned, expected: Scores, profiles: str | None) -> Outcome:
    watch = Watch(planned.turns.dataset, planned.turns, planned.plans)
    with serve(kind, watched(watch, planned), keep=False) as server:
        found, errors = scores(server.model(streaming), profiles)
    for request in server.refused[:3]:
        print(f"refused: {'; '.join(request.problems)}", file=sys.stderr)
    for leak in watch.found[:3]:
        print(f"leak: {leak}", file=sys.stderr)
    return Outcome(
        samples=len(found),
        errors=errors,
        lost=len(expected.keys() - found.keys()),
        requests=server.count,
        refused=len(server.refused),
        equal=sum(found.get(name) == value for name, value in expected.items()),
        megabytes=round(server.bytes / 1e6),
        leaks=len(watch.found),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", nargs="+", choices=KINDS, default=KINDS, help="which clients (default all)")
    parser.add_argument("--plays", nargs="+", choices=PLAYS, default=list(PLAYS), help="what is played (default all)")
    parser.add_argument("--profiles", help="profiles, with commas between them (default all)")
    arguments = parser.parse_args()
    dataset = load(SPLIT)
    turns = Turns(dataset)
    columns = ("samples", "errors", "lost", "requests", "refused", "as offline", "MB sent", "leaks")
    print(f"| client | plays | streamed | {' | '.join(columns)} |")
    print(f"|---|---|---|{'---:|' * len(columns)}", flush=True)
    outcomes = []
    for played in arguments.plays:
        plans_of, forms = PLAYS[played]
        planned = Planned(turns, plans_of(dataset), reasoning="Let me think." if played == "mistakes" else "")
        model = get_model("utb/oracle") if played == "reference" else offline_model(planned.plans)
        expected, _ = scores(model, arguments.profiles)
        for kind in arguments.clients:
            for streaming in forms:
                outcome = play(kind, streaming, planned, expected, arguments.profiles)
                cells = (NAMES[kind], played, "yes" if streaming else "no", *(f"{n:,}" for n in astuple(outcome)))
                print(f"| {' | '.join(cells)} |", flush=True)
                outcomes.append(outcome)
    sys.exit(not all(outcome.sound for outcome in outcomes))


if __name__ == "__main__":
    main()
