"""What went wrong and how badly: labels among failures (table 12), severity (table 13), flags (spec section 5)."""

from __future__ import annotations

from utb_inspect.compare.frame import FLAGS
from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import MODEL, TURNS, made, over_profiles, pooled
from utb_inspect.compare.tables.view import SEVERITIES, View
from utb_inspect.trajectory.verdict import LABELS

HEADINGS = {label: label.replace("_", " ").capitalize() for label in LABELS}
_FAILED_EPOCHS = "Of several epochs, a turn fails if one does, and counts with the mean over those that do."


def labels_table(view: View) -> Table:
    """Table 12: of the failures, the share that carries each label."""
    rows = [
        {"model": system, "failures": len(failed), **{label: failed[label].mean() for label in LABELS}}
        for system, failed in view.by_system(view.failed).items()
    ]
    columns = [
        MODEL,
        Column("failures", "Failures", "count"),
        *(Column(label, HEADINGS[label]) for label in LABELS),
    ]
    note = (
        "Shares of the failures (turns that are not exact) that carry a label, all failures pooled; a failure may "
        f"carry several. The first five are the paper's. {_FAILED_EPOCHS}"
    )
    return made(view.signatures, "labels", "Labels among failures", columns, rows, note)


def label_shares_table(view: View) -> Table:
    """Table 12 with counts and intervals: a row a system and label."""
    rows = [
        {
            "label": HEADINGS[label],
            "model": system,
            "failures": len(failed),
            "labelled": int((failed[label] > 0).sum()),
            "share": pooled(failed, label),
            "profile_mean": over_profiles(failed, label),
        }
        for label in LABELS
        for system, failed in view.by_system(view.failed).items()
    ]
    columns = [
        Column("label", "Label", "text"),
        MODEL,
        Column("failures", "Failures", "count"),
        Column("labelled", "With the label", "count"),
        Column("share", "Share", interval=True),
        Column("profile_mean", "Mean over profiles", interval=True),
    ]
    note = f"Share: of the failures pooled, with an interval clustered by profile. {_FAILED_EPOCHS}"
    return made(view.signatures, "label_shares", "Labels among failures, one by one", columns, rows, note)


def severity_table(view: View) -> Table:
    """Table 13: slight and major, of all scored turns and of the failures."""
    turns, failed = (view.by_system(frame[frame["slight"].notna()]) for frame in (view.turns, view.failed))
    rows = [
        {
            "model": system,
            "turns": len(own),
            "failures": len(failed[system]),
            **{kind: pooled(own, kind) for kind in SEVERITIES},
            **{f"{kind}_profile_mean": over_profiles(own, kind) for kind in SEVERITIES},
            **{f"{kind}_of_failures": failed[system][kind].mean() for kind in SEVERITIES},
        }
        for system, own in turns.items()
    ]
    columns = [
        MODEL,
        TURNS,
        Column("failures", "Failures", "count"),
        Column("slight", "Slight", interval=True),
        Column("major", "Major", interval=True),
        Column("slight_profile_mean", "Slight, over profiles", interval=True),
        Column("major_profile_mean", "Major, over profiles", interval=True),
        Column("slight_of_failures", "Slight of failures"),
        Column("major_of_failures", "Major of failures"),
    ]
    note = (
        "Slight: preferences missed, or one harmless call more. Major: every other wrong decision. Of all scored turns "
        f"pooled, as means over profiles, and of the failures. {_FAILED_EPOCHS}"
    )
    return made(view.signatures, "severity", "Severity", columns, rows, note)


def flags_table(view: View) -> Table:
    """Runs that did not end themselves, and outputs cut at `max_tokens`: decisions like others, but to be known."""
    rows = [
        {
            "model": system,
            "turns": len(scored),
            **{flag: int(scored[flag].sum()) for flag in FLAGS},
            **{f"{flag}_share": scored[flag].mean() for flag in FLAGS},
        }
        for system, scored in view.scored_of.items()
    ]
    columns = [MODEL, TURNS]
    for flag, words in FLAGS.items():
        columns += [Column(flag, words.capitalize(), "count"), Column(f"{flag}_share", f"{words.capitalize()}, share")]
    note = (
        "Step cap: the run did not end itself. Output cut: at `max_tokens`, which a longer limit may mend. Both are "
        "scored like other decisions, and a run may have both. Epochs of a turn count apart."
    )
    return made(view.signatures, "flags", "Flags", columns, rows, note)
