"""Number formats from configuration files. Names and settings are those of real files of v4.1 and v5.1."""

import runpy
from dataclasses import asdict, fields
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from mlperf_payloads import has

from ingest.mlperf.training_formats import (
    ConfigurationReader,
    TrainingConfiguration,
    parse_configurations,
)

ROOT = Path(__file__).resolve().parents[3]
BENCH = SimpleNamespace(**runpy.run_path(str(ROOT / "bench/training_formats.py")))
FOLDER = "Dell/benchmarks/llama31_8b/implementations/nemo"
COMMON = "export FP8=True\nexport FP8_PARAM_GATHER=True\n"
COMMON_FP4 = "export FP4=True\nexport FP8=False\n"
COMMON_8B = "export MODEL_TFLOP_PER_SAMPLE=421.59\n"


def source(*names):
    return "".join(f"source $(dirname ${{BASH_SOURCE[0]}})/{name}\n" for name in names)


def read(files):
    reader = ConfigurationReader("v5.1")
    assert all(reader.add(f"{FOLDER}/{name}", text.encode()) for name, text in files.items())
    parsed = reader.parsed()
    assert parsed.is_balanced
    return {row.file: row for row in parsed.rows}


def test_a_file_without_a_format_in_its_name_has_that_of_the_files_it_sources():
    # both are real: Dell's second file sources config_common_fp4.sh and does not say so in its name
    two, one = "config_2xXE9680Lx8B200-SXM-180GB_2x8x2xtp1pp1cp1_8b.sh", "config_1xXE9680Lx8B200-SXM-180GB.sh"
    common = source("config_common.sh", "config_common_8b.sh")
    rows = read(
        {
            "config_common.sh": COMMON,
            "config_common_fp4.sh": COMMON_FP4,
            "config_common_8b.sh": COMMON_8B,
            two: common + "export DGXNNODES=2\nexport DGXNGPU=8\n",
            one: source("config_common.sh", "config_common_fp4.sh")
            + "export DGXNNODES=1\nexport DGXNGPU=8\n",
        }
    )
    assert rows.keys() == {two, one}, "files that others source are no configuration that can be run"
    assert has(rows[two], number_formats="fp8", nodes=2, accelerators_per_node=8, part_in_name="B200")
    assert has(rows[two], model_in_name="8b", model_tflop_per_sample=421.59, benchmark="llama31_8b")
    assert has(rows[one], number_formats="fp4", nodes=1, evidence="FP4=True in config_common_fp4.sh")
    assert has(rows[one], submitter="Dell", benchmark_folder="llama31_8b", implementation="nemo")


def test_a_configuration_may_be_yaml():
    text = "export FP8=True\nprecision: bf16 # of matrices\nnnodes: 4\n"
    (row,) = read({"config_1x8x1.yaml": text}).values()
    assert has(row, number_formats="bf16", nodes=4, accelerators_per_node=8)


TABLE = "release,submitter,benchmark,implementation,file,kind,name,value\n"


def from_table(*lines):
    files = BENCH.read_settings_table((TABLE + "\n".join(lines)).encode())["v5.1"]
    return {row.file: row for row in parse_configurations(files, release="v5.1").rows}


def test_where_sources_are_not_known_only_a_naming_that_is_kept_decides():
    folder = "v5.1,Dell,llama31_8b,nemo"
    rows = from_table(
        f"{folder},config_common.sh,setting,FP8,True",
        f"{folder},config_common_fp4.sh,setting,FP4,True",
        f"{folder},config_common_fp4.sh,setting,FP8,False",
        f"{folder},config_GB300_2x4x2xtp1pp1cp1_8b.sh,file,,",
        f"{folder},config_GB300_2x4x2xtp1pp1cp1_8b_fp4.sh,file,,",
        f"{folder},config_1xXE9680Lx8B200-SXM-180GB.sh,setting,DGXNNODES,1",
    )
    assert rows["config_GB300_2x4x2xtp1pp1cp1_8b.sh"].number_formats == "fp8"
    assert rows["config_GB300_2x4x2xtp1pp1cp1_8b_fp4.sh"].number_formats == "fp4"
    # a submitter's own name: the file may source either
    assert rows["config_1xXE9680Lx8B200-SXM-180GB.sh"].number_formats == "fp4,fp8"


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        ("FP8_PARAMS", "1", "fp8"),
        ("FP8_HYBRID", "True", None),  # which FP8, not whether
        ("USE_MIXED_PRECISION", "true", "mixed"),
        ("PRECISION", '"--static_cast --fp16in "', "fp16"),
        ("precision", "16", None),  # bf16 or fp16
        ("PRECISION", "tf32", "tf32"),
        ("AMP_LVL", "2", "mixed"),
        ("FP4", "False", None),
        # fp8 weights do not count where FP8 is off
        ("FP8,False\nv5.1,A,b,i,config_X_1x8x1.sh,setting,FP8_PARAM_GATHER", "True", None),
        ("FP8_PARAM_GATHER", "True", "fp8"),
    ],
)
def test_settings_of_a_file(setting, value, expected):
    value = value.replace('"', '""')
    rows = from_table(f'v5.1,A,b,i,config_X_1x8x1.sh,setting,{setting},"{value}"')
    assert rows["config_X_1x8x1.sh"].number_formats == expected


def test_a_node_count_may_be_a_default():
    (row,) = read({"config_DGXH100_1452x8x6.sh": 'export DGXNNODES="${DGXNNODES:=1452}"\n'}).values()
    assert (row.nodes, row.accelerators_per_node, row.part_in_name) == (1452, 8, "H100")


def test_a_file_that_is_no_text_is_rejected_and_its_neighbours_survive():
    reader = ConfigurationReader("v5.1")
    assert reader.add(f"{FOLDER}/config_bad_1x8x1.sh", b"\xff\xfe")
    assert reader.add(f"{FOLDER}/config_good_1x8x1.sh", b"export FP8=True\n")
    assert not reader.add("Dell/systems/x.json", b"{}")
    parsed = reader.parsed()
    assert [row.file for row in parsed.rows] == ["config_good_1x8x1.sh"]
    assert [reject.payload for reject in parsed.rejects] == [f"{FOLDER}/config_bad_1x8x1.sh"]
    assert parsed.records_in == 2 and parsed.is_balanced


def test_files_that_source_each_other_end():
    a, b = "config_a_1x8x1.sh", "config_b_1x8x1.sh"
    rows = read({a: source(b), b: source(a)})
    assert [row.number_formats for row in rows.values()] == [None, None]


def test_the_real_table_is_accounted_for_and_gives_the_shipped_formats(mlperf_data):
    shipped = ROOT / "warehouse/snapshot/mlperf_training_configurations"
    releases = BENCH.read_settings_table((mlperf_data / "training_config_settings.csv").read_bytes())
    assert sorted(releases) == ["v3.1", "v4.0", "v4.1", "v5.0", "v5.1"]
    assert len(list(shipped.glob("*.parquet"))) == len(releases)
    for release, files in releases.items():
        parsed = parse_configurations(BENCH.with_sources_read(release, files), release=release)
        assert parsed.is_balanced and parsed.records_in == len(files)
        (path,) = shipped.glob(f"*__{release}__*.parquet")
        names = [field.name for field in fields(TrainingConfiguration)]
        assert pq.read_table(path, columns=names).to_pylist() == [asdict(row) for row in parsed.rows]
    # the 512 GB300 of NVIDIA have a configuration of either format
    formats = {r.file: r.number_formats for r in parsed.rows if r.implementation.startswith("theia_ngpu512")}
    assert formats["config_GB300_128x4x72xtp2pp8cp2_cg.sh"] == "fp8"
    assert formats["config_GB300_128x4x72xtp2pp8cp2_cg_fp4.sh"] == "fp4"
