"""Names of systems: what is merged, what is kept apart, and by which words."""

from __future__ import annotations

from typing import Any

from utb_inspect.compare.labels import Label, Run, labels

MAIN, DYNAMIC = "utb_open@1.0.0#a1b2c3", "utb_open_dynamic@1.0.0#d4e5f6"


def made(
    model: str = "m", *samples: str, data: str = MAIN, options: Any = None, epochs: int = 1, **settings: Any
) -> Run:
    had = frozenset((sample, epoch + 1) for sample in samples or ("s1",) for epoch in range(epochs))
    return Run(model, settings, data, options or {}, had, f"logs/{model}.eval")


def named(*runs: Run) -> list[str]:
    return [label.name for label in labels(runs)[0]]


def test_models_need_no_more_than_their_names() -> None:
    assert named(made("a", temperature=1), made("b", temperature=0)) == ["a", "b"]


def test_what_differs_within_a_model_is_told_and_nothing_else() -> None:
    runs = [made(seed=3, error_rate=0.3), made(seed=3, error_rate=0.6), made(seed=3), made("other", seed=3)]
    assert named(*runs) == ["m (error_rate=0.3)", "m (error_rate=0.6)", "m (error_rate=default)", "other"]


def test_parts_of_other_settings_are_not_merged() -> None:
    """A model's multi-tool run at one temperature and its single-tool run at another are two systems."""
    assert named(made("m", "s1", temperature=0), made("m", "s2", temperature=1)) == [
        "m (temperature=0)",
        "m (temperature=1)",
    ]


def test_parts_of_one_system_share_its_name() -> None:
    assert labels([made("m", "s1"), made("m", "s2"), made("m", "s3", "s4")]) == ([Label("m")] * 3, [])


def test_a_repeat_is_shown_apart_and_known_as_one() -> None:
    """First all parts, then all parts again; a run of everything repeats both."""
    runs = [made("m", "s1"), made("m", "s2"), made("m", "s2"), made("m", "s1"), made("m", "s1", "s2")]
    found, notes = labels(runs)
    assert found == [Label("m"), Label("m"), Label("m #2", "m"), Label("m #2", "m"), Label("m #3", "m")]
    assert len(notes) == 3
    assert "repeats samples of m, and is shown apart, as m #3" in notes[-1]


def test_the_first_epoch_again_is_a_repeat() -> None:
    assert named(made("m", "s1", epochs=1), made("m", "s1", epochs=3)) == ["m", "m #2"]


def test_options_tell_runs_apart_on_the_same_data_alone() -> None:
    full, none = {"history": "full"}, {"history": "none"}
    assert named(made(options=full), made(options=none)) == ["m (history=full)", "m (history=none)"]
    assert named(made(options=full), made(options=none, data=DYNAMIC)) == ["m", "m"]
    assert named(made(options={}), made(options={"message_limit": 9})) == [
        "m (message_limit=default)",
        "m (message_limit=9)",
    ]


def test_long_and_composed_settings_are_shown_in_short_and_told_apart() -> None:
    long = "a system message of a good many words, " * 3
    found = named(made(system_message=long + "a"), made(system_message=long + "b"))
    assert len(set(found)) == 2
    assert all(len(label) < 40 for label in found)
    secret = named(made(extra_headers={"authorization": "hush"}), made())
    assert "hush" not in "".join(secret)
    assert len(set(secret)) == 2


def test_settings_that_look_alike_are_not_merged() -> None:
    number, text = made("m", "s1", level=1), made("m", "s1", level="1")
    found, notes = labels([number, text, text, number])
    name = "m (level=1)"
    assert found == [
        *(Label(name), Label(f"{name} #2")),
        *(Label(f"{name} #3", repeats=f"{name} #2"), Label(f"{name} #4", repeats=name)),
    ]
    assert [note.partition(": ")[2] for note in notes] == [
        f"has other settings than {name}, and is shown apart, as {name} #2",
        f"repeats samples of {name} #2, and is shown apart, as {name} #3",
        f"repeats samples of {name}, and is shown apart, as {name} #4",
    ]
    assert len(set(named(number, made("m", "s2", level="1")))) == 2
