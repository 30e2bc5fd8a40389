"""All of the main split in one log."""

from typing import Unpack

from inspect_ai import Task, task

from utb_inspect.schema import TASK_TYPES
from utb_inspect.tasks.build import Options, build


@task
def user_tool_bench(**options: Unpack[Options]) -> Task:
    """UserToolBench: every turn of the main split, all task types together.

    Parameters (`-T name=value`) are those of `utb_inspect.tasks.build.Options`.
    """
    return build("user_tool_bench", "UserToolBench", TASK_TYPES, options)
