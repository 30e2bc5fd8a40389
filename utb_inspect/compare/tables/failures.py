"""What went wrong and how badly: labels among failures (table 12), severity (table 13), flags (spec section 5)."""

from __future__ import annotations

import pandas as pd

from utb_inspect.compare.report import Column, Table
from utb_inspect.compare.tables.making import MODEL, TURNS, made, over_profiles, pooled
from utb_inspect.compare.tables.view import View
from utb_inspect.trajectory.verdict import LABELS

HEADINGS = {label: label.replace("_", " ").capitalize() for label in LABELS}
_EPOCHS_APART = "Epochs of a turn count apart."


def labels_table(view: View) -> Table:
    """Table 12: of the failures, the share that carries each label."""
    rows = [
        {"model": system, "failures": len(failed), **{label: failed[label].mean() for label in LABELS}}
        for system, failed in view.by_system(_failures(view)).items()
    ]
    columns = [
        MODEL,
        Column("failures", "Failures", "count"),
        *(Column(label, HEADINGS[label]) for label in LABELS),
    ]
    note = (
        "Shares of the failures (turns that are not exact) that carry a label, all failures pooled; a failure may "
        f"carry several. The first five are the paper's. {_EPOCHS_APART}"
    )
    return made(view.signatures, "labels", "Labels among failures", columns, rows, note)


def label_shares_table(view: View) -> Table:
    """Table 12 with counts and intervals: a row a system and label."""
    rows = [
        {
            "label": HEADINGS[label],
            "model": system,
            "failures": len(failed),
            "labelled": int(failed[label].sum()),
            "share": pooled(failed, label),
            "profile_mean": over_profiles(failed, label),
        }
        for label in LABELS
        for system, failed in view.by_system(_failures(view)).items()
    ]
    columns = [
        Column("label", "Label", "text"),
        MODEL,
        Column("failures", "Failures", "count"),
        Column("labelled", "With the label", "count"),
        Column("share", "Share", interval=True),
        Column("profile_mean", "Mean over profiles", interval=True),
    ]
    note = f"Share: of the failures pooled, with an interval clustered by profile. {_EPOCHS_APART}"
    return made(view.signatures, "label_shares", "Labels among failures, one by one", columns, rows, note)


def severity_table(view: View) -> Table:
    """Table 13: slight and major, of all scored turns and of the failures."""
    rows = []
    for system, scored in view.by_system(_severities(view)).items():
        failed = scored[scored["exact"] == 0]
        rows.append(
            {
                "model": system,
                "turns": len(scored),
                "failures": len(failed),
                **{kind: pooled(scored, kind) for kind in ("slight", "major")},
                **{f"{kind}_profile_mean": over_profiles(scored, kind) for kind in ("slight", "major")},
                **{f"{kind}_of_failures": failed[kind].mean() for kind in ("slight", "major")},
            }
        )
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
        f"pooled, as means over profiles, and of the failures. {_EPOCHS_APART}"
    )
    return made(view.signatures, "severity", "Severity", columns, rows, note)


def flags_table(view: View) -> Table:
    """Runs that did not end themselves, and outputs cut at `max_tokens`: decisions like others, but to be known."""
    rows = []
    for system, scored in view.scored_of.items():
        flags = {flag: scored["flag"] == flag for flag in ("step_cap", "cut")}
        counts = {flag: int(held.sum()) for flag, held in flags.items()}
        shares = {f"{flag}_share": held.astype(float).mean() for flag, held in flags.items()}
        rows.append({"model": system, "turns": len(scored), **counts, **shares})
    columns = [
        MODEL,
        TURNS,
        Column("step_cap", "Step cap", "count"),
        Column("step_cap_share", "Step cap, share"),
        Column("cut", "Output cut", "count"),
        Column("cut_share", "Output cut, share"),
    ]
    note = (
        "Step cap: the run did not end itself. Output cut: at `max_tokens`, which a longer limit may mend. Both are "
        f"scored like other decisions. {_EPOCHS_APART}"
    )
    return made(view.signatures, "flags", "Flags", columns, rows, note)


def _failures(view: View) -> pd.DataFrame:
    return view.scored[view.scored["exact"] == 0]


def _severities(view: View) -> pd.DataFrame:
    rows = view.scored[view.scored["severity"].notna()]
    return rows.assign(**{kind: (rows["severity"] == kind).astype(float) for kind in ("slight", "major")})
