"""`check` and `check_plan`: all rules over a dataset folder, or over a plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from utb_inspect.checks import (
    answers,
    arguments,
    asks,
    changes,
    counts,
    dates,
    evidence,
    hidden,
    make_up,
    observations,
    openings,
    oracle,
    plan,
    requests,
    toolsets,
    wording,
)
from utb_inspect.checks.finding import INFO, Finding, Rule
from utb_inspect.checks.folder import copy_part, dataset_folder, read_toolsets
from utb_inspect.checks.rows import Row, read_plan, written_rows
from utb_inspect.datasets.dataset import Dataset
from utb_inspect.datasets.files import natural_key
from utb_inspect.datasets.native import read_native
from utb_inspect.schema import DataError

FORMAT = "format"
"""The rule that a dataset can be loaded at all."""

TURN_RULES: tuple[Rule, ...] = (
    evidence.quotes_stand_word_for_word,
    evidence.preferences_rest_on_two_turns,
    evidence.long_range_evidence_lies_far_back,
    observations.observed_values_stand_in_their_observation,
    observations.a_choice_has_two_candidates,
    observations.the_choice_is_not_always_first,
    observations.observed_times_run_forward,
    arguments.long_strings_carry_a_match,
    arguments.stated_strings_stand_in_the_request,
    arguments.history_values_stand_in_their_evidence,
    oracle.own_runs_score_exact,
    asks.questions_are_on_target,
    asks.what_lacks_is_required,
    asks.what_history_holds_is_settled,
    asks.unrecoverable_values_are_new,
    changes.changes_say_what_they_replace,
    requests.requests_name_no_tool,
    requests.requests_leak_no_omitted_value,
    requests.no_next_weekday,
    answers.answers_hand_over_no_preference,
    hidden.no_profile_text_is_shown,
    hidden.contact_data_is_invented,
    dates.weekdays_hold,
    dates.observed_weekdays_hold,
    dates.date_arguments_are_dates,
    dates.time_runs_forward,
    openings.openings_vary,
    wording.requests_are_no_near_duplicates,
    wording.skeletons_are_not_shared,
)
"""Rules of a profile's turns, which hold or not whatever the other profiles are."""

DATASET_RULES: tuple[Rule, ...] = (
    counts.counts_are_those_of_dataset_json,
    counts.the_split_is_made_up_as_planned,
    counts.trajectories_differ,
    counts.users_differ,
    counts.profiles_are_unlike,
    toolsets.tool_names_differ,
    toolsets.providers_take_the_tools,
    toolsets.tools_are_as_many_and_as_rich,
)
"""Rules of the dataset as a whole."""

Progress = Callable[[int, int, str], None]
"""Told before each rule: how many are done, how many there are, and which comes."""


@dataclass
class Report:
    """What the rules found, by rule, in the order in which they ran; a rule without findings is listed too."""

    findings: dict[str, list[Finding]] = field(default_factory=dict)
    turns: int = 0
    """Turns that were looked at."""
    dataset: Dataset | None = None
    """What was checked; None when it could not be read."""

    @property
    def count(self) -> int:
        return sum(map(len, self.findings.values()))

    def add(self, rule: str, found: Iterable[Finding]) -> None:
        self.findings.setdefault(rule, []).extend(dict.fromkeys(found))


def check(source: str, profiles: Collection[str] = (), progress: Progress | None = None) -> Report:
    """Check a dataset in the native format.

    Args:
        source: A shipped split or a dataset folder.
        profiles: Check these alone, and leave out the rules of the dataset as a whole.
        progress: Told before each rule.

    Raises:
        DataError: there is no such folder, or it has no such profile.
    """
    folder = dataset_folder(source)
    report = Report()
    with TemporaryDirectory() as place:
        part = copy_part(folder, profiles, Path(place)) if profiles else folder
        try:
            dataset = read_native(part, folder.name)
        except DataError as error:
            report.add(FORMAT, _format_findings(error))
            return report
        report.add(FORMAT, ())
        report.dataset, report.turns = dataset, len(dataset.turns)
        rules = [*TURN_RULES, *(() if profiles else DATASET_RULES)]
        for i, rule in enumerate(rules):
            if progress:
                progress(i, len(rules), rule.__name__)
            report.add(rule.__name__, rule(dataset))
        for file_rule in (hidden.every_file_carries_the_canary, toolsets.tools_say_what_they_change):
            report.add(file_rule.__name__, file_rule(part))
    return report


def check_plan(file: Path, source: str, profiles: Collection[str] = (), written: Dataset | None = None) -> Report:
    """Check a plan: that counts and diversity hold before any turn is written.

    Args:
        file: A CSV file with a row a turn.
        source: The split or dataset folder that it is for; says which toolsets and which totals.
        profiles: Check these alone, and leave out the totals.
        written: What has been written by now, to be compared with the plan.

    Raises:
        DataError: the plan cannot be read, or has no such profile.
    """
    folder = dataset_folder(source)
    read = read_plan(file)
    info, known, faults = read_toolsets(folder)
    table = make_up.MAKE_UP.get(info.name)
    rows = [row for row in read.rows if table is None or row.profile.startswith(table.prefix)]
    if missing := sorted(set(profiles) - {row.profile for row in rows}, key=natural_key):
        raise DataError(f"{file.name} has no row of profile {', '.join(missing)} for {info.name}")
    rows = [row for row in rows if not profiles or row.profile in profiles]
    turns = {row.turn for row in rows}

    report = Report(turns=len(rows))
    report.add("plan_is_readable", [fault for fault in read.faults if fault.turn in turns])
    report.add(FORMAT, faults)
    for rule in PLAN_RULES:
        report.add(rule.__name__, rule(rows))
    report.add("every_third_has_every_type", make_up.every_third_has_every_type(rows, file.name))
    report.add("tools_exist", plan.tools_exist(rows, known))
    if table is not None:
        report.add("profiles_hold_their_topics", make_up.profiles_hold_their_topics(rows, table, file.name))
        if not profiles:
            report.add("totals_hold", make_up.totals_hold(rows, table, file.name))
            report.add("toolsets_serve_many", make_up.toolsets_serve_many(rows, table, known, file.name))
            report.add("sequences_differ", make_up.sequences_differ(rows, file.name))
    if written is not None:
        whole = counts.whole_split(written) is not None and not profiles
        report.add(
            "what_is_written_is_what_was_planned",
            plan.what_is_written_is_what_was_planned(rows, written_rows(written), whole=whole),
        )
    return report


PLAN_RULES: tuple[Callable[[list[Row]], Iterable[Finding]], ...] = (
    plan.turns_are_planned_once,
    plan.rows_are_in_order,
    plan.kinds_are_known,
    plan.calls_follow_the_type,
    make_up.topics_hold_two_to_five_turns,
    plan.needs_are_shown_before,
    plan.long_range_needs_were_shown_far_back,
    plan.openings_differ,
)
"""Rules of a profile's rows, which hold or not whatever the other profiles are."""

_FAULT = re.compile(r"(?P<file>[^:]+?): (?:turn (?P<turn>[^\s,:]+)[,:] )?(?P<reason>.*)")


def _format_findings(error: DataError) -> list[Finding]:
    """The faults of a dataset that does not load, a finding each; the first line is a heading."""
    _, *lines = str(error).splitlines()
    matches = [(line, _FAULT.fullmatch(line)) for line in lines]
    return [
        Finding(match["file"], match["turn"], match["reason"]) if match else Finding(INFO, None, line)
        for line, match in matches
    ]
