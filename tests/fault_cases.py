"""Faults as cases: each in a run of its own, with the verdict of the reference but for the fault."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import task_with
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver
from support import TOOLSETS, answer_step, basis, call_step, run, samples, write_dataset
from wire import Kind, Reply, Request, serve
from wire.faults import HARMLESS, MODEL, PROVIDER, SPOILED, Fault
from wire.inject import Injector, forget_departures
from wire.policy import Planned, Turns, reference_plans

from utb_inspect.datasets import load
from utb_inspect.tasks import user_tool_bench

ERRORS = {**PROVIDER, **SPOILED}
FAULTS = {**ERRORS, **HARMLESS, **MODEL}
CALL, ANSWER = 1, 2
"""Rounds of the turn below; in round 0 it calls two tools at once."""
ROUNDS = 3
CONFIG = GenerateConfig(max_retries=2, attempt_timeout=60)


def two_turns(name: str) -> dict[str, Any]:
    """A topic of two turns; the requests hold its name, so that a server can tell topics apart."""

    def find(step: str, to: str, day: str, train: str) -> Any:
        arguments = {"origin": "Utrecht", "destination": to, "day": day}
        grounds = {"origin": "request", "destination": "request", "day": "environment"}
        return call_step(step, "findTrains", arguments, grounds, {"trains": [train]})

    found = {"train_id": basis("observation", source="a")}
    book = call_step("c", "bookTrain", {"train_id": "L1"}, found, {"booking": "B77"}, after=["a", "b"])
    first = [find("a", "Lyon", "2025-03-15", "T1"), answer_step("T1 goes to Lyon.", "a")]
    second = [find("a", "Lille", "2025-03-16", "L1"), find("b", "Mons", "2025-03-16", "M1"), book]
    second.append(answer_step("Train L1 to Lille is booked for Sunday; to Mons there is M1.", "b", "c"))
    requests = ("trains from Utrecht to Lyon on Saturday?", "book one to Lille on Sunday, and what is there to Mons?")
    kinds = (("single_tool", "cross_topic"), ("multi_tool", "partial_information"))
    turns = [
        {"task_type": kind, "subtype": subtype, "request": f"{name}: {request}", "reference": reference}
        for (kind, subtype), request, reference in zip(kinds, requests, (first, second), strict=True)
    ]
    where = {"now": "2025-03-10T09:00:00+01:00", "place": "Utrecht, Netherlands"}
    return {"id": name, "profile": name, "toolset": "rail", "environment": where, "turns": turns}


# --- runs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A fault, and where in a run it stands."""

    fault: str
    round: int
    stays: bool = False
    """Whether every attempt meets it, or the first alone."""


@dataclass
class Played:
    """A case and what came of it."""

    case: Case
    sends: list[Request] = field(default_factory=list)
    """Requests that were to be answered with the fault's round."""
    requests: list[Request] = field(default_factory=list)
    """All requests of the turn."""
    sample: EvalSample = field(init=False)

    @property
    def outcome(self) -> str:
        """Whether the run ended in an error, or the client or Inspect tried again within it, or neither took notice."""
        if self.sample.error or self.sample.error_retries:
            return "error"
        return "retried" if len(self.sends) > 1 else "not told"


def play(
    folder: Path,
    kind: Kind,
    streaming: bool,
    cases: list[Case],
    config: GenerateConfig = CONFIG,
    max_retries: int = 0,
    solver: Solver | None = None,
    **options: Any,
) -> list[Played]:
    """Run each case as a sample of its own; an error is tried again once. `max_retries` are the client's own."""
    options = {"retry_on_error": 1, "max_connections": 100, "log_dir": str(folder / "logs"), **options}
    named = {f"c{i:02d}": case for i, case in enumerate(cases)}
    topics = [two_turns(name) for name in named]
    write_dataset(folder, topics, {"rail": TOOLSETS["rail"]}, {name: {"short_persona": "-"} for name in named})
    dataset = load(str(folder))
    turns = Turns(dataset)
    played = {name: Played(case) for name, case in named.items()}

    def choose(request: Request, reply: Reply) -> Fault | None:
        turn, round_ = turns.of(request)
        own = played[turn.topic.id]
        own.requests.append(request)
        if round_ != own.case.round:
            return None
        own.sends.append(request)
        if request.attempts and not own.case.stays:
            return None
        fault = FAULTS[own.case.fault]
        assert fault.change is None or fault.change(request, reply) != reply, own.case
        return fault

    faulty = Injector(Planned(turns, reference_plans(dataset)), choose)
    with serve(kind, faulty.policy, faulty.layer) as server:
        model = server.model(streaming, config, max_retries=max_retries)
        ids = [f"{name}.2" for name in named]
        task = user_tool_bench(data=str(folder))
        task = task if solver is None else task_with(task, solver=solver)
        log = run(task, model, sample_id=ids, **options)
        forget_departures(server)
    assert not server.refused, [(r.problems, r.items[-4:]) for r in server.refused]
    found = samples(log)
    assert sorted(found) == sorted(ids)
    for name, own in played.items():
        own.sample = found[f"{name}.2"]
    return list(played.values())


def cases_of(kind: Kind, streaming: bool) -> list[Case]:
    """Each fault where it hurts: a provider's once, and those that end by themselves in every attempt, too."""
    cases = []
    for name, fault in FAULTS.items():
        if not fault.meets(kind, streaming):
            continue
        if name not in ERRORS:
            cases.append(Case(name, 0 if name == "two calls with one id" else CALL if fault.calls else ANSWER, True))
            continue
        rounds = (CALL, ANSWER) if name.startswith("half") else (CALL if fault.calls else ANSWER,)
        cases += [Case(name, round_) for round_ in rounds]
        if not fault.hangs:
            cases.append(Case(name, rounds[-1], stays=True))
    return cases
