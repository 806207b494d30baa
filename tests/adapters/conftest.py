"""A lab for adapters that talk to GitHub."""

from tests.judges.plugin import github_judge
from tests.lab.fixtures import lab, lab_stage

__all__ = ["github_judge", "lab", "lab_stage"]
