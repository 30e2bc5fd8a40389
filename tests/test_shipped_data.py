"""No rule of the checks finds anything in a shipped split."""

from __future__ import annotations

import pytest

from utb_inspect.checks import check
from utb_inspect.datasets import shipped


@pytest.mark.parametrize("split", shipped())
def test_a_shipped_split_keeps_every_rule(split: str) -> None:
    report = check(split)
    assert {rule: [str(finding) for finding in found] for rule, found in report.findings.items() if found} == {}
    assert report.turns > 0
