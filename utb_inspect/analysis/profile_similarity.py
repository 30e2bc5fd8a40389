"""How much the texts of profiles overlap, pair by pair (the paper's figure 3 and appendix B.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median

from utb_inspect.analysis.profile_text import measured_items
from utb_inspect.schema import Profile
from utb_inspect.trajectory.text import words

Tokens = Sequence[str]


@dataclass(frozen=True)
class Pair:
    """Two profiles and how alike their texts are, 0 (nothing shared) to 1."""

    first: str
    second: str
    jaccard: float
    tfidf: float


@dataclass(frozen=True)
class Spread:
    """A similarity over all pairs."""

    mean: float
    median: float
    minimum: float
    maximum: float
    most_similar: tuple[str, str]
    """The pair of the maximum; the first one on ties."""


@dataclass(frozen=True)
class Similarity:
    """Every pair of profiles; the spreads are None for fewer than two profiles."""

    profiles: tuple[str, ...]
    pairs: tuple[Pair, ...]
    jaccard: Spread | None
    tfidf: Spread | None


def profile_similarity(profiles: Mapping[str, Profile], *, stop_words: bool = False) -> Similarity:
    """Token Jaccard and TF-IDF cosine of every pair of profiles, over their measured texts.

    Args:
        profiles: Id to profile. The weights of TF-IDF are fitted on all of them, so that a pair's cosine depends on
            which others are given.
        stop_words: Keep English stop words (scikit-learn's list); by default they are left out of both figures.

    Returns:
        Pairs in the order of `profiles`, with mean, median, range and the most similar pair of each figure. Ids and
        numbers alone; no text.
    """
    names = tuple(profiles)
    texts = [[item for items in measured_items(profile).values() for item in items] for profile in profiles.values()]
    documents = [tokens(text, stop_words=stop_words) for text in texts]
    jaccards = pairwise_jaccard(documents)
    cosines = pairwise_tfidf(documents)
    pairs = tuple(
        Pair(first, second, jaccard, tfidf)
        for (first, second), jaccard, tfidf in zip(combinations(names, 2), jaccards, cosines, strict=True)
    )
    return Similarity(
        names,
        pairs,
        _spread([(pair.jaccard, pair) for pair in pairs]),
        _spread([(pair.tfidf, pair) for pair in pairs]),
    )


def tokens(texts: Iterable[str], *, stop_words: bool) -> list[str]:
    """Normalised words of some texts, in order; English stop words among them when `stop_words` says so."""
    found = [word for text in texts for word in words(text)]
    if stop_words:
        return found
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return [word for word in found if word not in ENGLISH_STOP_WORDS]


def pairwise_jaccard(documents: Sequence[Tokens]) -> list[float]:
    """Shared words over all words of every two documents, each word once; 0 when neither has any."""
    vocabularies = [frozenset(document) for document in documents]
    return [
        len(first & second) / len(first | second) if first or second else 0.0
        for first, second in combinations(vocabularies, 2)
    ]


def pairwise_tfidf(documents: Sequence[Tokens]) -> list[float]:
    """Cosine of the TF-IDF vectors of every two documents; 0 when one has no word.

    Weights as scikit-learn's `TfidfVectorizer` has them by default: raw counts times `ln((1 + n) / (1 + df)) + 1`,
    fitted on these documents.
    """
    if not any(documents):
        return [0.0 for _ in combinations(documents, 2)]
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer=list).fit_transform(documents)  # its rows have length 1
    cosines = (vectors @ vectors.T).toarray()
    return [min(float(cosines[i, j]), 1.0) for i, j in combinations(range(len(documents)), 2)]


def _spread(measured: Sequence[tuple[float, Pair]]) -> Spread | None:
    if not measured:
        return None
    values = [value for value, _ in measured]
    closest = max(measured, key=lambda item: item[0])[1]
    return Spread(fmean(values), median(values), min(values), max(values), (closest.first, closest.second))
