"""Statistics of a dataset: figures worked out by hand, and profiles that stay hidden."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from public_rows import PUBLIC
from support import PROFILES, TOPICS, write_dataset, write_json

from utb_inspect.analysis.dataset_stats import DatasetStatistics, dataset_statistics
from utb_inspect.analysis.diversity import (
    ASK,
    Trajectory,
    exact_trajectory,
    sequence_distance,
    tool_sequence,
    trajectory_diversity,
)
from utb_inspect.analysis.field_diversity import field_diversity, lexical_richness
from utb_inspect.analysis.pictures import dataset_charts, write_pictures
from utb_inspect.analysis.profile_fields import coverage, descriptors, group_of, schema_groups
from utb_inspect.analysis.profile_similarity import Spread, profile_similarity
from utb_inspect.analysis.profile_text import is_measured, is_sensitive, measured_items, read_profiles
from utb_inspect.analysis.tables import Table, markdown_tables
from utb_inspect.analysis.turn_counts import Count
from utb_inspect.cli import main
from utb_inspect.datasets import Dataset, load
from utb_inspect.schema import DataError, Profile


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("stats") / "harbour")


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Dataset:
    return load(str(folder))


@pytest.fixture(scope="module")
def stats(dataset: Dataset) -> DatasetStatistics:
    return dataset_statistics(dataset)


def utb(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["dataset", "stats", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def profiles(**fields: dict[str, Any]) -> dict[str, Profile]:
    return {name: Profile(id=name, fields=given) for name, given in fields.items()}


def changed_topic(index: int, **changes: Any) -> Any:
    return {**json.loads(json.dumps(TOPICS[index])), **changes}


# --- table 2 -------------------------------------------------------------------------------------------------


def test_kinds_of_turns(stats: DatasetStatistics) -> None:
    turns = stats.turns
    assert (stats.users, stats.topics, turns.turns, turns.chat) == (2, 4, 10, 2)
    assert turns.task_types == [
        Count("lack_of_information", 2, 2 / 8),
        Count("single_tool", 3, 3 / 8),
        Count("multi_tool", 3, 3 / 8),
    ]
    assert turns.subtypes == [
        Count("cross_topic", 4, 0.4),
        Count("partial_information", 5, 0.5),
        Count("long_range_dependency", 1, 0.1),
    ]
    assert turns.recoverability == [Count("recoverable", 1, 0.5), Count("unrecoverable", 1, 0.5)]
    assert [(row.kind, row.count) for row in turns.structures] == [("parallel", 1), ("sequential", 1), ("mixed", 1)]
    assert turns.changes == []


def test_turns_on_a_change_are_counted(tmp_path: Path) -> None:
    topic = changed_topic(0)
    topic["turns"][2]["change"] = "update"
    topic["turns"][0]["change"] = "conflict"
    counts = dataset_statistics(load(str(write_dataset(tmp_path / "harbour", [topic])))).turns
    assert {row.kind: (row.count, row.rate) for row in counts.changes if row.count} == {
        "update": (1, 0.5),
        "conflict": (1, 0.5),
    }
    assert len(counts.changes) == 5


def test_kinds_without_a_turn_have_no_rate(tmp_path: Path) -> None:
    topic = changed_topic(0)
    topic["turns"] = topic["turns"][:1]
    counts = dataset_statistics(load(str(write_dataset(tmp_path / "harbour", [topic])))).turns
    assert counts.structures == [Count(kind, 0, None) for kind in ("parallel", "sequential", "mixed")]


# --- table 3 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([], [], 0.0),
        ([], ["find"], 1.0),
        (["find", "book"], ["find", "book"], 0.0),
        (["find", "book"], [ASK, "find", "book"], 1 / 3),  # one step more
        (["find", "book"], ["book", "find"], 1.0),  # a swap is two changes
        (["find", "look", "book"], ["find", "book"], 1 / 3),
        (["findTrains"], ["findTrain"], 1.0),  # steps are compared whole, not letter by letter
        ([("find", 1), ("find", 2)], [("find", 1), ("find", 3)], 0.5),
    ],
)
def test_distance_of_two_sequences(first: list[Any], second: list[Any], expected: float) -> None:
    assert sequence_distance(first, second) == pytest.approx(expected)
    assert sequence_distance(second, first) == pytest.approx(expected)


def test_a_topic_is_the_sequence_of_its_steps(dataset: Dataset) -> None:
    assert [tool_sequence(topic) for topic in dataset.topics] == [
        ("findTrains", "findTrains", "bookTrain"),
        (ASK, ASK, "reserveTable", "reserveTable"),
        ("findTrains", "findTrains", "findTrains"),
        ("planMenu", "planMenu", "planMenu", "reserveTable"),  # the alternative counts for nothing
    ]
    assert exact_trajectory(dataset.topics[0])[2] == 'bookTrain {"seat":"window","train_id":"L1"}'
    assert exact_trajectory(dataset.topics[1])[:2] == (f'{ASK} ["guests"]', f'{ASK} ["day"]')


def test_diversity_of_a_dataset(stats: DatasetStatistics) -> None:
    """One pair under each toolset: one step of three differs, and three of four; of exact steps, all."""
    assert (stats.sequences.topics, stats.sequences.pairs, stats.sequences.distinct) == (4, 2, 4)
    assert stats.sequences.mean_distance == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert stats.trajectories.mean_distance == 1.0


def test_pairs_stay_within_a_toolset_and_the_same_sequence_in_two_counts_twice() -> None:
    found = trajectory_diversity(
        [
            Trajectory("rail", "p01", ("find",)),
            Trajectory("rail", "p01", ("find", "book")),
            Trajectory("rail", "p02", ("find",)),
            Trajectory("road", "p02", ("find",)),
        ]
    )
    assert (found.topics, found.distinct, found.uniqueness) == (4, 3, 0.75)
    # Within rail: 1/2 (both of p01), 0 and 1/2 (of p01 and p02).
    assert (found.pairs, found.pairs_across_profiles) == (3, 2)
    assert found.mean_distance == pytest.approx(1 / 3)
    assert found.mean_distance_across_profiles == pytest.approx(1 / 4)


def test_without_pairs_there_is_no_distance() -> None:
    alone = trajectory_diversity([Trajectory("rail", "p01", ("find",)), Trajectory("road", "p01", ("find",))])
    assert (alone.uniqueness, alone.mean_distance, alone.mean_distance_across_profiles) == (1.0, None, None)
    assert trajectory_diversity([]).uniqueness is None


# --- what of a profile is measured ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "health_and_medical_conditions",
        "therapy_background",
        "sensitive_information",
        "politicalViews",
        "religion",
        "household_income",
        "ethnic_background",
        "sexual_orientation",
    ],
)
def test_sensitive_fields_are_told_by_their_names(name: str) -> None:
    assert is_sensitive(name)
    assert not is_measured(name)


@pytest.mark.parametrize("name", ["contact", "email", "home_address", "age", "gender", "nationality", "conversations"])
def test_identifying_fields_and_labels_are_not_measured(name: str) -> None:
    assert not is_measured(name)


@pytest.mark.parametrize(
    "name", ["short_persona", "budget_constraints", "travel_style", "favourite_bands", "languages"]
)
def test_other_fields_are_measured(name: str) -> None:
    assert is_measured(name)
    assert not is_sensitive(name)


def test_items_are_the_texts_of_a_field_without_keys_and_numbers() -> None:
    (profile,) = profiles(
        p01={
            "hobbies": ["rowing", "", {"Renate": "sings", "religion": "hidden", "since": 1999}],
            "travel_style": "by tram",
            "age": 40,
            "therapy_background": "hidden",
            "notes": {},
        }
    ).values()
    assert measured_items(profile) == {"hobbies": ["rowing", "sings"], "travel_style": ["by tram"]}


# --- tables 7 to 9 -------------------------------------------------------------------------------------------


def test_schema_and_fields_of_profiles() -> None:
    given = profiles(
        p01={**PROFILES["p01"], "boat": "A dinghy.", "medication": "hidden", "blank": " ", "none": None},
        p02=PROFILES["p02"],
    )
    groups = {row.group: (row.fields, row.profiles, row.occurrences) for row in schema_groups(given)}
    assert groups == {
        "persona summary": (("short_persona", "age", "gender"), 2, 6),
        "communication": ((), 0, 0),
        "preference categories": (("stereotypical_preferences",), 1, 1),
        "task habits": (("travel_style",), 1, 1),
        "sensitive": (("therapy_background", "sensitive_information"), 2, 2),
        "optional fields": ((), 1, 2),
    }
    first, second = coverage(given)
    assert (first.total, first.shared, first.extra, first.extra_fields, first.sensitive_extra) == (
        8,
        6,
        2,
        ("boat",),
        1,
    )
    assert (second.total, second.shared, second.extra, second.extra_fields) == (4, 4, 0, ())


def test_descriptors_are_counted() -> None:
    found = descriptors(
        profiles(
            p01={"age": 58, "gender": "woman", "nationality": "Dutch", "occupation": "Porter"},
            p02={"age": "31", "gender": "Male", "nationality": " dutch", "occupation": "Clarinet maker"},
            p03={"age": True, "gender": "nonbinary", "education": "None"},
        )
    )
    assert (found.profiles, found.ages, found.age_range) == (3, 2, (31, 58))
    assert found.genders == {"female": 1, "male": 1, "other": 1}
    assert found.distinct == {"nationalities": 1, "educations": 1, "occupations": 2}


def test_of_one_profile_age_and_gender_stay_untold() -> None:
    found = descriptors(profiles(p01={"age": 58, "gender": "woman"}))
    assert (found.age_range, found.genders) == (None, {})


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("clarification_preference", "communication"),
        ("service_preferences", "task habits"),
        ("neutral_preferences", "preferences"),
        ("therapy_background", "health"),
        ("familyBackground", "family and friends"),
        ("boat", "other"),
    ],
)
def test_a_field_belongs_to_one_group(name: str, group: str) -> None:
    assert group_of(name) == group


# --- table 10 and figure 3 -----------------------------------------------------------------------------------

RARE = math.log(3 / 2) + 1
"""Weight of a word that one of two texts has; a word that both have weighs 1."""


def test_similarity_of_two_profiles() -> None:
    found = profile_similarity(
        profiles(
            p01={"short_persona": "Red boat.", "therapy_background": "Counsellor"},
            p02={"short_persona": "The red harbour; bell", "therapy_background": "Counsellor", "nationality": "Boat"},
        )
    )
    (pair,) = found.pairs
    assert pair.jaccard == pytest.approx(1 / 4)  # red, of red boat harbour bell
    cosine = 1 / (math.sqrt(1 + RARE**2) * math.sqrt(1 + 2 * RARE**2))
    assert pair.tfidf == pytest.approx(cosine)
    assert found.jaccard == Spread(pair.jaccard, pair.jaccard, pair.jaccard, pair.jaccard, ("p01", "p02"))


def test_stop_words_count_when_asked_for() -> None:
    given = profiles(p01={"boat": "the boat"}, p02={"boat": "the bell"})
    (without,), (with_,) = profile_similarity(given).pairs, profile_similarity(given, stop_words=True).pairs
    assert (without.jaccard, without.tfidf) == (0.0, 0.0)
    assert with_.jaccard == pytest.approx(1 / 3)
    assert with_.tfidf == pytest.approx(1 / (1 + RARE**2))


def test_spread_over_pairs() -> None:
    found = profile_similarity(
        profiles(a={"x": "one two"}, b={"x": "one two"}, c={"x": "two"}, d={"therapy_background": "two"}),
        stop_words=True,
    )
    # a-b 1, a-c 1/2, b-c 1/2; d has nothing that is measured.
    assert [pair.jaccard for pair in found.pairs] == pytest.approx([1, 0.5, 0, 0.5, 0, 0])
    assert found.jaccard is not None
    assert (found.jaccard.mean, found.jaccard.median) == pytest.approx((1 / 3, 1 / 4))
    assert (found.jaccard.minimum, found.jaccard.maximum, found.jaccard.most_similar) == (0, 1, ("a", "b"))
    assert found.tfidf is not None
    assert found.tfidf.maximum == pytest.approx(1)


def test_no_pair_and_no_word() -> None:
    assert profile_similarity(profiles(p01={"x": "one"})).jaccard is None
    assert profile_similarity({}).pairs == ()
    (pair,) = profile_similarity(profiles(p01={"age": 4}, p02={"age": 4})).pairs
    assert (pair.jaccard, pair.tfidf) == (0.0, 0.0)


def test_chinese_characters_are_words() -> None:
    (pair,) = profile_similarity(profiles(p01={"x": "火车"}, p02={"x": "汽车"})).pairs
    assert pair.jaccard == pytest.approx(1 / 3)


def test_profiles_of_a_folder(tmp_path: Path) -> None:
    write_json(tmp_path / "p10.json", {"id": "p10", "boat": "A dinghy"})
    write_json(tmp_path / "p2.json", {"someone": {"persona": "Rows a dinghy", "conversations": ["hidden"]}})
    found = read_profiles(tmp_path)
    assert list(found) == ["p2", "p10"]
    assert profile_similarity(found).pairs[0].jaccard == pytest.approx(1 / 2)
    write_json(tmp_path / "p3.json", {"id": "p4", "boat": "A dinghy"})
    with pytest.raises(DataError, match=r"p3\.json: field 'id'"):
        read_profiles(tmp_path)
    with pytest.raises(DataError, match="holds no profile"):
        read_profiles(tmp_path / "nowhere")


def test_cttr_and_mattr() -> None:
    cttr, mattr = lexical_richness(["a", "a", "b"], window=2)
    assert cttr == pytest.approx(2 / math.sqrt(6))
    assert mattr == pytest.approx((1 / 2 + 1) / 2)
    assert lexical_richness(["a", "a", "b"], window=50)[1] == pytest.approx(2 / 3)  # shorter than a window
    assert lexical_richness([]) == (None, None)


def test_diversity_of_fields() -> None:
    found = field_diversity(
        profiles(
            p01={"hobbies": ["Red boats", "the sea"], "boat": "x", "therapy_background": "x"},
            p02={"hobbies": ["red  boats"], "therapy_background": "x"},
            p03={"hobbies": ["bells"]},
        )
    )
    (hobbies,) = found  # no other field is measured in two profiles
    assert (hobbies.field, hobbies.profiles, hobbies.items, hobbies.words) == ("hobbies", 3, 4, 7)
    assert hobbies.unique == pytest.approx(3 / 4)
    assert hobbies.jaccard == pytest.approx((2 / 3 + 0 + 0) / 3)  # "the" is left out
    assert hobbies.cttr == pytest.approx(5 / math.sqrt(14))  # red boats the sea bells, "the" kept
    assert hobbies.mattr == pytest.approx(5 / 7)


# --- tools and domains ---------------------------------------------------------------------------------------


def test_tools_of_a_dataset(stats: DatasetStatistics) -> None:
    tools = stats.tools
    assert (tools.toolsets, tools.occurrences, tools.unique_names, tools.parameter_slots) == (2, 5, 5, 18)
    assert (tools.tools_per_toolset, tools.slots_per_tool) == (2.5, 3.6)
    assert stats.domains is not None
    assert [(row.domain, row.toolsets, row.share, row.topics) for row in stats.domains] == [
        ("food", 1, 0.5, 2),
        ("travel", 1, 0.5, 2),
    ]


def test_toolsets_without_a_topic_are_left_out(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour", TOPICS[:1])
    found = dataset_statistics(load(str(folder)))
    assert (found.tools.toolsets, found.toolsets_offered, found.tools.occurrences) == (1, 2, 3)
    assert found.domains is not None
    assert [(row.domain, row.share) for row in found.domains] == [("travel", 1.0)]
    assert "Toolsets that no topic uses, left out of all figures: 1." in utb(str(folder)).stdout


# --- the command ---------------------------------------------------------------------------------------------


def test_the_terminal_shows_every_table(folder: Path, dataset: Dataset) -> None:
    result = utb(str(folder))
    assert result.exit_code == 0
    for number in ("2a", "2b", "3", "7", "8", "9", "10", "11"):
        assert f"\nTable {number}. " in result.stdout
    for figure in ("2, left", "2, right", "3", "3, left", "3, right"):
        assert f"\nFigure {figure}. " in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert "mean pairwise distance 54.17% 100.00%".split() in lines
    assert "uniqueness ratio 100.00% 100.00%".split() in lines
    last = result.stdout.splitlines()[-1]
    assert last.startswith(f"signature: data:{dataset.name}|profiles:")


def test_the_signature_tells_profiles_apart(tmp_path: Path, stats: DatasetStatistics) -> None:
    other = {**PROFILES, "p02": {"short_persona": "Another."}}
    changed = dataset_statistics(load(str(write_dataset(tmp_path / "harbour", profiles=other))))
    assert changed.dataset == stats.dataset
    assert changed.signature != stats.signature


def test_json_has_the_figures_unrounded(folder: Path, stats: DatasetStatistics) -> None:
    found = json.loads(utb(str(folder), "--format", "json").stdout)
    assert found["signature"] == stats.signature
    assert found["table_3"]["tool_sequences"]["mean_distance"] == pytest.approx(13 / 24)
    assert found["table_3"]["exact_trajectories"]["uniqueness"] == 1.0
    assert found["table_2a"][0] == {"kind": "lack_of_information", "count": 2, "rate": 0.25}
    assert found["table_11"]["slots_per_tool"] == 3.6
    assert found["table_8"][0]["total"] == 6
    assert found["figure_3"]["pairs"][0].keys() == {"first", "second", "jaccard", "tfidf"}


def test_markdown_goes_to_a_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "stats.md"
    result = utb(str(folder), "--format", "markdown", "--output", str(file))
    assert result.stdout == f"written to {file}\n"
    text = file.read_text()
    assert (
        "### Table 2a. Task types (n = 8 turns that are tasks)\n\n| kind | count | rate |\n| --- | ---: | ---: |\n"
        in text
    )
    assert "| tool-name occurrences | 5 |\n" in text
    assert text.splitlines()[-1].startswith("signature: `data:harbour@1.0.0#")
    assert utb(str(folder), "--format", "markdown").stdout == text


def test_markdown_cells_cannot_break_a_table() -> None:
    table = Table("a\nb", ("x|y", "n"), [("p|q\nr", "1")], "note")
    assert markdown_tables([table]) == "### a b\n\n| x\\|y | n |\n| --- | ---: |\n| p\\|q r | 1 |\n\nnote\n"


def test_a_matrix_has_an_empty_diagonal(folder: Path) -> None:
    lines = utb(str(folder), "--format", "markdown").stdout.splitlines()
    start = lines.index("### Figure 3, left. Token Jaccard")
    assert lines[start + 2] == "|  | p01 | p02 |"
    first, second = lines[start + 4 : start + 6]
    assert first.startswith("| p01 |  | 0.")
    assert second.startswith("| p02 | 0.")
    assert second.endswith(" |  |")


def test_public_rows_have_no_profiles_and_that_is_not_zero() -> None:
    result = utb(str(PUBLIC), "--format", "markdown")
    assert result.exit_code == 0
    for title in ("Table 7. ", "Table 8. ", "Table 9. ", "Table 10. ", "Figure 2, left. ", "Figure 3. "):
        (section,) = [part for part in result.stdout.split("### ") if part.startswith(title)]
        assert section.splitlines()[1:3] == ["", "Not available: the dataset holds no profiles."]
    assert "Not available: public rows name no domains." in result.stdout
    found = json.loads(utb(str(PUBLIC), "--format", "json").stdout)
    missing = ("table_7", "table_8", "table_9", "table_10", "figure_3", "figure_3_all_words", "profiles")
    assert [found[key] for key in missing] == [None] * 7
    assert found["figure_2"] == {"field_groups": None, "domains": None}
    assert found["topics"] > 0


def test_one_profile_has_no_pairs(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour", TOPICS[:1], profiles={"p01": PROFILES["p01"]})
    shown = utb(str(folder)).stdout
    assert "Not available: the dataset holds one profile, and pairs need two." in shown
    assert "Not available: no two profiles share a field that is measured." in shown
    assert "58" not in shown


def test_a_dataset_that_is_not_there(tmp_path: Path) -> None:
    result = utb(str(tmp_path / "nowhere"))
    assert result.exit_code == 2
    assert "there is no dataset" in result.stderr


def test_persona_mem_profiles_are_read() -> None:
    found = dataset_statistics(load(str(PUBLIC.parent / "native"))).profiles
    assert found is not None
    extra = {row.profile: row.extra_fields for row in found.coverage}
    assert set(extra["p02"]) == {"location", "interests"}  # its other two fields are empty lists


# --- hidden profiles -----------------------------------------------------------------------------------------


def marked(value: Any, marks: list[str]) -> Any:
    """The same value with a mark of its own in every text, keys of inner objects too."""
    if isinstance(value, dict):
        return {f"{key} {marked('', marks)}": marked(inner, marks) for key, inner in value.items()}
    if isinstance(value, list):
        return [marked(inner, marks) for inner in value]
    if not isinstance(value, str):
        return value
    marks.append(f"zqxjk{len(marks)}")
    return f"{value} {marks[-1]}".strip()


def test_no_text_of_a_profile_is_shown(tmp_path: Path) -> None:
    marks: list[str] = []
    hidden = {
        name: {field: marked(value, marks) for field, value in fields.items()} | {"medication_zqxjk": "x", "boat": "y"}
        for name, fields in PROFILES.items()
    }
    assert len(marks) > 8
    folder = str(write_dataset(tmp_path / "harbour", profiles=hidden))
    shown = [utb(folder, "--format", form).stdout for form in ("terminal", "markdown", "json")]
    written = write_pictures(dataset_statistics(load(folder)), tmp_path / "pictures")
    drawn = [file.read_text() for file in written if file.suffix == ".svg"]
    assert len(drawn) == 4
    for text in (*shown, *drawn):
        assert "zqxjk" not in text
        assert "clarinet" not in text.casefold()
    assert all("boat" in text for text in shown)  # names of fields that are not sensitive are
    assert all("p01" in text for text in drawn[2:])


# --- pictures ------------------------------------------------------------------------------------------------


def test_pictures_are_written(folder: Path, tmp_path: Path) -> None:
    result = utb(str(folder), "--format", "json", "--pictures", str(tmp_path / "a/b"))
    assert result.exit_code == 0
    assert result.stderr == f"8 pictures written to {tmp_path / 'a/b'}\n"
    assert json.loads(result.stdout)["topics"] == 4
    names = ("domains", "field_groups", "profile_jaccard", "profile_tfidf")
    assert {file.name for file in (tmp_path / "a/b").iterdir()} == {
        f"{n}.{kind}" for n in names for kind in ("png", "svg")
    }
    for name in names:
        assert (tmp_path / f"a/b/{name}.png").read_bytes().startswith(b"\x89PNG\r\n")
        assert (tmp_path / f"a/b/{name}.svg").read_text().startswith("<svg")


def test_a_heatmap_leaves_its_diagonal_out(tmp_path: Path) -> None:
    three = {**PROFILES, "p03": PROFILES["p01"]}
    found = dataset_statistics(load(str(write_dataset(tmp_path / "harbour", profiles=three))))
    for name in ("profile_jaccard", "profile_tfidf"):
        cells = dataset_charts(found)[name].to_dict()["data"]["values"]
        assert len({(cell["row"], cell["column"]) for cell in cells}) == len(cells) == 6
        assert not [cell for cell in cells if cell["row"] == cell["column"]]
        alike = [cell["value"] for cell in cells if {cell["row"], cell["column"]} == {"p01", "p03"}]
        assert alike == pytest.approx([1.0, 1.0])


def test_data_without_figures_draws_nothing(tmp_path: Path) -> None:
    result = utb(str(PUBLIC), "--pictures", str(tmp_path / "none"))
    assert result.stderr == "there is no figure to draw\n"
    assert not (tmp_path / "none").exists()


def test_profiles_that_say_nothing_draw_no_field_groups(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "harbour", profiles={name: {"age": None} for name in PROFILES})
    charts = dataset_charts(dataset_statistics(load(str(folder))))
    assert sorted(charts) == ["domains", "profile_jaccard", "profile_tfidf"]


def test_a_folder_that_cannot_be_made_is_a_fault(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = utb(str(folder), "--pictures", str(tmp_path / "file/pictures"))
    assert result.exit_code == 2
    assert "cannot be made" in result.stderr


def test_the_command_line_imports_no_library_of_figures() -> None:
    libraries = ("sklearn", "altair", "vl_convert", "saphes")
    code = f"import sys, utb_inspect.cli; print([m for m in {libraries} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
