"""Artifacts in memory."""

from collections.abc import Callable, Mapping, Sequence

from bot.core.ci import Artifact, Contents, Entry, Unreadable


class FakeArtifactReader:
    """An `ArtifactReader` over `zips`: by artifact id its files, or why they cannot be read.

    An artifact that is not there is gone; `asked` holds the ids that were read, `read_files` the names of
    the files whose bytes were wanted.
    """

    def __init__(self, zips: Mapping[int, Mapping[str, bytes] | Unreadable] | None = None) -> None:
        self.zips = dict(zips or {})
        self.asked: list[int] = []
        self.read_files: list[str] = []

    def read(
        self, artifacts: Sequence[Artifact], wanted: Callable[[Artifact, str], bool]
    ) -> dict[int, Contents | Unreadable]:
        """Return the entries of each artifact and the files that are wanted."""
        return {artifact.id: self._read(artifact, wanted) for artifact in artifacts}

    def _read(self, artifact: Artifact, wanted: Callable[[Artifact, str], bool]) -> Contents | Unreadable:
        if artifact.expired:
            return Unreadable("the artifact has expired")
        self.asked.append(artifact.id)
        files = self.zips.get(artifact.id, Unreadable("the artifact is gone"))
        if isinstance(files, Unreadable):
            return files
        entries = tuple(Entry(name, len(content)) for name, content in files.items())
        chosen = {name: it for name, it in files.items() if wanted(artifact, name)}
        self.read_files += chosen
        return Contents(entries, chosen)
