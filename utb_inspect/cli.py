"""The `utb` command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.progress import track

from utb_inspect import __version__
from utb_inspect.cli_compare import compare
from utb_inspect.cli_dataset import dataset, toolsets
from utb_inspect.cli_demo import demo
from utb_inspect.cli_estimate import estimate
from utb_inspect.cli_faults import errors, tells_faults
from utb_inspect.cli_rescore import rescore
from utb_inspect.datasets.dataset import Layout
from utb_inspect.datasets.language import Language
from utb_inspect.foreign_text import fault_line, one_line, printable
from utb_inspect.schema import TASK_TYPES, DataError, TaskType
from utb_inspect.verify import VERIFIERS, Kind, read_cases


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="utb")
def main() -> None:
    """UserToolBench: compare finished runs, plan new ones, look at the data, check the scoring core.

    The benchmark itself runs under Inspect, for instance offline:

    \b
        inspect eval utb_inspect/multi_tool --model utb/recall
        inspect view
    """


main.add_command(compare)
main.add_command(dataset)
main.add_command(toolsets)
main.add_command(demo)
main.add_command(estimate)
main.add_command(rescore)


@main.group()
def verify() -> None:
    """Check the scoring core against files of cases.

    Each command prints every disagreement (id, expected, got, why), then `N of M agree`, and exits with 1 unless all
    agree. The formats are those of the files in tests/cases.
    """


def _verify(kind: Kind, file: Path) -> None:
    cases = list(read_cases(file))
    if not cases:
        raise DataError(f"{file}: holds no case")
    agreed = 0
    for case in track(cases, description=f"{kind}", console=errors, transient=True):
        try:
            differences = VERIFIERS[kind](case)
        except DataError as error:
            differences = [f"{file}: {line}" for line in str(error).splitlines()]
        except Exception as error:  # what is no case of this kind can raise anything
            fault = f"{file}: the case is not in the format of {kind} ({type(error).__name__}: {error})"
            differences = [fault_line(fault)]
        agreed += not differences
        why = case.get("why") or case.get("kind") or ""
        for difference in differences:
            click.echo(one_line(f"{case['id']}{f' ({why})' if why else ''}: {difference}"))
    click.echo(f"{agreed} of {len(cases)} agree")
    if agreed < len(cases):
        sys.exit(1)


@verify.command()
@click.argument("file", type=click.Path(path_type=Path))
@tells_faults
def decisions(file: Path) -> None:
    """Runs with the exact, relaxed, severity and label verdicts they are to get.

    FILE holds a JSON object a line: `id`, `toolset`, `turn`, `responses` (the model's messages) and `expected`.
    """
    _verify("decisions", file)


@verify.command()
@click.argument("file", type=click.Path(path_type=Path))
@tells_faults
def arguments(file: Path) -> None:
    """Pairs of argument values that agree, differ, or are invalid.

    FILE holds a JSON object a line: `id`, `schema`, `reference`, `predicted`, optionally `ground`, and `expected`.
    """
    _verify("arguments", file)


@verify.command()
@click.argument("file", type=click.Path(path_type=Path))
@tells_faults
def upstream(file: Path) -> None:
    """Runs with the verdicts of the public evaluator.

    FILE holds a JSON object a line: `id`, `tools`, `answer_list`, `responses` and `expected`.
    """
    _verify("upstream", file)


@main.group()
def prompts() -> None:
    """What a model under evaluation is shown."""


@prompts.command("export")
@click.option("--data", default="utb_open", show_default=True, help="Split, folder, file or hf:OWNER/NAME.")
@click.option(
    "--task-type",
    "task_types",
    type=click.Choice(TASK_TYPES),
    multiple=True,
    help="Task types to export; repeat for several. By default all.",
)
@click.option("--profiles", help="Profiles to export, comma separated. By default all.")
@click.option("--history", default="full", show_default=True, help="full, none, topic or last:N turns.")
@click.option("--environment", type=click.Choice(["inline", "system"]), help="Where date and place stand.")
@click.option("--system-prompt", help="Replaces the system message.")
@click.option("--language", type=click.Choice(["en", "zh"]), help="Language of data that has two.")
@click.option(
    "--with-profile",
    is_flag=True,
    help="Add the hidden profile to each line. For audits of the data, never for a model.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; by default standard output.",
)
@tells_faults
def export_prompts(
    data: str,
    task_types: tuple[TaskType, ...],
    profiles: str | None,
    history: str,
    environment: Layout | None,
    system_prompt: str | None,
    language: Language | None,
    with_profile: bool,
    output: Path | None,
) -> None:
    """Write what a model would see in the first round, a JSON line a sample.

    A line holds `id`, `round`, `messages` and `tools`, as the requests of `utb/mailbox` do. Answers made elsewhere
    come back with `--model utb/replay -M file=answers.jsonl`.
    """
    from utb_inspect.baselines.prompts import first_prompts
    from utb_inspect.datasets import load
    from utb_inspect.datasets.history import View
    from utb_inspect.datasets.samples import profile_names
    from utb_inspect.files import write_text

    dataset = load(data, language=language)
    view = View(history, environment, system_prompt)
    names = profile_names(profiles) if profiles is not None else None
    lines = [
        printable(json.dumps(prompt, ensure_ascii=False)) + "\n"
        for prompt in first_prompts(dataset, task_types or TASK_TYPES, names, view, with_profile=with_profile)
    ]
    if output is None:
        sys.stdout.writelines(lines)
    else:
        write_text(output, "".join(lines))
        click.echo(f"{len(lines)} prompts written to {output}")
