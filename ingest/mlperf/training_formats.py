"""Number formats of training runs, read from the configuration files of a submission.

The logs of a run do not name its number format. The submitted code does: a configuration file names it
(``…_fp4.sh``), sets it (``FP8=True``), or sources a file that sets it (checked on v3.1 to v5.1, 2026-11).
One row of `parse_configurations` is one configuration that can be run. Which result it belongs to is decided where
both are known: in int_training__format_candidates.

The format is the lowest of the weight matrix multiplications; attention may run higher.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ingest.core import values
from ingest.core.errors import RecordRejected
from ingest.core.records import Parsed
from ingest.mlperf.training_score import benchmark_of_folder

CONFIGURATION_PATTERNS = (
    "/*/benchmarks/*/config*.sh",
    *(f"/*/benchmarks/*/implementations/**/config*.{suffix}" for suffix in ("sh", "yaml", "yml")),
)
"""Configuration files of a training release."""

REPORTED_FLOPS = "MODEL_TFLOP_PER_SAMPLE"
_PATH = re.compile(r"([^/]+)/benchmarks/([^/]+)/(?:implementations/([^/]+)/)?(.*?config[^/]*\.(?:sh|ya?ml))$")
_SIZE = re.compile(r"(?:^|_)0*(\d+)x0*(\d+)x")
_PART = re.compile(r"GB[23]00|GH200|B[23]00|H[12]00|A100|MI\d{3}X?", re.IGNORECASE)
# NVIDIA's own naming, which others keep with its code: the part, then nodes x accelerators
_REFERENCE_NAME = re.compile(r"config_(?:DGX|SMC)?(?:GB|B|H|A)\d{3}_\d+x\d+x")
_SHARED_NAME = re.compile(r"common|mounts|shared|^config_(?:fp8|fp4|bf16)\.")
_FORMAT_IN_NAME = re.compile(r"_(?:nv|mx)?(fp4|fp8|bf16)(?=[_.])", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"""^\s*(?:export\s+|:\s*"?\$\{)?(\w+)\s*:?=\s*(.*?)\}?"?\s*$""")
_YAML_ENTRY = re.compile(r"^\s*(\w+):\s+(\S.*?)\s*$")
_SOURCE = re.compile(r"^\s*(?:source|\.)\s+(.*)$")
_SCRIPT = re.compile(r"[\w.+\-]+\.sh")
# folders of one benchmark under several names (checked on v3.1 to v5.1)
_BENCHMARK_FOLDERS = {
    "dlrm": "dlrm_dcnv2",
    "dlrm_v2": "dlrm_dcnv2",
    "ft-llm": "llama2_70b_lora",
    "llama2-70b_lora": "llama2_70b_lora",
    "llama2_70b": "llama2_70b_lora",
    "llama3_8b": "llama31_8b",
}
_ON = "true|1"
# setting, what its value has to match, number format; the first that matches counts
_FORMAT_OF_SETTING = (
    ("FP4", _ON, "fp4"),
    ("FP8", _ON, "fp8"),
    # weights are held in FP8; of no effect where FP8 is off
    ("FP8_PARAMS", _ON, "fp8"),
    ("FP8_PARAM_GATHER", _ON, "fp8"),
    ("PRECISION", ".*bf16.*", "bf16"),
    ("PRECISION", ".*fp16.*", "fp16"),
    ("PRECISION", ".*tf32.*", "tf32"),
    ("PRECISION", "amp", "mixed"),
    ("AMP", _ON, "mixed"),
    ("USE_MIXED_PRECISION", _ON, "mixed"),
    ("AMP_LVL", "(?!0$).+", "mixed"),
)
_SETTINGS = frozenset(
    {name for name, _, _ in _FORMAT_OF_SETTING}
    | {"DGXNNODES", "DGXNGPU", "NNODES", "GPUS_PER_NODE", REPORTED_FLOPS}
)


@dataclass(frozen=True, kw_only=True)
class TrainingConfiguration:
    """One configuration that can be run: (release, submitter, benchmark, implementation, file).

    ``number_formats`` are those it can mean, comma-separated: one where it is certain, several where the files that
    decide are not known, None where nothing names one. ``evidence`` is the evidence in words. ``part_in_name`` is the
    accelerator in the file's name. ``model_tflop_per_sample`` is the submitter's own count of model FLOPs, in 1e12.
    """

    release: str
    submitter: str
    benchmark: str
    benchmark_folder: str
    implementation: str
    file: str
    nodes: int | None
    accelerators_per_node: int | None
    part_in_name: str | None
    model_in_name: str | None
    number_formats: str | None
    evidence: str
    model_tflop_per_sample: float | None


@dataclass
class ConfigurationFile:
    """Names and settings of one configuration file.

    Attributes:
        submitter: folder of the submitter.
        benchmark: folder of the benchmark.
        implementation: folder of the implementation; empty where there is none.
        file: path below the implementation.
        settings: name → value, comments and quotes removed; only those this module reads.
        sources: names of the files it sources, in order; None where they are not known.
    """

    submitter: str
    benchmark: str
    implementation: str
    file: str
    settings: dict[str, str] = field(default_factory=dict)
    sources: list[str] | None = None

    @cached_property
    def name(self) -> str:
        """File name without its folders."""
        return self.file.rpartition("/")[2]

    def set_value(self, name: str, value: str) -> None:
        """Keep a setting if this module reads it, without comments and quotes."""
        if name.upper() in _SETTINGS:
            self.settings[name.upper()] = value.partition(" #")[0].strip().strip("\"'").strip()

    @property
    def is_shared(self) -> bool:
        """Whether other configurations source it and nobody runs it by itself."""
        return bool(_SHARED_NAME.search(self.name))

    @property
    def format_in_name(self) -> str | None:
        """The number format that the file's name states."""
        match = _FORMAT_IN_NAME.search(self.name)
        return match and match[1].lower()


_Implementations = dict[str, dict[str, ConfigurationFile]]
"""The configuration files of a submitter's benchmark: implementation → name → file."""


class ConfigurationReader:
    """Collects the configuration files of a release while its tree is read.

    Args:
        release: the round.
    """

    def __init__(self, release: str) -> None:
        self.release = release
        self.files: list[ConfigurationFile] = []
        self.rejects: list[RecordRejected] = []

    def add(self, path: str, payload: bytes) -> bool:
        """Read a file of the tree if it is a configuration file, and return whether it is one."""
        place = _PATH.fullmatch(path)
        if place is None:
            return False
        try:
            self.files.append(_read_file(place, payload.decode()))
        except UnicodeDecodeError as e:
            problem, remedy = (
                f"not UTF-8 text ({e})",
                "the number format of its runs stays unknown; look at the file",
            )
            self.rejects.append(
                RecordRejected(payload=path, record="(whole file)", problem=problem, remedy=remedy)
            )
        return True

    def parsed(self) -> Parsed[TrainingConfiguration]:
        """The configurations of the files read so far."""
        return parse_configurations(self.files, release=self.release, rejects=self.rejects)


def _read_file(place: re.Match[str], text: str) -> ConfigurationFile:
    submitter, benchmark, implementation, file = place.groups()
    is_shell = file.endswith(".sh")
    sources: list[str] | None = [] if is_shell else None
    out = ConfigurationFile(submitter, benchmark, implementation or "", file, sources=sources)
    for line in text.splitlines():
        if sources is not None and (source := _SOURCE.match(line)):
            sources += _SCRIPT.findall(source[1])[-1:]
        elif entry := (_ASSIGNMENT if is_shell else _YAML_ENTRY).match(line):
            out.set_value(entry[1], entry[2])
    return out


def parse_configurations(
    files: Iterable[ConfigurationFile], *, release: str, rejects: Iterable[RecordRejected] = ()
) -> Parsed[TrainingConfiguration]:
    """One row for each configuration that can be run.

    Args:
        files: of one release, in any order.
        release: the round.
        rejects: files that could not be read.

    Returns:
        Rows, and the files that only others source as out of scope.
    """
    out: Parsed[TrainingConfiguration] = Parsed(rejects=list(rejects))
    folders: defaultdict[tuple[str, str], _Implementations] = defaultdict(dict)
    every = list(files)
    for file in every:
        folders[file.submitter, file.benchmark].setdefault(file.implementation, {})[file.name] = file
    for file in every:
        if file.is_shared:
            out.out_of_scope("a file that only other configurations source")
        else:
            out.rows.append(_configuration(file, folders[file.submitter, file.benchmark], release))
    out.rows.sort(key=lambda r: (r.submitter, r.benchmark_folder, r.implementation, r.file))
    out.read(len(every) + len(out.rejects))
    return out.checked(f"training configurations {release}")


def _configuration(
    file: ConfigurationFile, implementations: _Implementations, release: str
) -> TrainingConfiguration:
    origins = _with_sources(file, implementations, frozenset())
    settings = {name: value for name, (value, _) in origins.items()}
    number_formats, evidence = _formats(file, origins, implementations)
    size = _SIZE.search(file.name.removeprefix("config")) or ("", "", "")
    part = _PART.search(file.name)
    model = re.search(r"_(\d+b)(?=[_.])", file.name)
    reported = settings.get(REPORTED_FLOPS, "")
    return TrainingConfiguration(
        release=release,
        submitter=file.submitter,
        benchmark=_benchmark(file.benchmark),
        benchmark_folder=file.benchmark,
        implementation=file.implementation,
        file=file.file,
        nodes=_integer(settings, "DGXNNODES", "NNODES") or values.integer(size[1]),
        accelerators_per_node=_integer(settings, "DGXNGPU", "GPUS_PER_NODE") or values.integer(size[2]),
        part_in_name=part[0].upper() if part else None,
        model_in_name=model[1] if model else None,
        number_formats=",".join(number_formats) or None,
        evidence=evidence,
        model_tflop_per_sample=float(reported) if re.fullmatch(r"\d+(\.\d+)?", reported) else None,
    )


def _benchmark(folder: str) -> str:
    """MLCommons' key of an implementation's folder, which some submitters name otherwise (``gpt3.4.28``)."""
    name = re.sub(r"(?<=[a-z0-9])\.\d+\.\d+$", "", folder)
    return _BENCHMARK_FOLDERS.get(name, benchmark_of_folder(name))


def _integer(settings: dict[str, str], *names: str) -> int | None:
    """Value of the first of the settings that holds a number: ``8``, ``${DGXNNODES:=8}``."""
    for name in names:
        if match := re.search(r"(\d+)\W*$", settings.get(name, "")):
            return values.integer(match[1])
    return None


def _with_sources(
    file: ConfigurationFile, implementations: _Implementations, seen: frozenset[str]
) -> dict[str, tuple[str, str]]:
    """Values of the settings in force, and the file that each one comes from; later files override earlier ones."""
    settings: dict[str, tuple[str, str]] = {}
    for source in _sources(file, implementations):
        if source.name not in seen | {file.name}:
            settings |= _with_sources(source, implementations, seen | {file.name})
    return settings | {name: (value, file.name) for name, value in file.settings.items()}


def _sources(file: ConfigurationFile, implementations: _Implementations) -> list[ConfigurationFile]:
    """Files that a configuration sources: those it lists, else those its name implies."""
    if file.is_shared and not file.sources:
        return []
    shared = _shared_files(file, implementations)
    if file.sources is not None:
        here = implementations[file.implementation]
        return [known for name in file.sources if (known := here.get(name) or shared.get(name))]
    words = set(re.split(r"[_.]", file.name))
    implied = []
    for name, other in shared.items():
        stated = set(re.split(r"[_.]", name)) & {"8b", "405b"}
        prefix = name.partition("_common")[0]
        if other.format_in_name not in (None, file.format_in_name) and name != "config_fp8.sh":
            continue
        if "fp8attn" in name or (
            stated and not stated & words and not (stated == {"405b"} and "8b" not in words)
        ):
            continue
        if name in ("config_fp8.sh", "config_common.sh") or (prefix and file.name.startswith(prefix)):
            implied.append(other)
    # the one without a word in its name comes first: the others refine it
    return sorted(
        implied, key=lambda f: (f.name != "config_common.sh", f.format_in_name is not None, len(f.name))
    )


def _shared_files(file: ConfigurationFile, implementations: _Implementations) -> dict[str, ConfigurationFile]:
    """Shared files of the folder; where it has none and the name is NVIDIA's, those of the submitter's other folder.

    Some submitters keep the size-specific files apart from the code they belong to.
    """
    shared = {
        implementation: {n: f for n, f in files.items() if f.is_shared}
        for implementation, files in implementations.items()
    }
    own = shared.pop(file.implementation)
    if own or not _REFERENCE_NAME.match(file.name):
        return own
    others = [files for files in shared.values() if files]
    return others[0] if len(others) == 1 else {}


def _formats(
    file: ConfigurationFile, settings: dict[str, tuple[str, str]], implementations: _Implementations
) -> tuple[list[str], str]:
    """Formats a configuration can mean, lowest first, and the evidence."""
    if file.format_in_name:
        return [file.format_in_name], f"{file.format_in_name} in the file's name"
    number_format, setting = _format_of_settings({name: value for name, (value, _) in settings.items()})
    if number_format is None:
        return [], "neither its name nor a known setting states a number format"
    value, origin = settings[setting]
    evidence = f"{setting}={value} in {origin}"
    if file.sources is not None or origin == file.name:
        return [number_format], evidence
    other = {f.format_in_name for f in _shared_files(file, implementations).values()} - {None, number_format}
    if other and not _REFERENCE_NAME.match(file.name):
        # v5.1 has a submitter's own file without fp4 in its name that sources config_common_fp4.sh
        formats = sorted({number_format, *(f for f in other if f)})
        return (
            formats,
            f"{evidence}; which shared files it sources is not known, and others set {', '.join(formats)}",
        )
    return [number_format], f"{evidence}, which its name implies"


def _format_of_settings(settings: dict[str, str]) -> tuple[str | None, str]:
    """The format that settings state, and the setting that does."""
    is_fp8_off = re.fullmatch("false|0", settings.get("FP8", "").lower())
    for name, pattern, number_format in _FORMAT_OF_SETTING:
        has_effect = not (is_fp8_off and name.startswith("FP8_"))
        if has_effect and re.fullmatch(pattern, settings.get(name, "").lower()):
            return number_format, name
    return None, ""
