"""Release trees from tarballs and folders: what is kept, what is refused, and that packing depends on content alone."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from local_server import size_of

from ingest.core.archive import TreeLimits, iter_folder, iter_tarball, looks_like_tarball, read_tarball
from ingest.core.errors import PayloadRejected
from ingest.core.packing import pack_tree
from ingest.core.path_patterns import PathPatterns

REAL_TARBALL = Path(__file__).parents[2].parent / "shared/data/mlperf/releases/inference_results_v5.1.tar.gz"
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


def account(read) -> tuple:
    """Return the files that a function of a tree's members reads and what became of the others, or its error."""
    try:
        files, members = read()
    except PayloadRejected as error:
        return (re.sub(r"(maximum recursion)[^)]*", r"\1", str(error)),)
    return files, members.members_seen, members.members_refused, members.commit


def read_all(data: bytes | Path, patterns=("**",), **limits):
    def opened():
        return io.BytesIO(data) if isinstance(data, bytes) else data

    def taken(members):
        return dict(members), members

    def read():
        return taken(iter_tarball(opened(), patterns, TreeLimits(**limits), name="tarball"))

    once = account(lambda: read_tarball(taken, opened(), patterns, TreeLimits(**limits), name="tarball"))
    assert once == account(read)
    return read()


def write_tree(folder: Path, tree: dict[str, bytes]) -> Path:
    for path, data in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


# --- patterns ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        (
            "summary.json",
            ["summary.json", "a/b/summary.json"],
            ["xsummary.json", "summary.json/x", "summaryxjson"],
        ),
        ("/summary.json", ["summary.json"], ["a/summary.json"]),
        ("a/*.json", ["a/b.json", "a/.json"], ["a/b/c.json", "x/a/b.json", "a/b.json5"]),
        (
            "**/systems/*.json",
            ["systems/a.json", "x/y/systems/a.json"],
            ["systems/a/b.json", "xsystems/a.json"],
        ),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["az", "b/a/z", "a/bz"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab", "x/a/b"]),
        ("**", ["a", "a/b", "ä\udcff"], []),
        ("dir/", ["dir/a", "x/dir/a/b"], ["dir", "xdir/a"]),
        ("r?.txt", ["r1.txt", "a/r2.txt"], ["r.txt", "r12.txt", "r/.txt"]),
        ("r[0-9].txt", ["r1.txt"], ["rx.txt", "r[0-9].txt"]),
        ("r[!0-9]x", ["r-x"], ["r1x", "r/x"]),
        ("[]a]b", ["]b", "ab"], ["[b"]),
        ("a[b", ["a[b"], ["ab"]),
        (r"a\*b", ["a*b"], ["axb"]),
        ("result_*.txt", ["x/result_1-2_3.txt", "result_.txt"], ["result.txt", "result_1.txt.bak"]),
        ("a.b+(c)", ["a.b+(c)"], ["axb+(c)", "a.bb(c)"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
    ],
)
def test_patterns(pattern, matching, others):
    patterns = PathPatterns([pattern])
    assert [p for p in matching if not patterns.match(p)] == []
    assert [p for p in others if patterns.match(p)] == []


@pytest.mark.parametrize("patterns", [[], [""], ["/"], ["!a"], ["#a"], [" a"]])
def test_bad_patterns_are_refused(patterns):
    with pytest.raises(ValueError, match="pattern"):
        PathPatterns(patterns)


def test_patterns_agree_with_git(tmp_path):
    """git's own sparse patterns mean the same, for files."""
    paths = [
        *TREE,
        "a/summary.json",
        "systems/x.json",
        "systems/sub/x.json",
        "x/accuracy/accuracy.txt",
        "measurements.jsonx",
    ]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git/info/exclude").write_text("\n".join(MLPERF))
    asked = subprocess.run(
        ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
    )
    git_says = set(asked.stdout.decode().strip("\0").split("\0"))
    patterns = PathPatterns(MLPERF)
    assert {path for path in paths if patterns.match(path)} == git_says
    assert len(git_says) == len(WANTED) + 3


# --- reading -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("dialect", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
@pytest.mark.parametrize("top", ["", "./", "inference_results_v5.1-main/"])
def test_every_kind_of_tarball_gives_the_same_files(tmp_path, squeeze, dialect, top):
    data = squeeze(tree_tar(TREE, top, dialect=dialect))
    (tmp_path / "t").write_bytes(data)
    for source in (tmp_path / "t", data):
        found, members = read_all(source, MLPERF)
        assert found == WANTED
        assert (members.members_seen, members.members_refused) == (len(TREE), [])


def test_tars_of_the_system_are_read_alike(tmp_path):
    write_tree(tmp_path / "repo-main", TREE)
    for number, options in enumerate((["--format=gnu"], ["--format=pax"], ["--format=gnu", "-z"])):
        subprocess.run(["tar", *options, "-cf", f"{number}.tar", "repo-main"], cwd=tmp_path, check=True)
        assert read_all(tmp_path / f"{number}.tar", MLPERF)[0] == WANTED


def test_a_stream_that_cannot_seek_is_read(tmp_path):
    (tmp_path / "t").write_bytes(gzip.compress(tree_tar(TREE)))
    with subprocess.Popen(["cat", str(tmp_path / "t")], stdout=subprocess.PIPE) as process:
        assert dict(iter_tarball(process.stdout, MLPERF)) == WANTED


def test_the_commit_of_a_github_tarball_is_found():
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert read_all(tree_tar(TREE, "repo-main/", comment=commit))[1].commit == commit
    assert read_all(tree_tar(TREE, "repo-main/", comment="hello"))[1].commit is None


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
    assert set(dict(iter_folder(write_tree(tmp_path / "t", tree), ["**"]))) == seen


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (member("../up.json", b"x"), "leads out"),
        (member("a/../../up.json", b"x"), "leads out"),
        (member("/etc/passwd", b"x"), "absolute"),
        (member("link", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "symbolic link"),
        (member("link", type=tarfile.LNKTYPE, linkname="good"), "hard link"),
        (member("dev", type=tarfile.CHRTYPE), "device"),
        (member("dev", type=tarfile.BLKTYPE), "device"),
        (member("fifo", type=tarfile.FIFOTYPE), "pipe"),
        (member("odd", b"x", type=b"Z"), "unknown type"),
        (member("sparse", b"x", type=tarfile.GNUTYPE_SPARSE), "sparse"),
        (member("sparse", SPARSE, pax_headers=SPARSE_HEADERS), "sparse"),
        (member("big", b"x" * 1001), "1001 bytes, more than the limit of 1000"),
        (member("good", b"second"), "second time; the first one is kept"),
        (member("./good", b"second"), "second time"),
        (member("caf\udce9", b"x"), "not UTF-8"),
        (member("a\\..\\b", b"x"), "backslash"),
    ],
)
def test_a_bad_member_is_refused_and_the_rest_goes_on(bad, reason):
    data = tar(member("good", b"1"), bad, member("last", b"2"))
    for packed in (data, gzip.compress(data)):
        found, members = read_all(packed, max_member_bytes=1000)
        assert found == {"good": b"1", "last": b"2"}
        assert [reason in refusal.reason for refusal in members.members_refused] == [True]
        assert members.members_seen == 3
        members.members_refused[0].name.encode()  # can be printed and stored


def test_links_nobody_asked_for_are_no_news():
    data = tar(
        member("code/link", type=tarfile.SYMTYPE, linkname="x"),
        member("../a.json", b""),
        member("a.json", b""),
    )
    found, members = read_all(data, ["*.json"])
    assert set(found) == {"a.json"}
    assert [refusal.name for refusal in members.members_refused] == ["../a.json"]


def test_a_member_of_ten_gigabytes_is_neither_read_nor_kept(tmp_path):
    huge = 10 << 30
    path = tmp_path / "huge.tar"
    with path.open("wb") as file:
        file.write(tar(member("first", b"1"), ends=False))
        file.write(member("huge", size=huge)[0].tobuf(tarfile.GNU_FORMAT))
        file.seek(huge, os.SEEK_CUR)  # a hole: takes no room
        file.write(tar(member("last", b"2")))
    found, members = read_all(path, max_total_bytes=100_000)
    assert found == {"first": b"1", "last": b"2"}
    assert members.members_refused[0].reason.startswith(f"it has {huge} bytes")


@pytest.mark.parametrize("size", [10 << 30, 1 << 62])
@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_member_that_claims_too_much_does_not_stop_us(size, squeeze):
    liar = member("liar", size=size)[0].tobuf(tarfile.GNU_FORMAT)
    data = squeeze(tar(member("first", b"1"), ends=False) + liar + b"little")
    members = iter_tarball(io.BytesIO(data), ["**"])
    assert next(members) == ("first", b"1")
    with pytest.raises(PayloadRejected, match="cut short or damaged at unpacked byte 1542, in or after liar"):
        next(members)
    assert members.members_refused[0].name == "liar"


@pytest.mark.parametrize(
    ("kind", "size"),
    [(tarfile.XHDTYPE, 1 << 40), (tarfile.GNUTYPE_LONGNAME, 1 << 40), (tarfile.XGLTYPE, 1 << 29)],
)
def test_an_extended_header_that_claims_too_much_is_rejected(kind, size):
    data = member("x", size=size, type=kind)[0].tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(PayloadRejected, match=f"a header claims {size} bytes"):
        read_all(tar(member("a"), ends=False) + data)


@pytest.mark.parametrize(
    ("kind", "size"), [(tarfile.REGTYPE, -1), (tarfile.REGTYPE, -1024), (tarfile.XHDTYPE, -1024)]
)
def test_a_negative_size_is_rejected(kind, size):
    liar = member("liar", type=kind, size=size)[0].tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(PayloadRejected, match="damaged at unpacked byte"):
        read_all(tar(member("a"), ends=False) + liar + tar(member("b")))


def test_a_chain_of_headers_without_end_is_rejected():
    with pytest.raises(PayloadRejected, match="damaged at unpacked byte"):
        read_all(tar(member("a"), *[member("x", type=tarfile.XGLTYPE)] * 5000, member("b")))


def test_nonsense_in_an_extended_header_is_rejected():
    bad = member("b", b"x" * 600, pax_headers=SPARSE_HEADERS)  # no map where one is announced
    with pytest.raises(PayloadRejected, match="damaged at unpacked byte"):
        read_all(tar(member("a"), bad))


@pytest.mark.parametrize("squeeze", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_rejected_after_the_limit(squeeze):
    data = squeeze(tar(member("zeros", bytes(5_000_000))))
    with pytest.raises(PayloadRejected, match="more than 1000000 bytes unpacked"):
        read_all(data, max_total_bytes=1_000_000)
    behind_the_end = squeeze(tar(member("a", b"1")) + bytes(5_000_000))
    with pytest.raises(PayloadRejected, match="more than 1000000 bytes unpacked"):
        read_all(behind_the_end, max_total_bytes=1_000_000)


def test_too_many_members_are_rejected(tmp_path):
    tree = {f"{n}": b"" for n in range(11)}
    for members in (
        iter_tarball(io.BytesIO(tree_tar(tree)), ["**"], TreeLimits(max_members=10)),
        iter_folder(write_tree(tmp_path, tree), ["**"], TreeLimits(max_members=10)),
    ):
        with pytest.raises(PayloadRejected, match="more than 10 members"):
            list(members)


def noise(size: int, seed: int = 0) -> bytes:
    """Bytes that do not compress."""
    return b"".join(hashlib.sha256(b"%d %d" % (seed, n)).digest() for n in range(size // 32))


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.97])
def test_of_a_truncated_tarball_the_beginning_is_good(squeeze, share):
    tree = {f"{n:03}": noise(3200, n) for n in range(100)}
    data = squeeze(tree_tar(tree))
    members = iter_tarball(io.BytesIO(data[: int(len(data) * share)]), ["**"])
    found = {}
    with pytest.raises(PayloadRejected, match=r"cut short or damaged at unpacked byte \d+") as cut:
        for path, content in members:
            found[path] = content
    assert found == dict(list(tree.items())[: len(found)])
    position = int(str(cut.value).partition("byte ")[2].partition(",")[0])
    per_member = 512 + 3584
    assert len(found) == position // per_member < 100
    if squeeze is not bz2.compress:  # bzip2 loses a block of 900 kB at a time
        assert position > (share - 0.1) * 100 * per_member


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_tarball_cut_between_members_is_noticed(squeeze):
    with pytest.raises(PayloadRejected, match="before its end-of-archive mark"):
        read_all(squeeze(tar(member("a", b"1"), ends=False)))


def test_a_wrong_checksum_is_noticed():
    data = bytearray(gzip.compress(tree_tar(TREE)))
    data[-6] ^= 1
    with pytest.raises(PayloadRejected, match="CRC check failed"):
        read_all(bytes(data))


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_damaged_header_is_reported_with_its_place(squeeze):
    data = bytearray(tar(member("a", b"1"), member("b", b"2")))
    data[1024] ^= 1
    members = iter_tarball(io.BytesIO(squeeze(data)), ["**"])
    assert next(members) == ("a", b"1")
    with pytest.raises(PayloadRejected, match="damaged at unpacked byte 1024"):
        next(members)


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"<html>" * 200, gzip.compress(b"<html>, 503"), b"\x1f\x8bjunk that is long enough"],
    ids=size_of,
)
def test_what_is_no_tarball_is_reported(data):
    with pytest.raises(PayloadRejected, match=r"it is no tar archive \(.+\)\. To fix"):
        read_all(data)


@pytest.mark.parametrize("squeeze", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b'{"a": 1}', "JSON"),
        (b"\xef\xbb\xbf\n [" + b'{"a": 1},' * 500, "JSON"),
        (b"Organization,Result\n" + b"ACME,1\n" * 500, "CSV"),
    ],
    ids=["short", "long", "table"],
)
def test_a_compressed_document_is_named_with_the_form_that_works(squeeze, text, kind):
    with pytest.raises(PayloadRejected) as e:
        read_all(squeeze(text))
    assert e.value.problem == f"it is compressed {kind}, not a tar archive"
    assert "unpack it" in e.value.remedy and f"the {kind} file itself" in e.value.remedy


def test_what_looks_like_a_tarball():
    good = tree_tar(TREE)
    assert all(
        looks_like_tarball(squeeze(good)[:512])
        for squeeze in (bytes, gzip.compress, bz2.compress, lzma.compress)
    )
    assert not any(looks_like_tarball(head) for head in (b"", b'{"a": 1}', b"[]" * 300, bytes(512)))


# --- folders -----------------------------------------------------------------------------------------------------


def test_a_folder_is_read_without_following_anything(tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("secret")
    folder = write_tree(tmp_path / "t", {"a/x.json": b"1", ".git/y.json": b"no", "big.json": b"x" * 1001})
    (folder / "link.json").symlink_to(secret)
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.json")
    (folder / os.fsdecode(b"caf\xe9.json")).write_bytes(b"x")
    members = iter_folder(folder, ["*.json"], TreeLimits(max_member_bytes=1000))
    assert dict(members) == {"a/x.json": b"1"}
    refused = dict(members.members_refused)
    assert set(refused) == {"link.json", "pipe.json", "big.json", r"caf\udce9.json"}
    assert "symbolic link" in refused["link.json"] and "pipe" in refused["pipe.json"]
    assert "limit of 1000" in refused["big.json"] and "UTF-8" in refused[r"caf\udce9.json"]


def test_a_folder_over_the_total_limit_is_rejected(tmp_path):
    folder = write_tree(tmp_path, {"a": b"x" * 600, "b": b"x" * 600})
    with pytest.raises(PayloadRejected, match="more than 1000 bytes"):
        list(iter_folder(folder, ["**"], TreeLimits(max_total_bytes=1000)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(tmp_path):
    folder = write_tree(tmp_path, {"a": b"1", "b": b"2"})
    (folder / "a").chmod(0)
    members = iter_folder(folder, ["**"])
    assert dict(members) == {"b": b"2"}
    assert "cannot be read" in members.members_refused[0].reason


# --- packing -----------------------------------------------------------------------------------------------------


def test_the_same_tree_packs_to_the_same_bytes_whatever_it_came_from(tmp_path):
    folder = write_tree(tmp_path / "repo-main", TREE)
    backwards = dict(reversed(TREE.items()))
    sources = [
        iter_folder(folder, MLPERF),
        iter_folder(tmp_path, MLPERF),
        iter_tarball(io.BytesIO(tree_tar(TREE)), MLPERF),
        iter_tarball(
            io.BytesIO(gzip.compress(tree_tar(backwards, "repo-x/", dialect=tarfile.GNU_FORMAT))), MLPERF
        ),
        iter(WANTED.items()),
    ]
    packed = [io.BytesIO() for _ in sources]
    reports = [pack_tree(source, out) for source, out in zip(sources, packed, strict=True)]
    assert len({out.getvalue() for out in packed}) == 1
    data = packed[0].getvalue()
    assert {r.sha256 for r in reports} == {hashlib.sha256(data).hexdigest()}
    assert {(r.members_kept, r.bytes, r.incomplete) for r in reports} == {(len(WANTED), len(data), None)}
    packed[0].seek(0)
    with tarfile.open(fileobj=packed[0]) as archive:
        infos = archive.getmembers()
        assert [i.name for i in infos] == sorted(WANTED)
        assert {(i.mtime, i.uid, i.gid, i.mode, i.uname, i.gname) for i in infos} == {
            (0, 0, 0, 0o644, "", "")
        }
        assert {i.name: archive.extractfile(i).read() for i in infos} == WANTED


def test_a_packed_tree_packs_to_itself(tmp_path):
    pack_tree(WANTED.items(), tmp_path / "a.tar")
    pack_tree(iter_tarball(tmp_path / "a.tar", ["**"]), tmp_path / "b.tar")
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_a_single_folder_of_a_packed_tree_is_content(tmp_path):
    tree = {"repo-main/quanta-cloud/a": b"1", "repo-main/quanta-cloud/b": b"2"}
    pack_tree(iter_tarball(io.BytesIO(tree_tar(tree)), ["**"]), tmp_path / "a.tar")
    assert dict(iter_tarball(tmp_path / "a.tar", ["**"])) == {"quanta-cloud/a": b"1", "quanta-cloud/b": b"2"}


def test_the_packed_bytes_never_change():
    """Landed payloads are compared by sha256, across releases of Python too."""
    report = pack_tree(WANTED.items(), io.BytesIO())
    assert (report.bytes, report.sha256) == (
        20480,
        "1096579374c3d68e184041a4eaa8909df091196047ff5131c29425f2b7212e9d",
    )


def test_a_tree_without_files_packs_and_is_read_again():
    out = io.BytesIO()
    pack_tree([], out)
    assert read_all(out.getvalue())[0] == {}


def test_the_account_of_a_tree():
    bad = member("x/measurements.json", type=tarfile.SYMTYPE, linkname="y")
    data = tar(*(member(path, content) for path, content in TREE.items()), bad)
    report = pack_tree(iter_tarball(io.BytesIO(data), MLPERF), io.BytesIO())
    assert (report.members_seen, report.members_kept) == (len(TREE) + 1, len(WANTED))
    assert [refusal.name for refusal in report.members_refused] == ["x/measurements.json"]


def test_a_truncated_tree_is_packed_only_on_request():
    data = gzip.compress(tar(member("a", noise(32000)), member("b", noise(32000, 1))))[:-8000]
    with pytest.raises(PayloadRejected, match="cut short"):
        pack_tree(iter_tarball(io.BytesIO(data), ["**"]), io.BytesIO())
    out = io.BytesIO()
    report = pack_tree(iter_tarball(io.BytesIO(data), ["**"]), out, keep_incomplete=True)
    assert "cut short" in str(report.incomplete) and "in or after b" in str(report.incomplete)
    out.seek(0)
    assert dict(iter_tarball(out, ["**"])) == {"a": noise(32000)}


def test_a_path_that_occurs_twice_cannot_be_packed():
    with pytest.raises(ValueError, match="occurs twice"):
        pack_tree([("a", b"1"), ("a", b"2")], io.BytesIO())


def test_packing_does_not_hold_the_tree_in_memory(tmp_path):
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from ingest.core.packing import pack_tree\n"
        "block = bytes(1 << 20)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "report = pack_tree(((f'{n}', block) for n in range(100)), Path(sys.argv[1]))\n"
        "print(report.bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "t.tar")], capture_output=True, text=True, check=True
    )
    size, grown_kib = map(int, done.stdout.split())
    assert size > 100 << 20
    assert grown_kib < 30 << 10


@pytest.mark.skipif(not REAL_TARBALL.exists(), reason="the MLPerf release tarballs are not on this machine")
def test_a_real_release_and_its_unpacked_folder_pack_alike(tmp_path):
    subprocess.run(["tar", "-xzf", str(REAL_TARBALL), "-C", str(tmp_path)], check=True)
    wanted = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file()
        and (
            (path.suffix == ".json" and path.parent.name == "systems")
            or path.name in {"summary_results.json", "measurements.json"}
            or (path.name == "accuracy.txt" and path.parent.name == "accuracy")
            or (
                path.name in {"mlperf_log_summary.txt", "mlperf_log_detail.txt", "spl.txt"}
                and (path.parent.parent.name, path.parent.name) == ("performance", "run_1")
            )
        )
    ]
    from_folder = pack_tree(iter_folder(tmp_path, MLPERF), io.BytesIO())
    from_tarball = pack_tree(iter_tarball(REAL_TARBALL, MLPERF), tmp_path / "packed.tar")
    assert from_folder == from_tarball
    assert from_tarball.members_kept == len(wanted) > 1000
    shutil.rmtree(tmp_path)


def test_files_of_one_folder_are_read_without_it():
    files = {name: name.encode() * 1000 for name in ("a", "b/c", "b/d", "e")}
    members = iter_tarball(io.BytesIO(tree_tar(files, "repo-main/")), ("**/*",))
    assert dict(members) == files
    assert members.members_seen == 4


def test_a_folder_that_was_assumed_wrongly_is_not_taken_away():
    tree = {f"first-folder/{number}": b"1" for number in range(3)} | {"second/4": b"4"}
    calls = []

    def taken(members):
        calls.append(0)
        files = {}
        for path, content in members:
            files[path] = content
            calls[-1] += 1
        return files

    assert read_tarball(taken, io.BytesIO(tree_tar(tree)), ["**"]) == tree
    assert calls == [3, 4]
    stream = io.BytesIO(tree_tar(tree))
    stream.seekable = lambda: False
    assert read_tarball(taken, stream, ["**"]) == tree
    assert calls.pop() == 4  # read as `iter_tarball` does
    assert read_tarball(taken, io.BytesIO(tree_tar(tree, "repo-main/")), ["**"]) == tree
    assert calls == [3, 4, 4]
