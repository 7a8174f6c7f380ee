"""MLCommons' result repositories as local git repositories, listed by the replayed GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from git_repositories import commit, git
from github import GitHub
from replay_server import ReplayServer


class MLCommons:
    """The organisation on the replayed GitHub.

    Args:
        server: the replay server.
        folder: folder of the repositories and the git configuration.
    """

    def __init__(self, server: ReplayServer, folder: Path) -> None:
        self.github = GitHub(server)
        self._repositories = folder / "repositories"
        self._repositories.mkdir(parents=True, exist_ok=True)
        self._configuration = folder / "gitconfig"
        self._configuration.write_text(
            f'[url "{self._repositories.as_uri()}/"]\n\tinsteadOf = https://github.com/mlcommons/\n'
            "[safe]\n\tdirectory = *\n"
        )

    @property
    def settings(self) -> dict[str, str]:
        """Return an environment in which git fetches from this machine instead of github.com."""
        return {"GIT_CONFIG_GLOBAL": str(self._configuration)}

    def push(self, repository: str, files: Mapping[str, str]) -> str:
        """Commit files to a repository, which is created at its first commit. Return the commit."""
        folder = self._repositories / f"{repository}.git"
        if not folder.exists():
            folder.mkdir()
            git(folder, "init", "-q")
            git(folder, "config", "uploadpack.allowFilter", "true")
        head = commit(folder, {path: text.encode() for path, text in files.items()})
        self.github.push(repository, head)
        return head
