"""This suite's scorers, as Inspect's registry has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import cast

from inspect_ai._util.registry import registry_find, registry_info
from inspect_ai.scorer import Scorer

_PACKAGE = "utb_inspect/"


@cache
def _factories() -> dict[str, tuple[Callable[[], Scorer], str | None]]:
    """Name without the package to scorer factory and scoring version."""
    found = registry_find(lambda info: info.type == "scorer" and info.name.startswith(_PACKAGE))
    infos = [(registry_info(factory), cast("Callable[[], Scorer]", factory)) for factory in found]
    return {info.name.removeprefix(_PACKAGE): (factory, info.metadata.get("verdict")) for info, factory in infos}


def bare_name(score: str) -> str | None:
    """The suite's scorer behind a score's name in a log; None when it is none of ours.

    A scorer that was added a second time has a number behind its name.
    """
    name = re.sub(r"-?\d+$", "", score.removeprefix(_PACKAGE))
    return name if name in _factories() else None


def scorers(logged: list[str], version: str) -> list[Scorer]:
    """The scorers of a log: those that it lists, then the others of its scoring version.

    Args:
        logged: Names of scorers as the log lists them, with others among them.
        version: Scoring version of the log's kind of run.
    """
    names = [name for score in logged if (name := bare_name(score)) is not None]
    names += [name for name, (_, own) in _factories().items() if own == version]
    return [_factories()[name][0]() for name in dict.fromkeys(names)]
