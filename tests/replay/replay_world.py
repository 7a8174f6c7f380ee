"""Every upstream of prices, specifications, grids and serving, replayed locally: real payloads where available.

A list without a real file is answered with the good payload of its source in `source_samples`; pages are made up in
their documented form.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import price_pages
import spec_pages
from replay_server import Answer, Asked, ReplayServer, Reply, as_json, page
from source_samples import SAMPLES, changed
from test_gpuhunt_catalog import P5, table, zipped

from ingest.energy import codecarbon, mlenergy
from ingest.prices import ecb, gcp, gpuhunt_catalog, skypilot
from ingest.serving import inferencex
from ingest.specs import epoch, neuron, rocm

KEYS = {
    "GCP_API_KEY": "AIzaReplay-gcp-0123456789abcdef",
    "LAMBDA_API_KEY": "secret_replay_lambda_0123456789abcdef",
    "RUNPOD_API_KEY": "rpa_REPLAY0123456789ABCDEF",
    "VAST_API_KEY": "vastreplay0123456789abcdef0123456789",
}
_SKYPILOT = "skypilot-org/skypilot-catalog"
ROBOTS = b"User-agent: *\nAllow: /\nDisallow: /api/\n\nUser-agent: badbot\nDisallow: /\n"


def world(price_data: Path) -> ReplayServer:
    """All upstreams, not yet listening: use it as a context manager.

    Args:
        price_data: the folder of real payloads (fixture `price_data`).
    """
    server = ReplayServer()
    for url, html in (price_pages.PAGES | spec_pages.PAGES).items():
        server.on(url, page(html))
        server.on(f"https://{urlsplit(url).netloc}/robots.txt", Reply(ROBOTS, content_type="text/plain"))
    files = _real_files(price_data.parent) | _sampled_files() | _skypilot_files(price_data)
    for url, body in files.items():
        server.on(url, Reply(body, content_type="text/plain; charset=utf-8"))
    for url, answer in {
        "https://pricing.us-east-1.amazonaws.com/*": _aws(price_data),
        "https://prices.azure.com/api/retail/prices": _azure(price_data),
        "https://console.vast.ai/api/v0/bundles/": _vast(price_data),
        "https://api.scaleway.com/instance/v1/zones/*": _scaleway(price_data),
        f"{inferencex.API}*": _inferencex(price_data.parent),
    }.items():
        server.on(url, answer)
    return server


def _real_files(data: Path) -> dict[str, bytes]:
    """Bodies by address; the file of US states is the edition of 2016, under the present address."""
    files = {
        epoch.URL: max((data / "specs").glob("epoch_ml_hardware_*.csv")),
        rocm.URL: data / "specs" / "vendor" / "rocm_gpu-arch-specs.rst",
        "https://api.runpod.io/graphql": data / "prices" / "runpod" / "gpu_types.json",
    }
    for path in (data / "specs" / "vendor").glob("neuron_*.rst"):
        files[f"{neuron.RAW}{path.stem.removeprefix('neuron_')}.rst"] = path
    for fetch in codecarbon.plan({}):
        url = fetch.first.url
        files[url] = data / "energy" / "codecarbon" / url.rpartition("/")[2]
    for path in (data / "energy" / "mlenergy").rglob("*.json"):
        files[f"{mlenergy.BASE_URL}/{path.relative_to(data / 'energy' / 'mlenergy')}"] = path
    return {url: path.read_bytes() for url, path in files.items()}


def _sampled(name: str) -> dict[str, bytes]:
    return SAMPLES[name].build([*SAMPLES[name].records])


def _sampled_files() -> dict[str, bytes]:
    bodies = {url: text.encode() for url, text in spec_pages.MADE_RST.items()}
    (bodies[ecb.URL],) = _sampled("ecb-reference-rates").values()
    oracle = _sampled("oci-price-list")
    bodies["https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/"] = oracle["price-list.json"]
    for name in ("products.json", "shapes.json"):
        bodies[f"https://www.oracle.com/a/ocom/docs/cloudestimator2/data/{name}"] = oracle[name]
    (machines,) = _sampled("gcp-billing-catalog").values()
    bodies[f"{gcp.API_URL}/{gcp.SERVICES['compute-engine']}/skus"] = machines
    gpu = SAMPLES["gcp-billing-catalog"].records[0]
    tpu = changed(gpu, {"description": "Tpu-v2 accelerator in Iowa", ("category", "resourceGroup"): "TPU"})
    bodies[f"{gcp.API_URL}/{gcp.SERVICES['cloud-tpu']}/skus"] = json.dumps({"skus": [tpu]}).encode()
    for provider in gpuhunt_catalog.PROVIDERS:
        url, version = f"{gpuhunt_catalog.BASE_URL}/{provider}", "20261120-5120"
        bodies[f"{url}/version"] = f"{version}\n".encode()
        bodies[f"{url}/{version}/catalog.zip"] = zipped(table(P5), f"{provider}.csv")
    return bodies


def _skypilot_files(data: Path) -> dict[str, bytes]:
    """The real table of a cloud, or the sample, at the head and at the commit that the list of commits names."""
    commit = {"sha": "0123456789" * 4, "commit": {"committer": {"date": "2026-10-30T08:15:00Z"}}}
    bodies = {f"https://api.github.com/repos/{_SKYPILOT}/commits": json.dumps([commit]).encode()}
    (sample,) = _sampled("skypilot-catalog").values()
    for cloud in (*skypilot.REFRESHED_CLOUDS, *skypilot.HAND_KEPT_CLOUDS):
        real = next((data / "skypilot").glob(f"{cloud}_*.csv"), None)
        for ref in ("master", commit["sha"]):
            url = f"https://raw.githubusercontent.com/{_SKYPILOT}/{ref}/catalogs/v8/{cloud}/vms.csv"
            bodies[url] = real.read_bytes() if real else sample
    return bodies


def _aws(data: Path) -> Answer:
    """The list of one region, under the code of each."""
    listed = (data / "aws" / "ec2_offer_us-east-1_excerpt.csv").read_bytes()

    def answer(asked: Asked) -> Reply:
        region = asked.path.split("/")[-2]
        return Reply(listed.replace(b"us-east-1", region.encode()), content_type="text/csv")

    return answer


def _azure(data: Path) -> Answer:
    """Real prices, and one of each family of sizes that they lack, in pages of 40."""
    url = "https://prices.azure.com/api/retail/prices"
    names = ("page1", "page2", "h100_eastus_2026-09-16")
    files = [
        *(data / "azure" / f"retail_prices_{name}.json" for name in names),
        data / "azure" / "full_key_records.json",
    ]
    items = [item for file in files for item in json.loads(file.read_bytes())["Items"]]
    meter = SAMPLES["azure-retail-prices"].records[0]
    items += [meter | {"armSkuName": f"Standard_{size}"} for size in ("NV36ads_A10_v5", "NG32ads_V620_v1")]

    def answer(asked: Asked) -> Reply:
        (family,) = re.findall(r"contains\(armSkuName, '([^']+)'\)", asked.query["$filter"])
        matching = [item for item in items if family in item.get("armSkuName", "")]
        begin = int(asked.query.get("$skip", "0"))
        more = (
            f"{url}?{urlencode({**asked.query, '$skip': begin + 40})}" if begin + 40 < len(matching) else None
        )
        return as_json({"Items": matching[begin : begin + 40], "NextPageLink": more})

    return answer


def _vast(data: Path) -> Answer:
    archive = json.loads((data / "vast" / "bundles_2026-03-06.json").read_bytes())
    offers = [offer for found in archive["offers_by_model"].values() for offer in found]

    def answer(asked: Asked) -> Reply:
        name = asked.json["gpu_name"]["eq"]
        return as_json({"offers": [offer for offer in offers if offer["gpu_name"] == name]})

    return answer


def _scaleway(data: Path) -> Answer:
    zones: dict[str, dict[str, dict]] = defaultdict(dict)
    for row in json.loads((data / "scaleway" / "observed_rows_2026-08.json").read_bytes()):
        zones[row["zone"]][row["instance_name"]] = {"gpu": row["gpu"], "hourly_price": row["hourly_price"]}
    no_gpu = {"PLAY2-MICRO": {"gpu": None, "hourly_price": 0.0549}}

    def answer(asked: Asked) -> Reply:
        servers = zones[asked.path.split("/")[4]] | no_gpu
        size, number = int(asked.query["per_page"]), int(asked.query["page"])
        shown = dict(sorted(servers.items())[(number - 1) * size : number * size])
        return replace(as_json({"servers": shown}), headers={"X-Total-Count": str(len(servers))})

    return answer


def _inferencex(data: Path) -> Answer:
    """Real answers for one model; the others get a few runs of it."""
    newest, dated = (
        json.loads((data / "serving" / f"inferencex_{name}_2026-06.json").read_bytes())
        for name in ("benchmarks", "history")
    )

    def answer(asked: Asked) -> Reply:
        model, runs = asked.query["model"], newest
        if asked.path.endswith("/history"):
            lengths = int(asked.query["isl"]), int(asked.query["osl"])
            runs = [run for run in dated if (run["isl"], run["osl"]) == lengths]
        if model != "DeepSeek-R1-0528":
            runs = [run | {"model": model.lower()} for run in runs[:3]]
        return as_json(runs)

    return answer
