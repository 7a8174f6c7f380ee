"""Every environment variable stands in one place, is validated, and is documented."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from accelmart.published import published
from ingest.core.errors import AccelmartError
from ingest.registry import LIST_SOURCES
from orchestration import http_clients, settings
from orchestration.settings_page import settings_page

ROOT = Path(__file__).resolve().parents[2]
# set by a build for dbt, not by people
OF_DEPLOYMENT = {"ACCELMART_CODE_HOST", "ACCELMART_UI_PORT"}
OF_BUILDS = {"ACCELMART_BUILD_DB", "ACCELMART_BUILD_RAW"}


def product_files():
    for package in ("accelmart", "ingest", "warehouse", "orchestration"):
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_every_variable_that_the_code_names_is_a_setting():
    named = {name for _, text in product_files() for name in re.findall(r"\bACCELMART_[A-Z_]*[A-Z]\b", text)}
    assert {"ACCELMART_HOME", "ACCELMART_MIRROR"} <= named
    assert named - set(settings.SETTINGS) - OF_BUILDS - OF_DEPLOYMENT == set()


@pytest.mark.parametrize("name", ["ACCELMART_STORE", "ACCELMART_CONTCAT"])
def test_a_variable_that_is_no_setting_stops_every_command(name, monkeypatch):
    monkeypatch.setenv(name, "")
    monkeypatch.setenv("ACCELMART_CODE_HOST", "code")  # of deploy/
    settings.home()
    monkeypatch.setenv(name, "x")
    with pytest.raises(settings.SettingError, match=f"^{name} is no setting.*docs/settings.md.*Unset it$"):
        settings.home()


def test_what_sources_need_is_a_setting():
    sources = LIST_SOURCES.values()
    wanted = {name for source in sources for name in (*source.needs, *source.optional)}
    assert "GCP_API_KEY" in wanted
    assert wanted <= set(settings.SETTINGS)


def test_the_page_of_settings_is_that_of_the_code():
    written = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert written == settings_page(), "run `python -m orchestration.settings_page > docs/settings.md`"
    assert [n for n in settings.SETTINGS if f"`{n}`" not in written] == []


def test_docs_and_deployment_name_settings_only():
    files = [
        *(ROOT / "docs").rglob("*.md"),
        *(p for p in (ROOT / "deploy").rglob("*") if p.is_file() and p.suffix != ".pyc"),
    ]
    named = {
        n for f in files for n in re.findall(r"\bACCELMART_[A-Z_]*[A-Z]\b", f.read_text(encoding="utf-8"))
    }
    assert len(named) > 15 and named - set(settings.SETTINGS) == OF_DEPLOYMENT


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("ACCELMART_GENERATIONS_KEPT", "0", "a whole number of 1 and more"),
        ("ACCELMART_GENERATIONS_KEPT", "-1", "a whole number"),
        ("ACCELMART_GENERATIONS_KEPT", "3.5", "a whole number"),
        ("ACCELMART_GENERATIONS_KEPT", "many", "a whole number"),
        ("ACCELMART_GENERATIONS_KEPT", "²", "a whole number"),
        ("ACCELMART_MIRROR", "mirror:8080", "http"),
        ("ACCELMART_CONTACT", "a\nb: c", "printable ASCII"),
        ("ACCELMART_REBUILD_INTERVAL", "1.5", "whole seconds"),
        ("ACCELMART_RETRY_DELAY", "-5", "whole seconds"),
        ("ACCELMART_SENSOR_INTERVAL", "soon", "whole seconds"),
        ("ACCELMART_SCHEDULES", "prices=hourly", "group=minute hour day month weekday"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_what_is(monkeypatch, name, value, allowed):
    monkeypatch.setenv(name, value)
    with pytest.raises(settings.SettingError) as caught:
        settings.SETTINGS[name].read()
    assert str(caught.value).startswith(f"{name}={value.strip()!r}: give {allowed}")
    assert isinstance(caught.value, AccelmartError)


@pytest.mark.parametrize("name", settings.SETTINGS)
def test_a_blank_value_is_the_default_and_every_default_is_allowed(monkeypatch, name):
    setting = settings.SETTINGS[name]
    monkeypatch.delenv(name, raising=False)
    default = setting.read()
    monkeypatch.setenv(name, "  ")
    assert setting.read() == default


def test_values_are_read_in_their_type(monkeypatch):
    given = {
        "ACCELMART_GENERATIONS_KEPT": " 7 ",
        "ACCELMART_SENSOR_INTERVAL": "5",
        "ACCELMART_SCHEDULES": "prices=0 6 * * 1; serving=OFF",
        "DAGSTER_HOME": "/var/lib/dagster",
    }
    assert settings.GENERATIONS_KEPT.read() == 3
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert {n: settings.SETTINGS[n].read() for n in given} == {
        "ACCELMART_GENERATIONS_KEPT": 7,
        "ACCELMART_SENSOR_INTERVAL": 5,
        "ACCELMART_SCHEDULES": {"prices": "0 6 * * 1", "serving": None},
        "DAGSTER_HOME": Path("/var/lib/dagster"),
    }


def test_readers_and_pipeline_find_the_same_file(monkeypatch, tmp_path):
    for value in (str(tmp_path), ""):
        monkeypatch.setenv("ACCELMART_HOME", value)
        assert settings.home().published == published()


def test_the_landing_zone_can_lie_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path))
    monkeypatch.delenv("ACCELMART_LANDING", raising=False)
    assert settings.home().landing_url == str(tmp_path / "landing")
    monkeypatch.setenv("ACCELMART_LANDING", "memory://landing")
    assert settings.home().landing_url == "memory://landing"


def test_a_client_has_the_settings_of_requests(monkeypatch):
    monkeypatch.setenv("ACCELMART_CONTACT", "ops@example.org")
    assert "; ops@example.org)" in http_clients.http_client().user_agent
    monkeypatch.setenv("ACCELMART_MIRROR", "mirror")
    with pytest.raises(settings.SettingError, match="ACCELMART_MIRROR='mirror'"):
        http_clients.http_client()


def test_secrets_of_the_environment_are_hidden(monkeypatch):
    monkeypatch.setenv("A_TOKEN", "t-12345678")
    monkeypatch.setenv("ACCELMART_ALERT_URLS", "json://h/hooks/x  mailtos://u:p@h?to=a@b,c@d")
    monkeypatch.setenv("A_KEY", "accel")  # too short to be told from other text
    text = "t-12345678, json://h/hooks/x, mailtos://u:p@h?to=a@b,c@d, https://v:q@host/?api_key=1 accelmart"
    assert settings.hide_secrets(text) == "***, ***, ***, https://host/?api_key=*** accelmart"


def test_a_command_ends_with_the_error_of_a_setting(home):
    done = subprocess.run(
        [Path(sys.executable).with_name("accelmart"), "prune", "--dry-run"],
        env={**os.environ, "ACCELMART_HOME": str(home), "ACCELMART_GENERATIONS_KEPT": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "ACCELMART_GENERATIONS_KEPT='none': give a whole number of 1 and more" in done.stderr
