"""MLCommons' result repositories as local git repositories, listed by the replayed GitHub.

The future round has one known result and one of an unknown part on an unknown benchmark, closed datacenter.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from git_repositories import commit, git
from github import GitHub
from replay_server import ReplayServer
from small_round import small_round
from small_training import small_training_round

RELEASES_CSV = Path(__file__).resolve().parents[2] / "dbt_project" / "seeds" / "mlperf_releases.csv"
FUTURE_RELEASE = "v9.9"
FUTURE_PART, FUTURE_BENCHMARK = "AMD Instinct MI9955X", "chess-70b"
KNOWN_RATE, FUTURE_RATE = 1600.0, 808.0


def known_rounds() -> dict[str, bool]:
    """Return every result repository of the seed of rounds → whether its facts are bundled."""
    with RELEASES_CSV.open(encoding="utf-8", newline="") as lines:
        return {
            f"{row['suite_kind']}_results_{row['release']}": not row["not_held_reason"]
            for row in csv.DictReader(lines)
        }


def small_tree(repository: str) -> dict[str, str]:
    """Return the files of a minimal round of the suite that the repository name states."""
    return small_training_round() if repository.startswith("training") else small_round(KNOWN_RATE)


def future_tree() -> dict[str, str]:
    """Files of the future round."""
    unknown = small_round(FUTURE_RATE, platform="new", accelerator=FUTURE_PART, benchmark=FUTURE_BENCHMARK)
    return small_round(KNOWN_RATE) | unknown


class MLCommons:
    """The organisation on the replayed GitHub.

    Args:
        server: the replay server.
        folder: folder of the repositories and the git configuration.
        limit: requests to GitHub per hour; 60 without a token.
    """

    def __init__(self, server: ReplayServer, folder: Path, limit: int = 60) -> None:
        self.github = GitHub(server, limit=limit)
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

    def push_every_round(self) -> None:
        """Create every known round as a minimal tree, and the future round."""
        for repository in known_rounds():
            self.push(repository, small_tree(repository))
        self.push(f"inference_results_{FUTURE_RELEASE}", future_tree())
