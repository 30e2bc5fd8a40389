"""A comparison made by hand: every kind of column and of plot, missing figures, and names that mean harm."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from utb_inspect.compare.report import Column, Plot, Report, Section, Table

SIGNATURE = "data:harbour@1.0.0#a1b2c3|verdict:spec-1|history:full|suite:0.1.0|inspect:0.3.285"
OTHER = SIGNATURE.replace("history:full", "history:none")
EVIL = {
    "closes": "</script><script>window.harmed = 1</script>",
    "image": "<img src=x onerror=\"window.harmed = 'image'\">",
    "quotes": "\"double\" 'single' `tick` ${harmed} {{ harmed }} {% harmed %}",
    "markdown": "*bold* _under_ a_b [link](http://example.org) | pipe ~~gone~~ &amp; <b>",
    "latex": r"100% of $5 & #1_a^2 {x} ~ \input{/etc/passwd} <> -- [3]",
    "unicode": "Größe 模型 🙂 ﷽ e\u0301",
    "script": "javascript:window.harmed=3",
}
"""Names that a log may hold. None has what `plain` replaces: they come out as they are."""

ACCURACY_COLUMNS = [
    Column("model", "Model", "text"),
    Column("single_tool", "ST", interval=True),
    Column("multi_tool", "MT", interval=True),
    Column("lack_of_information", "LOI", interval=True),
    Column("first", "First", interval=True),
    Column("middle", "Middle", interval=True),
    Column("last", "Last", interval=True),
    Column("average", "Average", interval=True),
    Column("chat", "Chat", interval=True),
    Column("turns", "Scored turns", "count"),
]
_SHARES = [column.key for column in ACCURACY_COLUMNS if column.kind == "share"]
MODELS = ["utb/oracle", "lab/model-b", "lab/model-a", "utb/recall"]
_AVERAGES = {"utb/oracle": 1.0, "lab/model-b": 0.61237, "lab/model-a": 0.45678, "utb/recall": 0.0312}


def accuracy(name: str = "accuracy_exact", title: str = "Exact accuracy", raised: float = 0.0) -> Table:
    """Four models; `utb/recall` has no lack-of-information turn, and `utb/oracle` no interval."""
    rows = []
    for model in MODELS:
        row: dict[str, object] = {"model": model, "turns": 799}
        for index, key in enumerate(_SHARES):
            value = min(1.0, _AVERAGES[model] + raised + (0.011 * index if model.startswith("lab") else 0))
            known = model != "utb/oracle"
            row |= {key: value, f"{key}_low": value - 0.03 if known else None, f"{key}_high": min(1, value + 0.0456)}
        rows.append(row)
    frame = pd.DataFrame(rows)
    frame.loc[3, ["lack_of_information", "lack_of_information_low", "lack_of_information_high"]] = None
    note = "Means over profiles; the average is that of ST, MT and LOI."
    return Table(name, title, ACCURACY_COLUMNS, frame, note, [SIGNATURE])


VERDICTS = Table(
    "verdicts",
    "Accuracy in short",
    [
        Column("model", "Model", "text"),
        Column("verdict", "Verdict", "text"),
        Column("average", "Average", interval=True),
    ],
    pd.DataFrame(
        [
            ("lab/model-b", "Exact", 0.4, 0.3, 0.5),
            ("lab/model-b", "Relaxed", 0.8, 0.7, 0.9),
            ("lab/model-a", "Exact", 0.2, 0.1, 0.3),
            ("lab/model-a", "Relaxed", float("nan"), float("nan"), float("nan")),
        ],
        columns=["model", "verdict", "average", "average_low", "average_high"],
    ),
    signatures=[SIGNATURE],
)

GAP = Table(
    "gap",
    "Relaxed minus exact",
    [
        Column("model", "Model", "text"),
        Column("exact", "Exact", interval=True),
        Column("relaxed", "Relaxed", interval=True),
        Column("gap", "Relaxed minus exact", "difference", interval=True),
    ],
    pd.DataFrame(
        {
            "model": MODELS,
            "exact": [1.0, 0.61237, 0.45678, 0.0312],
            "exact_low": [None, 0.55, 0.40, 0.01],
            "exact_high": [None, 0.67, 0.51, 0.05],
            "relaxed": [1.0, 0.72, 0.6, 0.0312],
            "relaxed_low": [None, 0.66, 0.54, 0.01],
            "relaxed_high": [None, 0.78, 0.66, 0.05],
            "gap": [0.0, 0.10763, 0.14322, -0.00001],
            "gap_low": [None, 0.05, 0.09, -0.01],
            "gap_high": [None, 0.16, 0.19, 0.01],
        }
    ),
    signatures=[SIGNATURE],
)

LABELS = Table(
    "label_shares",
    "Labels among failures, one by one",
    [
        Column("label", "Label", "text"),
        Column("model", "Model", "text"),
        Column("failures", "Failures", "count"),
        Column("share", "Share"),
    ],
    pd.DataFrame(
        [
            ("wrong tool", "lab/model-b", 310, 0.25),
            ("wrong tool", "lab/model-a", 434, 0.5),
            ("user constraint", "lab/model-b", 310, 0.125),
            ("user constraint", "lab/model-a", 434, 0.75),
            ("user constraint", "utb/oracle", 0, None),
        ],
        columns=["label", "model", "failures", "share"],
    ),
    signatures=[SIGNATURE],
)

HISTORY = Table(
    "by_history",
    "By length of history",
    [
        Column("history", "Earlier turns", "count"),
        Column("model", "Model", "text"),
        Column("exact", "Exact", interval=True),
    ],
    pd.DataFrame(
        [
            (turns, model, value, value - 0.05, value + 0.05)
            for model, values in {"lab/model-b": [0.6, 0.5, 0.4], "lab/model-a": [0.3, None, 0.2]}.items()
            for turns, value in zip((0, 50, 100), values, strict=True)
            if value is not None
        ]
        + [(50, "lab/model-a", None, None, None)],
        columns=["history", "model", "exact", "exact_low", "exact_high"],
    ),
    signatures=[SIGNATURE],
)

THIRDS = Table(
    "by_third",
    "By third of the interaction",
    [Column("third", "Third", "text"), Column("model", "Model", "text"), Column("exact", "Exact")],
    pd.DataFrame(
        [(third, "lab/model-b", value) for third, value in (("first", 0.6), ("middle", 0.55), ("last", 0.5))],
        columns=["third", "model", "exact"],
    ),
    signatures=[SIGNATURE],
)

COST = Table(
    "cost",
    "Cost and time",
    [
        Column("model", "Model", "text"),
        Column("exact", "Exact"),
        Column("cost", "Cost a sample", "usd"),
        Column("tokens", "Tokens", "tokens"),
        Column("seconds", "Time a sample", "seconds"),
        Column("rounds", "Rounds a turn", "number"),
        Column("retries", "Retries", "count"),
    ],
    pd.DataFrame(
        {
            "model": MODELS,
            "exact": [1.0, 0.61237, 0.45678, 0.0312],
            "cost": [None, 0.03125, 0.0000125, None],
            "tokens": pd.array([None, 1_234_567, 890, 0], dtype="Int64"),
            "seconds": [0.004, 12.345678, 100.5, 0.0],
            "rounds": [2.0, 3.4567, 1.5, 1.0],
            "retries": pd.array([0, 12, 3, pd.NA], dtype="Int64"),
        }
    ),
    "Empty: not known of every sample.",
    [SIGNATURE, OTHER],
)

PAIRS = Table(
    "pairs_exact",
    "Pairs, exact",
    [
        Column("first", "First", "text"),
        Column("second", "Second", "text"),
        Column("finding", "Finding", "text"),
        Column("difference", "First minus second", "difference", interval=True),
        Column("p", "p", "p"),
        Column("samples", "Samples of both", "count"),
    ],
    pd.DataFrame(
        [
            ("lab/model-b", "lab/model-a", "lab/model-b is better.", 0.15559, 0.0912, 0.2199, 0.00004, 799),
            (
                "lab/model-a",
                "utb/recall",
                "No difference shown: 9 points would be.",
                -0.021,
                -0.1,
                0.05,
                0.4321,
                9,
            ),
        ],
        columns=["first", "second", "finding", "difference", "difference_low", "difference_high", "p", "samples"],
    ),
    signatures=[SIGNATURE],
)

DIFFERENCES = Table(
    "differences",
    "Turns on which systems differ",
    [
        Column("sample", "Turn", "text"),
        Column("model", "Model", "text"),
        Column("link", "In Inspect View", "link"),
        Column("epoch", "Epoch", "count"),
    ],
    pd.DataFrame(
        {
            "sample": [f"p01-t{index}.1" for index in range(1, len(EVIL) + 1)],
            "model": list(EVIL.values()),
            "link": [f"#/logs/{index}.eval/samples/sample/p01/1/" for index in range(1, len(EVIL))] + [EVIL["script"]],
            "epoch": range(1, len(EVIL) + 1),
        }
    ),
    signatures=[SIGNATURE],
)

EPOCHS = Table(
    "epochs_exact",
    "pass@k and pass^k",
    [Column("model", "Model", "text"), Column("k", "k", "count")],
    pd.DataFrame({"model": [], "k": []}),
    "Each turn ran once: there is nothing to show.",
    [SIGNATURE],
)

PUBLISHED = replace(
    accuracy("published_exact", "Exact accuracy, published", 0.1), note="As published.", signatures=(), reference=True
)


def report() -> Report:
    """All of the above in sections, with a plot of each kind."""
    return Report(
        "Systems compared",
        [
            Section(
                "Accuracy",
                ["Four of 799 samples were not scored."],
                [accuracy(), VERDICTS, GAP],
                [
                    Plot("bars", "Accuracy", "verdicts", "model", "average", "verdict"),
                    Plot("scatter", "Exact against relaxed", "gap", "exact", "relaxed", "model"),
                ],
            ),
            Section(
                "What went wrong",
                tables=[LABELS],
                plots=[Plot("heatmap", "Labels among failures", "label_shares", "label", "model", "share")],
            ),
            Section(
                "Position and history",
                tables=[THIRDS, HISTORY],
                plots=[
                    Plot("lines", "Exact by third", "by_third", "third", "exact", "model"),
                    Plot("lines", "Exact by length of history", "by_history", "history", "exact", "model"),
                ],
            ),
            Section("Pairs", tables=[PAIRS]),
            Section("Epochs", tables=[EPOCHS]),
            Section(
                "Cost",
                tables=[COST],
                plots=[Plot("scatter", "Cost against accuracy", "cost", "cost", "exact", "model")],
            ),
            Section("Where systems differ", tables=[DIFFERENCES]),
            Section("Published", ["Figures from elsewhere."], [PUBLISHED]),
        ],
        ["broken.eval: cannot be read as a log; left out.", "history:full and history:none are not averaged."],
    )
