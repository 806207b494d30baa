"""The cluster of these tests, and the bot's own way to it."""

import pytest

from bot.builders.slurm import Patience, SlurmCluster
from tests.slurm.cluster import cluster, session_cluster

__all__ = ["cluster", "session_cluster"]


@pytest.fixture
def logs(tmp_path):
    return tmp_path / "logs"


@pytest.fixture
def slurm(cluster, logs):
    return SlurmCluster(logs, cluster.environ, Patience(poll=0.1, outage=20))
