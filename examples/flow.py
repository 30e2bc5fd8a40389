"""A model x task matrix for Inspect Flow, with offline models: `flow run examples/flow.py`.

Put your own models in MODELS. docs/running-a-matrix.md says what the options do.
"""

from inspect_flow import FlowModel, FlowOptions, FlowSpec, tasks_matrix

TASKS = ["utb_inspect/single_tool", "utb_inspect/multi_tool", "utb_inspect/lack_of_information"]

MODELS = [
    "utb/oracle",
    FlowModel(name="utb/noisy", model_args={"error_rate": 0.3}),
    "utb/recall",
]

FlowSpec(
    log_dir="../logs/flow",  # seen from this file
    store=None,  # no index of runs in the home folder
    options=FlowOptions(retry_attempts=3, retry_on_error=2, continue_on_fail=True),
    tasks=tasks_matrix(task=TASKS, model=MODELS),
)
