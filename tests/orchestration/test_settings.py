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
OF_DEPLOYMENT = {"ACCELMART_CODE_HOST", "ACCELMART_UI_PORT"}


def test_every_variable_that_the_code_names_is_a_setting():
    packages = ("accelmart", "ingest", "warehouse", "orchestration")
    texts = [path.read_text(encoding="utf-8") for p in packages for path in (ROOT / p).rglob("*.py")]
    variables = r"\b(?:ACCELMART_[A-Z_]*[A-Z]|[A-Z]+_API_KEY)\b"
    named = {name for text in texts for name in re.findall(variables, text)}
    named |= {name for source in LIST_SOURCES.values() for name in source.needs}
    assert {"ACCELMART_HOME", "ACCELMART_MIRROR", "GCP_API_KEY"} <= named
    assert named - set(settings.SETTINGS) - OF_DEPLOYMENT == set()


def test_a_variable_that_is_no_setting_stops_every_command(monkeypatch):
    name = "ACCELMART_CONTCAT"
    monkeypatch.setenv(name, "")
    monkeypatch.setenv("ACCELMART_CODE_HOST", "code")  # of deploy/
    settings.home()
    monkeypatch.setenv(name, "x")
    with pytest.raises(settings.SettingError, match=f"^{name} is no setting.*docs/settings.md.*Unset it$"):
        settings.home()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ACCELMART_STORE", "ACCELMART_STORE is no setting, or was retired"),
        ("ACCELMART_GENERATIONS_KEPT", "ACCELMART_GENERATIONS_KEPT='none': give a whole number"),
    ],
)
def test_a_command_ends_with_the_error_of_a_setting(tmp_path, name, problem):
    command = [Path(sys.executable).with_name("accelmart"), "prune", "--dry-run"]
    environment = {**os.environ, "ACCELMART_HOME": str(tmp_path), name: "none"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and problem in done.stderr and "Traceback" not in done.stderr


def test_the_page_of_settings_is_that_of_the_code():
    written = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert written == settings_page(), "run `python -m orchestration.settings_page > docs/settings.md`"


def test_docs_and_deployment_name_settings_only():
    files = [*(ROOT / "docs").rglob("*.md"), *(p for p in (ROOT / "deploy").rglob("*") if p.is_file())]
    texts = [file.read_text(encoding="utf-8") for file in files]
    named = {name for text in texts for name in re.findall(r"\bACCELMART_[A-Z_]*[A-Z]\b", text)}
    assert len(named) > 15 and named - set(settings.SETTINGS) == OF_DEPLOYMENT


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("ACCELMART_GENERATIONS_KEPT", "0", "a whole number of 1 and more"),
        ("ACCELMART_GENERATIONS_KEPT", "many", "a whole number"),
        ("ACCELMART_MIRROR", "mirror:8080", "http"),
        ("ACCELMART_CONTACT", "a\nb: c", "printable ASCII"),
        ("ACCELMART_RETRY_DELAY", "-5", "whole seconds"),
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
    for name, value, expected in (
        ("ACCELMART_GENERATIONS_KEPT", " 7 ", 7),
        ("ACCELMART_SCHEDULES", "prices=0 6 * * 1; serving=OFF", {"prices": "0 6 * * 1", "serving": None}),
        ("DAGSTER_HOME", "/var/lib/dagster", Path("/var/lib/dagster")),
    ):
        monkeypatch.setenv(name, value)
        assert settings.SETTINGS[name].read() == expected


def test_readers_and_pipeline_find_the_same_file_and_the_landing_zone_can_lie_elsewhere(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("ACCELMART_LANDING", "memory://landing")
    for value in (str(tmp_path), ""):
        monkeypatch.setenv("ACCELMART_HOME", value)
        assert settings.home().published == published()
        assert settings.home().landing_url == "memory://landing"


def test_a_client_has_the_settings_of_requests(monkeypatch):
    monkeypatch.setenv("ACCELMART_CONTACT", "ops@example.org")
    assert "; ops@example.org)" in http_clients.http_client().user_agent


def test_secrets_of_the_environment_are_hidden(monkeypatch):
    monkeypatch.setenv("A_TOKEN", "t-12345678")
    monkeypatch.setenv("ACCELMART_ALERT_URLS", "json://h/hooks/x  mailtos://u:p@h?to=a@b,c@d")
    monkeypatch.setenv("A_KEY", "accel")  # too short to be told from other text
    text = "t-12345678, json://h/hooks/x, mailtos://u:p@h?to=a@b,c@d, https://v:q@host/?api_key=1 accelmart"
    assert settings.hide_secrets(text) == "***, ***, ***, https://host/?api_key=*** accelmart"
