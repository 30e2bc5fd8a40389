"""The public row format: how real rows vary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from oracle import play
from public_rows import BILINGUAL, ENGLISH, PUBLIC, ROWS, chat, faults, ids, one_call, write

from utb_inspect.datasets import load
from utb_inspect.datasets.labels import SUBTYPES, TASK_TYPES, label_key
from utb_inspect.datasets.public_tools import PublicToolsets
from utb_inspect.datasets.rows import read_environment
from utb_inspect.schema import CallStep
from utb_inspect.trajectory.calls import Call, Message

# --- rows as they are ----------------------------------------------------------------------------------------


def test_a_folder_of_rows() -> None:
    dataset = load(str(PUBLIC))
    assert dataset.layout == "system"
    assert (dataset.info.name, dataset.info.version, dataset.info.licence) == ("public", "0", "unknown")
    # A profile's rows lie in two files, a file holds three profiles, and a row without `_topic_` takes its file's name.
    assert list(dataset.by_profile) == ["boats_more", "ivo", "mara"]
    assert ids(dataset)[:3] == ["17", "ivo_topic_1", "ivo_topic_2"]
    # Two topics of one second are both kept; a garbled date stays after the row before it.
    assert ids(dataset)[3:] == ["mara_topic_1", "mara_topic_2", "mara_topic_3", "mara_topic_4"]
    assert dataset.warnings == []


@pytest.mark.parametrize("language", [None, "en"])
def test_every_reference_scores_exact(language: Any) -> None:
    dataset = load(str(PUBLIC), language=language)
    assert {turn.id for turn in dataset.turns if not play(dataset, turn.id).exact} == set()


def test_labels_and_turns() -> None:
    turns = load(str(PUBLIC)).by_profile["mara"][:5]
    assert [turn.task_type for turn in turns] == [
        "single_tool", "single_tool", "chat", "lack_of_information", "multi_tool",
    ]  # fmt: skip
    assert [turn.subtype for turn in turns] == [
        "cross_topic", "long_range_dependency", "partial_information", "cross_topic", "coreferential_reference",
    ]  # fmt: skip
    assert turns[4].turn.structure == "mixed"


@pytest.mark.parametrize(
    ("label", "task_type"),
    [
        ("Single-Tool", "single_tool"),
        ("Parallel Multi-Tool", "multi_tool"),
        ("sequential multi-tool", "multi_tool"),
        ("Multi-Tool", "multi_tool"),
        ("Clarify", "lack_of_information"),
        ("Chit-Chat", "chat"),
        ("单工具", "single_tool"),
        ("多工具", "multi_tool"),
        ("澄清", "lack_of_information"),
        ("闲聊", "chat"),
    ],
)
def test_task_type_labels(label: str, task_type: str) -> None:
    assert TASK_TYPES[label_key(label)] == task_type


@pytest.mark.parametrize(
    ("label", "subtype"),
    [
        ("Long-Term Memory", "long_range_dependency"),
        ("Long-Range Dependency", "long_range_dependency"),
        ("长期记忆", "long_range_dependency"),
        ("省略成分", "partial_information"),
        ("指代", "coreferential_reference"),
        ("First Turn", "cross_topic"),
    ],
)
def test_subtype_labels(label: str, subtype: str) -> None:
    assert SUBTYPES[label_key(label)] == subtype


@pytest.mark.parametrize(
    ("info", "now"),
    [
        ("2024-07-22 09:10:00 Monday", "2024-07-22T09:10:00"),
        ("2024-07-22 09:10 Monday", "2024-07-22T09:10:00"),
        ("Current Time：2024-07-22 09:10:05 星期一", "2024-07-22T09:10:05"),
        ("2024年7月22日 9:10", "2024-07-22T09:10:00"),
        ("Bergen, 2024-07-22", "2024-07-22"),
        ("2024-02-30 10:00:00", None),
        ("22/07/2024", None),
        ("tomorrow", None),
        ({"language": "en"}, None),
        ("", None),
        (None, None),
    ],
)
def test_dates(info: Any, now: str | None) -> None:
    environment = read_environment(info)
    assert environment.now == now
    assert environment.info == (json.dumps(info) if isinstance(info, dict) else info or None)


def test_rows_without_a_date_follow_the_row_before_them(tmp_path: Path) -> None:
    dates = {"1": "2024-05-09 10:00:00", "2": None, "3": "garbled", "4": "2024-05-01 10:00", "5": "2024-05-01 10:00:00"}
    path = write(tmp_path / "ada.jsonl", *(chat(f"ada_topic_{i}", date) for i, date in dates.items()))
    assert ids(load(str(path))) == [f"ada_topic_{i}" for i in "45123"]


def test_rows_with_one_id_are_both_kept(tmp_path: Path) -> None:
    rows = (chat("ada_topic_1"), chat("ada_topic_1"), chat("ada_topic_1-2"), chat(None), chat(7))
    dataset = load(str(write(tmp_path / "bo.jsonl", *rows)))
    assert ids(dataset) == ["ada_topic_1", "ada_topic_1-2", "ada_topic_1-3", "7", "bo_topic_3"]
    assert dataset.warnings == ["bo.jsonl line 2, topic ada_topic_1: another row has this id; read as ada_topic_1-3"]
    assert list(dataset.by_profile) == ["ada", "bo"]


def test_arguments_as_text_and_float_types() -> None:
    step = load(str(PUBLIC)).by_id["mara_topic_1.1"].turn.reference[0]
    assert isinstance(step, CallStep)
    assert step.arguments == {"port": "Tarbert", "date": "2024-05-09", "max_price": 40, "limit": 10}


def test_lists_as_json_text_and_files_of_other_shapes(tmp_path: Path) -> None:
    row = {key: json.dumps(value) if isinstance(value, list) else value for key, value in ENGLISH.items()}
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps([row, chat("mara_topic_9")], indent=1))
    assert ids(load(str(listed))) == ["mara_topic_1", "mara_topic_9"]
    single = tmp_path / "single.json"
    single.write_text(json.dumps(row, indent=1))
    assert ids(load(str(single))) == ["mara_topic_1"]
    assert ids(load(str(write(tmp_path / "lines.json", row, chat("mara_topic_9"))))) == ["mara_topic_1", "mara_topic_9"]


def test_subtypes_may_name_the_first_turn(tmp_path: Path) -> None:
    row = {**BILINGUAL, "english_turn_subtypes": ["First Turn", "Partial Information"]}
    turns = load(str(write(tmp_path / "a.jsonl", row))).turns
    assert [turn.subtype for turn in turns] == ["cross_topic", "partial_information"]


def test_tools_given_twice_and_runtime_tools(tmp_path: Path) -> None:
    tools = ENGLISH["english_tools"]
    runtime = {"type": "function", "function": {"name": "prepare_to_answer", "parameters": {"type": "object"}}}
    dataset = load(str(write(tmp_path / "a.jsonl", chat(tools=[*tools, tools[0], runtime]))))
    (toolset,) = dataset.toolsets.values()
    assert [tool.name for tool in toolset.tools] == ["searchBoats", "reserveBoat"]
    assert dataset.warnings == [
        "a.jsonl line 1, topic ada_topic_1: field 'tools[2]': a tool 'searchBoats' stands before; left out"
    ]


def test_the_public_form_is_kept_as_given() -> None:
    public = load(str(PUBLIC)).public["mara_topic_1.1"]
    assert public.tools == ENGLISH["english_tools"]
    assert public.answer_list == ENGLISH["english_answer_list"][0]


def test_what_a_model_could_not_do_is_a_warning(tmp_path: Path) -> None:
    dataset = load(str(write(tmp_path / "a.jsonl", one_call({"port": "Oban"}))))
    assert dataset.warnings == [
        "a.jsonl line 1, topic ada_topic_1: turn ada_topic_1.1, step '0', arguments of 'searchBoats': 'date' is a "
        "required property; no run can be exact"
    ]


def test_an_info_beside_the_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chat())
    info = {"name": "boats", "version": "3.0.0", "licence": "MIT"}
    (tmp_path / "dataset.json").write_text(json.dumps(info))
    assert load(str(path)).info.name == load(str(tmp_path)).info.name == "boats"


def test_the_hash_does_not_hang_on_file_and_row_order(tmp_path: Path) -> None:
    for folder, order in (("one", ROWS), ("two", ROWS[::-1])):
        (tmp_path / folder / "rows").mkdir(parents=True)
        for i, row in enumerate(order):
            write(tmp_path / folder / "rows" / f"part{i}.jsonl", row)
    assert load(str(tmp_path / "one/rows")).hash == load(str(tmp_path / "two/rows")).hash
    assert load(str(tmp_path / "one/rows")).hash != load(str(PUBLIC)).hash


# --- languages -----------------------------------------------------------------------------------------------


def test_each_language_of_a_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", BILINGUAL)
    requests = {language: load(str(path), language=language).turns[0].turn.request for language in (None, "en", "zh")}
    assert requests == {None: "Look up boats for me.", "en": "Look up boats for me.", "zh": "帮我查一下船。"}
    infos = {language: load(str(path), language=language).topics[0].environment.info for language in ("en", "zh")}
    assert infos == {"en": "Current Time: 2024-05-08 19:05:10 Wednesday", "zh": "当前时间：2024-05-08 19:05:10 星期三"}


def test_empty_english_fields(tmp_path: Path) -> None:
    row = {**BILINGUAL, "english_tasks": ["", ""], "english_answer_list": [], "english_env_info": None}
    path = write(tmp_path / "a.jsonl", row)
    assert load(str(path)).turns[0].turn.request == "帮我查一下船。"
    assert faults(path, language="en") == [
        "language=en: a row has no English texts (mara_topic_2); leave the language out"
    ]


def test_a_language_that_the_rows_lack() -> None:
    (fault,) = faults(PUBLIC, language="zh")
    assert fault.startswith("language=zh: 6 rows have no Chinese texts (mara_topic_1, ")


# --- the paper's case study ----------------------------------------------------------------------------------


def test_the_case_study_is_read(shared: Path) -> None:
    dataset = load(str(shared / "upstream/case_study_persona0.jsonl"))
    assert list(dataset.by_profile) == ["persona0"]
    assert len(dataset.turns) == 5
    assert all(play(dataset, turn.id).exact for turn in dataset.turns)


def test_the_papers_failing_prediction_fails(shared: Path) -> None:
    dataset = load(str(shared / "upstream/case_study_persona0.jsonl"))
    guess = Call("c", "getArticleMetadata", {"url": "https://36kr.com/p/greenleaf-retail-rising-star"})
    verdict = play(dataset, "persona0_topic_1.3", [Message(calls=(guess,)), Message(text="No such article.")])
    assert (verdict.exact, verdict.relaxed, verdict.severity) == (False, False, "major")
    assert {"missing_tool", "sequence_dependency"} <= verdict.labels


def test_every_public_toolset_is_read(shared: Path) -> None:
    toolsets = PublicToolsets()
    lists = [json.loads(line) for line in (shared / "upstream/tools_en.jsonl").read_text().splitlines()]
    read = {toolsets.read(tools, "tools_en.jsonl").toolset.id for tools in lists}
    assert len(read) == len({json.dumps(tools, sort_keys=True) for tools in lists})
    # One of the toolsets has four tools twice.
    assert len(toolsets.warnings) == 4


def test_golds_of_real_failures_are_read(shared: Path, tmp_path: Path) -> None:
    rows = []
    for line in (shared / "upstream/wild_failures.jsonl").read_text().splitlines():
        failure = json.loads(line)
        steps = [
            {"action": gold, "observation": "Which one?", "user_input": "That.", "dependency_list": list(range(i))}
            for i, gold in enumerate(failure["gold"])
        ]
        fields = {"tools": failure["tools"], "tasks": [failure["user_message"]], "answer_list": [steps]}
        rows.append(chat(failure["id"], **fields, task_types=[failure["task_type"]]))
    dataset = load(str(write(tmp_path / "wild.jsonl", *rows)))
    assert len(dataset.turns) == 27
    unmakeable = {warning.split("turn ")[1].split(",")[0] for warning in dataset.warnings}
    assert {turn.id for turn in dataset.turns if not play(dataset, turn.id).exact} == unmakeable
