"""The table of finished runs: samples, scored, errored, and errors counted as wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai.dataset import Sample
from support import Seen, output, run, write_dataset

from utb_inspect.analysis.summary import summaries, summarise
from utb_inspect.cli import main
from utb_inspect.datasets import load
from utb_inspect.schema import DataError
from utb_inspect.tasks import chat, user_tool_bench


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_dataset(tmp_path_factory.mktemp("harbour") / "harbour"))


def answers_chat_alone(data: str) -> Any:
    """Right on chat turns; on the first other turn the provider fails, on the rest the decision is wrong."""
    turns = load(data).turns
    chats = {t.id for t in turns if t.task_type == "chat"}
    fails = next(t.id for t in turns if t.id not in chats)

    def script(seen: Seen) -> Any:
        return output("", stop="content_filter") if seen.sample == fails else output("Certainly.")

    return script, len(chats), len(turns)


def test_errors_are_counted_and_stand_beside_the_accuracy(data: str) -> None:
    script, chats, turns = answers_chat_alone(data)
    found = summarise(run(user_tool_bench(data=data), script))
    assert (found.samples, found.scored, found.errored) == (turns, turns - 1, 1)
    assert found.exact == pytest.approx(chats / (turns - 1))
    assert found.exact is not None
    assert found.with_errors_wrong(found.exact) == pytest.approx(chats / turns)
    assert found.upstream is None


def test_epochs_count_apart(data: str) -> None:
    found = summarise(run(chat(data=data), lambda seen: output("Certainly."), epochs=2))
    chats = sum(t.task_type == "chat" for t in load(data).turns)
    assert (found.samples, found.scored, found.errored, found.exact) == (2 * chats, 2 * chats, 0, 1.0)


def test_the_command_names_what_it_cannot_read(data: str, tmp_path: Path) -> None:
    run(chat(data=data), lambda seen: output("Certainly."), log_dir=str(tmp_path / "logs"))
    shown = CliRunner().invoke(main, ["summary", str(tmp_path / "logs")])
    assert shown.exit_code == 0
    assert "chat" in shown.output
    assert "signature: data:harbour@" in shown.output
    (tmp_path / "empty").mkdir()
    assert CliRunner().invoke(main, ["summary", str(tmp_path / "empty")]).exit_code == 2
    broken = tmp_path / "broken.eval"
    broken.write_bytes(b"no zip")
    with pytest.raises(DataError, match=r"broken\.eval"):
        list(summaries([str(broken)]))


def test_logs_of_other_suites_are_named() -> None:
    log = run(Task(dataset=[Sample(input="Hello", id=1)], name="other"), lambda seen: output("Hello."))
    with pytest.raises(DataError, match="other"):
        summarise(log)
