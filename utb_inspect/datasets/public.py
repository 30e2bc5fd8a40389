"""The public row format: one JSON object a topic, rows of a profile in any files (spec section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path as FilePath

from utb_inspect.datasets.dataset import Dataset, PublicTurn, content_hash
from utb_inspect.datasets.files import Truncated, faulty, natural_key, read_rows
from utb_inspect.datasets.grounds import Shown, ground_steps, shown_of
from utb_inspect.datasets.language import NAMES, Language
from utb_inspect.datasets.native import INFO, read_info
from utb_inspect.datasets.rows import DraftTopic, DraftTurn, RowReader
from utb_inspect.datasets.validation import call_faults, task_type_fault
from utb_inspect.schema import CallStep, DatasetInfo, Path, Topic, Turn
from utb_inspect.trajectory.calls import Tools


def read_public(
    source: FilePath,
    name: str,
    language: Language | None = None,
    truncated: Truncated = "refuse",
    links: FilePath | None = None,
) -> Dataset:
    """Read a file of public rows, or all such files of a folder, out of which no link may lead.

    Rows that repeat an id are kept, the later ones under a new id; so are topics of the same second. A reference
    call that its own schema refuses is a warning, since such rows exist: no run of that turn is exact.

    Args:
        source: The file or folder.
        name: What the dataset is called, unless a `dataset.json` beside it says otherwise.
        language: Which of a row's two languages to read; by default English when it is there.
        truncated: What to do about a file whose last line is cut off.
        links: A folder that links may lead into.

    Raises:
        DataError: with all faults of all files, a line each.
    """
    reader = RowReader(language)
    warnings: list[str] = []
    drafts: list[DraftTopic] = []
    files = public_files(source)
    beside = info_file(source)
    within = [beside.parent] if links is None else [beside.parent, links]
    for path in files:
        shown = path.relative_to(source).as_posix() if source.is_dir() else path.name
        found = len(reader.faults)
        rows = read_rows(path, shown, truncated, reader.faults, warnings, within if source.is_dir() else ())
        if not rows and len(reader.faults) == found:
            reader.faults.append(f"{shown}: holds no row")
        drafts.extend(draft for row in rows if (draft := reader.read(row)) is not None)
    if not files:
        reader.faults.append(f"{name}: holds neither {INFO} nor public rows (.jsonl, .json)")
    if language and reader.other_language:
        reader.faults.append(_language_fault(language, reader.other_language))
    info = (
        read_info(beside, INFO, reader.faults, within)
        if beside.is_file()
        else DatasetInfo(name=name, version="0", licence="unknown")
    )
    if reader.faults or info is None:
        raise faulty(name, reader.faults)
    warnings.extend(reader.toolsets.warnings)
    topics, public = _place(_in_time(_with_own_ids(drafts, warnings)), warnings)
    toolsets = reader.toolsets.toolsets
    return Dataset(
        info=info,
        layout="system",
        toolsets=toolsets,
        topics=topics,
        hash=content_hash(info, topics, toolsets.values()),
        public=public,
        warnings=warnings,
        compiled=reader.toolsets.compiled,
    )


def public_files(source: FilePath) -> list[FilePath]:
    """The files of rows of a folder, or the file itself; folders inside are looked into when it has none itself."""
    if not source.is_dir():
        return [source]
    for pattern in ("*", "*/*"):
        files = [
            path
            for path in source.glob(pattern)
            if path.suffix.lower() in (".jsonl", ".json")
            and path.name not in (INFO, "dataset_infos.json")
            and not any(part.startswith(".") for part in path.relative_to(source).parts)
            and path.is_file()
        ]
        if files:
            return sorted(files, key=lambda path: natural_key(path.relative_to(source).as_posix()))
    return []


def info_file(source: FilePath) -> FilePath:
    """Where a `dataset.json` for public rows would stand."""
    return (source if source.is_dir() else source.parent) / INFO


def _language_fault(language: Language, topics: list[str]) -> str:
    shown = ", ".join(topics[:5]) + (", ..." if len(topics) > 5 else "")
    rows = "a row has" if len(topics) == 1 else f"{len(topics)} rows have"
    return f"language={language}: {rows} no {NAMES[language]} texts ({shown}); leave the language out"


def _with_own_ids(drafts: Iterable[DraftTopic], warnings: list[str]) -> list[tuple[str, DraftTopic]]:
    """Topics with ids of their own: the first row with an id keeps it, a later one gets a number."""
    drafts = list(drafts)
    taken = {draft.id for draft in drafts}
    seen: set[str] = set()
    named = []
    for draft in drafts:
        own = draft.id
        number = 1
        while own in seen or (number > 1 and own in taken):
            number += 1
            own = f"{draft.id}-{number}"
        if own != draft.id:
            warnings.append(f"{draft.source}: another row has this id; read as {own}")
        seen.add(own)
        named.append((own, draft))
    return named


def _in_time(named: Iterable[tuple[str, DraftTopic]]) -> list[tuple[str, DraftTopic]]:
    """Profile by profile in order of time; topics of one second by id.

    A topic without a readable date stays after the one that it follows in its file.
    """
    profiles: dict[str, list[list[tuple[str, DraftTopic]]]] = {}
    for own, draft in named:
        blocks = profiles.setdefault(draft.profile, [])
        if draft.environment.moment is not None or not blocks:
            blocks.append([])
        blocks[-1].append((own, draft))
    ordered: list[tuple[str, DraftTopic]] = []
    for profile in sorted(profiles, key=natural_key):
        blocks = profiles[profile]
        blocks.sort(key=lambda block: (block[0][1].environment.moment or datetime.min, natural_key(block[0][0])))
        ordered.extend(topic for block in blocks for topic in block)
    return ordered


def _place(ordered: Sequence[tuple[str, DraftTopic]], warnings: list[str]) -> tuple[list[Topic], dict[str, PublicTurn]]:
    """Topics with the grounds that request, reply, observations and history give their arguments."""
    topics: list[Topic] = []
    public: dict[str, PublicTurn] = {}
    histories: dict[str, Shown] = {}
    for own, draft in ordered:
        history = histories.setdefault(draft.profile, Shown())
        turns: list[Turn] = []
        for i, drafted in enumerate(draft.turns):
            turn = _ground(drafted, draft.tools, history)
            where = f"{draft.source}: turn {own}.{i + 1}"
            warnings.extend(f"{where}, {fault}; no run can be exact" for fault in call_faults(turn, draft.tools))
            if fault := task_type_fault(turn):
                warnings.append(f"{where}, field 'task_types[{i}]': {fault}")
            history.add(*shown_of(turn))
            turns.append(turn)
            public[f"{own}.{i + 1}"] = drafted.public
        toolset = draft.tools.toolset.id
        topics.append(Topic(id=own, profile=draft.profile, toolset=toolset, environment=draft.environment, turns=turns))
    return topics, public


def _ground(draft: DraftTurn, tools: Tools, history: Shown) -> Turn:
    grounds = ground_steps(draft.request, Path(draft.steps), tools, history)
    return Turn(
        task_type=draft.task_type,
        subtype=draft.subtype,
        request=draft.request,
        reference=[
            step.model_copy(update={"grounds": grounds[step.id]}) if isinstance(step, CallStep) else step
            for step in draft.steps
        ],
    )
