"""Fixtures of the tests that run on an emulator of somebody else's making."""

from tests.emulators.emulator import emulator, emulator_as_shipped, emulator_process
from tests.judges.plugin import github_judge
from tests.lab.fixtures import lab, lab_stage

__all__ = ["emulator", "emulator_as_shipped", "emulator_process", "github_judge", "lab", "lab_stage"]
