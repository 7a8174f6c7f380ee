"""Release trees from tarballs and folders: what is kept, what is refused, and that packing depends on content alone."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from local_server import size_of

from ingest.core.errors import PayloadRejected
from ingest.core.trees import (
    Spool,
    TreeLimits,
    compile_patterns,
    looks_like_tarball,
    read_folder,
    read_tarball,
)

MLPERF = [
    "summary_results.json",
    "summary.json",
    "**/systems/*.json",
    "**/performance/run_1/mlperf_log_summary.txt",
    "**/performance/run_1/spl.txt",
    "**/performance/run_1/mlperf_log_detail.txt",
    "**/accuracy/accuracy.txt",
    "**/measurements.json",
]
TREE = {
    "summary_results.json": b"[]",
    "closed/ACME/systems/s1.json": b'{"a": 1}',
    "closed/ACME/results/s1/llama2-70b-99/Offline/performance/run_1/mlperf_log_summary.txt": b"Result is : VALID\n",
    "closed/ACME/results/s1/llama2-70b-99/Offline/accuracy/accuracy.txt": b"",
    "closed/ACME/results/s1/" + "long-name-" * 20 + "/measurements.json": b"x" * 1025,
    "open/Bäcker/systems/ü.json": b"{}",
    "README.md": b"not wanted",
    "closed/ACME/code/systems.json": b"not wanted",
}
SPARSE = b"1\n0\n1\n".ljust(512, b"\0") + b"x"  # a map of one extent, then the extent
SPARSE_HEADERS = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1"}
WANTED = {path: data for path, data in TREE.items() if data != b"not wanted"}


def member(name: str, data: bytes = b"", **fields) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


def tar(
    *members: tuple[tarfile.TarInfo, bytes], dialect: int = tarfile.PAX_FORMAT, ends: bool = True, **pax
) -> bytes:
    """A tarball written header by header, so that headers may lie."""
    out = io.BytesIO()
    if pax:
        out.write(tarfile.TarInfo.create_pax_global_header(pax))
    for info, data in members:
        out.write(info.tobuf(dialect, "utf-8", "surrogateescape") + data + bytes(-len(data) % 512))
    return out.getvalue() + (bytes(1024) if ends else b"")


def tree_tar(tree: dict[str, bytes], top: str = "", **given) -> bytes:
    folders = [member(top, type=tarfile.DIRTYPE)] if top else []
    return tar(*folders, *(member(top + path, data) for path, data in tree.items()), **given)


def read_all(data: bytes, patterns=("**",), **limits):
    members = read_tarball(io.BytesIO(data), patterns, TreeLimits(**limits))
    return dict(members), members


def write_tree(folder: Path, tree: dict[str, bytes]) -> Path:
    for path, data in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


PATTERNS = [
    *("summary.json", "/summary.json", "a/*.json", "**/systems/*.json", "a/**/z", "a/**", "**"),
    *("result_*.txt", "a.b+c"),
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_agree_with_git(tmp_path, pattern):
    """git's own sparse patterns mean the same, for files."""
    paths = [
        *("summary.json", "a/b/summary.json", "a/summary.json", "xsummary.json", "summaryxjson"),
        *("a/b.json", "a/b/c.json", "a/b.json5", "systems/a.json", "x/y/systems/a.json", "xsystems/a.json"),
        *("systems/a/b.json", "a/z", "a/b/z", "a/b/c/z", "az", "b/a/z"),
        *("x/result_1-2_3.txt", "result_.txt", "result_1.txt.bak", "a.b+c"),
    ]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git/info/exclude").write_text(pattern)
    command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
    asked = subprocess.run(command, input="\0".join(paths).encode(), capture_output=True)
    git_says = asked.stdout.decode().strip("\0").split("\0")
    assert [path for path in paths if compile_patterns([pattern]).fullmatch(path)] == git_says


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("dialect", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
@pytest.mark.parametrize("top", ["", "./", "inference_results_v5.1-main/"])
def test_every_kind_of_tarball_gives_the_same_files(squeeze, dialect, top):
    data = squeeze(tree_tar(TREE, top, dialect=dialect))
    assert looks_like_tarball(data[:512])
    found, members = read_all(data, MLPERF)
    assert found == WANTED
    assert (members.members_seen, members.members_refused) == (len(TREE), [])


def test_the_commit_of_a_github_tarball_is_found():
    for comment, commit in (("0123456789" * 4, "0123456789" * 4), ("hello", None)):
        assert read_all(tree_tar(TREE, "repo-main/", comment=comment))[1].commit == commit


@pytest.mark.parametrize(
    ("names", "seen"),
    [
        (["repo-main/a", "repo-main/b/c"], {"a", "b/c"}),
        (["closed/a", "closed/b"], {"closed/a", "closed/b"}),  # content, not GitHub's wrapping
        (["repo-main/a", "other-main/b"], {"repo-main/a", "other-main/b"}),
        (["repo-main/a", "b"], {"repo-main/a", "b"}),
        (["repo-main"], {"repo-main"}),
    ],
)
def test_only_the_single_github_folder_is_taken_away(tmp_path, names, seen):
    tree = dict.fromkeys(names, b"x")
    assert set(read_all(tree_tar(tree))[0]) == seen
    assert set(dict(read_folder(write_tree(tmp_path, tree), ["**"]))) == seen


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (member("a/../../up.json", b"x"), "leads out"),
        (member("/etc/passwd", b"x"), "absolute"),
        (member("link", type=tarfile.LNKTYPE, linkname="good"), "a link"),
        (member("odd", b"x", type=b"Z"), "a device"),
        (member("sparse", b"x", type=tarfile.GNUTYPE_SPARSE), "sparse"),
        (member("sparse", SPARSE, pax_headers=SPARSE_HEADERS), "sparse"),
        (member("big", b"x" * 1001), "1001 bytes, more than the limit of 1000"),
        (member("./good", b"second"), "second time; the first one is kept"),
        (member("caf\udce9", b"x"), "not UTF-8"),
        (member("systems/" * 100_000 + "x", b"x"), "800001 characters"),
    ],
    ids=size_of,
)
def test_a_bad_member_is_refused_and_the_rest_goes_on(bad, reason):
    data = tar(member("good", b"1"), bad, member("last", b"2" * 1000))
    for packed in (data, gzip.compress(data)):
        found, members = read_all(packed, max_member_bytes=1000)
        assert found == {"good": b"1", "last": b"2" * 1000}
        ((name, said),) = members.members_refused
        assert reason in said and members.members_refused_count == 1
        assert members.members_seen == 3
        name.encode()  # can be printed and stored


def test_links_nobody_asked_for_and_files_of_git_are_no_news():
    data = tar(
        member("code/link", type=tarfile.SYMTYPE, linkname="x"),
        member("../a.json", b""),
        member(".git/b.json", b""),
        member("a.json", b""),
    )
    found, members = read_all(data, ["*.json"])
    assert set(found) == {"a.json"}
    assert [name for name, _ in members.members_refused] == ["../a.json"]


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_member_that_claims_too_much_does_not_stop_us(squeeze):
    liar = member("liar", size=1 << 62)[0].tobuf(tarfile.GNU_FORMAT)
    data = squeeze(tar(member("first", b"1"), ends=False) + liar + b"little")
    members = read_tarball(io.BytesIO(data), ["**"])
    assert next(members) == ("first", b"1")
    with pytest.raises(PayloadRejected, match="cut short or damaged at unpacked byte 1542, in or after liar"):
        next(members)


def lie(info: tarfile.TarInfo, dialect: int = tarfile.GNU_FORMAT) -> bytes:
    """An archive with one header that is not true."""
    return tar(member("a"), ends=False) + info.tobuf(dialect)


def a_bit_wrong(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


SPARSE_WITHOUT_END = b"90000000\n" + b"0\n" * (4 << 20)
CLAIM, DAMAGE = "a header claims", "damaged at unpacked byte"
BOMB = "more than 1000000 bytes unpacked"
DAMAGED = {
    "extended header": (lie(member("x", size=1 << 40, type=tarfile.XHDTYPE)[0]), CLAIM),
    "negative": (lie(member("x", size=-1024)[0]) + tar(member("b")), CLAIM),
    "negative header": (lie(member("x", size=-1024, type=tarfile.XHDTYPE)[0]), CLAIM),
    "map without end": (
        lie(member("s", size=8 << 20, pax_headers=SPARSE_HEADERS)[0], tarfile.PAX_FORMAT)
        + SPARSE_WITHOUT_END,
        CLAIM,
    ),
    "chain of headers": (tar(member("a"), *[member("x", type=tarfile.XGLTYPE)] * 5000, member("b")), DAMAGE),
    "no map": (tar(member("a"), member("b", b"x" * 600, pax_headers=SPARSE_HEADERS)), DAMAGE),
    "cut between members": (tar(member("a", b"1"), ends=False), "before its end-of-archive mark"),
    "checksum": (a_bit_wrong(gzip.compress(tree_tar(TREE)), -6), "CRC check failed"),
    "header": (a_bit_wrong(tar(member("a", b"1"), member("b", b"2")), 1024), "byte 1536, in or after a "),
    **{
        f"bomb of {module.__name__}": (module.compress(tar(member("zeros", bytes(5_000_000)))), BOMB)
        for module in (gzip, bz2, lzma)
    },
    "bomb behind the end": (gzip.compress(tar(member("a", b"1")) + bytes(5_000_000)), BOMB),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_or_lying_archive_is_rejected(name):
    data, problem = DAMAGED[name]
    limit = 1_000_000 if problem == BOMB else 8 << 30
    with pytest.raises(PayloadRejected, match=problem):
        read_all(data, max_total_bytes=limit)


def test_too_many_members_are_rejected(tmp_path):
    tree = {f"{n}": b"" for n in range(11)}
    for members in (
        read_tarball(io.BytesIO(tree_tar(tree)), ["**"], TreeLimits(max_members=10)),
        read_folder(write_tree(tmp_path, tree), ["**"], TreeLimits(max_members=10)),
    ):
        with pytest.raises(PayloadRejected, match=r"^[a-z0-9_]+: it holds more than 10 members"):
            list(members)
    assert len(read_all(tree_tar(dict(list(tree.items())[:10])), max_members=10)[0]) == 10
    # names are kept in memory: one of 256 characters counts twice
    with pytest.raises(PayloadRejected, match="more than 10 members"):
        read_all(tree_tar({f"{n}{'x' * 255}": b"" for n in range(6)}), max_members=10)


def noise(size: int, seed: int = 0) -> bytes:
    """Bytes that do not compress."""
    return b"".join(hashlib.sha256(b"%d %d" % (seed, n)).digest() for n in range(size // 32))


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.97])
def test_of_a_truncated_tarball_the_beginning_is_good(squeeze, share):
    tree = {f"{n:03}": noise(3200, n) for n in range(100)}
    data = squeeze(tree_tar(tree))
    members = read_tarball(io.BytesIO(data[: int(len(data) * share)]), ["**"])
    found = {}
    with pytest.raises(PayloadRejected, match="damaged at"):
        for path, content in members:
            found[path] = content
    assert found == dict(list(tree.items())[: len(found)])
    if squeeze is not bz2.compress:  # bzip2 loses a block of 900 kB at a time
        assert (share - 0.1) * 100 < len(found) < 100


@pytest.mark.parametrize(
    "data",
    [b"", b"<html>" * 200, gzip.compress(b'{"a": 1}'), b"\x1f\x8bjunk that is long enough"],
    ids=size_of,
)
def test_what_is_no_tarball_is_reported(data):
    with pytest.raises(
        PayloadRejected, match=r"no tar archive, or damaged at its start \(.+\)\. To fix.*Unpack a"
    ):
        read_all(data)
    assert looks_like_tarball(data) is data.startswith(b"\x1f\x8b")


def test_a_folder_is_read_without_following_anything(tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("secret")
    folder = write_tree(tmp_path / "t", {"a/x.json": b"1", ".git/y.json": b"no", "big.json": b"x" * 1001})
    (folder / "link.json").symlink_to(secret)
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.json")
    (folder / os.fsdecode(b"caf\xe9.json")).write_bytes(b"x")
    members = read_folder(folder, ["*.json"], TreeLimits(max_member_bytes=1000))
    assert dict(members) == {"a/x.json": b"1"}
    refused = dict(members.members_refused)
    assert set(refused) == {"link.json", "pipe.json", "big.json", r"caf\udce9.json"}
    assert "a link" in refused["link.json"] and "a device" in refused["pipe.json"]
    assert "limit of 1000" in refused["big.json"] and "UTF-8" in refused[r"caf\udce9.json"]
    assert members.members_seen == 6


def test_a_folder_over_the_total_limit_is_rejected(tmp_path):
    folder = write_tree(tmp_path, {"a": b"x" * 600, "b": b"x" * 600})
    with pytest.raises(PayloadRejected, match="more than 1000 bytes"):
        list(read_folder(folder, ["**"], TreeLimits(max_total_bytes=1000)))
    assert len(list(read_folder(folder, ["**"], TreeLimits(max_total_bytes=1200)))) == 2


def test_the_same_tree_packs_to_the_same_bytes_whatever_it_came_from(tmp_path):
    folder = write_tree(tmp_path / "repo-main", TREE)
    backwards = dict(reversed(TREE.items()))
    github = gzip.compress(tree_tar(backwards, "repo-x/", dialect=tarfile.GNU_FORMAT))
    sources = [
        read_folder(folder, MLPERF),
        read_folder(tmp_path, MLPERF),
        read_tarball(io.BytesIO(tree_tar(TREE)), MLPERF),
        read_tarball(io.BytesIO(github), MLPERF),
        iter(WANTED.items()),
    ]
    spools = [Spool(source, io.BytesIO()) for source in sources]
    (data,) = {b"".join(spool.packed()) for spool in spools}
    assert {(len(spool), spool.rejected) for spool in spools} == {(len(WANTED), None)}
    assert {path: file.read() for path, file in spools[0]} == WANTED
    assert [path for path, _ in spools[-1]] == sorted(WANTED)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:  # a second reader
        assert {m.name: archive.extractfile(m).read() for m in archive} == WANTED
    assert list(read_all(data)[0].items()) == sorted(WANTED.items())
    # landed payloads are compared by sha256, across releases of Python too
    assert (
        hashlib.sha256(data).hexdigest() == "1096579374c3d68e184041a4eaa8909df091196047ff5131c29425f2b7212e9d"
    )


def test_a_single_folder_of_a_packed_tree_is_content():
    tree = {"repo-main/quanta-cloud/a": b"1", "repo-main/quanta-cloud/b": b"2"}
    spool = Spool(read_tarball(io.BytesIO(tree_tar(tree)), ["**"]), io.BytesIO())
    assert read_all(b"".join(spool.packed()))[0] == {"quanta-cloud/a": b"1", "quanta-cloud/b": b"2"}


MEASURED = """
import sys; from pathlib import Path
from ingest.core.trees import Spool, read_tarball
def peak():
    return int(next(l for l in Path('/proc/self/status').read_text().splitlines() if l.startswith('VmHWM')).split()[1])
Path('/proc/self/clear_refs').write_text('5')
before = peak()
with open(sys.argv[1], "w+b") as first, open(sys.argv[2], "w+b") as packed, open(sys.argv[3], "w+b") as again:
    packed.writelines(Spool(((f'{n:06}', bytes(1 << 20)) for n in range(100)), first).packed())
    print(sum(map(len, Spool(read_tarball(packed, ['**']), again).packed())), peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read from /proc")
def test_a_tree_is_not_held_in_memory(tmp_path):
    arguments = [sys.executable, "-c", MEASURED, *(str(tmp_path / name) for name in "123")]
    size, grown_kib = map(int, subprocess.run(arguments, capture_output=True, check=True).stdout.split())
    assert size > 100 << 20
    assert grown_kib < 30 << 10
