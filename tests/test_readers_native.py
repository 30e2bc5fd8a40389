"""The native format: what is read, in which order, and every fault told at once with its place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracle import play

from utb_inspect.datasets import Dataset, load
from utb_inspect.schema import DataError

DATA = Path(__file__).parent / "data"
T1, T2, T10 = (f"topics/p01/p01-{topic}.json" for topic in ("t1", "t2", "t10"))
FERRY = "toolsets/ferry.json"
MANY_KEYS = ("{" + "".join(f'"k{i}": 1, ' for i in range(60_000)) + '"k59999": 1}').encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small dataset, to be broken."""
    return shutil.copytree(DATA / "native", tmp_path / "ferry")


def change(path: Path, edit: Callable[[Any], Any]) -> None:
    data = json.loads(path.read_text())
    edit(data)
    path.write_text(json.dumps(data))


def faults(folder: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        load(str(folder))
    heading, *lines = str(caught.value).splitlines()
    assert heading.startswith("ferry cannot be used, for ")
    return lines


def reference(topic: Any, turn: int = 0) -> Any:
    return topic["turns"][turn]["reference"]


def test_reads_everything() -> None:
    dataset = load(str(DATA / "native"))
    assert dataset.info.name == "ferry_mini"
    assert dataset.layout == "inline"
    assert [turn.id for turn in dataset.turns] == ["p01-t1.1", "p01-t1.2", "p01-t2.1", "p01-t10.1", "p02-t1.1"]
    assert dataset.toolsets["ferry"].tools[1].effect == "write"
    assert dataset.profiles["p01"].fields == {"short_persona": "Keeps bees on an island.", "age": 44}
    assert dataset.warnings == []


def test_topics_of_one_moment_keep_the_order_of_their_ids(folder: Path) -> None:
    # t10 is at the same moment as t2, in another zone, and comes before it in the order of letters.
    assert [t.id for t in load(str(folder)).topics][:3] == ["p01-t1", "p01-t2", "p01-t10"]
    change(folder / T10, lambda topic: topic["environment"].update(now="2025-03-04T10:59:59+02:00"))
    assert [t.id for t in load(str(folder)).topics][:3] == ["p01-t1", "p01-t10", "p01-t2"]


def test_a_persona_mem_file_is_a_profile() -> None:
    fields = load(str(DATA / "native")).profiles["p02"].fields
    assert fields["location"] == "Ghent"
    assert set(fields) == {"short_persona", "location", "interests", "preference_updates", "conversations"}


@pytest.mark.parametrize("turn", ["p01-t1.1", "p01-t1.2", "p01-t2.1", "p01-t10.1", "p02-t1.1"])
def test_the_reference_scores_exact(turn: str) -> None:
    assert play(load(str(DATA / "native")), turn).exact


def test_each_toolset_is_compiled_once() -> None:
    dataset = load(str(DATA / "native"))
    assert dataset.tools("ferry") is dataset.tools("ferry") is dataset.compiled["ferry"]


# --- hash ----------------------------------------------------------------------------------------------------


def hash_after(folder: Path, file: str, edit: Callable[[Any], Any]) -> str:
    change(folder / file, edit)
    return load(str(folder)).hash


def test_the_hash_is_of_what_is_said_not_of_how(folder: Path, tmp_path: Path) -> None:
    before = load(str(DATA / "native")).hash
    assert len(before) == 12
    assert load(str(folder)).hash == before
    assert hash_after(folder, T1, lambda topic: topic.pop("canary", None)) == before
    assert hash_after(folder, FERRY, lambda toolset: toolset.update(canary="another")) == before
    assert hash_after(folder, "profiles/p01.json", lambda profile: profile.update(age=45)) == before
    assert hash_after(folder, T1, lambda topic: topic["turns"][0].update(alternatives=[])) == before
    shutil.move(folder / "toolsets", tmp_path / "tools")
    assert hash_after(folder, "dataset.json", lambda info: info.update(toolsets="../tools")) == before


@pytest.mark.parametrize(
    ("file", "edit"),
    [
        (T1, lambda topic: topic["turns"][0].update(request="other words")),
        (FERRY, lambda toolset: toolset.update(description="other words")),
        ("dataset.json", lambda info: info.update(version="1.2.1")),
    ],
    ids=["topic", "toolset", "version"],
)
def test_the_hash_changes_with_what_is_said(folder: Path, file: str, edit: Callable[[Any], Any]) -> None:
    before: Dataset = load(str(folder))
    assert hash_after(folder, file, edit) != before.hash


# --- faults --------------------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "unknown toolset": (T1, lambda t: t.update(toolset="boats"), f"{T1}: field 'toolset': there is no toolset 'boats'"),
    "no zone": (
        T1,
        lambda t: t["environment"].update(now="2025-03-01T09:00:00"),
        f"{T1}: field 'environment.now': give date, time and zone, such as 2025-03-14T18:20:00+01:00",
    ),
    "unknown tool": (
        T1,
        lambda t: reference(t, 1)[0].update(call="find"),
        f"{T1}: turn p01-t1.2, step 'a', field 'call': toolset 'ferry' has no tool 'find'",
    ),
    "unknown tool in an alternative": (
        T1,
        lambda t: t["turns"][1].update(alternatives=[[dict(reference(t, 1)[0], call="find"), reference(t, 1)[1]]]),
        f"{T1}: turn p01-t1.2, alternative 1, step 'a', field 'call': toolset 'ferry' has no tool 'find'",
    ),
    "arguments that the schema refuses": (
        T1,
        lambda t: reference(t, 1)[0]["arguments"].pop("date"),
        f"{T1}: turn p01-t1.2, step 'a', arguments of 'findFerries': 'date' is a required property",
    ),
    "ground of no argument": (
        T10,
        lambda t: reference(t)[1]["grounds"].update({"passengers[].cabin": {"basis": "request"}}),
        f"{T10}: turn p01-t10.1, step 'b', ground of 'passengers[].cabin': 'bookFerry' has no such argument",
    ),
    "evidence of no turn": (
        T10,
        lambda t: reference(t)[0]["grounds"]["filters.deck"]["evidence"][0].update(turn="p01-t1.7"),
        f"{T10}: turn p01-t10.1, step 'a', argument 'filters.deck', evidence: names turn 'p01-t1.7', which does "
        "not exist",
    ),
    "evidence that is not earlier": (
        T1,
        lambda t: reference(t, 1)[0]["grounds"]["port"].update(evidence=[{"turn": "p01-t1.2", "quote": "Oban"}]),
        f"{T1}: turn p01-t1.2, step 'a', argument 'port', evidence: names turn 'p01-t1.2', which is not earlier "
        "than this one",
    ),
    "evidence of another profile": (
        T1,
        lambda t: reference(t, 1)[0]["grounds"]["port"].update(evidence=[{"turn": "p02-t1.1", "quote": "Oban"}]),
        f"{T1}: turn p01-t1.2, step 'a', argument 'port', evidence: names turn 'p02-t1.1', which is one of "
        "profile 'p02'",
    ),
    "superseded of no turn": (
        T10,
        lambda t: reference(t)[0]["grounds"]["filters.deck"].update(
            superseded=[{"value": "inside", "turn": "p01-t9.1", "quote": "in"}]
        ),
        f"{T10}: turn p01-t10.1, step 'a', argument 'filters.deck', superseded: names turn 'p01-t9.1', which does "
        "not exist",
    ),
    "subtype of a first turn": (
        T2,
        lambda t: t["turns"][0].update(subtype="partial_information"),
        f"{T2}: turn p01-t2.1, field 'subtype': is 'partial_information', but a topic's first turn is 'cross_topic'",
    ),
    "subtype of a later turn": (
        T1,
        lambda t: t["turns"][1].update(subtype="cross_topic"),
        f"{T1}: turn p01-t1.2, field 'subtype': is 'cross_topic', which only a topic's first turn is",
    ),
    "call in chat": (
        T1,
        lambda t: t["turns"][1].update(task_type="chat"),
        f"{T1}: turn p01-t1.2, field 'task_type': is 'chat', but there is a call; a chat turn has none",
    ),
    "too few calls": (
        T1,
        lambda t: t["turns"][1].update(task_type="multi_tool"),
        f"{T1}: turn p01-t1.2, field 'task_type': is 'multi_tool', but the reference has 1 call, not two or more",
    ),
    "ask outside LOI": (
        T2,
        lambda t: t["turns"][0].update(task_type="single_tool"),
        f"{T2}: turn p01-t2.1, field 'task_type': is 'single_tool', but there is an ask step; only "
        "'lack_of_information' turns have one",
    ),
    "ask of two items": (
        T2,
        lambda t: reference(t)[0].update(ask=["date", "port"], cues={"date": ["day"], "port": ["port"]}),
        f"{T2}: turn p01-t2.1, step 'q', field 'ask': names 2 items; give each a step of its own",
    ),
    "cyclic after": (
        T10,
        lambda t: reference(t)[0].update(after=["b"]),
        f"{T10}: turn p01-t10.1: reference: 'after' runs in a cycle through the steps 'a', 'b', 'z'",
    ),
    "unknown field": (
        T2,
        lambda t: reference(t)[1].update(afterwards=[]),
        f"{T2}: turn p01-t2.1, step 'a', field 'afterwards': is not a field of the format; remove it or mend its name",
    ),
    "id beside the name": (
        T1,
        lambda t: t.update(id="p01-t3"),
        f"{T1}: field 'id': is 'p01-t3', but the file is named 'p01-t1'",
    ),
    "no JSON Schema": (
        FERRY,
        lambda t: t["tools"][0]["function"]["parameters"].update(required="port"),
        f"{FERRY}: toolset 'ferry', tool 'findFerries': the parameters are no JSON Schema: at required, \"port\" is "
        'not of type "array"',
    ),
    "no description": (
        FERRY,
        lambda t: t["tools"][0]["function"].pop("description"),
        f"{FERRY}: tool 'findFerries', field 'description': is missing; say what it does",
    ),
    "no effect": (FERRY, lambda t: t["tools"][0].pop("effect"), f"{FERRY}: field 'tools[0].effect': is missing"),
    "technical of no argument": (
        FERRY,
        lambda t: t["tools"][0]["technical"].append("page"),
        f"{FERRY}: tool 'findFerries', field 'technical': 'page' is no argument of its schema",
    ),
    "name that providers refuse": (
        FERRY,
        lambda t: t["tools"].append(
            {"effect": "read", "function": {"name": "list ferries", "description": "Lists."}, "technical": []}
        ),
        f"{FERRY}: tool 'list ferries': providers take names of up to 64 letters, digits, '_' and '-'",
    ),
    "profile's id": (
        "profiles/p01.json",
        lambda p: p.update(id="p03"),
        "profiles/p01.json: field 'id': is 'p03', but the file is named 'p01'",
    ),
    "no toolset folder": (
        "dataset.json",
        lambda i: i.update(toolsets="tools"),
        "dataset.json: field 'toolsets': there is no folder tools",
    ),
    "absolute toolset folder": (
        "dataset.json",
        lambda i: i.update(toolsets="/etc"),
        "dataset.json: field 'toolsets': is absolute (/etc); give it seen from this folder",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_told_with_its_place(folder: Path, kind: str) -> None:
    file, edit, message = FAULTS[kind]
    change(folder / file, edit)
    assert message in faults(folder)


def test_a_file_that_cannot_be_used_is_the_only_fault(folder: Path) -> None:
    # What refers to a toolset, a profile or a turn of a broken file is not called unknown beside it.
    for file in (FERRY, "profiles/p01.json", T1):
        (folder / file).write_text("{")
    problem = "is no JSON (Expecting property name enclosed in double quotes at column 2)"
    assert faults(folder) == [f"{file}: {problem}" for file in (FERRY, "profiles/p01.json", T1)]


def test_all_faults_of_all_files_come_at_once(folder: Path) -> None:
    chosen = ("unknown tool", "ask of two items", "ground of no argument", "no description")
    for file, edit, _ in (FAULTS[kind] for kind in chosen):
        change(folder / file, edit)
    lines = faults(folder)
    assert len(lines) == 4
    assert set(lines) == {FAULTS[kind][2] for kind in chosen}


def test_topic_files_in_wrong_places(folder: Path) -> None:
    shutil.copy(folder / T1, folder / "topics/p02/p01-t1.json")
    shutil.copy(folder / T1, folder / "topics/p01-t1.json")
    lines = faults(folder)
    assert "topics/p01-t1.json: is out of place; a topic lies in topics/<profile>/" in lines
    assert "topics/p02/p01-t1.json: field 'profile': is 'p01', but the file lies in the folder of 'p02'" in lines
    assert f"topics/p02/p01-t1.json: field 'id': {T1} has the id 'p01-t1' too; ids are unique" in lines


def test_unknown_profile(folder: Path) -> None:
    (folder / "profiles/p02.json").unlink()
    assert faults(folder) == ["topics/p02/p02-t1.json: field 'profile': there is no profile 'p02'"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"id": "p01-t1", "id": "p01-t1"}', "has the key 'id' twice in one object; keep one"),
        (MANY_KEYS, "has the key 'k59999' twice in one object; keep one"),
        (b'{"id": NaN}', "holds NaN, which is no JSON"),
        (b'{"id": "\xff"}', "is not UTF-8 text (at byte 9)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"", "is no JSON (Expecting value at column 1)"),
    ],
    ids=["key twice", "key twice among many", "NaN", "bytes", "depth", "empty"],
)
def test_files_that_are_no_json(folder: Path, content: bytes, message: str) -> None:
    (folder / T1).write_bytes(content)
    assert faults(folder) == [f"{T1}: {message}"]


@pytest.mark.parametrize("where", ["..", "../..", "../../given", "../ferry/..", ".", "../ferry"])
@pytest.mark.parametrize("how", ["by name", "from within", "by a link"])
def test_the_toolset_folder_holds_no_dataset(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, how: str
) -> None:
    given = tmp_path / "given"
    shutil.copytree(folder, given / "ferry")
    for place in (tmp_path, given, given / "ferry"):
        shutil.copy(folder / FERRY, place)
    (tmp_path / "link").mkdir()
    (tmp_path / "link/ferry").symlink_to(given / "ferry")
    monkeypatch.chdir(given / "ferry")
    change(given / "ferry/dataset.json", lambda info: info.update(toolsets=where))
    with pytest.raises(DataError) as caught:
        load({"by name": str(given / "ferry"), "from within": ".", "by a link": str(tmp_path / "link/ferry")}[how])
    fault = f"dataset.json: field 'toolsets': {where} leads too far; name a folder in this one, or one beside it"
    assert fault in str(caught.value).splitlines()


@pytest.mark.parametrize("how", ["by name", "from within", "by a link"])
def test_toolsets_may_lie_beside_the_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    shutil.move(folder / "toolsets", tmp_path / "main/toolsets")
    change(folder / "dataset.json", lambda info: info.update(toolsets="../main/toolsets"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links/ferry").symlink_to(folder)
    monkeypatch.chdir(folder)
    dataset = load({"by name": str(folder), "from within": ".", "by a link": str(tmp_path / "links/ferry")}[how])
    assert list(dataset.toolsets) == ["ferry"]


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    (folder / T1).unlink()
    (folder / T1).mkdir()
    assert f"{T1}: cannot be read: Is a directory" in faults(folder)


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("dataset.json", "dataset.json: is missing; a dataset folder holds one with name, version and licence"),
        ("topics", "topics: is missing; it holds a folder of topic files for each profile"),
    ],
)
def test_a_folder_that_is_not_whole(folder: Path, gone: str, message: str) -> None:
    path = folder / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert faults(folder) == [message]
