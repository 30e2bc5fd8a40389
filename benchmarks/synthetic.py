"""Data for benchmarks: the pilot's topics, copied under new ids until there are enough."""

from __future__ import annotations

import json
import re
import shutil
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

SOURCE = Path(str(files("utb_inspect") / "data" / "utb_open"))


def write_dataset(folder: Path, profiles: int, topics: int) -> int:
    """Write a native dataset and return its number of turns.

    Each profile is a copy of one of the pilot's, its topics repeated, a repetition four months after the one before;
    evidence points into the first repetition.
    """
    sources = sorted(path.name for path in (SOURCE / "topics").iterdir())
    shutil.copytree(SOURCE / "toolsets", folder / "toolsets")
    (folder / "profiles").mkdir()
    info = json.loads((SOURCE / "dataset.json").read_text())
    (folder / "dataset.json").write_text(json.dumps({**info, "name": "synthetic", "counts": {}}))
    turns = 0
    for number in range(profiles):
        source, own = sources[number % len(sources)], f"s{number + 1:02d}"
        shutil.copy(SOURCE / "profiles" / f"{source}.json", folder / "profiles" / f"{own}.json")
        profile = json.loads((folder / "profiles" / f"{own}.json").read_text())
        (folder / "profiles" / f"{own}.json").write_text(json.dumps({**profile, "id": own}))
        (folder / "topics" / own).mkdir(parents=True)
        originals = sorted((SOURCE / "topics" / source).glob("*.json"))
        for i in range(topics // profiles):
            repetition, which = divmod(i, len(originals))
            topic = json.loads(re.sub(rf"\b{source}-t", f"{own}-t", originals[which].read_text()))
            now = datetime.fromisoformat(topic["environment"]["now"]) + timedelta(days=120 * repetition)
            topic |= {"id": f"{own}-t{i + 1:02d}", "profile": own}
            topic["environment"]["now"] = now.isoformat()
            (folder / "topics" / own / f"{topic['id']}.json").write_text(json.dumps(topic))
            turns += len(topic["turns"])
    return turns
