"""The AWS price-list parser on a synthetic region of 1,000,000 lines in the real CSV layout, gzipped as in landing.

Run: python bench/aws_price_list.py [lines]. The parser runs in a separate process; memory is its peak resident set
size. Exit code 1 if a limit is exceeded or a count differs from the generated one.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_SECONDS, LIMIT_MB = 40, 500
REGION = "us-east-1"
PARSER = """
import gzip, json, sys, time
from ingest.prices.aws import parse
started = time.perf_counter()
with gzip.open(sys.argv[1]) as file:
    parsed = parse([("", file)], key=sys.argv[2])
print(json.dumps({
    "seconds": time.perf_counter() - started, "in": parsed.records_in, "offers": len(parsed.rows),
    "merged": parsed.merged, "rejects": len(parsed.rejects), "duplicates": parsed.duplicates,
    "left out": parsed.exclusions, "money": round(sum(r.price * 1e4 + r.upfront for r in parsed.rows)),
}))
"""
# header of the list of September 2025
COLUMNS = (
    "SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange,Unit,PricePerUnit,"
    "Currency,RelatedTo,LeaseContractLength,PurchaseOption,OfferingClass,Product Family,serviceCode,Location,"
    "Location Type,Instance Type,Current Generation,Instance Family,vCPU,Physical Processor,Clock Speed,Memory,Storage,"
    "Network Performance,Processor Architecture,Storage Media,Volume Type,Max Volume Size,Max IOPS/volume,"
    "Max IOPS Burst Performance,Max throughput/volume,Provisioned,Tenancy,EBS Optimized,Operating System,License Model,"
    "Group,Group Description,Transfer Type,From Location,From Location Type,To Location,To Location Type,usageType,"
    "operation,AvailabilityZone,CapacityStatus,ClassicNetworkingSupport,Dedicated EBS Throughput,ECU,"
    "Elastic Graphics Type,Enhanced Networking Supported,From Region Code,GPU,GPU Memory,Instance,"
    "Instance Capacity - 10xlarge,Instance Capacity - 12xlarge,Instance Capacity - 16xlarge,"
    "Instance Capacity - 18xlarge,Instance Capacity - 24xlarge,Instance Capacity - 2xlarge,"
    "Instance Capacity - 32xlarge,Instance Capacity - 4xlarge,Instance Capacity - 8xlarge,"
    "Instance Capacity - 9xlarge,Instance Capacity - large,Instance Capacity - medium,Instance Capacity - metal,"
    "Instance Capacity - xlarge,instanceSKU,Intel AVX2 Available,Intel AVX Available,Intel Turbo Available,"
    "MarketOption,Normalization Size Factor,Physical Cores,Pre Installed S/W,Processor Features,Product Type,"
    "Region Code,Resource Type,serviceName,SnapshotArchiveFeeType,To Region Code,Volume API Name,VPCNetworkingSupport"
)
HEADER = COLUMNS.split(",")
INSTANCE = {
    "Product Family": "Compute Instance", "serviceCode": "AmazonEC2", "Location": "US East (N. Virginia)",
    "Location Type": "AWS Region", "Current Generation": "Yes", "vCPU": "192", "Memory": "2,048 GiB",
    "Physical Processor": "AMD EPYC 7R13 Processor", "Clock Speed": "2.95 GHz", "Storage": "8 x 3840 GB SSD",
    "Network Performance": "3200 Gigabit", "Processor Architecture": "64-bit", "AvailabilityZone": "NA",
    "ClassicNetworkingSupport": "false", "Dedicated EBS Throughput": "80 Gbps", "ECU": "NA",
    "Enhanced Networking Supported": "Yes", "GPU Memory": "NA", "Intel AVX2 Available": "No",
    "Intel AVX Available": "No", "Intel Turbo Available": "No", "Normalization Size Factor": "384",
    "Processor Features": "AMD Turbo; AVX; AVX2", "Region Code": REGION, "VPCNetworkingSupport": "true",
    "serviceName": "Amazon Elastic Compute Cloud", "Tenancy": "Shared", "Operating System": "Linux",
    "License Model": "No License required", "operation": "RunInstances", "CapacityStatus": "Used",
    "MarketOption": "OnDemand", "Pre Installed S/W": "NA",
}  # fmt: skip
WINDOWS = {"Operating System": "Windows", "operation": "RunInstances:0002"}
# change of a line, and the reason for which the parser leaves it out (None: it is an offer)
VARIANTS = [
    ({}, None),
    (WINDOWS, None),
    (WINDOWS | {"operation": "RunInstances:0800", "License Model": "Bring your own license"},
     "licence brought along, or operating system without its licence"),
    ({"Tenancy": "Dedicated"}, "dedicated or host tenancy"),
    ({"CapacityStatus": "UnusedCapacityReservation"}, "capacity reservation, used or unused"),
    ({"Operating System": "RHEL", "operation": "RunInstances:0010"}, "another operating system"),
    ({"Pre Installed S/W": "SQL Std", "operation": "RunInstances:0004"},
     "with software in the price (SQL Server and others)"),
    ({"Location Type": "AWS Local Zone"}, "sold in a local zone, wavelength zone or outpost, not in a region"),
]  # fmt: skip
ACCELERATED = [
    "p4d",
    "p4de",
    "p5",
    "p5en",
    "p6-b200",
    "g4dn",
    "g5",
    "g6",
    "g6e",
    "g7e",
    "gr6",
    "inf2",
    "trn1",
    "dl1",
]
PLAIN = ["m5", "m6i", "m7i", "c5", "c6i", "c7g", "r5", "r6i", "r7iz", "x2gd", "i4i", "t3", "hpc7a"]
SIZES = [
    "xlarge",
    "2xlarge",
    "4xlarge",
    "8xlarge",
    "12xlarge",
    "16xlarge",
    "24xlarge",
    "32xlarge",
    "48xlarge",
    "metal",
]
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
ATTRIBUTES_FROM = HEADER.index("Product Family")


class Generator:
    """Lines of a region and the expected counts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = 0
        self.accelerated_lines = 0
        self.money = 0.0
        self.tally: Counter[str] = Counter()
        self.exclusions: Counter[str] = Counter()

    def code(self, length: int) -> str:
        """Return a code in AWS's alphabet."""
        return "".join(self.random.choices(LETTERS, k=length))

    def sku(
        self, attributes: dict[str, str], *, reserved: bool, zero: bool = False, lost_fee: bool = False
    ) -> tuple[list[str], int, int, float]:
        """Return (lines, offers, merged, money) of one SKU: on demand, and twelve reservations of 1, 2 and 2 lines."""
        sku = self.code(16)
        tail = ",".join(f'"{v}"' if (v := attributes.get(name)) else "" for name in HEADER[ATTRIBUTES_FROM:])
        lines, offers, merged, money = [], 0, 0, 0.0

        def line(term: str, rate: str, kind: str, text: str, unit: str, price: str, *commitment: str) -> None:
            ranges = ",," if unit == "Quantity" else ',"0","Inf"'
            lease = ",".join(f'"{word}"' for word in commitment) if commitment else ",,"
            lines.append(
                f'"{sku}","{term}","{sku}.{term}.{rate}","{kind}","{text}","2026-09-01"{ranges},"{unit}","{price}",'
                f'"USD",,{lease},{tail}\n'
            )

        hourly = self.random.randint(1000, 999_999)
        price = "0.0000000000" if zero else f"{hourly / 10_000:.10f}"
        line("JRTCKXETXF", "6YS6EN2CT7", "OnDemand", f'${price} per ""On Demand"", hour', "Hrs", price)
        offers, money = 1, float(hourly)
        if not reserved:
            return lines, offers, merged, money
        for lease in ("1yr", "3yr"):
            for offering_class in ("standard", "convertible"):
                for option in ("No Upfront", "Partial Upfront", "All Upfront"):
                    term, of = self.code(10), (lease, option, offering_class)
                    rate = 0 if option == "All Upfront" else hourly * 6 // 10
                    fee = 0 if option == "No Upfront" else hourly // 2
                    text = "Linux/UNIX (Amazon VPC), reserved instance applied"
                    line(term, "6YS6EN2CT7", "Reserved", text, "Hrs", f"{rate / 10_000:.10f}", *of)
                    if fee and not lost_fee:
                        line(term, "2TG2D8R56U", "Reserved", "Upfront Fee", "Quantity", str(fee), *of)
                        merged += 1
                    if not (fee and lost_fee):
                        offers, money = offers + 1, money + rate + fee
        return lines, offers, merged, money

    def accelerated(self) -> Iterator[list[str]]:
        """Yield the lines of every SKU of every accelerator type."""
        for number, (family, size) in enumerate((f, s) for f in ACCELERATED for s in SIZES):
            asic = family in ("inf2", "trn1", "dl1")
            product = INSTANCE | {
                "Instance Type": f"{family}.{size}", "GPU": "8", "GPU Memory": "640 GB HBM3",
                "Instance Family": "Machine Learning ASIC Instances" if asic else "GPU instance",
                "usageType": f"BoxUsage:{family}.{size}",
            }  # fmt: skip
            if size == "metal":
                product["Product Family"] = "Compute Instance (bare metal)"
            for change, reason in VARIANTS:
                has_terms, loses_fee = change.get("CapacityStatus") is None, number % 40 == 7 and not change
                lines, offers, merged, money = self.sku(
                    product | change, reserved=has_terms, lost_fee=loses_fee
                )
                if reason:
                    self.exclusions[reason] += len(lines)
                else:
                    self.tally += Counter({"offers": offers, "merged": merged})
                    self.tally["rejects"] += len(lines) - offers - merged
                    self.money += money
                yield lines
            block = {"MarketOption": "CapacityBlock", "operation": "RunInstances:CB"}
            self.tally["rejects"] += 1
            yield self.sku(product | block, reserved=False, zero=True)[0]

    def plain(self) -> list[str]:
        """Return the lines of one SKU without accelerators."""
        if self.random.random() < 0.5:
            storage = {
                name: INSTANCE[name]
                for name in ("serviceCode", "Location", "Location Type", "Region Code", "serviceName")
            } | {
                "Product Family": self.random.choice(["Storage", "Data Transfer", "Dedicated Host", "IP Address"]),
                "usageType": "EBS:VolumeUsage.gp3", "Group Description": "Charges for\n storage, transfer and more",
            }  # fmt: skip
            lines = self.sku(storage, reserved=self.random.random() < 0.7)[0]
            self.exclusions["not an instance (storage, transfer, dedicated host and others)"] += len(lines)
            return lines
        kind = f"{self.random.choice(PLAIN)}.{self.random.choice(SIZES)}"
        change = self.random.choice(VARIANTS)[0]
        product = INSTANCE | {
            "Instance Type": kind,
            "Instance Family": "General purpose",
            "usageType": f"BoxUsage:{kind}",
        }
        lines = self.sku(product | change, reserved=self.random.random() < 0.9)[0]
        self.exclusions["instance without accelerator"] += len(lines)
        return lines

    def write(self, path: Path, lines: int) -> int:
        """Write the gzipped list, and return its uncompressed size in bytes."""
        ours = list(self.accelerated())
        self.random.shuffle(ours)
        self.accelerated_lines = sum(map(len, ours))
        if self.accelerated_lines > lines:
            sys.exit(f"at least {self.accelerated_lines:,} lines are needed")
        size = 0
        with gzip.open(path, "wb", compresslevel=1) as file:
            head = [
                ["FormatVersion", "v1.0"], ["Disclaimer", "made up, for measuring"],
                ["Publication Date", "2026-09-10T19:55:14Z"], ["Version", "20260910195514"], ["OfferCode", "AmazonEC2"],
                HEADER,
            ]  # fmt: skip
            for cells in head:
                size += file.write((",".join(f'"{cell}"' for cell in cells) + "\n").encode())
            every = max(1, (lines - self.accelerated_lines) // len(ours))
            plain = 0
            while self.lines < lines:
                if ours and plain >= every:
                    block, plain = ours.pop(), 0
                else:
                    block = self.plain()
                    plain += len(block)
                self.lines += len(block)
                size += file.write("".join(block).encode())
            for block in ours:
                self.lines += len(block)
                size += file.write("".join(block).encode())
        return size


def main() -> None:
    """Print lines, seconds, memory and whether the counts agree."""
    wanted = int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else 1_000_000
    assert len(HEADER) == 91
    generator = Generator(seed=20260910)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "index.csv.gz"
        size = generator.write(path, wanted)
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", PARSER, str(path), REGION],
            cwd=name,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        printed = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds, peak_mb = time.perf_counter() - started, usage.ru_maxrss / 1024
        if process.returncode:
            sys.exit(f"the parser failed with {process.returncode}")
        compressed = path.stat().st_size
    result = json.loads(printed)
    out = (
        result["offers"]
        + result["merged"]
        + result["rejects"]
        + result["duplicates"]
        + sum(result["left out"].values())
    )
    wrong = [
        f"{what}: {ours} parsed, {theirs} written"
        for what, ours, theirs in [
            ("in", result["in"], generator.lines),
            ("out", out, generator.lines),
            *((k, result[k], generator.tally[k]) for k in ("offers", "merged", "rejects", "duplicates")),
            ("left out", result["left out"], dict(generator.exclusions)),
            ("sum of prices and fees", result["money"], round(generator.money)),
        ]
        if ours != theirs
    ]
    print(f"{generator.lines:,} lines, {size / 1e6:,.0f} MB ({compressed / 1e6:,.0f} MB gzipped)")
    print(
        f"{generator.accelerated_lines / generator.lines:.1%} of accelerators, {len(os.sched_getaffinity(0))} cores"
    )
    print(f"{seconds:6.1f} s wall ({result['seconds']:.1f} s in parse), limit {LIMIT_SECONDS} s")
    print(f"{peak_mb:6.0f} MB peak, limit {LIMIT_MB} MB")
    print(
        f"in {result['in']:,} = " + " + ".join(f"{result[k]:,} {k}" for k in ("offers", "merged", "rejects")),
        end="",
    )
    print(f" + {sum(result['left out'].values()):,} left out")
    if seconds > LIMIT_SECONDS or peak_mb > LIMIT_MB:
        wrong.append("a limit is missed")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
