"""Turns in which a required argument is not said."""

from typing import Unpack

from inspect_ai import Task, task

from utb_inspect.tasks.build import Options, build


@task
def lack_of_information(**options: Unpack[Options]) -> Task:
    """Lack of information: to ask, or to know from history that there is no need.

    Parameters (`-T name=value`) are those of `utb_inspect.tasks.build.Options`.
    """
    return build("lack_of_information", "Lack of information", ["lack_of_information"], options)
