"""The public format's names for task types and subtypes, English and Chinese."""

from __future__ import annotations

import re
from typing import Any

from utb_inspect.schema import Subtype, TaskType


def label_key(label: Any) -> str:
    """A label without case, spaces, hyphens and underscores: `Single-Tool` and `single_tool` are one."""
    return re.sub(r"[\s_\-–]", "", label).casefold() if isinstance(label, str) else ""


_TASK_TYPE_LABELS: dict[TaskType, str] = {
    "single_tool": "singletool st 单工具 单一工具 单工具调用",
    "multi_tool": "multitool mt parallelmultitool sequentialmultitool mixedmultitool 多工具 多工具调用 并行多工具 "
    "多工具并行 串行多工具 多工具串行 顺序多工具 序列多工具 混合多工具 多工具混合 串并行多工具 多工具串并行",
    "lack_of_information": "clarify clarification clarifyquestion lackofinformation loi cq 澄清 澄清问题 信息缺失 "
    "缺少信息 缺失信息 信息不足",
    "chat": "chat chitchat casualchat cc 闲聊 聊天",
}
_SUBTYPE_LABELS: dict[Subtype, str] = {
    "cross_topic": "crosstopic firstturn 跨话题 跨主题 首轮 第一轮",
    "partial_information": "partialinformation ellipsis 省略成分 省略 部分信息",
    "long_range_dependency": "longrangedependency longtermmemory 长期记忆 长程依赖 长距离依赖 长期依赖",
    "coreferential_reference": "coreferentialreference coreference 指代 指代消解 共指",
}

TASK_TYPES = {label: task_type for task_type, labels in _TASK_TYPE_LABELS.items() for label in labels.split()}
"""Keys of labels to task types."""
SUBTYPES = {label: subtype for subtype, labels in _SUBTYPE_LABELS.items() for label in labels.split()}
"""Keys of labels to subtypes."""
