"""Turns that take no call."""

from typing import Unpack

from inspect_ai import Task, task

from utb_inspect.tasks.build import Options, build


@task
def chat(**options: Unpack[Options]) -> Task:
    """Chat: to talk, and leave the tools alone.

    Parameters (`-T name=value`) are those of `utb_inspect.tasks.build.Options`.
    """
    return build("chat", "Chat", ["chat"], options)
