"""Turns that take several calls."""

from typing import Unpack

from inspect_ai import Task, task

from utb_inspect.tasks.build import Options, build


@task
def multi_tool(**options: Unpack[Options]) -> Task:
    """Multi tool: two calls or more, parallel, in sequence or mixed.

    Parameters (`-T name=value`) are those of `utb_inspect.tasks.build.Options`.
    """
    return build("multi_tool", "Multi tool", ["multi_tool"], options)
