"""Each rule of the checks finds what it is for in a small dataset broken in one place, and nothing in the sound one."""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from checks_data import (
    CANARY,
    Edit,
    Files,
    answer,
    ask,
    dataset,
    findings,
    ground,
    step_of,
    turn_of,
    write,
)

from utb_inspect.checks import (
    answers,
    arguments,
    asks,
    changes,
    dates,
    evidence,
    hidden,
    observations,
    openings,
    oracle,
    requests,
    wording,
)
from utb_inspect.checks.finding import Rule
from utb_inspect.checks.hidden import every_file_carries_the_canary
from utb_inspect.checks.run import DATASET_RULES, TURN_RULES

# --- edits ---------------------------------------------------------------------------------------------------


def say(turn_id: str, text: str) -> Edit:
    """Another request."""
    return lambda files: turn_of(files, turn_id).update(request=text)


def add(turn_id: str, text: str) -> Edit:
    """More words at the end of a request."""

    def edit(files: Files) -> None:
        turn_of(files, turn_id)["request"] += f" {text}"

    return edit


def reply_with(turn_id: str, text: str) -> Edit:
    """Another answer."""
    return lambda files: turn_of(files, turn_id)["reference"][-1].update(answer=text)


def observe(turn_id: str, step: str, observation: Any) -> Edit:
    return lambda files: step_of(files, turn_id, step).update(observation=observation)


def reground(turn_id: str, step: str, argument: str, new: dict[str, Any] | str) -> Edit:
    value = ground(new) if isinstance(new, str) else new

    def edit(files: Files) -> None:
        step_of(files, turn_id, step)["grounds"][argument] = value

    return edit


def argue(turn_id: str, step: str, **values: Any) -> Edit:
    return lambda files: step_of(files, turn_id, step)["arguments"].update(values)


def both(*edits: Edit) -> Edit:
    def edit(files: Files) -> None:
        for one in edits:
            one(files)

    return edit


def under_a_twin(topic: str, **renamed: str) -> Edit:
    """A topic under another toolset of the same tools, some parameters of the first one renamed."""

    def edit(files: Files) -> None:
        twin = {**deepcopy(files["toolsets/canal_boats.json"]), "id": "twin"}
        parameters = twin["tools"][0]["function"]["parameters"]
        for name, new in renamed.items():
            parameters["properties"][new] = parameters["properties"].pop(name)
            parameters["required"] = [new if required == name else required for required in parameters["required"]]
        files["toolsets/twin.json"] = twin
        files[f"topics/p01/p01-{topic}.json"]["toolset"] = "twin"

    return edit


def in_an_alternative(turn_id: str, step: str, **values: Any) -> Edit:
    """The reference once more as an alternative, with a step of its own."""

    def edit(files: Files) -> None:
        turn = turn_of(files, turn_id)
        reference = deepcopy(turn["reference"])
        next(s for s in reference if s["id"] == step).update(values)
        turn["alternatives"] = [reference]

    return edit


def question(turn_id: str, step: str, **values: Any) -> Edit:
    return lambda files: step_of(files, turn_id, step).update(values)


def profile(**fields: Any) -> Edit:
    return lambda files: files["profiles/p01.json"].update(fields)


def now(number: int, moment: str) -> Edit:
    return lambda files: files[f"topics/p01/p01-t{number:02d}.json"]["environment"].update(now=moment)


def quote(turn_id: str, step: str, argument: str, i: int, **values: str) -> Edit:
    return lambda files: step_of(files, turn_id, step)["grounds"][argument]["evidence"][i].update(values)


CHOOSE_BY_PREFERENCE = ground(
    "preference",
    ("t01.2", "at the back under the open sky"),
    ("t01.3", "we stayed out in the drizzle"),
    source="a",
)
BOATS_BACKWARD = {"boats": [{"boat_id": "CB-12", "departs": "11:00", "arrives": "10:30"}]}
FLIGHTS = {"flights": [{"boat_id": "CB-12", "departs": "2025-03-08T17:00", "arrives": "2025-03-08T10:00"}]}


# --- what is found -------------------------------------------------------------------------------------------

Case = tuple[Rule, Edit, str, str]
"""A rule, an edit that breaks it, the turn where it is found (or the file), and words of the reason."""

CASES: dict[str, Case] = {
    "a quote that nobody said": (
        evidence.quotes_stand_word_for_word,
        quote("t02.2", "b", "skipper", 0, quote="in the name of Kuipers, as always"),
        "p01-t02.2",
        "p01-t01.2 does not say 'in the name of Kuipers, as always'; nearest is",
    ),
    "a quote in another case": (
        evidence.quotes_stand_word_for_word,
        quote("t02.2", "b", "skipper", 0, quote="In the name of Kuipers"),
        "p01-t02.2",
        "does not say",
    ),
    "a superseded value that nobody said": (
        evidence.quotes_stand_word_for_word,
        lambda files: step_of(files, "t02.2", "a")["grounds"]["deck"].update(
            superseded=[{"value": "cabin", "turn": "p01-t01.2", "quote": "cabin as ever"}]
        ),
        "p01-t02.2",
        "does not say 'cabin as ever'",
    ),
    "a preference shown in one turn, twice": (
        evidence.preferences_rest_on_two_turns,
        quote("t02.2", "a", "deck", 1, turn="p01-t01.2", quote="last spring"),
        "p01-t02.2",
        "this one on p01-t01.2 alone",
    ),
    "a preference shown once": (
        evidence.preferences_rest_on_two_turns,
        lambda files: step_of(files, "t02.2", "a")["grounds"]["deck"]["evidence"].pop(),
        "p01-t02.2",
        "two different turns",
    ),
    "a long-range turn that looks back nearby": (
        evidence.long_range_evidence_lies_far_back,
        lambda files: turn_of(files, "t04.5").update(subtype="long_range_dependency"),
        "p01-t04.5",
        "the furthest is p01-t01.1, 14 back",
    ),
    "a long-range turn without evidence": (
        evidence.long_range_evidence_lies_far_back,
        both(reground("t05.2", "a", "deck", "request"), reground("t05.2", "b", "deck", "request")),
        "p01-t05.2",
        "it has none there",
    ),
    "a value that no observation returned": (
        observations.observed_values_stand_in_their_observation,
        both(
            argue("t02.2", "b", boat_id="CB-99"),
            reground("t02.2", "b", "boat_id", ground("observation", source="a")),
        ),
        "p01-t02.2",
        "'CB-99' stands in no observation",
    ),
    "a choice that no observation held": (
        observations.observed_values_stand_in_their_observation,
        argue("t02.2", "b", boat_id="CB-99"),
        "p01-t02.2",
        "'CB-99' stands in no observation",
    ),
    "a value that is part of an identifier": (
        observations.observed_values_stand_in_their_observation,
        argue("t02.2", "b", boat_id="CB-5"),
        "p01-t02.2",
        "'CB-5' stands in no observation",
    ),
    "a choice of one": (
        observations.a_choice_has_two_candidates,
        observe("t02.2", "a", {"boats": [{"boat_id": "CB-58", "roof": "none"}]}),
        "p01-t02.2",
        "'CB-58' is the only candidate of step 'a'",
    ),
    "an arrival before the departure": (
        observations.observed_times_run_forward,
        observe("t01.1", "a", BOATS_BACKWARD),
        "p01-t01.1",
        "departs (11:00) is later than arrives (10:30)",
    ),
    "an end before the start": (
        observations.observed_times_run_forward,
        observe("t01.2", "a", {"start_time": "2025-03-08T11:00", "end_time": "2025-03-07T14:00"}),
        "p01-t01.2",
        "start_time (2025-03-08T11:00) is later than end_time (2025-03-07T14:00)",
    ),
    "free text without a match": (
        arguments.long_strings_carry_a_match,
        reground("t02.2", "b", "note", "request"),
        "p01-t02.2",
        "is free text (6 words)",
    ),
    "a stated string that was not stated": (
        arguments.stated_strings_stand_in_the_request,
        argue("t01.1", "a", basin="Weerdsingel"),
        "p01-t01.1",
        "'Weerdsingel' does not stand in the request",
    ),
    "a fact that its evidence does not hold": (
        arguments.history_values_stand_in_their_evidence,
        argue("t02.2", "b", skipper="Kuyper"),
        "p01-t02.2",
        "'Kuyper' stands in none of its evidence turns",
    ),
    "terms that the evidence does not hold": (
        arguments.history_values_stand_in_their_evidence,
        reground(
            "t02.2",
            "b",
            "note",
            ground("history", ("t01.2", "Kuipers"), match={"kind": "contains_all", "terms": [["blanket", "plaid"]]}),
        ),
        "p01-t02.2",
        "none of blanket, plaid stands in its evidence turns",
    ),
    "a question of the reference that asks for nothing": (
        oracle.own_runs_score_exact,
        question("t02.1", "r", message="Say how many hours."),
        "p01-t02.1",
        "the reference, played as it stands, is not exact (clarification",
    ),
    "an alternative whose question misses": (
        oracle.own_runs_score_exact,
        lambda files: turn_of(files, "t02.1").update(
            alternatives=[
                [
                    ask("q", "day", ["day"], "When?", "Sunday."),
                    *({**step, "after": ["q"]} for step in turn_of(files, "t02.1")["reference"][2:3]),
                    answer("Two.", "a", "q"),
                ]
            ]
        ),
        "p01-t02.1",
        "alternative 1, played as it stands, is not exact",
    ),
    "a message that is no question": (
        asks.questions_are_on_target,
        question("t02.1", "q", message="The hours are missing."),
        "p01-t02.1",
        "step 'q': its message is not read as a question",
    ),
    "a message without a cue": (
        asks.questions_are_on_target,
        question("t02.1", "q", message="What time suits her?"),
        "p01-t02.1",
        "step 'q': its message is off target",
    ),
    "a message that asks for what is settled": (
        asks.questions_are_on_target,
        question("t02.1", "q", settled={"basin": ["shall"]}),
        "p01-t02.1",
        "off target",
    ),
    "an ask for an optional argument": (
        asks.what_lacks_is_required,
        both(
            question("t02.1", "q", ask=["deck"], cues={"deck": ["how long"]}),
            reground("t02.1", "a", "deck", "reply"),
        ),
        "p01-t02.1",
        "step 'q' asks for 'deck', which is no required argument",
    ),
    "an ask whose value is stated": (
        asks.what_lacks_is_required,
        reground("t02.1", "a", "hours", "request"),
        "p01-t02.1",
        "asks for 'hours'",
    ),
    "a recoverable turn that lacks nothing": (
        asks.what_lacks_is_required,
        reground("t04.5", "a", "basin", "request"),
        "p01-t04.5",
        "no required argument has basis history or preference",
    ),
    "a known argument that is not settled": (
        asks.what_history_holds_is_settled,
        reground("t02.1", "a", "basin", ground("history", ("t01.1", "the Weerd basin"))),
        "p01-t02.1",
        "step 'q': history holds 'basin'; list it as settled",
    ),
    "an unrecoverable value that was used before": (
        asks.unrecoverable_values_are_new,
        argue("t02.1", "a", hours=3),
        "p01-t02.1",
        "the reply settles 'hours' as 3, which p01-t01.1 gave already as 'hours'",
    ),
    "an unrecoverable value that was used before under another toolset": (
        asks.unrecoverable_values_are_new,
        both(under_a_twin("t01"), argue("t02.1", "a", hours=3)),
        "p01-t02.1",
        "the reply settles 'hours' as 3, which p01-t01.1 gave already as 'hours'",
    ),
    "a superseded value that is right": (
        changes.changes_say_what_they_replace,
        both(
            lambda files: turn_of(files, "t02.2").update(change="update"),
            lambda files: step_of(files, "t02.2", "a")["grounds"]["deck"].update(
                superseded=[{"value": "Open_Deck", "turn": "p01-t01.2", "quote": "last spring"}]
            ),
        ),
        "p01-t02.2",
        "lists 'Open_Deck' as superseded, which is right",
    ),
    "a change that replaces nothing": (
        changes.changes_say_what_they_replace,
        lambda files: turn_of(files, "t02.2").update(change="update"),
        "p01-t02.2",
        "turns on a change (update)",
    ),
    "a tool named as written": (
        requests.requests_name_no_tool,
        add("t01.1", "Use findBoats."),
        "p01-t01.1",
        "names the tool 'findBoats'",
    ),
    "a tool named word by word": (
        requests.requests_name_no_tool,
        add("t01.2", "I said: hire boat, not ship."),
        "p01-t01.2",
        "names the tool 'hireBoat' word by word",
    ),
    "a tool named in a reply": (
        requests.requests_name_no_tool,
        question("t02.1", "r", reply="Two, and find boats that are dry."),
        "p01-t02.1",
        "names the tool 'findBoats' word by word",
    ),
    "a preference given away": (
        requests.requests_leak_no_omitted_value,
        add("t02.2", "The open deck."),
        "p01-t02.2",
        "its basis is preference, but 'open_deck' stands in the request",
    ),
    "a fact given away": (
        requests.requests_leak_no_omitted_value,
        add("t02.2", "In the name of KUIPERS."),
        "p01-t02.2",
        "its basis is history, but 'Kuipers' stands in the request",
    ),
    "an accepted spelling given away": (
        requests.requests_leak_no_omitted_value,
        both(argue("t04.5", "a", basin="Weerdbekken"), add("t04.5", "De Weerd!")),
        "p01-t04.5",
        "'De Weerd' stands in the request",
    ),
    "next Friday": (
        requests.no_next_weekday,
        add("t01.1", "Or next Friday."),
        "p01-t01.1",
        "'next Friday' is read in two ways",
    ),
    "next sat in a reply": (
        requests.no_next_weekday,
        question("t02.1", "r", reply="Two, next sat."),
        "p01-t02.1",
        "'next sat'",
    ),
    "next weekday in the reply of an alternative": (
        requests.no_next_weekday,
        in_an_alternative("t02.1", "r", reply="Two, next sat."),
        "p01-t02.1",
        "'next sat'",
    ),
    "an answer that says what she likes": (
        answers.answers_hand_over_no_preference,
        reply_with("t02.2", "CB-58, open as you like it."),
        "p01-t02.2",
        "answer: 'as you like' hands the preference over",
    ),
    "a question that says what is usual": (
        answers.answers_hand_over_no_preference,
        question("t02.1", "q", message="For how long, your usual?"),
        "p01-t02.1",
        "question: 'your usual'",
    ),
    "an answer that repeats the evidence": (
        answers.answers_hand_over_no_preference,
        reply_with("t02.2", "One where you sit at the back under the open sky."),
        "p01-t02.2",
        "answer: repeats the evidence of 'deck': 'at the back under the'",
    ),
    "eight words of the profile": (
        hidden.no_profile_text_is_shown,
        add("t01.3", "I am who keeps her needles in a cigar tin."),
        "p01-t01.3",
        "request: 'who keeps her needles in a cigar tin' stands in the profile's short_persona",
    ),
    "three words of a sensitive field": (
        hidden.no_profile_text_is_shown,
        reply_with("t01.3", "Mind the left wrist since then."),
        "p01-t01.3",
        "answer: 'the left wrist' stands in the profile's health_and_medical_conditions",
    ),
    "a sensitive field of one word": (
        hidden.no_profile_text_is_shown,
        both(profile(therapy_background="Hypnosis"), add("t01.3", "Hypnosis!")),
        "p01-t01.3",
        "'hypnosis' stands in the profile's therapy_background",
    ),
    "words of the profile in an observation": (
        hidden.no_profile_text_is_shown,
        observe("t01.2", "a", {"note": "Owes a former landlord"}),
        "p01-t01.2",
        "observation: 'owes a former' stands in the profile's sensitive_information",
    ),
    "a real address": (
        hidden.contact_data_is_invented,
        add("t01.3", "Write to dorien@canal.nl."),
        "p01-t01.3",
        "dorien@canal.nl is no example.org address",
    ),
    "a real telephone number": (
        hidden.contact_data_is_invented,
        reply_with("t01.3", "Ring 020 612 3456."),
        "p01-t01.3",
        "'020 612 3456' reads as a telephone number without 555",
    ),
    "a real telephone number in the profile": (
        hidden.contact_data_is_invented,
        profile(contact={"phone": "+31 20 612 0171"}),
        "profiles/p01.json",
        "without 555",
    ),
    "a weekday that is another's": (
        dates.weekdays_hold,
        say("t01.1", "What floats from the Weerd basin on Friday the 8th of March, for three hours?"),
        "p01-t01.1",
        "request: 'Friday the 8th of March': 8 March 2025 is a Saturday",
    ),
    "a weekday that is another's, in an answer": (
        dates.weekdays_hold,
        reply_with("t02.2", "CB-58 is hired for Sun 29 March."),
        "p01-t02.2",
        "answer: 'Sun 29 March': 29 March 2025 is a Saturday",
    ),
    "a day of the month that is another weekday's": (
        dates.weekdays_hold,
        say("t02.1", "My sister is over on Monday the 23rd; show her the water from the Ledig basin, roofs and all."),
        "p01-t02.1",
        "'Monday the 23rd': 23 March is a Sunday",
    ),
    "a day that a month has not": (
        dates.weekdays_hold,
        add("t01.3", "By the 31st of April it was over."),
        "p01-t01.3",
        "'31st of April' is no date",
    ),
    "an impossible date in an observation": (
        dates.weekdays_hold,
        observe("t01.2", "a", {"hire_id": "H-401", "day": "2025-02-30"}),
        "p01-t01.2",
        "observation: 2025-02-30 is no date",
    ),
    "a weekday beside a date in an observation": (
        dates.observed_weekdays_hold,
        observe("t01.2", "a", {"slots": [{"weekday": "Fri", "date": "2025-03-08"}]}),
        "p01-t01.2",
        "2025-03-08 is a Saturday, not a Fri",
    ),
    "a date argument that is none": (
        dates.date_arguments_are_dates,
        argue("t01.1", "a", day="2025-02-29"),
        "p01-t01.1",
        "'2025-02-29' is no date",
    ),
    "topics that run backwards": (
        dates.time_runs_forward,
        now(3, "2025-03-19T08:00:00+01:00"),
        "topics/p01/p01-t03.json",
        "is not after p01-t02",
    ),
    "topics of one moment": (
        dates.time_runs_forward,
        now(3, "2025-03-20T19:30:00+01:00"),
        "topics/p01/p01-t03.json",
        "is not after p01-t02",
    ),
    "topics over half a year": (
        dates.time_runs_forward,
        now(5, "2025-09-20T10:00:00+02:00"),
        "profiles/p01.json",
        "its topics span 201 days; at most 125",
    ),
    "requests that open alike": (
        openings.openings_vary,
        both(*(say(f"t04.{i}", f"{o}, it rains.") for i, o in ((1, "Please"), (2, "Hey"), (3, "I need you")))),
        "profiles/p01.json",
        "3 of 17 requests open with common words",
    ),
    "one sentence with other nouns": (
        wording.skeletons_are_not_shared,
        both(
            say("t03.2", "Could you find me a heron?"),
            say("t03.3", "Ah, could you find me a bridge."),
            say("t03.4", "So could you find me a quire and a bone folder?"),
            say("t04.2", "could you find me an oar, or could you find me a bell?"),
        ),
        "p01-t03.2",
        "'could you find me a' stands in 4 requests (at most 3): also in p01-t03.3, p01-t03.4, p01-t04.2",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_dataset_is_found(name: str, tmp_path: Path) -> None:
    rule, edit, where, reason = CASES[name]
    found = findings(rule, tmp_path, edit)
    assert found, "nothing was found"
    first = found[0]
    assert where in (first.turn, first.file)
    assert reason in first.reason
    assert {finding.turn for finding in found} == {first.turn}, found


def test_a_sound_dataset_breaks_no_rule(tmp_path: Path) -> None:
    sound = dataset(tmp_path)
    assert {rule.__name__: list(rule(sound)) for rule in (*TURN_RULES, *DATASET_RULES)} == {
        rule.__name__: [] for rule in (*TURN_RULES, *DATASET_RULES)
    }


def test_every_rule_of_turns_has_a_case() -> None:
    own = {wording.requests_are_no_near_duplicates, observations.the_choice_is_not_always_first}
    assert {rule for rule, *_ in CASES.values()} | own == set(TURN_RULES)


# --- what is no fault ----------------------------------------------------------------------------------------

SOUND: dict[str, tuple[Rule, Edit]] = {
    "a quote from an observation": (
        evidence.quotes_stand_word_for_word,
        quote("t02.2", "b", "skipper", 0, turn="p01-t01.2", quote='"hire_id": "H-401"'),
    ),
    "a long-range turn of talk": (
        evidence.long_range_evidence_lies_far_back,
        lambda files: turn_of(files, "t04.4").update(subtype="long_range_dependency"),
    ),
    "a date taken from a date-time": (
        observations.observed_values_stand_in_their_observation,
        both(
            observe("t02.2", "a", {"free": [{"boat_id": "CB-58", "from": "2025-03-29T10:00"}, {"boat_id": "CB-52"}]}),
            argue("t02.2", "b", boat_id="2025-03-29"),
        ),
    ),
    "an accepted spelling in the observation": (
        observations.observed_values_stand_in_their_observation,
        both(
            argue("t02.2", "b", boat_id="boat 58"),
            lambda files: step_of(files, "t02.2", "b")["grounds"]["boat_id"].update(accept=["CB-58"]),
        ),
    ),
    "an overnight trip": (
        observations.observed_times_run_forward,
        observe("t01.1", "a", {"boats": [{"departs": "22:10", "arrives": "06:40"}]}),
    ),
    "a flight over the date line": (observations.observed_times_run_forward, observe("t01.1", "a", FLIGHTS)),
    "stretches that are no times": (
        observations.observed_times_run_forward,
        observe("t01.1", "a", {"from": "Utrecht", "to": "Breukelen", "check_in": "15:00", "check_out": "11:00"}),
    ),
    "a choice whose candidates lie in lists of one": (
        observations.a_choice_has_two_candidates,
        observe("t02.2", "a", {"boats": [{"berths": [{"boat_id": "CB-58"}]}, {"berths": [{"boat_id": "CB-52"}]}]}),
    ),
    "four words that read as a time": (
        arguments.long_strings_carry_a_match,
        both(argue("t01.2", "a", skipper="8 March 2025 7.30 pm")),
    ),
    "a possessive": (
        arguments.stated_strings_stand_in_the_request,
        say("t01.1", "What floats from Weerds basin on Saturday the 8th of March?"),
    ),
    "a stated string with accepted spellings": (
        arguments.stated_strings_stand_in_the_request,
        both(
            argue("t01.1", "a", basin="Weerdsluis"),
            reground("t01.1", "a", "basin", ground("request", accept=["Weerd"])),
        ),
    ),
    "a fact in an accepted spelling": (
        arguments.history_values_stand_in_their_evidence,
        both(
            argue("t02.2", "b", skipper="D. Kuipers"),
            lambda files: step_of(files, "t02.2", "b")["grounds"]["skipper"].update(accept=["Kuipers"]),
        ),
    ),
    "the same value as another parameter": (
        asks.unrecoverable_values_are_new,
        lambda files: step_of(files, "t01.1", "a")["arguments"].update(hours=3, limit=2),
    ),
    "the same value as a synonym under another toolset": (
        asks.unrecoverable_values_are_new,
        both(
            under_a_twin("t01", hours="minutes"),
            lambda files: step_of(files, "t01.1", "a").update(
                arguments={"basin": "Weerd", "day": "2025-03-08", "minutes": 2},
                grounds={name: ground("request") for name in ("basin", "day", "minutes")},
            ),
        ),
    ),
    "the words of a tool apart": (requests.requests_name_no_tool, add("t01.2", "Hire the boat.")),
    "a value that another argument has from the request": (
        requests.requests_leak_no_omitted_value,
        both(
            argue("t02.2", "b", skipper="Weerd"),
            lambda files: step_of(files, "t02.2", "b")["grounds"]["skipper"].update(basis="history"),
        ),
    ),
    "a value inside a longer word": (requests.requests_leak_no_omitted_value, add("t02.2", "The Kuipersteeg.")),
    "next week": (requests.no_next_weekday, add("t01.1", "Or next week, or the next Fridtjof.")),
    "four words of the evidence": (
        answers.answers_hand_over_no_preference,
        reply_with("t02.2", "At the back under a sky, CB-58."),
    ),
    "seven words of the profile": (
        hidden.no_profile_text_is_shown,
        add("t01.3", "She keeps her needles in a cigar tin."),
    ),
    "a sensitive run of words that say nothing": (
        hidden.no_profile_text_is_shown,
        add("t01.3", "On the left, in the attic."),
    ),
    "an empty sensitive field": (
        hidden.no_profile_text_is_shown,
        both(profile(therapy_background=""), add("t01.3", "None.")),
    ),
    "times of day in a row": (hidden.contact_data_is_invented, add("t01.3", "Free at 0900 1100 1330.")),
    "numbers of orders": (hidden.contact_data_is_invented, observe("t01.2", "a", {"hire_id": "2025-0307-4415-77"})),
    "an example.com address": (hidden.contact_data_is_invented, add("t01.3", "Write to me@boats.example.com.")),
    "a weekday of last year": (dates.weekdays_hold, add("t01.3", "Last year on Friday the 8th of March it froze.")),
    "a weekday with a year": (dates.weekdays_hold, add("t01.3", "It froze on Friday 8 March 2024.")),
    "a weekday in a later month": (
        dates.weekdays_hold,
        add("t01.1", "Or from Friday the 27th to Sunday the 29th of June."),
    ),
    "a time after a weekday": (dates.weekdays_hold, add("t01.1", "Saturday 9 pm, or sat 20 to 7.")),
    "the 29th of February": (dates.weekdays_hold, add("t01.3", "It rained on 29 February.")),
    "common openings now and then": (
        openings.openings_vary,
        both(say("t04.1", "Please note the confetti."), say("t04.2", "Hey, needles rust.")),
    ),
    "grammar that many share": (
        wording.skeletons_are_not_shared,
        both(*(say(f"t03.{i}", f"{w} in the {w} and the {w} of the day.") for i, w in enumerate("abcde", 1))),
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_is_no_fault_is_not_found(name: str, tmp_path: Path) -> None:
    rule, edit = SOUND[name]
    assert findings(rule, tmp_path, edit) == []


# --- rules of more than one turn -----------------------------------------------------------------------------


def test_near_duplicates_name_both_turns(tmp_path: Path) -> None:
    (found,) = findings(
        wording.requests_are_no_near_duplicates,
        tmp_path,
        say("t04.4", "The atlas has gone home, all twelve kilos of it!"),
    )
    assert (found.turn, found.reason) == ("p01-t04.4", "its request shares 82% of its words with that of p01-t04.3")


def choices(first: int, other: int) -> Edit:
    """As many choices of the first and of the second candidate, in turns of one topic each."""

    def edit(files: Files) -> None:
        for i in range(first + other):
            number = 6 + i
            copied = turn_of(files, "t02.2")
            reference = [dict(step) for step in copied["reference"]]
            reference[0]["observation"] = {"boats": [{"boat_id": f"CB-{i}0"}, {"boat_id": f"CB-{i}1"}]}
            reference[1]["arguments"] = {**reference[1]["arguments"], "boat_id": f"CB-{i}{0 if i < first else 1}"}
            files[f"topics/p01/p01-t{number:02d}.json"] = {
                **files["topics/p01/p01-t05.json"],
                "id": f"p01-t{number:02d}",
                "environment": {"now": f"2025-06-{number:02d}T10:00:00+02:00", "place": "Utrecht, Netherlands"},
                "turns": [{**copied, "subtype": "cross_topic", "reference": reference}],
            }

    return edit


@pytest.mark.parametrize(
    ("first", "other", "reason"),
    [
        (7, 3, "7 of 11 choices fall on the first candidate; at most 60% should"),  # the sound one's is the second
        (6, 4, None),
        (8, 0, None),  # nine are too few to judge
    ],
)
def test_choices_that_fall_on_the_first(first: int, other: int, reason: str | None, tmp_path: Path) -> None:
    found = findings(observations.the_choice_is_not_always_first, tmp_path, choices(first, other))
    assert [finding.reason for finding in found] == ([reason] if reason else [])


def test_every_file_carries_the_canary(tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert list(every_file_carries_the_canary(folder)) == []

    def edit(files: Files) -> None:
        del files["profiles/p01.json"]["canary"]
        files["toolsets/canal_boats.json"]["canary"] = CANARY.lower()
        files["topics/p01/p01-t03.json"]["canary"] = ""

    found = list(every_file_carries_the_canary(write(tmp_path, edit)))
    assert [finding.file for finding in found] == [
        "profiles/p01.json",
        "toolsets/canal_boats.json",
        "topics/p01/p01-t03.json",
    ]


def test_a_dataset_without_canary(tmp_path: Path) -> None:
    folder = write(tmp_path, lambda files: files["dataset.json"].pop("canary"))
    assert [str(finding) for finding in every_file_carries_the_canary(folder)] == ["dataset.json: has no canary"]


# --- dates in texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Sat 5 April", 0),
        ("saturday, 5th april", 0),
        ("Saturday April 5", 0),
        ("Saturday, April 5th, 2025", 0),
        ("5 April (Saturday)", 0),
        ("the 5th of April is a Saturday", 0),
        ("thurs 3 apr", 0),
        ("Saturday 2025-04-05", 0),
        ("Saturday the 28th of December", 0),  # of last year
        ("Thursday the 1st of January", 1),  # a Wednesday; of last year it was a Monday
        ("Friday 5 April", 1),
        ("Sunday April 5", 1),
        ("5 April (Sunday)", 1),
        ("5 April, a Friday", 1),
        ("april 5, a friday", 1),
        ("April 5, a Saturday", 0),
        ("on the 5th, a Friday", 1),
        ("on the 5th, a Saturday", 0),
        ("the 5th (Friday)", 1),
        ("the 5th, Sunday the 6th and Monday the 7th", 0),
        ("Friday 2025-04-05", 1),
        ("Tuesday the 5th", 1),  # of none of the months about now
        ("Wednesday the 5th", 0),  # of March
        ("weds 30 feb", 1),
        ("2025-13-01", 1),
    ],
)
def test_dates_in_a_text(text: str, faults: int) -> None:
    found = list(dates.date_faults(text, date(2025, 4, 1)))
    assert len(found) == faults, found
