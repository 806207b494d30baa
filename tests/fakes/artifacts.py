"""Artifacts in memory."""

from collections.abc import Callable, Mapping, Sequence

from bot.core.ci import Artifact, Contents, Entry, Unreadable


class FakeArtifactReader:
    """An `ArtifactReader`; `files` holds the files of each artifact by its id, or why it cannot be read.

    `read_files` names the files whose bytes were asked for, in order.
    """

    def __init__(self, files: Mapping[int, Mapping[str, bytes] | str]) -> None:
        self.files = files
        self.read_files: list[str] = []

    def read(
        self, artifacts: Sequence[Artifact], wanted: Callable[[Artifact, str], bool]
    ) -> Mapping[int, Contents | Unreadable]:
        return {it.id: self._read(it, wanted) for it in artifacts}

    def _read(self, artifact: Artifact, wanted: Callable[[Artifact, str], bool]) -> Contents | Unreadable:
        files = self.files.get(artifact.id, "there is no such artifact")
        if isinstance(files, str):
            return Unreadable(files)
        chosen = {name: content for name, content in files.items() if wanted(artifact, name)}
        self.read_files += chosen
        return Contents(tuple(Entry(name, len(content)) for name, content in files.items()), chosen)
