"""Override files: every defect is named with file and line, and good files become rows."""

import json

import pytest

from warehouse.decisions.overrides import OverridesRejected, read_overrides
from warehouse.storage.home import Home


@pytest.fixture
def home(tmp_path):
    (tmp_path / "overrides").mkdir()
    return Home(tmp_path, str(tmp_path / "landing"))


def write(home, name, text):
    (home.root / "overrides" / name).write_text(text, encoding="utf-8")


def test_a_pasted_line_and_a_file_with_a_header_give_the_same_record(home):
    write(home, "accelerator_aliases.csv", "^MI455X$,,amd-mi455x,1,false,\n")
    (pasted,) = read_overrides(home)
    # characters that nobody sees are no part of a name
    header = "pattern,accelerator_id,priority,is_mixed\n"
    write(home, "accelerator_aliases.csv", f"{header}\u2060^MI\u00ad455X$,amd-\u200bmi455x,1,false\n")
    (headed,) = read_overrides(home)
    assert (pasted.seed, pasted.file, pasted.line) == ("accelerator_aliases", "accelerator_aliases.csv", 1)
    assert headed.line == 2 and headed.record == pasted.record
    assert json.loads(pasted.record) == {
        "pattern": "^MI455X$",
        "accelerator_id": "amd-mi455x",
        "priority": "1",
        "is_mixed": "false",
    }


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("accelerator_alias.csv", "x", "Did you mean accelerator_aliases?"),
        ("accelerator_aliases.csv", "^X$,,,1,false,\n", "line 1: accelerator_id is empty"),
        ("accelerator_aliases.csv", "(,,x,1,false,\n", "line 1: pattern is not a valid regular expression"),
        ("accelerator_aliases.csv", "^X$,,x,1,false,\n^X$,,y,1,false,\n", "line 2: repeats the key"),
        ("accelerator_aliases.csv", '^X$,,"x,1,false,\n', "not valid CSV"),
        ("cloud_regions.csv", "acme,x,DE,fixed,X,https://x.test,\n", 'provider is "acme", not a provider of'),
        ("cloud_regions.csv", "aws,x,DE,guessed,X,https://x.test,\n", "country_rule is \"guessed\"; allowed: fixed"),
        ("mlperf_units.csv", "pages/s,pages/s,pages/s,,\n", "factor is empty: it must have a value"),
    ],
)  # fmt: skip
def test_a_defect_is_named_with_file_and_line(home, name, text, problem):
    write(home, name, text)
    with pytest.raises(OverridesRejected) as rejected:
        read_overrides(home)
    assert problem in str(rejected.value) and name in str(rejected.value)
    assert "the published warehouse is unchanged" in str(rejected.value)


def test_a_file_that_is_not_text_is_named(home):
    (home.root / "overrides" / "mlperf_units.csv").write_bytes(b"pages/s,\xff\xfe")
    with pytest.raises(OverridesRejected, match=r"mlperf_units.csv: not UTF-8 text \(byte 8\)"):
        read_overrides(home)


def test_an_override_may_refer_to_another_override(home):
    write(home, "cloud_providers.csv", "acme,Acme Cloud,neocloud,,https://acme.test,,,https://acme.test\n")
    write(home, "cloud_regions.csv", "acme,x,DE,fixed,X,https://acme.test,\n")
    assert [row.seed for row in read_overrides(home)] == ["cloud_providers", "cloud_regions"]
