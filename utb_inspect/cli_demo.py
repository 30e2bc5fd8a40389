"""The `utb demo` command."""

from __future__ import annotations

from pathlib import Path

import click

from utb_inspect.cli_faults import errors, tells_faults


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default="utb-demo")
@click.option("--profiles", default="p01,p04", show_default=True, help="Profiles to run, comma separated.")
@click.option("--limit", type=click.IntRange(min=1), help="Turns of each run. By default all of the profiles.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier bundle in FOLDER.")
@tells_faults
def demo(folder: Path, profiles: str, limit: int | None, overwrite: bool) -> None:
    """Run offline models and bundle their logs with Inspect View, to look around in without a provider.

    FOLDER (by default utb-demo) is written whole, when all runs are done. It needs a web server, not Inspect:

    \b
        utb demo
        python -m http.server --bind 127.0.0.1 -d utb-demo
    """
    from utb_inspect.demo import MODELS, make_demo

    with errors.status("") as status:
        turns = make_demo(folder, profiles, limit, overwrite, tell=status.update)
    click.echo(f"{len(MODELS)} runs of {turns} turns each are bundled in {folder}. To read them:\n")
    click.echo(f"    python -m http.server --bind 127.0.0.1 -d {folder}\n")
    click.echo("and open http://localhost:8000. Before you publish them, see docs/reading-results.md.")
