"""How much the same field of different profiles repeats itself (the paper's table 10)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from utb_inspect.analysis.profile_similarity import pairwise_jaccard, pairwise_tfidf, tokens
from utb_inspect.analysis.profile_text import measured_items
from utb_inspect.schema import Profile
from utb_inspect.trajectory.text import normalise

WINDOW = 50
"""Words of a MATTR window."""


@dataclass(frozen=True)
class FieldDiversity:
    """A field that two profiles or more have. Low similarities (0 to 1), high CTTR and MATTR mean more diversity."""

    field: str
    profiles: int
    items: int
    words: int
    """Words of all items, stop words among them."""
    unique: float
    """Distinct items over items, 0 to 1; items are compared normalised."""
    tfidf: float
    """Mean TF-IDF cosine over the pairs of profiles that have the field."""
    jaccard: float
    """Mean token Jaccard over the same pairs."""
    cttr: float | None
    """Types over the root of twice the words; None without a word."""
    mattr: float | None
    """Mean share of types in `WINDOW` words running; types over words for a shorter text."""


def field_diversity(profiles: Mapping[str, Profile]) -> list[FieldDiversity]:
    """Diversity of each measured field that at least two profiles have, in the order in which they give them."""
    fields: dict[str, list[list[str]]] = {}
    for profile in profiles.values():
        for name, items in measured_items(profile).items():
            fields.setdefault(name, []).append(items)
    return [_diversity(name, held) for name, held in fields.items() if len(held) > 1]


def _diversity(field: str, held: Sequence[Sequence[str]]) -> FieldDiversity:
    items = [item for own in held for item in own]
    documents = [tokens(own, stop_words=False) for own in held]
    running = tokens(items, stop_words=True)
    cttr, mattr = lexical_richness(running)
    return FieldDiversity(
        field=field,
        profiles=len(held),
        items=len(items),
        words=len(running),
        unique=len(set(map(normalise, items))) / len(items),
        tfidf=fmean(pairwise_tfidf(documents)),
        jaccard=fmean(pairwise_jaccard(documents)),
        cttr=cttr,
        mattr=mattr,
    )


def lexical_richness(words: Sequence[str], window: int = WINDOW) -> tuple[float | None, float | None]:
    """CTTR and MATTR of running words; None for both without a word.

    Args:
        words: Words in order, repeated as they stand.
        window: Words of a MATTR window; a shorter text has the plain share of types.
    """
    if not words:
        return None, None
    from saphes import lexical_diversity

    found = lexical_diversity(list(words), unit="surface", window=window)
    return found.types / math.sqrt(2 * found.tokens), found.mattr
