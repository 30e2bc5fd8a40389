"""Checking our verdicts against recorded ones of the public evaluator."""

from dataclasses import asdict
from typing import Any

from .run import judge


def verify_case(case: dict[str, Any]) -> list[str]:
    """Judge a scripted run and compare the verdict with the one recorded with it.

    Args:
        case: `tools`, `answer_list` and `responses` of a run, and the `expected` fields of its verdict.

    Returns:
        A sentence for each field that differs, with the reasons for ours; empty if all agree.
    """
    verdict = asdict(judge(case["tools"], case["answer_list"], case["responses"]))
    why = " ".join(verdict["reasons"]) or "Every action and every argument is right."
    return [
        f"{field}: expected {expected!r}, got {verdict.get(field)!r}. {why}"
        for field, expected in case["expected"].items()
        if verdict.get(field) != expected
    ]
