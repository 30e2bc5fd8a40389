"""What all tests share: Inspect kept out of the home folder, and where the public data is to be had."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("utb", deadline=None)  # times are not tested, and a busy machine would fail them
settings.load_profile("utb")

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

# Metadata that an editable install leaves in the checkout would hide that of the installed package from Inspect, which
# then registers tasks without the package's name.
sys.path[:] = [place for place in sys.path if Path(place).resolve() != ROOT]


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("XDG_DATA_HOME", str(home / "data"))
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        patch.setenv("INSPECT_LOG_DIR", str(home / "logs"))
        patch.setenv("INSPECT_DISPLAY", "none")
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Others' data beside the project; tests that need it say so when it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the public data in {SHARED}, which is not part of the project")
    return SHARED
