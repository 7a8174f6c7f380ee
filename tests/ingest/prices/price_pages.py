"""The price pages as functions: elements, classes and attributes of the real pages that their readers look at.

The figures are, but for a few, those the pages showed in August 2026 (Nebius' announced ones: October 2026); a test
that wants another page passes other rows. `PAGES` is what a replay server answers with: URL to body.
"""

import io
import json
from html import escape

LAMBDA_URL = "https://lambda.ai/pricing"
LAMBDA_API_URL = "https://cloud.lambda.ai/api/v1/instance-types"
COREWEAVE_URL = "https://www.coreweave.com/pricing"
NEBIUS_URL = "https://nebius.com/prices"
CRUSOE_URL = "https://www.crusoe.ai/cloud/pricing"
TOGETHER_URL = "https://www.together.ai/pricing"
HYPERSTACK_URL = "https://www.hyperstack.cloud/gpu-pricing"
VERDA_URL = "https://verda.com/pricing"


def document(body):
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><body>{body}</body></html>'.encode()


def read_page(source, html):
    return source.parse([("", io.BytesIO(html))], key="pricing")


LAMBDA_TABS = {  # plan, VRAM/GPU, vCPUs, RAM, STORAGE, PRICE/GPU/HR*
    "8x": [
        ("NVIDIA B200 SXM6", "180 GB", "208", "2900 GiB", "22 TiB SSD", "$6.69"),
        ("NVIDIA H100 SXM", "80 GB", "208", "1800 GiB", "22 TiB SSD", "$3.99"),
        ("NVIDIA A100 SXM", "80 GB", "240", "1800 GiB", "19.5 TiB SSD", "$2.79"),
        ("NVIDIA A100 SXM", "40 GB", "124", "1800 GiB", "5.8 TiB SSD", "$1.99"),
        ("NVIDIA Tesla V100", "16 GB", "88", "448 GiB", "5.8 TiB SSD", "$0.79"),
    ],
    "4x": [("NVIDIA H100 SXM", "80 GB", "104", "900 GiB", "11 TiB SSD", "$4.09")],
    "2x": [("NVIDIA H100 SXM", "80 GB", "52", "450 GiB", "5.5 TiB SSD", "$4.19")],
    "1x": [
        ("NVIDIA B200 SXM6", "180 GB", "26", "360 GiB", "2.75 TiB SSD", "$6.99"),
        ("NVIDIA GH200", "96 GB", "64", "432 GiB", "4 TiB SSD", "$2.29"),
        ("NVIDIA H100 SXM", "80 GB", "26", "225 GiB", "2.75 TiB SSD", "$4.29"),
        ("NVIDIA A100 SXM", "40 GB", "30", "220 GiB", "512 GiB SSD", "$1.99"),
        ("NVIDIA A10", "24 GB", "30", "226 GiB", "1.3 TiB SSD", "$1.29"),
        ("NVIDIA Quadro RTX 6000", "24 GB", "14", "46 GiB", "512 GiB SSD", "$0.69"),
    ],
}
LAMBDA_CLUSTERS = {
    "NVIDIA HGX B200": [
        ("NVIDIA HGX B200", "2 weeks – 1 year", "16", "$9.86"),
        ("NVIDIA HGX B200", "1 year+", "16+", "—"),
    ],
}
_LAMBDA_INSTANCE_LABELS = ("VRAM/GPU", "vCPUs", "RAM", "STORAGE", "PRICE/GPU/HR*")
_LAMBDA_CLUSTER_LABELS = ("DURATION", "GPU COUNT", "PRICE/GPU/HR*")


def lambda_table(rows, labels=_LAMBDA_INSTANCE_LABELS):
    head = "<th>Plan</th>" + "".join(f"<th>{label}</th>" for label in labels)
    body = "".join(
        f'<tr data-plan="{plan}"><th scope="row" data-label="Plan">{plan}</th>'
        + "".join(f'<td data-label="{label}">{cell}</td>' for label, cell in zip(labels, cells, strict=True))
        + "</tr>"
        for plan, *cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _lambda_island(island, tabs, labels):
    buttons = "".join(
        f'<button role="tab" aria-controls="panel-{island}-{i}" id="tab-{island}-{i}">{label}</button>'
        for i, label in enumerate(tabs)
    )
    panels = "".join(
        f'<div role="tabpanel" id="panel-{island}-{i}" aria-labelledby="tab-{island}-{i}">'
        f"{lambda_table(rows, labels)}</div>"
        for i, rows in enumerate(tabs.values())
    )
    # the whole of it again, as the page's script carries it: JSON with markup escaped
    copy = json.dumps([lambda_table(rows, labels) for rows in tabs.values()]).replace("<", "\\u003C")
    return f"<div>{buttons}</div><div>{panels}</div><script>var newIslands = {copy};</script>"


def lambda_page(tabs=LAMBDA_TABS, clusters=LAMBDA_CLUSTERS, islands=("a", "b")):
    return document(
        "<h2>1-Click Clusters<br>pricing</h2>"
        + _lambda_island(islands[0], clusters, _LAMBDA_CLUSTER_LABELS)
        + "<h2>Instances pricing</h2>"
        + _lambda_island(islands[1], tabs, _LAMBDA_INSTANCE_LABELS)
    )


LAMBDA_TYPES = {  # name: description, gpu_description, cents per instance-hour, vcpus, GiB, gpus, regions
    "gpu_8x_h100_sxm5": ("8x H100 (80 GB SXM5)", "H100 (80 GB SXM5)", 3192, 208, 1800, 8, ["us-east-1", "us-west-3"]),
    "gpu_1x_h100_sxm5": ("1x H100 (80 GB SXM5)", "H100 (80 GB SXM5)", 429, 26, 225, 1, []),
    "gpu_8x_a100": ("8x A100 (40 GB SXM4)", "A100 (40 GB SXM4)", 1592, 124, 1800, 8, []),
    "cpu_4x_general": ("4 vCPU General", "N/A", 20, 4, 16, 0, ["us-east-1"]),
}  # fmt: skip


def lambda_type(name, description, gpu, cents, vcpus, memory, gpus, regions):
    return {
        "instance_type": {
            "name": name,
            "description": description,
            "gpu_description": gpu,
            "price_cents_per_hour": cents,
            "specs": {"vcpus": vcpus, "memory_gib": memory, "storage_gib": 512, "gpus": gpus},
        },
        "regions_with_capacity_available": [{"name": r, "description": r} for r in regions],
    }


def lambda_api(types=LAMBDA_TYPES):
    return json.dumps({"data": {name: lambda_type(name, *rest) for name, rest in types.items()}}).encode()


COREWEAVE_GPUS = [  # data-product, model, count, VRAM, vCPUs, RAM, storage, on demand, spot NA, spot EU, per GPU
    ("nvidia-gb300-nvl72", "NVIDIA GB300 NVL72", "4^1", "279", "144", "960", "61.44", "", "N/A", "N/A", ""),
    ("nvidia-gb200-nvl72", "NVIDIA GB200 NVL72", "4^1", "186", "144", "960", "30.72", "$42.00", "N/A", "N/A", "$10.50"),
    ("nvidia-b300", "NVIDIA HGX B300", "8", "270", "192", "4,096", "61.44", "", "$35.84", "$36.70", ""),
    ("nvidia-b200", "NVIDIA HGX B200", "8", "180", "128", "2,048", "61.44", "$68.80", "$34.11", "$34.87", "$8.60"),
    ("hgx-h100", "NVIDIA HGX H100", "8", "80", "128", "2,048", "61.44", "$49.24", "$19.71", "$19.51", "$6.16"),
    ("nvidia-gh200", "NVIDIA GH200", "1", "96", "72", "480", "7.68", "$6.50", "N/A", "N/A", "$6.50"),
]  # fmt: skip


def coreweave_row(
    product, model, count, vram, vcpus, ram, storage, on_demand, spot, per_gpu=None, copies=None
):
    """One `table-grid`: the cells of the wide layout and, in the columns left and right, those of the narrow one.

    `copies` overrides what the narrow layout says: (on demand, spot).
    """
    narrow_on_demand, narrow_spot = copies or (on_demand, spot)
    link = '<a href="/contact-us">Contact sales</a>' if not on_demand else ""
    inference, inference_cell = "", ""
    if per_gpu is not None:
        inference = (
            '<span class="inference-price">Inference Single CPU Price: '
            f'<span class="item-value">{per_gpu}</span> / Hour</span>'
        )
        inference_cell = f'<div class="table-v2-cell"><div>{per_gpu}</div>{link}</div>'
    specs = (("GPU Count", count), ("VRAM", vram), ("vCPUs", vcpus), ("System RAM", ram))
    heading = f'<h3 data-product="{product}" class="table-model-name">{model}</h3>'
    return (
        f'<div class="table-grid"><div class="table-v2-cell table-v2-cell--name">{heading}</div>'
        + "".join(f'<div class="table-v2-cell">{c}</div>' for c in (count, vram, vcpus, ram, storage))
        + f'<div class="table-v2-cell"><div>{on_demand}</div> {link}</div>'
        f'<div class="table-cell-column">{heading}<span class="instance-price">On-Demand Price: '
        f'<span class="item-value">{narrow_on_demand}</span> / Hour<br/></span>'
        f'<span class="spot-price">Spot Price: <span class="item-value">{narrow_spot}</span> / Hour<br/></span>'
        f'{inference}</div><div class="table-v2-cell">{spot}</div>{inference_cell}<div class="table-cell-column">'
        + "".join(
            f'<div><div class="table-meta-value">{value}</div><div>{label}</div></div>'
            for label, value in specs
        )
        + "</div></div>"
    )


def _coreweave_table(region, rows, labels):
    head = "".join(f'<div class="table-header-text">{label}</div>' for label in labels)
    return f'<h5>REGION: {region}</h5><div class="table-v2">{head}{"".join(rows)}</div>'


_COREWEAVE_LABELS = (
    *("GPU Model", "GPU Count", "VRAM (GB)", "vCPUs", "System RAM<br/>(GB)", "Local Storage<br/>(TB)"),
    *("On-Demand Price (Per Hour)", "Spot Price (Per Hour)"),
)
_COREWEAVE_CPU = (
    '<div class="table-grid"><div class="table-v2-cell"><h3 data-product="amd-genoa-9274f" class="table-model-name">'
    'AMD Genoa (9274F)</h3></div><div class="table-meta-value">$6.42</div></div>'
)


def coreweave_page(gpus=COREWEAVE_GPUS, extra_rows=()):
    """Both regions: on demand is the same, spot is each region's own; only North America states a per-GPU price."""
    north, europe = [], []
    for *shape, spot_north, spot_europe, per_gpu in gpus:
        north.append(coreweave_row(*shape, spot_north, per_gpu))
        europe.append(coreweave_row(*shape, spot_europe))
    single = "Inference Single GPU Price(Per Hour)²"
    return document(
        _coreweave_table("NORTH AMERICA", [*north, *extra_rows], (*_COREWEAVE_LABELS, single))
        + _coreweave_table("EUROPE", europe, _COREWEAVE_LABELS)
        + _coreweave_table("NORTH AMERICA", [_COREWEAVE_CPU], ("CPU Model", "CPU Type", "vCPUs"))
    )


NEBIUS_HEADER = ("Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour", "On-demand, GPU-hour")
NEBIUS_GPUS = [
    ("NVIDIA GB300 NVL72", "112", "800", "––", "Contact us"),
    ("NVIDIA HGX B300", "24", "346", "$4.30", "$7.85"),
    ("NVIDIA HGX B200", "20", "224", "$3.95", "$7.15"),
    ("NVIDIA HGX H200", "16", "200", "$2.45", "$4.50"),
    ("NVIDIA HGX H100", "16", "200", "$2.15", "$3.85"),
    ("NVIDIA RTX PRO 6000", "24", "218", "$0.95", "$1.80"),
    ("NVIDIA L40S with AMD CPU", "8-40", "32-160", "from $0.74", "from $1.55"),
]
NEBIUS_ANNOUNCED_HEADER = (
    *("Item", "vCPUs", "RAM, GB", "On-demand, GPU-hour"),
    "GPU-hour (Effective October 1, 2026)",
)
NEBIUS_ANNOUNCED = [
    ("NVIDIA GB300 NVL72", "112", "800", "Contact us", "Contact us"),
    ("NVIDIA HGX B300", "24", "346", "$7.85", "$9.50"),
    ("NVIDIA HGX B200", "20", "224", "$7.15", "$8.50"),
    ("NVIDIA HGX H200", "16", "200", "$4.50", "$5.40"),
    ("NVIDIA HGX H100", "16", "200", "$3.85", "$4.50"),
]


def _nebius_table(title, header, rows):
    def row(cells):
        inside = "".join(f'<div class="pc-highlight-table-block__cell"><p>{c}</p></div>' for c in cells)
        return f'<div class="pc-highlight-table-block__row">{inside}</div>'

    return (
        f'<div class="pc-highlight-table-block"><div class="pc-highlight-table-block__title"><h2>{title}</h2></div>'
        f'<div class="pc-highlight-table-block__content"><div class="pc-highlight-table-block__head">{row(header)}</div>'
        f"{''.join(map(row, rows))}</div></div>"
    )


def nebius_page(tables=(("NVIDIA GPU Instances", NEBIUS_HEADER, NEBIUS_GPUS),)):
    header = ("Item", "vCPUs", "RAM, GB", "Price per hour")
    cpus = ("CPU-only instances", header, [("AMD EPYC Genoa", "4-64", "16-256", "from $0.10")])
    return document("".join(_nebius_table(*table) for table in (*tables, cpus)))


CRUSOE_GPUS = [  # heading, memory, form factor, on demand, spot
    ("NVIDIA GB200", "186GB", "NVL72", "Contact sales", "Contact sales"),
    ("NVIDIA B200", "180GB", "HGX", "Contact sales", "Contact sales"),
    ("NVIDIA H200", "141GB", "HGX", "$4.29/GPU-hr", "Contact sales"),
    ("NVIDIA H100", "80GB", "HGX", "$3.90/GPU-hr", "Contact sales"),
    ("NVIDIA A100", "80GB", "SXM", "$2.30/GPU-hr", "Contact sales"),
    ("NVIDIA A100", "80GB", "PCIe", "$2.00/GPU-hr", "Contact sales"),
    ("NVIDIA L40S", "48GB", "", "$1.50/GPU-hr", "Contact sales"),
    ("AMD MI355X", "288GB", "", "Contact sales", "Contact sales"),
    ("AMD MI300X", "192GB", "", "$3.45/GPU-hr", "Contact sales"),
]


def crusoe_item(heading, tags, cells):
    tag_list = "".join(f'<div class="pricing-tag">{tag}</div>' for tag in tags)
    prices = "".join(f'<div class="pricing-rich"><p>{cell}</p></div>' for cell in cells)
    return f'<div class="pricing_gpu-item"><h4>{heading}</h4>{tag_list}{prices}</div>'


def crusoe_section(columns, items):
    head = "".join(f'<div class="pricing-heading">{c}</div>' for c in columns)
    return (
        f'<div class="pricing-gap"><div class="pricing-table-heading">{head}</div>'
        f'<div class="w-dyn-list">{"".join(items)}</div></div>'
    )


def crusoe_page(gpus=CRUSOE_GPUS, columns=("GPU model", "On-demand", "Current spot")):
    managed = crusoe_item("NVIDIA H100", ("80GB", "HGX"), ["$5.50"])  # on the same chips, at a higher price
    return document(
        crusoe_section(columns, [crusoe_item(h, (m, f), cells) for h, m, f, *cells in gpus])
        + crusoe_section(("GPU", "Price per hour"), [managed])
    )


TOGETHER_TERMS = ("7-30 days", "31-90 days", "91-180 days", "181+ days")
TOGETHER_GPUS = [  # hardware, on demand, one cell per term (one cell in all spans them)
    ("HGX H100", "$3.99", "$3.69", " $3.45", "$3.19", "Contact us"),
    ("HGX H200", "$5.99", "$4.99", "$4.15", "$3.99", "Contact us"),
    ("HGX B200", "$8.19", "$7.99", "$7.79", "$6.79", "Contact us"),
    ("GB200 NVL72", "—", "Contact us"),
    ("HGX B300", "—", "Contact us"),
]


def _together_row(hardware, *cells, attributes=""):
    name = f"<td><p><span>NVIDIA</span><span> </span><span>{hardware}</span></p></td>"
    inside = "".join(f"<td{attributes if i else ''}><p>{cell}</p></td>" for i, cell in enumerate(cells))
    return f'<div role="listitem"><tr>{name}{inside}</tr></div>'


def _together_table(gpus, terms):
    rows = ""
    for hardware, on_demand, *cells in gpus:
        span = f' colspan="{len(terms)}"' if len(cells) == 1 else ""
        rows += _together_row(hardware, on_demand, *cells, attributes=span)
    return (
        '<table><thead><tr><th rowspan="2">Hardware</th><th>ON-Demand</th>'
        f'<th colspan="{len(terms)}">Reserved</th></tr><tr><th>Pay as you go</th>'
        + "".join(f"<th>{term}</th>" for term in terms)
        + f"</tr></thead><tbody><div>{rows}</div></tbody></table>"
    )


def together_page(gpus=TOGETHER_GPUS, terms=TOGETHER_TERMS, hidden=None):
    """Three surfaces: dedicated inference on the same boards (dearer), a hidden hourly copy, the table people see."""
    hourly = "".join(_together_row(h, p) for h, p, *_ in (hidden or gpus))
    return document(
        '<div id="dedicated-inference" class="section-anchor"></div><table><thead>'
        "<th>Hardware <p>All prices per gpu per hour</p></th><th>On-demand</th></thead>"
        f"<tbody>{_together_row('HGX B200', '$8.99')}</tbody></table>"
        '<div><div id="gpu-clusters" class="section-anchor"></div><div class="hide"><table>'
        f"<thead><th>Hardware</th><th>Hourly</th></thead><tbody>{hourly}</tbody></table></div>"
        f"<div><p>All prices are per GPU per hour.</p>{_together_table(gpus, terms)}</div></div>"
        '<div id="sandbox" class="section-anchor"></div><table><tr><th>Hardware</th><th>Hourly</th></tr>'
        "<tr><td>vCPU</td><td>$0.04</td></tr></table>"
    )


HYPERSTACK_ON_DEMAND = [  # model, VRAM, max pCPUs, max RAM, per hour
    ("NVIDIA H200 SXM", "141", "22", "225", "$3.99"),
    ("NVIDIA H100 SXM", "80", "24", "240", "$3.20"),
    ("NVIDIA H100 NVLink", "80", "31", "180", "$2.60"),
    ("NVIDIA H100", "80", "28", "180", "$2.50"),
    ("NVIDIA A100 SXM", "80", "24", "120", "$1.60"),
    ("NVIDIA A100 NVLink", "80", "31", "240", "&nbsp;$1.40"),
    ("NVIDIA A100", "80", "28", "120", "&nbsp;$1.35"),
    ("NVIDIA L40", "48", "28", "120", "&nbsp;$1.00"),
    ("NVIDIA A6000", "48", "28", "58", "&nbsp;$0.50"),
    ("NVIDIA B200", "192", "31", "256", "$6.00"),
]
HYPERSTACK_RESERVED = [
    ("NVIDIA H200 SXM", "&nbsp;$2.79", '<a href="/reserve-now">Reserve here</a>'),
    ("NVIDIA H100 NVLink", "&nbsp;$1.82", "Reserve here"),
]
HYPERSTACK_SPOT = [("NVIDIA H100 PCIe", "$2.00"), ("NVIDIA A100", "$1.08"), ("NVIDIA L40", " $0.80")]


def _hyperstack_card(title, header, rows):
    def row(cells):
        inside = "".join(f'<div class="page-price_card_row_item_col">{cell}</div>' for cell in cells)
        return f'<div class="page-price_card_row_item">{inside}</div>'

    head = "".join(f'<div class="page-price_card_head_item">{label}</div>' for label in header)
    return f'<div class="page-price_card"><h3>{title}</h3>{head}{"".join(map(row, rows))}</div>'


def hyperstack_page(on_demand=HYPERSTACK_ON_DEMAND):
    of_gpus = (
        "GPU Model ",
        "VRAM (GB)",
        "Max pCPUs<br>per GPU",
        "Max RAM (GB) per GPU",
        "Pricing Per Hour&nbsp;",
    )
    of_cpus = ("CPU Flavor", "GPU Cores", "RAM (GB)", "ROOT Disk (GB)", "Pricing Per Hour&nbsp;")
    reserved = ("GPU Model ", "Starting from&nbsp;", "Reserve")
    return document(
        _hyperstack_card("<span>On-Demand GPU</span> Pricing", of_gpus, on_demand)
        + _hyperstack_card("<span>Reservation</span> Pricing", reserved, HYPERSTACK_RESERVED)
        + _hyperstack_card("<span>Spot VM</span> Pricing", ("GPU Model ", "Spot VM"), HYPERSTACK_SPOT)
        + _hyperstack_card(
            "<span>On-Demand CPU</span> Pricing", of_cpus, [("n1-cpu-small&nbsp;", "4", "4", "100", "$0.35")]
        )
    )


VERDA_OFFERS = [  # name, description, price, unit
    ("1x B300 SXM6 268GB on-demand", "Hourly on-demand instance price", 7.5),
    ("1x B300 SXM6 268GB spot", "Hourly spot instance price", 3.75),
    ("1x B200 SXM6 180GB on-demand", "Hourly on-demand instance price", 6.11),
    ("1x B200 SXM6 180GB spot", "Hourly spot instance price", 3.055),
    # the 30- and the 32-vCPU instance carry one name and, so far, one price
    ("1x H100 SXM5 80GB on-demand", "Hourly on-demand instance price", 3.25),
    ("1x H100 SXM5 80GB spot", "Hourly spot instance price", 1.625),
    ("1x H100 SXM5 80GB on-demand", "Hourly on-demand instance price", 3.25),
    ("1x Tesla V100 16GB on-demand", "Hourly on-demand instance price", 0.17),
    ("1x B200 CC SXM6 180GB on-demand", "Hourly on-demand instance price", 6.232),
    (" on-demand", "Hourly on-demand instance price", 0.048),
    ("8x GB300 SXM6 288GB instant cluster", "Hourly instant cluster price", 68.96),
    ("1x H100 SXM5 80GB serverless spot", "Hourly serverless spot container price", 1.79),
    ("NVMe storage", "Monthly storage price per GiB", 0.2, "GiB-month"),
]


def verda_offer(number, name, description, price, unit="hour", currency="USD"):
    money = {"price": price, "priceCurrency": currency}
    return {
        "@id": f"https://verda.com/pricing#offer-{number}",
        "@type": "Offer",
        "name": name,
        "description": description,
        "url": "https://verda.com/pricing",
        **money,
        "priceSpecification": {"@type": "UnitPriceSpecification", **money, "unitText": unit},
    }


VERDA_PAGE = [verda_offer(i, *offer) for i, offer in enumerate(VERDA_OFFERS, 1)]


def verda_page(offers=VERDA_PAGE):
    graph = {"@context": "https://schema.org", "@graph": [{"@type": "Organization"}, *offers]}
    shown = "".join(f"<tr><td>{escape(o['name'])}</td><td>${o['price']}</td></tr>" for o in VERDA_PAGE)
    return document(f'<script type="application/ld+json">{json.dumps(graph)}</script><table>{shown}</table>')


PAGES = {
    LAMBDA_URL: lambda_page(),
    LAMBDA_API_URL: lambda_api(),
    COREWEAVE_URL: coreweave_page(),
    NEBIUS_URL: nebius_page(),
    CRUSOE_URL: crusoe_page(),
    TOGETHER_URL: together_page(),
    HYPERSTACK_URL: hyperstack_page(),
    VERDA_URL: verda_page(),
}
