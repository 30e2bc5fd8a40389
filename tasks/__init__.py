"""Tasks of the benchmark, a file each."""

from utb_inspect.tasks.chat import chat
from utb_inspect.tasks.dynamic_preference import dynamic_preference
from utb_inspect.tasks.lack_of_information import lack_of_information
from utb_inspect.tasks.multi_tool import multi_tool
from utb_inspect.tasks.single_tool import single_tool
from utb_inspect.tasks.user_tool_bench import user_tool_bench

__all__ = [
    "chat",
    "dynamic_preference",
    "lack_of_information",
    "multi_tool",
    "single_tool",
    "user_tool_bench",
]
