"""UserToolBench as an Inspect evaluation suite.

The package proper: data model, readers, scoring core and offline models. It needs no task to be used;
`utb_inspect.tasks`, `utb_inspect.solvers` and `utb_inspect.scorers` put it to work under Inspect.
"""

from importlib.metadata import version

__version__ = version("utb-inspect")
