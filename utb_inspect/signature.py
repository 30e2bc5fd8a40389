"""What a figure was made with, in one line, so that two figures can be told comparable or not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from utb_inspect import __version__
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.trajectory.verdict import SPEC_VERSION
from utb_inspect.upstream import UPSTREAM_VERSION


def signature(dataset: Dataset, options: Mapping[str, Any], profiles: Sequence[str] | None = None) -> str:
    """`data:utb_open@1.0.0#a1b2c3|verdict:spec-1|history:full|environment:inline|off_path:continue|suite:..|inspect:..`

    What changes figures and is rarely given (`profiles`, `system_prompt`, `max_rounds`, `language`) appears when given.
    """
    upstream = options.get("verdict") == "upstream"
    parts = {
        "data": dataset.name,
        "verdict": UPSTREAM_VERSION if upstream else SPEC_VERSION,
        "history": options.get("history", "full"),
        "environment": options.get("environment", dataset.layout),
        "off_path": options.get("off_path", "continue"),
    }
    if profiles is not None:
        parts["profiles"] = ",".join(profiles)
    if (prompt := options.get("system_prompt")) is not None:
        parts["prompt"] = hashlib.sha256(str(prompt).encode()).hexdigest()[:6]
    for key in ("max_rounds", "language"):
        if key in options:
            parts[key] = options[key]
    parts |= {"suite": __version__, "inspect": version("inspect-ai")}
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def parts(signature: str) -> dict[str, str]:
    """A signature's parts: `data:utb_open@1.0.0#a1b2c3|history:full` gives `data` and `history`."""
    return dict(part.split(":", 1) for part in re.split(r"\|(?=[a-z_]+:)", signature) if ":" in part)


def with_verdict(signature: str, version: str) -> str:
    """A signature with another scoring version."""
    return re.sub(r"(?<=\|)verdict:[^|]*", f"verdict:{version}", signature)
