"""Several runs of the same samples: pass@k and pass^k.

Both are per sample; `mean_interval` over the samples gives the figure with its interval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import comb


def pass_at_k(scored: ArrayLike, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Chance that at least one of k runs drawn from a sample's scored ones is right (Chen et al. 2021).

    Args:
        scored: Scored epochs of each sample.
        correct: Those of them that are right.
        k: Runs drawn, at least one.

    Returns:
        A value for each sample; NaN for samples with fewer than k scored epochs.
    """
    return 1 - pass_hat_k(scored, np.subtract(scored, correct), k)


def pass_hat_k(scored: ArrayLike, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Chance that all of k runs drawn from a sample's scored ones are right (Yao et al. 2024).

    Arguments and result are as in `pass_at_k`.
    """
    drawn = comb(np.asarray(scored, dtype=float), k)
    right = comb(np.asarray(correct, dtype=float), k)
    chances: NDArray[np.float64] = np.divide(right, drawn, out=np.full(np.shape(drawn), np.nan), where=drawn > 0)
    return chances
