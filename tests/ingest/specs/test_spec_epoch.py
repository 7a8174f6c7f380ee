"""Epoch AI's CSV: three dated versions, and what has gone wrong in such files."""

import csv
import io

import pytest

from ingest.specs import epoch

OLD_HEAD = [
    *("Hardware name", "Memory size per board (Byte)", "TDP (W)"),
    *("Tensor-FP16/BF16 performance (FLOP/s)", "INT8 performance (OP/s)", "Max performance"),
]
NEW_HEAD = [
    *("TDP (W)", "Hardware name", "Memory (bytes)", "Memory bandwidth (byte/s)"),
    "Tensor-FP16/BF16 performance (FLOP/s)",
]


def parsed(head, *lines):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([head, *lines])
    return epoch.parse([("", io.BytesIO(text.getvalue().encode()))], key="ml_hardware")


def figures(result):
    return {(r.product_published, r.attribute): r.value for r in result.rows}


def real(spec_data, version):
    with (spec_data / f"epoch_ml_hardware_{version}.csv").open("rb") as file:
        return epoch.parse([("", file)], key="ml_hardware")


def test_columns_are_found_by_words_wherever_they_stand():
    old = parsed(OLD_HEAD, ["NVIDIA H100", "80000000000.0", "700.0", "989400000000000.0", "1.979e15", "inf"])
    new = parsed(NEW_HEAD, ["700.0", "NVIDIA H100", "80000000000.0", "3350000000000.0", "989400000000000.0"])
    assert figures(old) == {
        ("NVIDIA H100", "memory_gb"): 80,
        ("NVIDIA H100", "tdp_w"): 700,
        ("NVIDIA H100", "bf16_dense_tflops"): 989.4,
        ("NVIDIA H100", "fp16_dense_tflops"): 989.4,
        ("NVIDIA H100", "int8_dense_tops"): 1979,
    }
    assert figures(new)["NVIDIA H100", "memory_bandwidth_gb_s"] == 3350
    assert figures(new)["NVIDIA H100", "memory_gb"] == 80


def test_a_column_that_was_renamed_is_said_and_the_others_are_read():
    result = parsed(["Hardware name", "Memory in bytes", "TDP (W)"], ["X", "80e9", "700.0"])
    assert figures(result) == {("X", "tdp_w"): 700}
    assert any("memory_gb" in str(warning) for warning in result.warnings)


def test_an_empty_cell_is_unknown_and_not_zero():
    result = parsed(OLD_HEAD, ["A", "", "", "", "", ""])
    assert not result.rows and not result.rejects and result.records_in == 5


def test_line_breaks_in_cells_and_names():
    models = "GPT-4\n\tLlama, 3"
    result = parsed([*OLD_HEAD, "ML models"], ["NVIDIA\nH100\t SXM", "8e10", "700.0", "", "", "", models])
    assert {name for name, _ in figures(result)} == {"NVIDIA H100 SXM"}


@pytest.mark.parametrize(("version", "chips"), [("2025-12", 170), ("2026-01", 170), ("2026-04", 175)])
def test_every_real_version_is_read_whole(spec_data, version, chips):
    result = real(spec_data, version)
    # eleven columns, of which the one for FP16 and BF16 tells two attributes
    assert result.records_in == chips * 12
    assert not result.warnings and not result.rejects
    h100 = {a: v for (name, a), v in figures(result).items() if name == "NVIDIA H100 SXM5 80GB"}
    assert h100["bf16_dense_tflops"] == 989.4 and h100["memory_gb"] == 80 and h100["tdp_w"] == 700
    assert h100["memory_bandwidth_gb_s"] == 3350 and "fp8_dense_tflops" not in h100


def test_every_row_is_found_again_at_its_line(spec_data):
    path = spec_data / "epoch_ml_hardware_2026-04.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    for row in real(spec_data, "2026-04").rows:
        number = int(row.record.split(",")[0].removeprefix("line "))
        # the line a record ends with: its name may stand some lines above, where cells hold line breaks
        assert row.value_published in "\n".join(lines[max(0, number - 40) : number])
