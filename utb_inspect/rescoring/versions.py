"""Which data a log is of and which version of the scoring rules made its scores."""

from __future__ import annotations

from typing import Any

from inspect_ai.log import EvalLog

from utb_inspect.datasets.loader import load, shipped
from utb_inspect.rescoring.suite import bare_name
from utb_inspect.signature import parts, with_verdict
from utb_inspect.trajectory.verdict import SPEC_VERSION
from utb_inspect.upstream import UPSTREAM_VERSION


def signature(log: EvalLog) -> str:
    """A log's signature; empty when it has none."""
    return str((log.eval.metadata or {}).get("signature", ""))


def part(log: EvalLog, name: str) -> str:
    """A part of a log's signature, such as `data` or `verdict`; empty when it has no such part."""
    return parts(signature(log)).get(name, "")


def installed_version(log: EvalLog) -> str:
    """The installed scoring version of a log's kind: the spec's, or the public evaluator's for its runs."""
    return UPSTREAM_VERSION if _kind(part(log, "verdict")) == _kind(UPSTREAM_VERSION) else SPEC_VERSION


def scoring_versions(log: EvalLog) -> list[str]:
    """The scoring versions of a log's scores, as its scorers say; those that say nothing are of the signature's."""
    signed = part(log, "verdict")
    found = {
        str((scorer.metadata or {}).get("verdict", signed))
        for scorer in log.eval.scorers or []
        if bare_name(scorer.name) is not None
    }
    return sorted(version for version in found or {signed} if _kind(version) == _kind(signed))


def _kind(version: str) -> str:
    return version.partition("-")[0]


def rescored_metadata(log: EvalLog) -> dict[str, Any]:
    """A log's metadata once it is scored by the installed version.

    The signature's `verdict` part follows the scoring; `suite` and `inspect` stay, since they say what made the run.
    A signature that changes is kept in `rescored_from`.
    """
    old = signature(log)
    new = with_verdict(old, installed_version(log))
    metadata = dict(log.eval.metadata or {})
    if new != old:
        metadata |= {"signature": new, "rescored_from": [*metadata.get("rescored_from", []), old]}
    return metadata


def other_data(log: EvalLog) -> str | None:
    """A sentence when the installed data of the same name is not what the log was made with."""
    metadata = log.eval.metadata or {}
    name, made = str(metadata.get("dataset")), str(metadata.get("dataset_hash"))
    if name not in shipped() or (installed := load(name)).hash == made:
        return None
    return (
        f"made with {part(log, 'data')}, installed is {installed.info.version}#{installed.hash[:6]}; "
        "scored against the references that the log carries"
    )
