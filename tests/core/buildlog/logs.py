"""The logs of real failures that the tests read."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "data" / "buildlogs"
LOGS = sorted(FOLDER.glob("*/*.log"))
