"""Faults at random places: `python benchmarks/faults.py` prints figures of docs/reliability.md. Needs the extra `test`.

Turns of the main split are played as the oracle plays them, by each client against a server of its own on loopback,
whole and streamed. Each answer meets, with a given probability, one of the faults that its client can meet and has met
least; so may the answer to the next attempt. Scores are compared with those of `utb/oracle`, which meets none. Exits
with 1 when a sample is lost or scored otherwise, a run ended in an error without a fault, or a fault was never met.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import anyio
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, Model

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import samples, values
from wire import KINDS, Kind, Reply, Request, serve
from wire.faults import HARMLESS, PROVIDER, SPOILED, Fault
from wire.inject import Injector, forget_departures
from wire.policy import Planned, Turns, reference_plans

from utb_inspect.datasets import load
from utb_inspect.datasets.history import View
from utb_inspect.tasks import user_tool_bench

FAULTS = {**PROVIDER, **SPOILED, **HARMLESS}
"""All that leave the decision as it is."""
HISTORY = "last:4"
OPTIONS: Mapping[str, Any] = {"continue_on_fail": True, "retry_on_error": 2, "display": "none", "log_realtime": False}
CONFIG = GenerateConfig(max_retries=3, attempt_timeout=10)


@dataclass
class Chance:
    """Chooses faults."""

    kind: Kind
    streaming: bool
    rate: float
    random: Random
    turns: Turns
    injected: Counter[str] = field(default_factory=Counter)
    harmed: Counter[str] = field(default_factory=Counter)
    """Faults that may end a run, by turn."""
    sent_again: int = 0

    def __call__(self, request: Request, reply: Reply) -> Fault | None:
        self.sent_again += request.attempts > 0
        if self.random.random() >= self.rate:
            return None
        names = [name for name, fault in FAULTS.items() if self._meets(fault, request, reply)]
        fewest = min(self.injected[name] for name in names)  # so that each comes, and none by luck alone
        name = self.random.choice([name for name in names if self.injected[name] == fewest])
        self.injected[name] += 1
        self.harmed[self.turns.of(request)[0].id] += name not in HARMLESS
        return FAULTS[name]

    def _meets(self, fault: Fault, request: Request, reply: Reply) -> bool:
        if not fault.meets(self.kind, self.streaming):
            return False
        calls = bool(reply.calls)
        if fault.change is None:
            return calls or not fault.calls
        return calls == fault.calls and fault.change(request, reply) != reply


@dataclass(frozen=True)
class Outcome:
    """What came of the samples of a client."""

    name: str
    samples: int
    chance: Chance
    errors_retried: int
    unscored: int
    wrong: int
    lost: int
    unexplained: Sequence[str]
    """Samples of which more runs ended in an error than met a fault."""

    @property
    def figures(self) -> list[int]:
        injected = sum(self.chance.injected.values())
        return [
            self.samples,
            injected,
            self.chance.sent_again,
            self.errors_retried,
            self.unscored,
            self.wrong,
            self.lost,
        ]


def evaluate(ids: Sequence[str], model: str | Model, folder: Path) -> dict[str, EvalSample]:
    task = user_tool_bench(history=HISTORY)
    (log,) = inspect_eval(task, model=model, sample_id=list(ids), log_dir=str(folder), max_connections=50, **OPTIONS)
    return samples(log)


def play(kind: Kind, streaming: bool, right: Mapping[str, EvalSample], rate: float, seed: int, folder: Path) -> Outcome:
    """Play samples with faults, and compare with how they are scored without."""
    dataset = load("utb_open")
    turns = Turns(dataset, View(HISTORY))
    chance = Chance(kind, streaming, rate, Random(f"{seed} {kind} {streaming}"), turns)
    injector = Injector(Planned(turns, reference_plans(dataset)), chance)
    with serve(kind, injector.policy, injector.layer, keep=False) as server:
        played = evaluate(list(right), server.model(streaming, CONFIG), folder)
        forget_departures(server)
    assert not server.refused, server.refused[0].problems
    scored = [id_ for id_, sample in played.items() if sample.error is None]
    retried = {id_: len(sample.error_retries or ()) for id_, sample in played.items()}
    return Outcome(
        name=f"{kind}, streamed" if streaming else kind,
        samples=len(right),
        chance=chance,
        errors_retried=sum(retried.values()),
        unscored=len(played) - len(scored),
        wrong=sum(values(played[id_]) != values(right[id_]) for id_ in scored),
        lost=len(right.keys() - played.keys()),
        unexplained=[id_ for id_ in played if retried[id_] + (id_ not in scored) > chance.harmed[id_]],
    )


def met(outcomes: Sequence[Outcome]) -> Counter[str]:
    """How often each fault was met."""
    return sum((outcome.chance.injected for outcome in outcomes), Counter[str]())


def report(outcomes: Sequence[Outcome]) -> Iterable[str]:
    columns = ("samples", "faults", "requests sent again", "samples run again", "unscored", "wrongly scored", "lost")
    yield f"| client | {' | '.join(columns)} |"
    yield f"|---|{'---:|' * len(columns)}"
    total = [sum(column) for column in zip(*(outcome.figures for outcome in outcomes), strict=True)]
    for name, figures in [*((outcome.name, outcome.figures) for outcome in outcomes), ("all", total)]:
        yield f"| {name} | {' | '.join(map(str, figures))} |"
    injected = met(outcomes)
    yield ""
    yield "| fault | injected |"
    yield "|---|---:|"
    yield from (f"| {name} | {injected[name]} |" for name in FAULTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--samples", type=int, default=50, help="samples for each client, whole and streamed (default 50)"
    )
    parser.add_argument("--rate", type=float, default=0.4, help="share of answers that meet a fault (default 0.4)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    async def short(seconds: float) -> None:
        await anyio.sleep(seconds / 20)

    import inspect_ai.model._retry

    inspect_ai.model._retry._sleep = short  # Inspect waits three seconds and more before it tries again
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {"XDG_DATA_HOME": name, "XDG_CACHE_HOME": name}
        ids = Random(given.seed).sample([turn.id for turn in load("utb_open").turns], given.samples)
        right = evaluate(ids, "utb/oracle", folder)
        clients = [(kind, streaming) for kind in KINDS for streaming in (False, True)]
        outcomes = [play(kind, form, right, given.rate, given.seed, folder) for kind, form in clients]
    print(*report(outcomes), sep="\n")
    never = [name for name in FAULTS if not met(outcomes)[name]]
    if never:
        print(f"never met: {'; '.join(never)}", file=sys.stderr)
    for outcome in outcomes:
        if outcome.unexplained:
            print(f"{outcome.name}, errors without a fault: {', '.join(outcome.unexplained)}", file=sys.stderr)
    sys.exit(bool(never) or any(outcome.wrong or outcome.lost or outcome.unexplained for outcome in outcomes))


if __name__ == "__main__":
    main()
