"""Every upstream of prices and specifications, replayed locally: real payloads where available, else synthetic ones.

Synthetic figures are round numbers or from the provider's page of 2026, in the documented format. robots.txt, keys,
paging and validators are those of the real services.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import pkgutil
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit

import price_pages
import spec_pages
from replay_server import Answer, Asked, ReplayServer, Reply, as_json, page, with_bearer

import ingest.prices
from ingest.core.source import Source
from ingest.energy import codecarbon, mlenergy
from ingest.serving import inferencex
from ingest.specs import epoch, neuron, rocm

KEYS = {
    "GCP_API_KEY": "AIzaReplay-gcp-0123456789abcdef",
    "LAMBDA_API_KEY": "secret_replay_lambda_0123456789abcdef",
    "RUNPOD_API_KEY": "rpa_REPLAY0123456789ABCDEF",
    "VAST_API_KEY": "vastreplay0123456789abcdef0123456789",
}
"""The keys this world knows; the others' upstreams answer 401."""

ROBOTS = (
    b"User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /*?preview=\n\nUser-agent: badbot\nDisallow: /\n"
)


def world(price_data: Path) -> ReplayServer:
    """All upstreams, not yet listening: use it as a context manager.

    Args:
        price_data: the folder of real payloads (fixture `price_data`).
    """
    server = ReplayServer()
    server.keys = dict(KEYS)
    for build in (
        _pages,
        _specs,
        _grids,
        _aws,
        _azure,
        _gcp,
        _oci,
        _skypilot,
        _gpuhunt,
        _runpod,
        _vast,
        _scaleway,
        _ecb,
        _serving,
    ):
        build(server, price_data)
    return server


def price_sources() -> dict[str, Source]:
    """Return every price source by name, registered or not."""
    sources = {}
    for module in pkgutil.iter_modules(ingest.prices.__path__):
        for value in vars(importlib.import_module(f"ingest.prices.{module.name}")).values():
            if isinstance(value, Source):
                sources[value.name] = value
    return dict(sorted(sources.items()))


# --- pages -------------------------------------------------------------------------------------------------------


def _pages(server: ReplayServer, _: Path) -> None:
    for url, body in price_pages.PAGES.items():
        if url == price_pages.LAMBDA_API_URL:
            server.on(url, with_bearer(KEYS["LAMBDA_API_KEY"], Reply(body)))
            continue
        server.on(url, page(body))
        server.on(f"https://{urlsplit(url).netloc}/robots.txt", Reply(ROBOTS, content_type="text/plain"))


# --- specifications ----------------------------------------------------------------------------------------------


def _specs(server: ReplayServer, price_data: Path) -> None:
    """Return real files of Epoch AI, ROCm and Neuron, and synthetic pages of vendors, whose pages may not be copied."""
    data = price_data.parent / "specs"
    latest = max(data.glob("epoch_ml_hardware_*.csv"))
    server.on(epoch.URL, Reply(latest.read_bytes(), content_type="text/csv"))
    files = {
        f"{neuron.RAW}{path.stem.removeprefix('neuron_')}.rst": path
        for path in data.glob("vendor/neuron_*.rst")
    }
    files[rocm.URL] = data / "vendor" / "rocm_gpu-arch-specs.rst"
    documents = {url: path.read_bytes() for url, path in files.items()}
    for url, body in (documents | {url: text.encode() for url, text in spec_pages.MADE_RST.items()}).items():
        server.on(url, Reply(body, content_type="text/plain; charset=utf-8"))
    for url, html in spec_pages.PAGES.items():
        server.on(url, page(html))
        server.on(f"https://{urlsplit(url).netloc}/robots.txt", Reply(ROBOTS, content_type="text/plain"))


# --- electricity grids -------------------------------------------------------------------------------------------


def _grids(server: ReplayServer, price_data: Path) -> None:
    """Serve the real files of CodeCarbon; the file of US states is the edition of 2016, under the present address."""
    for fetch in codecarbon.plan({}):
        url = fetch.first.url
        path = price_data.parent / "energy" / "codecarbon" / url.rpartition("/")[2]
        server.on(url, Reply(path.read_bytes(), content_type="text/plain; charset=utf-8"))


# --- measured serving --------------------------------------------------------------------------------------------


def _serving(server: ReplayServer, price_data: Path) -> None:
    """Real files of ML.ENERGY, and real answers of InferenceX; models without one get a few runs of another."""
    data = price_data.parent
    for path in sorted((data / "energy" / "mlenergy").rglob("*.json")):
        name = path.relative_to(data / "energy" / "mlenergy")
        server.on(f"{mlenergy.BASE_URL}/{name}", Reply(path.read_bytes(), content_type="text/plain"))
    newest, dated = (
        json.loads((data / "serving" / f"inferencex_{name}_2026-06.json").read_bytes())
        for name in ("benchmarks", "history")
    )

    def of_model(runs: list[dict], asked: Asked) -> Reply:
        model = asked.query.get("model")
        if model not in inferencex.MODELS:
            return as_json({"error": "Unknown model"}, status=400)
        if model == "DeepSeek-R1-0528":
            return as_json(runs)
        return as_json([run | {"model": model.lower()} for run in runs[:3]])

    def history(asked: Asked) -> Reply:
        lengths = int(asked.query["isl"]), int(asked.query["osl"])
        return of_model([run for run in dated if (run["isl"], run["osl"]) == lengths], asked)

    server.on(f"{inferencex.API}/history", history)
    server.on(inferencex.API, lambda asked: of_model(newest, asked))


# --- AWS ---------------------------------------------------------------------------------------------------------

_AWS = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current"


def _aws(server: ReplayServer, data: Path) -> None:
    as_csv = (data / "aws" / "ec2_offer_us-east-1_excerpt.csv").read_text()
    server.on(f"{_AWS}/us-east-1/index.csv", Reply(as_csv.encode(), content_type="text/csv"))
    for path in sorted((data / "aws").glob("ec2_offer_*_excerpt.json")):
        region = path.name.split("_")[2]
        server.on(f"{_AWS}/{region}/index.json", Reply(path.read_bytes()))
        if region != "us-east-1":
            made = _aws_csv(json.loads(path.read_bytes()), as_csv)
            server.on(f"{_AWS}/{region}/index.csv", Reply(made, content_type="text/csv"))

    def without_accelerators(asked: Asked) -> Reply:
        match = re.fullmatch(r".*/current/([a-z]+-[a-z]+(?:-[a-z]+)?-\d+)/index\.csv", asked.path)
        if not match:
            return Reply(b"<Error><Code>NoSuchKey</Code></Error>", 404, "application/xml", etag="")
        head, rows = _aws_table(as_csv)
        kept = [
            row | {"Region Code": match[1], "Location": match[1]}
            for row in rows
            if row["Instance Type"] == "m5.xlarge"
        ]
        return Reply(_aws_text(head, kept), content_type="text/csv")

    # regions without a real list get a list without accelerators, as in small regions
    routes = server._routes[urlsplit(_AWS).netloc]
    routes.insert(0, (urlsplit(_AWS).path + "/*", without_accelerators))


def _aws_table(text: str) -> tuple[list[str], list[dict[str, str]]]:
    lines = text.splitlines(keepends=True)
    return lines[:5], list(csv.DictReader(lines[5:]))


def _aws_text(head: list[str], rows: list[dict[str, str]]) -> bytes:
    """Return CSV lines as AWS writes them: every non-empty cell is quoted."""

    def line(cells: Iterable[str]) -> str:
        return ",".join('"' + cell.replace('"', '""') + '"' if cell else "" for cell in cells) + "\n"

    return "".join([*head, line(rows[0]), *(line(row.values()) for row in rows)]).encode()


def _aws_csv(offer: Mapping[str, object], like: str) -> bytes:
    """Convert a region's JSON list into the CSV layout; AWS publishes both."""
    head, rows = _aws_table(like)
    columns = list(rows[0])

    def plain(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.lower())

    made = []
    for kind, of_kind in offer["terms"].items():
        for sku, terms in of_kind.items():
            product = offer["products"][sku]
            for term in terms.values():
                for dimension in term["priceDimensions"].values():
                    ((currency, price),) = dimension["pricePerUnit"].items()
                    known = {plain(k): v for k, v in product["attributes"].items()}
                    known |= {plain(k): v for k, v in term.get("termAttributes", {}).items()}
                    known |= {"sku": sku, "offertermcode": term["offerTermCode"], "termtype": kind}
                    known |= {"ratecode": dimension["rateCode"], "pricedescription": dimension["description"]}
                    known |= {"effectivedate": term["effectiveDate"][:10], "unit": dimension["unit"]}
                    known |= {"startingrange": dimension["beginRange"], "endingrange": dimension["endRange"]}
                    known |= {"priceperunit": price, "currency": currency}
                    known |= {"productfamily": product.get("productFamily", "")}
                    made.append({column: known.get(plain(column), "") for column in columns})
    return _aws_text(head, made)


# --- Azure -------------------------------------------------------------------------------------------------------

_AZURE_PAGE = 40


def _azure(server: ReplayServer, data: Path) -> None:
    items = []
    for name in (
        "retail_prices_page1",
        "retail_prices_page2",
        "retail_prices_h100_eastus_2026-09-16",
        "full_key_records",
    ):
        items += json.loads((data / "azure" / f"{name}.json").read_bytes())["Items"]
    for size, product, price in (
        ("Standard_NV36ads_A10_v5", "Virtual Machines NVadsA10v5 Series", 3.2),
        ("Standard_NG32ads_V620_v1", "Virtual Machines NGads V620 Series", 2.4),
    ):
        meter = size.removeprefix("Standard_").replace("_", " ")
        items.append(
            {
                "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "unitPrice": price,
                "armRegionName": "eastus", "location": "US East", "meterName": meter, "productName": product,
                "skuName": meter, "serviceName": "Virtual Machines", "serviceFamily": "Compute",
                "unitOfMeasure": "1 Hour", "type": "Consumption", "isPrimaryMeterRegion": True, "armSkuName": size,
            }
        )  # fmt: skip
    url = "https://prices.azure.com/api/retail/prices"

    def answer(asked: Asked) -> Reply:
        wanted = re.findall(r"contains\(armSkuName, '([^']+)'\)", asked.query.get("$filter", ""))
        matching = [item for item in items if all(text in item.get("armSkuName", "") for text in wanted)]
        begin = int(asked.query.get("$skip", "0"))
        shown = matching[begin : begin + _AZURE_PAGE]
        more = None
        if begin + _AZURE_PAGE < len(matching):
            query = {k: v for k, v in asked.query.items() if k != "$skip"} | {
                "$skip": str(begin + _AZURE_PAGE)
            }
            more = "https://prices.azure.com:443/api/retail/prices?" + "&".join(
                f"{name}={quote(value, safe='')}" for name, value in query.items()
            )
        return as_json(
            {
                "BillingCurrency": "USD", "CustomerEntityId": "Default", "CustomerEntityType": "Retail",
                "Items": shown, "NextPageLink": more, "Count": len(shown),
            }
        )  # fmt: skip

    server.on(url, answer)


# --- Google ------------------------------------------------------------------------------------------------------


def _sku(
    number: int, description: str, group: str, usage: str, unit: str, price: str, regions: Iterable[str]
) -> dict:
    units, _, fraction = price.partition(".")
    money = {"currencyCode": "USD", "units": units, "nanos": int(fraction.ljust(9, "0"))}
    return {
        "name": f"services/6F81-5844-456A/skus/{number:04X}-REPL-AY00",
        "skuId": f"{number:04X}-REPL-AY00",
        "description": description,
        "category": {
            "serviceDisplayName": "Compute Engine",
            "resourceFamily": "Compute",
            "resourceGroup": group,
            "usageType": usage,
        },
        "serviceRegions": list(regions),
        "pricingInfo": [
            {
                "summary": "",
                "pricingExpression": {
                    "usageUnit": unit,
                    "displayQuantity": 1,
                    "tieredRates": [{"startUsageAmount": 0, "unitPrice": money}],
                },
                "effectiveTime": "2026-11-01T00:00:00Z",
            }
        ],
        "serviceProviderName": "Google",
    }


_GCP_COMPUTE = [  # description, group, usage type, unit, US$
    ("Nvidia H100 80GB GPU running in {}", "GPU", "OnDemand", "h", "9.796550569"),
    ("A3 Instance Core running in {}", "CPU", "OnDemand", "h", "0.029270000"),
    ("A3 Instance Ram running in {}", "RAM", "OnDemand", "GiBy.h", "0.002548000"),
    ("SSD backed Local Storage in {}", "LocalSSD", "OnDemand", "GiBy.mo", "0.080000000"),
    ("Nvidia L4 GPU running in {}", "GPU", "OnDemand", "h", "0.560040000"),
    ("G2 Instance Core running in {}", "CPU", "OnDemand", "h", "0.024988000"),
    ("G2 Instance Ram running in {}", "RAM", "OnDemand", "GiBy.h", "0.002927000"),
    ("TpuV6e in {}", "TPU", "OnDemand", "h", "2.700000000"),
    ("N1 Predefined Instance Core running in {}", "N1Standard", "OnDemand", "h", "0.031611000"),
]
_GCP_TPU = [
    ("Tpu-v2 accelerator in {}", "TPU", "OnDemand", "h", "4.500000000"),
    ("Tpu-v3 accelerator in {}", "TPU", "OnDemand", "h", "8.000000000"),
]
_GCP_PAGE = 4


def _gcp(server: ReplayServer, _: Path) -> None:
    for service, skus in (("6F81-5844-456A", _GCP_COMPUTE), ("E000-3F24-B8AA", _GCP_TPU)):
        made = [
            _sku(n, what.format("Iowa"), group, usage, unit, price, ["us-central1"])
            for n, (what, group, usage, unit, price) in enumerate(skus, 1)
        ]

        def answer(asked: Asked, made: list[dict] = made) -> Reply:
            begin = int((asked.query.get("pageToken") or "at-0").removeprefix("at-"))
            end = begin + _GCP_PAGE
            return as_json({"skus": made[begin:end], "nextPageToken": f"at-{end}" if end < len(made) else ""})

        url = f"https://cloudbilling.googleapis.com/v1/services/{service}/skus"
        server.on(url, with_bearer(KEYS["GCP_API_KEY"], answer, header="x-goog-api-key", scheme=""))


# --- Oracle ------------------------------------------------------------------------------------------------------


def _oci(server: ReplayServer, _: Path) -> None:
    parts = [("B98415", "H100", 10.0), ("B92740", "A100 - v2", 4.0), ("B89734", "V100", 2.95)]
    products = [
        {
            "partNumber": number,
            "displayName": f"Oracle Cloud Infrastructure - Compute - GPU - {name}",
            "metricName": "GPU Per Hour",
            "serviceCategory": "Compute - GPU",
            "currencyCodeLocalizations": [
                {"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": price}]}
            ],
        }
        for number, name, price in parts
    ]
    shapes = [
        {
            "name": name, "hidden": False, "status": "ACTIVE", "allowPreemptible": is_preemptible,
            "bundleMemoryQty": memory, "gpuQty": gpus, "gpuMemoryQty": gpu_memory,
            "processorType": {"value": "x86"}, "shapeType": {"value": name[:2].lower()}, "subType": {"value": "gpu"},
            "products": [{"partNumber": part, "qty": cores, "type": {"value": "ocpu"}}],
        }
        for name, part, gpus, gpu_memory, cores, memory, is_preemptible in (
            ("BM.GPU.H100.8", "B98415", 8, 640, 112, 2048, False),
            ("BM.GPU.A100-v2.8", "B92740", 8, 640, 128, 2048, False),
            ("VM.GPU3.1", "B89734", 1, 16, 6, 90, True),
        )
    ]  # fmt: skip
    estimator = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data"
    listed = as_json({"lastUpdated": "2026-11-18", "items": products})
    server.on("https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/", listed)
    server.on(f"{estimator}/products.json", listed)
    server.on(f"{estimator}/shapes.json", as_json({"items": shapes}))


# --- generated catalogs -----------------------------------------------------------------------------------

_H100 = "\"{'Gpus': [{'Name': 'H100', 'Manufacturer': 'NVIDIA', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 81920}}]}\""
_SKYPILOT_HEADER = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"
)
_SKYPILOT_MADE_UP = {  # clouds without a real file
    "aws": f"p5.48xlarge,H100,8,192,2048,55.04,us-east-1,{_H100},21.5",
    "cudo": f"epyc-genoa-h100_8x12v96gb,H100,8,96,768,22.4,us-santaclara-1,{_H100},",
    "daytona": f"gpu-h100-8,H100,8,128,1024,24.0,us,{_H100},",
    "gcp": "a3-highgpu-8g,H100,8,208,1872,88.25,us-central1,,30.0\n,tpu-v6e-8,1,,,21.6,us-east5,,10.8",
    "jarvislabs": f"H100-8x,H100,8,128,1600,23.92,india-noida-01,{_H100},",
    "lium": f"h100-8,H100,8,128,1024,16.8,us,{_H100},",
    "oci": f"BM.GPU.H100.8,H100,8,224,2048,80.0,us-ashburn-1,{_H100},",
    "primeintellect": f"massed__8x-H100,H100,8,128,1600,19.92,US,{_H100},",
    "runpod": f"8x_H100_SECURE,H100,8,128,1600,21.52,US-KS-2,{_H100},21.52",
    "shadeform": f"hyperstack_H100x8,H100,8,192,1440,15.2,montreal-canada-2,{_H100},",
    "spheron": f"h100-8x,H100,8,128,1600,15.92,us,{_H100},",
    "vast": f"8x-H100_SXM-128-1048576,H100,8,128,1024,17.6,US,{_H100},0.00",
}
_COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _skypilot(server: ReplayServer, data: Path) -> None:
    repository = "skypilot-org/skypilot-catalog"
    tables = {cloud: f"{_SKYPILOT_HEADER}\n{lines}\n".encode() for cloud, lines in _SKYPILOT_MADE_UP.items()}
    for path in (data / "skypilot").glob("*.csv"):
        tables[path.name.partition("_")[0]] = path.read_bytes()

    def table(asked: Asked) -> Reply:
        match = re.fullmatch(rf"/{repository}/(master|{_COMMIT})/catalogs/v8/(\w+)/vms\.csv", asked.path)
        if not match or match[2] not in tables:
            return Reply(b"404: Not Found", 404, "text/plain", etag="")
        return Reply(tables[match[2]], content_type="text/plain; charset=utf-8")

    def commits(asked: Asked) -> Reply:
        commit = {"message": "update", "committer": {"name": "GitHub", "date": "2026-10-30T08:15:00Z"}}
        return as_json([{"sha": _COMMIT, "commit": commit}])

    server.on(f"https://raw.githubusercontent.com/{repository}/*", table)
    server.on(f"https://api.github.com/repos/{repository}/commits", commits)


_GPUHUNT_COLUMNS = (
    "instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot", "disk_size",
    "gpu_vendor", "flags", "cpu_arch", "provider_data",
)  # fmt: skip
_GPUHUNT_MADE_UP = {
    "azure": ("Standard_ND96isr_H100_v5", "eastus", 98.32),
    "cloudrift": ("rtx59-7c-nr.8", "us-east-nc-nr-1", 5.2),
    "lambdalabs": ("gpu_8x_h100_sxm5", "us-east-1", 31.92),
    "nebius": ("gpu-h100-sxm 8gpu-128vcpu-1600gb", "eu-north1", 23.6),
    "oci": ("BM.GPU.H100.8", "us-ashburn-1", 80.0),
    "runpod": ("NVIDIA H100 80GB HBM3", "US-KS-2", 21.52),
    "verda": ("8H100.80S.176V", "FIN-01", 18.32),
}


def _gpuhunt(server: ReplayServer, data: Path) -> None:
    observed = json.loads((data / "gpuhunt" / "observed_rows_2026-07_08.json").read_bytes())
    last: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for row in observed:  # a catalog has each offer once, with its last price
        provider = "gcp" if row["instance_name"].startswith("a3-") else "aws"
        last[provider][row["instance_name"], row["location"]] = row["price_instance_hr"]
    for provider, (name, place, price) in _GPUHUNT_MADE_UP.items():
        last[provider][name, place] = price
    base, version = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3", "20261120-5120"
    for provider, offers in last.items():
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, _GPUHUNT_COLUMNS, restval="")
        writer.writeheader()
        for (name, place), price in offers.items():
            gpu, memory = ("RTX5090", 32.0) if provider == "cloudrift" else ("H100", 80.0)
            writer.writerow(
                {
                    "instance_name": name, "location": place, "price": price, "cpu": 192, "memory": 2048.0,
                    "gpu_count": 8, "gpu_name": gpu, "gpu_memory": memory, "spot": False, "gpu_vendor": "nvidia",
                    "cpu_arch": "x86", "provider_data": "{}",
                }
            )  # fmt: skip
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(f"{provider}.csv", (2026, 11, 20, 0, 0, 0)), out.getvalue())
        server.on(
            f"{base}/{provider}/version", Reply(f"{version}\n".encode(), content_type="binary/octet-stream")
        )
        server.on(
            f"{base}/{provider}/{version}/catalog.zip",
            Reply(packed.getvalue(), content_type="application/zip"),
        )


# --- marketplaces and small clouds -------------------------------------------------------------------------------


def _key_welcome(key: str, answer: Answer) -> Answer:
    """Return the reply for requests without a key or with the right one."""
    checked = with_bearer(key, answer)
    return lambda asked: (checked if "authorization" in asked.headers else answer)(asked)


def _runpod(server: ReplayServer, data: Path) -> None:
    body = (data / "runpod" / "gpu_types.json").read_bytes()

    def answer(asked: Asked) -> Reply:
        if asked.method != "POST" or "gpuTypes" not in asked.json.get("query", ""):
            return as_json({"errors": [{"message": "Must provide query string."}]}, status=400)
        return Reply(body)

    server.on("https://api.runpod.io/graphql", _key_welcome(KEYS["RUNPOD_API_KEY"], answer))


def _vast(server: ReplayServer, data: Path) -> None:
    archive = json.loads((data / "vast" / "bundles_2026-03-06.json").read_bytes())
    by_name: dict[str, list[dict]] = defaultdict(list)
    for offers in archive["offers_by_model"].values():
        for offer in offers:
            by_name[offer["gpu_name"]].append(offer)

    def answer(asked: Asked) -> Reply:
        query = asked.json if asked.body else json.loads(asked.query["q"])
        offers = sorted(by_name.get(query["gpu_name"]["eq"], []), key=lambda offer: offer["dph_total"])
        for name in ("rentable", "rented"):
            if name in query:
                offers = [offer for offer in offers if offer[name] is query[name]["eq"]]
        return as_json({"offers": offers[: query.get("limit", 64)]})

    server.on("https://console.vast.ai/api/v0/bundles/", _key_welcome(KEYS["VAST_API_KEY"], answer))


def _scaleway(server: ReplayServer, data: Path) -> None:
    zones: dict[str, dict[str, dict]] = defaultdict(dict)
    for row in json.loads((data / "scaleway" / "observed_rows_2026-08.json").read_bytes()):
        zones[row["zone"]][row["instance_name"]] = {"gpu": row["gpu"], "hourly_price": row["hourly_price"]}
    common = {"arch": "x86_64", "ncpus": 16, "ram": 137438953472}

    def answer(asked: Asked) -> Reply:
        zone = asked.path.split("/")[4]
        servers = {name: common | server for name, server in zones.get(zone, {}).items()}
        servers["PLAY2-MICRO"] = common | {"gpu": None, "hourly_price": 0.0549, "ncpus": 4}
        size, number = int(asked.query.get("per_page", "50")), int(asked.query.get("page", "1"))
        shown = dict(sorted(servers.items())[(number - 1) * size : number * size])
        return replace(as_json({"servers": shown}), headers={"X-Total-Count": str(len(servers))})

    server.on("https://api.scaleway.com/instance/v1/zones/*", answer)


# --- European Central Bank ---------------------------------------------------------------------------------------

_RATES = {  # units of the currency per euro; synthetic, near those of 2026
    "2026-11-18": {"USD": 1.1634, "JPY": 179.85, "GBP": 0.8792, "CHF": 0.9281},
    "2026-11-19": {"USD": 1.1611, "JPY": 180.12, "GBP": 0.8801, "CHF": 0.9274},
    "2026-11-20": {"USD": 1.1588, "JPY": 180.47, "GBP": 0.8807, "CHF": 0.9290},
}


def _ecb(server: ReplayServer, _: Path) -> None:
    def xml(days: Mapping[str, Mapping[str, float]]) -> Reply:
        cubes = "".join(
            f'<Cube time="{day}">'
            + "".join(f'<Cube currency="{name}" rate="{rate}"/>' for name, rate in rates.items())
            + "</Cube>"
            for day, rates in sorted(days.items(), reverse=True)
        )
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>'
            '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
            'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">'
            "<gesmes:subject>Reference rates</gesmes:subject>"
            "<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>"
            f"<Cube>{cubes}</Cube></gesmes:Envelope>"
        )
        return Reply(text.encode(), content_type="text/xml")

    names = list(next(iter(_RATES.values())))
    # the ECB ends every line with a comma and writes N/A for a discontinued currency
    lines = [f"Date,{','.join(names)},LTL,"]
    lines += [
        f"{day},{','.join(str(rates[name]) for name in names)},N/A,"
        for day, rates in sorted(_RATES.items(), reverse=True)
    ]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            zipfile.ZipInfo("eurofxref-hist.csv", (2026, 11, 20, 15, 0, 0)), "\n".join(lines) + "\n"
        )
    base, newest = "https://www.ecb.europa.eu/stats/eurofxref", max(_RATES)
    server.on(f"{base}/eurofxref-daily.xml", xml({newest: _RATES[newest]}))
    for name in ("eurofxref-hist.xml", "eurofxref-hist-90d.xml"):
        server.on(f"{base}/{name}", xml(_RATES))
    server.on(f"{base}/eurofxref-hist.zip", Reply(packed.getvalue(), content_type="application/zip"))
