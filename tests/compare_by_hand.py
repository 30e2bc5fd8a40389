"""The figures of a comparison once more, straight from whole logs: plain pandas, nothing of the package's own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog, EvalSample
from scipy.stats import binomtest, norm
from statsmodels.stats.power import TTestPower

LABELS = [
    *("wrong_tool", "missing_tool", "user_constraint", "implicit_preference", "sequence_dependency"),
    *("clarification", "malformed_call", "no_answer", "stale_preference"),
]
TYPES = ["lack_of_information", "single_tool", "multi_tool", "chat"]
AVERAGED = ["single_tool", "multi_tool", "lack_of_information"]
THIRDS = ["first", "middle", "last"]
SUBTYPES = ["cross_topic", "partial_information", "long_range_dependency", "coreferential_reference"]
STRUCTURES = ["parallel", "sequential", "mixed"]
CHANGES = ["update", "reversal", "exception", "context", "conflict"]

Rows = list[dict[str, Any]]


def log_rows(log: EvalLog, system: str) -> Rows:
    """A row a sample and epoch."""
    return [_row(sample, system) for sample in log.samples or []]


def _row(sample: EvalSample, system: str) -> dict[str, Any]:
    scores = sample.scores or {}
    values = {name: score.value for name, score in scores.items() if sample.error is None and not is_nan(score.value)}
    row: dict[str, Any] = {"model": system, "sample": str(sample.id), "epoch": sample.epoch, **sample.metadata}
    for key in ("exact", "relaxed", "upstream"):
        row[key] = float(values[f"utb_{key}"]) if f"utb_{key}" in values else math.nan  # type: ignore[arg-type]
    row["scored"] = not (is_nan(row["exact"]) and is_nan(row["upstream"]))
    row["severity"] = values.get("utb_severity")
    for scorer in ("utb_labels", "utb_progress"):
        found = values.get(scorer, {})
        assert isinstance(found, dict)
        row |= {key: math.nan if value is None else float(value) for key, value in found.items()}
    about = (scores["utb_progress"].metadata or {}) if "utb_progress" in scores else {}
    row["output_cut"], row["step_cap"] = float(bool(about.get("cut"))), float(about.get("ended") == "step_cap")
    row["error"] = sample.error.message if sample.error else None
    row["answer"] = next((s.answer for name, s in scores.items() if name in ("utb_exact", "utb_upstream")), None)
    usage = list(sample.model_usage.values())
    row["tokens"] = sum(u.total_tokens for u in usage) if usage else math.nan
    row["input"] = sum(u.input_tokens for u in usage) if usage else math.nan
    row["output"] = sum(u.output_tokens for u in usage) if usage else math.nan
    row["seconds"], row["working"] = sample.total_time, sample.working_time
    return row


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


class ByHand:
    """Figures of systems that compare, each table as rows of its key columns and numbers.

    Args:
        rows: All samples.
        systems: Systems in order.
        verdicts: `exact` and `relaxed`, or `upstream`.
    """

    def __init__(self, rows: Rows, systems: list[str], verdicts: list[str]) -> None:
        self.all = pd.DataFrame(rows)
        for key in ("change", "structure", "recoverable", *LABELS, "asked", "progress"):
            if key not in self.all:
                self.all[key] = None
        self.systems = systems
        self.verdicts = verdicts
        self.scored = self.all[self.all.scored]
        place = self.all.drop_duplicates("sample").set_index("sample")
        columns = ["profile", "topic", "task_type", "third", "position", "turn_index", "subtype", "structure"]
        self.place = place[[*columns, "recoverable", "change", "toolset", "domain"]]
        self.turns = self.by_turn(self.scored, verdicts)

    def of(self, frame: pd.DataFrame, system: str) -> pd.DataFrame:
        return frame[frame.model == system]

    def by_turn(self, epochs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
        """A row a system and turn: means over its epochs."""
        numbers = epochs[["model", "sample"]].assign(**{key: epochs[key].astype(float) for key in keys})
        return numbers.groupby(["model", "sample"]).mean().reset_index().join(self.place, on="sample")

    # --- means ---

    def profile_mean(self, frame: pd.DataFrame, key: str) -> float:
        means = [own[key].mean() for _, own in frame.groupby("profile") if own[key].notna().any()]
        return sum(means) / len(means) if means else math.nan

    def average(self, frame: pd.DataFrame, key: str, mean: Callable[[pd.DataFrame, str], float]) -> float:
        return sum(mean(frame[frame.task_type == kind], key) for kind in AVERAGED) / 3

    def pooled(self, frame: pd.DataFrame, key: str) -> float:
        return float(frame[key].mean())

    def parts(self, frame: pd.DataFrame, key: str, mean: Callable[[pd.DataFrame, str], float]) -> dict[str, float]:
        return {
            **{kind: mean(frame[frame.task_type == kind], key) for kind in [*AVERAGED, "chat"]},
            **{third: mean(frame[frame.third == third], key) for third in THIRDS},
            "average": self.average(frame, key, mean),
            "all": mean(frame, key),
        }

    def verdict_figures(self, frame: pd.DataFrame) -> dict[str, float]:
        return {key: self.profile_mean(frame, key) for key in self.verdicts} | {
            f"{key}_pooled": self.pooled(frame, key) for key in self.verdicts
        }

    # --- tables ---

    def tables(self) -> dict[str, Rows]:
        found: dict[str, Rows] = {
            "accuracy_turns": self.each(
                lambda s: {part: int(n) for part, n in self.counts(self.of(self.turns, s)).items()}
            ),
            "by_third": self.kinds("third", THIRDS),
            "by_turn_index": self.kinds("turn_index", None),
            "by_history": self.history(),
            "by_subtype": self.kinds("subtype", SUBTYPES),
            "by_structure": self.kinds("structure", STRUCTURES),
            "by_profile": self.kinds("profile", None),
            "by_toolset": self.kinds("toolset", None),
            "by_domain": self.kinds("domain", None),
            "by_recoverable": self.kinds("recoverable", [True, False], {True: "recoverable", False: "unrecoverable"}),
            "sessions": self.each(self.sessions),
            "headline": self.headline(),
            "tokens": self.each(self.tokens),
            "cost": self.each(self.cost),
        }
        if not self.all.scored.all():
            found["unscored"] = self.unscored()
        for key in self.verdicts:
            for suffix, mean in (("", self.profile_mean), ("_pooled", self.pooled)):
                found[f"accuracy_{key}{suffix}"] = self.each(
                    lambda s, key=key, mean=mean: {
                        **self.parts(self.of(self.turns, s), key, mean),
                        "turns": len(self.of(self.turns, s)),
                    }
                )
            if len(self.systems) > 1:
                found[f"pairs_{key}"] = self.pairs(key)
            if self.all.epoch.max() > 1:
                found[f"epochs_{key}"] = self.epochs(key)
        if len(self.systems) > 1:
            found["difference_counts"] = self.difference_counts()
        if self.all.change.notna().any():
            for column, order in (("change", CHANGES), ("task_type", TYPES), ("third", THIRDS)):
                found[f"changes_by_{column}"] = self.changes(column, order)
        if self.verdicts == ["exact", "relaxed"]:
            found |= {
                "gap": self.each(self.gap),
                "labels": self.each(self.labels),
                "label_shares": self.label_shares(),
                "severity": self.each(self.severity),
                "flags": self.each(self.flags),
                "steps": self.each(self.steps),
                "asking": self.each(self.asking),
            }
        return found

    def each(self, figures: Callable[[str], Mapping[str, Any]]) -> Rows:
        return [{"model": system, **figures(system)} for system in self.systems]

    def overview(self, system: str) -> dict[str, Any]:
        own, turns = self.of(self.all, system), self.of(self.turns, system)
        row: dict[str, Any] = {"samples": len(own), "scored": int(own.scored.sum())}
        row["errored"] = row["samples"] - row["scored"]
        for key in self.verdicts:
            row[key] = turns[key].mean()
            row[f"{key}_errors_wrong"] = own[key].fillna(0).mean()
        row["tokens"] = own.tokens.sum() if own.tokens.notna().any() else math.nan
        return row | {"never_ran": 0, "cost": math.nan}

    def counts(self, turns: pd.DataFrame) -> dict[str, int]:
        found = {kind: int((turns.task_type == kind).sum()) for kind in [*AVERAGED, "chat"]}
        found |= {third: int((turns.third == third).sum()) for third in THIRDS}
        whole = all(found[kind] for kind in AVERAGED)
        return {**found, "average": sum(found[kind] for kind in AVERAGED) if whole else 0, "all": len(turns)}

    def headline(self) -> Rows:
        words = {"exact": "Exact", "relaxed": "Relaxed", "upstream": "Public evaluator"}
        rows = []
        for system, key in itertools.product(self.systems, self.verdicts):
            turns = self.of(self.turns, system)
            rows.append(
                {
                    "model": system,
                    "verdict": words[key],
                    "turns": len(turns),
                    "profiles": turns.profile.nunique(),
                    "average": self.average(turns, key, self.profile_mean),
                    "average_pooled": self.average(turns, key, self.pooled),
                    "all": self.profile_mean(turns, key),
                    "all_pooled": self.pooled(turns, key),
                }
            )
        return rows

    def whole(self) -> bool:
        """Whether all systems have scored turns of all averaged types."""
        return all(set(AVERAGED) <= set(self.of(self.turns, system).task_type) for system in self.systems)

    def main(self, turns: pd.DataFrame, key: str) -> float:
        return self.average(turns, key, self.profile_mean) if self.whole() else self.profile_mean(turns, key)

    def gap(self, system: str) -> dict[str, Any]:
        turns = self.of(self.turns, system)
        exact, relaxed = (self.parts(turns, key, self.profile_mean) for key in ("exact", "relaxed"))
        return {
            "turns": len(turns),
            "exact": self.main(turns, "exact"),
            "relaxed": self.main(turns, "relaxed"),
            **{part: relaxed[part] - exact[part] for part in exact},
        }

    def labels(self, system: str) -> dict[str, Any]:
        failed = self.by_turn(self.of(self.scored, system).query("exact == 0"), LABELS)
        return {"failures": len(failed), **{label: failed[label].mean() for label in LABELS}}

    def label_shares(self) -> Rows:
        rows = []
        for label, system in itertools.product(LABELS, self.systems):
            epochs = self.of(self.scored, system).query("exact == 0")
            failed = self.by_turn(epochs, [label])
            rows.append(
                {
                    "label": label.replace("_", " ").capitalize(),
                    "model": system,
                    "failures": len(failed),
                    "labelled": epochs[epochs[label] == 1]["sample"].nunique(),
                    "share": failed[label].mean(),
                    "profile_mean": self.profile_mean(failed, label),
                }
            )
        return rows

    def severity(self, system: str) -> dict[str, Any]:
        scored = self.of(self.scored, system)
        scored = scored.assign(**{kind: (scored.severity == kind).astype(float) for kind in ("slight", "major")})
        turns, failed = (self.by_turn(own, ["slight", "major"]) for own in (scored, scored.query("exact == 0")))
        row: dict[str, Any] = {"turns": len(turns), "failures": len(failed)}
        for kind in ("slight", "major"):
            row[kind] = turns[kind].mean()
            row[f"{kind}_profile_mean"] = self.profile_mean(turns, kind)
            row[f"{kind}_of_failures"] = failed[kind].mean()
        return row

    def flags(self, system: str) -> dict[str, Any]:
        scored = self.of(self.scored, system)
        row: dict[str, Any] = {"turns": len(scored)}
        for flag in ("step_cap", "output_cut"):
            row |= {flag: int(scored[flag].sum()), f"{flag}_share": scored[flag].mean()}
        return row

    def steps(self, system: str) -> dict[str, Any]:
        scored = self.of(self.scored, system)
        counts = ["rounds", "calls", "questions"]
        turns = self.by_turn(scored, ["progress", "optimal", *counts])
        row: dict[str, Any] = {"turns": len(turns)}
        for key in ("progress", "optimal"):
            row |= {key: self.profile_mean(turns, key), f"{key}_pooled": turns[key].mean()}
        row["optimal_of_exact"] = self.by_turn(scored[scored.exact == 1], ["optimal"]).optimal.mean()
        return row | {key: turns[key].mean() for key in counts}

    def unscored(self) -> Rows:
        """Samples that ended in an error, a row a system and message, the most frequent first."""
        rows = []
        for system in self.systems:
            errors = self.of(self.all, system)[lambda own: ~own.scored].error
            assert errors.notna().all()
            for reason, count in errors.value_counts().items():
                rows.append({"model": system, "reason": reason, "samples": count})
        return rows

    def asking(self, system: str) -> dict[str, Any]:
        scored = self.of(self.scored, system)
        turns = scored[scored.task_type == "lack_of_information"]
        asked, needed = turns[turns.asked == 1], turns[turns.recoverable == False]  # noqa: E712
        both = turns[(turns.asked == 1) & (turns.recoverable == False)]  # noqa: E712
        return {
            "turns": len(turns),
            "needed": len(needed),
            "asked": len(asked),
            "asked_and_needed": len(both),
            "precision": len(both) / len(asked) if len(asked) else math.nan,
            "recall": len(both) / len(needed) if len(needed) else math.nan,
            "questions": int(scored.questions.sum()),
            "sentences": scored.question_sentences.sum() / scored.questions.sum()
            if scored.questions.sum()
            else math.nan,
        }

    def kinds(self, key: str, order: Iterable[Any] | None, names: Mapping[Any, str] | None = None) -> Rows:
        found = set(self.all[key].dropna())
        rows = []
        for kind in [k for k in order if k in found] if order is not None else sorted(found):
            for system in self.systems:
                turns = self.of(self.turns, system)
                turns = turns[turns[key] == kind]
                shown = names[kind] if names else str(kind)
                rows.append({key: shown, "model": system, "turns": len(turns), **self.verdict_figures(turns)})
        return rows

    def history(self) -> Rows:
        """By length of history, of runs that were shown all of it: everything before the turn."""
        bins = [(0, 0, "0"), (1, 9, "1 to 9"), (10, 24, "10 to 24"), (25, 49, "25 to 49"), (50, 74, "50 to 74")]
        rows = []
        for low, high, name in bins:
            if not (self.all.position - 1).between(low, high).any():
                continue
            for system in self.systems:
                turns = self.of(self.turns, system)
                turns = turns[(turns.position - 1).between(low, high)]
                rows.append({"history": name, "model": system, "turns": len(turns), **self.verdict_figures(turns)})
        return rows

    def sessions(self, system: str) -> dict[str, Any]:
        topics = []
        for (profile, topic), turns in self.of(self.scored, system).groupby(["profile", "topic"]):
            whole = [own for _, own in turns.groupby("epoch") if len(own) == own.topic_turns.iloc[0]]
            if whole:
                shares = {key: sum((own[key] == 1).all() for own in whole) / len(whole) for key in self.verdicts}
                topics.append({"profile": profile, "topic": topic, **shares})
        frame = pd.DataFrame(topics, columns=["profile", "topic", *self.verdicts])
        return {"topics": len(frame), **self.verdict_figures(frame)}

    def changes(self, key: str, order: list[str]) -> Rows:
        changed = self.all[self.all.change.notna()]
        rows = []
        for kind in [k for k in order if k in set(changed[key])]:
            for system in self.systems:
                turns = self.of(self.turns, system)
                turns = turns[turns.change.notna() & (turns[key] == kind)]
                scored = self.of(self.scored, system)
                scored = scored[scored.change.notna() & (scored[key] == kind)]
                stale = self.by_turn(scored, ["stale_preference"])
                rows.append(
                    {
                        key: kind,
                        "model": system,
                        "turns": len(turns),
                        **self.verdict_figures(turns),
                        "stale": self.profile_mean(stale, "stale_preference"),
                        "stale_pooled": stale.stale_preference.mean(),
                    }
                )
        return rows

    def tokens(self, system: str) -> dict[str, Any]:
        own = self.of(self.all, system)
        right = int(own[self.verdicts[0]].sum())
        total = own.tokens.sum()
        return {
            "samples": len(own),
            "right": right,
            "input_tokens": own.input.sum(),
            "output_tokens": own.output.sum(),
            "cached_tokens": 0,
            "cache_write_tokens": 0,
            "reasoning_tokens": 0,
            "total_tokens": total,
            "tokens_per_sample": total / len(own),
            "tokens_per_right": total / right if right else math.nan,
        }

    def cost(self, system: str) -> dict[str, Any]:
        own = self.of(self.all, system)
        row = self.tokens(system)
        seconds = own.seconds.sum()
        return {
            **{key: row[key] for key in ("samples", "right", "tokens_per_sample")},
            self.verdicts[0]: self.main(self.of(self.turns, system), self.verdicts[0]),
            "seconds_per_sample": seconds / len(own),
            "seconds_per_right": seconds / row["right"] if row["right"] else math.nan,
            "working_seconds_per_sample": own.working.sum() / len(own),
            **dict.fromkeys(("cost", "cost_per_sample", "cost_per_right"), math.nan),
            "retries": 0,
        }

    def epochs(self, key: str) -> Rows:
        rows = []
        for system, k in itertools.product(self.systems, range(1, int(self.all.epoch.max()) + 1)):
            chances = []
            for _, own in self.of(self.scored, system).groupby("sample"):
                drawn = list(itertools.combinations(own[key], k))
                if drawn:
                    any_right, all_right = (sum(map(f, drawn)) / len(drawn) for f in (any, all))
                    chances.append({"profile": own.profile.iloc[0], "at": any_right, "hat": all_right})
            frame = pd.DataFrame(chances, columns=["profile", "at", "hat"])
            rows.append(
                {
                    "model": system,
                    "k": k,
                    "turns": len(frame),
                    "pass_at": self.profile_mean(frame, "at"),
                    "pass_hat": self.profile_mean(frame, "hat"),
                    "pass_at_pooled": frame["at"].mean(),
                    "pass_hat_pooled": frame["hat"].mean(),
                }
            )
        return rows

    # --- pairs ---

    def pairs(self, key: str) -> Rows:
        rows = []
        for first, second in itertools.combinations(self.systems, 2):
            planned = self.all[self.all.model.isin([first, second])]["sample"].nunique()
            both = pd.merge(self.of(self.turns, first), self.of(self.turns, second)[["sample", key]], on="sample")
            ours, theirs = both[f"{key}_x"], both[f"{key}_y"]
            both = both.assign(difference=ours - theirs)
            kinds: list[Any] = [kind for kind in AVERAGED if (both.task_type == kind).any()]
            if len(kinds) == len(AVERAGED):
                planned = self.all[self.all.model.isin([first, second]) & self.all.task_type.isin(AVERAGED)]
                planned = planned["sample"].nunique()
                both = both[both.task_type.isin(AVERAGED)]
                groups = [both[both.task_type == kind] for kind in AVERAGED]
            else:
                groups = [both]
            # What each profile adds to the mean over groups of their means over profiles, and how far it moves that
            # from where it would be were the profile's own means those of all.
            shares: dict[str, float] = {}
            moves: dict[str, float] = {}
            for group in groups:
                means = {str(profile): own.difference.mean() for profile, own in group.groupby("profile")}
                for profile, part in means.items():
                    weight = 1 / len(means) / len(groups)
                    shares[profile] = shares.get(profile, 0.0) + part * weight
                    moves[profile] = moves.get(profile, 0.0) + (part - sum(means.values()) / len(means)) * weight
            seen = abs(sum(shares.values()))
            flips = [
                abs(sum(sign * part for sign, part in zip(signs, shares.values(), strict=True)))
                for signs in itertools.product((1, -1), repeat=len(shares))
            ]
            binary = both[f"{key}_x"].isin([0, 1]).all() and both[f"{key}_y"].isin([0, 1]).all()
            first_only, second_only = (int((both.difference == sign).sum()) for sign in (1, -1))
            apart = first_only + second_only
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "over": "Average" if len(groups) == 3 else "All turns",
                    "samples": len(both),
                    "missing": planned - len(both),
                    "profiles": both.profile.nunique(),
                    "difference": sum(self.profile_mean(group, "difference") for group in groups) / len(groups),
                    "pooled": sum(group.difference.mean() for group in groups) / len(groups),
                    "p": sum(flip >= seen - 1e-12 for flip in flips) / len(flips) if len(both) else math.nan,
                    "moves": list(moves.values()),
                    "first_only": first_only if binary else math.nan,
                    "second_only": second_only if binary else math.nan,
                    "p_mcnemar": (binomtest(first_only, apart).pvalue if apart else 1.0)
                    if binary and len(both)
                    else math.nan,
                }
            )
        tested = [row for row in rows if len(row["moves"])]
        worst = 0.0
        for rank, row in enumerate(sorted(tested, key=lambda row: row["p"])):
            worst = max(worst, min(1.0, row["p"] * (len(tested) - rank)))
            row["p_corrected"] = worst
        for row in rows:
            row.setdefault("p_corrected", math.nan)
            row["smallest"] = smallest(row.pop("moves"), len(tested))
        return rows

    def difference_counts(self) -> Rows:
        key, rows = self.verdicts[0], []
        for first, second in itertools.combinations(self.systems, 2):
            for kind in [kind for kind in TYPES if (self.all.task_type == kind).any()]:
                pair = [self.of(self.turns, system).set_index("sample") for system in (first, second)]
                right = [{s for s, row in own.iterrows() if row.task_type == kind and row[key] == 1} for own in pair]
                tried = [set(own[own.task_type == kind].index) for own in pair]
                common = tried[0] & tried[1]
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "task_type": kind,
                        "turns": len(common),
                        "both": len(common & right[0] & right[1]),
                        "first_only": len(common & right[0] - right[1]),
                        "second_only": len(common & right[1] - right[0]),
                        "neither": len(common - right[0] - right[1]),
                    }
                )
        return rows


def smallest(moves: list[float], tests: int) -> float:
    """The difference that would have been found 4 times in 5, from what each profile adds to a difference's deviation.

    The sign-flip test of n profiles gives multiples of 2 / 2^n: the first of Holm's levels, 0.05 over the tests, is
    kept at the highest of them that is not above it.
    """
    n = len(moves)
    kept = [k for k in range(1, 2**n // 2) if k * 2 / 2**n <= 0.05 / tests] if tests else []
    deviation = n * math.sqrt(sum(move**2 for move in moves) / (n - 1)) if n > 1 else 0.0
    if not kept or deviation < 1e-9:
        return math.nan
    # At the lowest level all profiles must differ the same way, by chance P(normal > -size) each.
    size = (
        norm.ppf(0.8 ** (1 / n))
        if len(kept) == 1
        else TTestPower().solve_power(nobs=n, alpha=len(kept) * 2 / 2**n, power=0.8)
    )
    return float(size * deviation) if size * deviation <= 1 else math.nan
