"""Turns of users whose preferences change."""

from typing import Unpack

from inspect_ai import Task, task

from utb_inspect.schema import TASK_TYPES
from utb_inspect.tasks.build import Options, build


@task
def dynamic_preference(**options: Unpack[Options]) -> Task:
    """Dynamic preference: every turn of the split in which preferences are updated, reversed, excepted, in conflict.

    Parameters (`-T name=value`) are those of `utb_inspect.tasks.build.Options`.
    """
    return build("dynamic_preference", "Dynamic preference", TASK_TYPES, options, data="utb_open_dynamic")
