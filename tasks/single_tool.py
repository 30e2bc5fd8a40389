"""Turns that one call serves."""

from typing import Unpack

from inspect_ai import Task, task

from utb_inspect.tasks.build import Options, build


@task
def single_tool(**options: Unpack[Options]) -> Task:
    """Single tool: one call, its arguments as this user would want them.

    Parameters (`-T name=value`) are those of `utb_inspect.tasks.build.Options`.
    """
    return build("single_tool", "Single tool", ["single_tool"], options)
