"""When two texts agree in the public evaluator: edit similarity when short, and ROUGE-L always."""

import re
import warnings
from difflib import SequenceMatcher
from functools import cache
from typing import Any

SHORT = 10
"""A reference text of fewer characters must also be similar in its letters."""
MIN_EDIT = 0.8
MIN_ROUGE = 0.7
MOST_PAIRS = 1_000_000
"""Words of one text times words of the other: ROUGE-L keeps a table of them, 200 bytes a pair."""

_CHINESE = re.compile("[\u4e00-\u9fa5]")


def text_difference(predicted: str, expected: str) -> str | None:
    """Why two texts differ, or None if they agree.

    Texts agree when they are the same but for case and white space. Else they need a ROUGE-L of 0.7, and against
    a reference text of fewer than ten characters an edit similarity of 0.8 as well, so that one letter changed in
    a single word is a difference. Both count case. ROUGE-L is taken over words split at white space, with their
    punctuation; where either text has a Chinese character both are cut into words first.

    ROUGE-L splits sentences at full stops, in numbers too, and counts a repeated word once. It fails on an empty
    text, on one of full stops only and, since it recurses, on about a thousand words. A failure is a difference. So are
    texts too long for its table, where the public evaluator would go on, and most often fail.

    Source: public evaluator, `checker_utils.py`.
    """
    if _squeezed(predicted) == _squeezed(expected):
        return None
    if len(expected) < SHORT:
        ratio = SequenceMatcher(None, predicted, expected).ratio()
        if ratio < MIN_EDIT:
            return f"the edit similarity is {ratio:.2f}, under {MIN_EDIT}"
    if _CHINESE.search(predicted) or _CHINESE.search(expected):
        predicted, expected = _segmented(predicted), _segmented(expected)
    if len(predicted.split()) * len(expected.split()) > MOST_PAIRS:
        return "the texts are too long for ROUGE-L"
    try:
        score: float = _rouge().get_scores(predicted, expected)[0]["rouge-l"]["f"]
    except (ValueError, RecursionError):
        return "ROUGE-L cannot be taken"
    return f"ROUGE-L is {score:.2f}, under {MIN_ROUGE}" if score < MIN_ROUGE else None


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()


def _segmented(text: str) -> str:
    return " ".join(_segmenter().cut(text))


@cache
def _rouge() -> Any:
    from rouge import Rouge

    return Rouge(metrics=["rouge-l"])


@cache
def _segmenter() -> Any:
    """Jieba's default segmentation, loaded when first needed, which takes half a second.

    It is filled by hand because jieba's own loading logs to stderr and trusts a cache in the temporary folder.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pkg_resources, and of jieba's own escapes
        import jieba

        segmenter = jieba.Tokenizer()
        segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter
