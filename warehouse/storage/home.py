"""Where things lie: one root (``ACCELMART_HOME``, default ``data/``) and the names below it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

DBT_PROJECT_DIR = Path(__file__).resolve().parents[2] / "dbt_project"
SNAPSHOT_DIR = Path(__file__).resolve().parents[1] / "snapshot"
GENERATIONS_TO_KEEP = 3
"""How many published generations stay, unless ``ACCELMART_GENERATIONS_KEPT`` says otherwise."""


@dataclass(frozen=True)
class Home:
    """The folders of one installation. Nothing is created until it is written to.

    Args:
        root: absolute path of the data root.
        landing_url: filesystem URL of the landing zone.
        spark_url: Spark Connect server that joins many prices to intervals; empty for DuckDB.
        spark_exchange: filesystem URL through which it gets them; empty for a folder of the data root.
    """

    root: Path
    landing_url: str
    spark_url: str = ""
    spark_exchange: str = ""

    @property
    def local_landing(self) -> Path | None:
        """The landing zone's folder; None where it lies on a remote filesystem."""
        if "://" not in self.landing_url:
            return Path(self.landing_url).absolute()
        if self.landing_url.startswith("file://"):
            return Path(unquote(urlsplit(self.landing_url).path))
        return None

    @property
    def raw(self) -> Path:
        """Parsed Parquet, cached by payload and parser version."""
        return self.root / "raw"

    @property
    def scenarios(self) -> Path:
        """The user's assumptions about ownership, as earlier versions read them."""
        return self.root / "scenarios.yaml"

    @property
    def overrides(self) -> Path:
        """Folder of the operator's decisions and the user's reference data."""
        return self.root / "overrides"

    @property
    def holds(self) -> Path:
        """What an operator held or withdrew, as earlier versions wrote it."""
        return self.root / "holds.json"

    @property
    def accepted_payloads(self) -> Path:
        """Hashes of accepted payloads, as earlier versions wrote them."""
        return self.root / "accepted_payloads.json"

    @property
    def builds(self) -> Path:
        """Builds under way; swept when the next one starts."""
        return self.root / "builds"

    @property
    def generations(self) -> Path:
        """The last published files."""
        return self.root / "generations"

    @property
    def published(self) -> Path:
        """The warehouse people read."""
        return self.root / "accelmart.duckdb"

    @property
    def publication(self) -> Path:
        """Record of the published generation and of its pin; replacing this file is what publishes."""
        return self.root / "published.json"

    @property
    def last_build(self) -> Path:
        """Outcome of the last build."""
        return self.root / "last_build.json"

    @property
    def report(self) -> Path:
        """The report of the published generation."""
        return self.root / "report.html"

    @property
    def exports(self) -> Path:
        """Public relations as Parquet, of the published file."""
        return self.root / "exports"

    @property
    def docs(self) -> Path:
        """Documentation generated from what is published."""
        return self.root / "docs"

    @property
    def site(self) -> Path:
        """The website: report, SQL console, documentation."""
        return self.root / "site"

    @property
    def repositories(self) -> Path:
        """Checkouts of result repositories, each while it is read."""
        return self.root / "repositories"

    @property
    def dagster(self) -> Path:
        """DAGSTER_HOME: run history and events."""
        return self.root / "dagster"

    @property
    def dbt_target(self) -> Path:
        """dbt's manifest and logs."""
        return self.root / "dbt"

    @property
    def build_lock(self) -> Path:
        """One build at a time; the kernel frees it when its holder dies."""
        return self.root / "build.lock"
