"""The price pages as functions: elements, classes and attributes of the real pages, cut to what a reader needs.

The figures are, but for a few, those the pages showed in August 2026 (Nebius' announced ones: October 2026); a test
that wants another page passes other rows. `PAGES` is what a replay server answers with: URL to body.
"""

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


def document(body, title=""):
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body>{body}</body></html>"
    ).encode()


# ---------------------------------------------------------------- Lambda

LAMBDA_TABS = {  # plan, VRAM/GPU, vCPUs, RAM, STORAGE, PRICE/GPU/HR*
    "8x": [
        ("NVIDIA B200 SXM6", "180 GB", "208", "2900 GiB", "22 TiB SSD", "$6.69"),
        ("NVIDIA H100 SXM", "80 GB", "208", "1800 GiB", "22 TiB SSD", "$3.99"),
        ("NVIDIA A100 SXM", "80 GB", "240", "1800 GiB", "19.5 TiB SSD", "$2.79"),
        ("NVIDIA A100 SXM", "40 GB", "124", "1800 GiB", "5.8 TiB SSD", "$1.99"),
        ("NVIDIA Tesla V100", "16 GB", "88", "448 GiB", "5.8 TiB SSD", "$0.79"),
    ],
    "4x": [
        ("NVIDIA B200 SXM6", "180 GB", "104", "1440 GiB", "11 TiB SSD", "$6.79"),
        ("NVIDIA H100 SXM", "80 GB", "104", "900 GiB", "11 TiB SSD", "$4.09"),
        ("NVIDIA A100 PCIe", "40 GB", "120", "900 GiB", "1 TiB SSD", "$1.99"),
        ("NVIDIA A6000", "48 GB", "56", "400 GiB", "1 TiB SSD", "$1.09"),
    ],
    "2x": [
        ("NVIDIA B200 SXM6", "180 GB", "52", "720 GiB", "5.5 TiB SSD", "$6.89"),
        ("NVIDIA H100 SXM", "80 GB", "52", "450 GiB", "5.5 TiB SSD", "$4.19"),
        ("NVIDIA A100 PCIe", "40 GB", "60", "450 GiB", "1 TiB SSD", "$1.99"),
        ("NVIDIA A6000", "48 GB", "28", "200 GiB", "1 TiB SSD", "$1.09"),
    ],
    "1x": [
        ("NVIDIA B200 SXM6", "180 GB", "26", "360 GiB", "2.75 TiB SSD", "$6.99"),
        ("NVIDIA GH200", "96 GB", "64", "432 GiB", "4 TiB SSD", "$2.29"),
        ("NVIDIA H100 SXM", "80 GB", "26", "225 GiB", "2.75 TiB SSD", "$4.29"),
        ("NVIDIA H100 PCIe", "80 GB", "26", "225 GiB", "1 TiB SSD", "$3.29"),
        ("NVIDIA A100 SXM", "40 GB", "30", "220 GiB", "512 GiB SSD", "$1.99"),
        ("NVIDIA A100 PCIe", "40 GB", "30", "225 GiB", "512 GiB SSD", "$1.99"),
        ("NVIDIA A10", "24 GB", "30", "226 GiB", "1.3 TiB SSD", "$1.29"),
        ("NVIDIA A6000", "48 GB", "14", "100 GiB", "512 GiB SSD", "$1.09"),
        ("NVIDIA Quadro RTX 6000", "24 GB", "14", "46 GiB", "512 GiB SSD", "$0.69"),
    ],
}
LAMBDA_CLUSTERS = {
    "NVIDIA HGX B200": [
        ("NVIDIA HGX B200", "2 weeks – 1 year", "16", "$9.86"),
        ("NVIDIA HGX B200", "2 weeks – 1 year", "256+", "$8.87"),
        ("NVIDIA HGX B200", "1 year+", "16+", "—"),
    ],
    "NVIDIA H100": [
        ("NVIDIA H100", "2 weeks – 1 year", "16", "$6.16"),
        ("NVIDIA H100", "1 year+", "16+", "—"),
    ],
}
_LAMBDA_INSTANCE_LABELS = ("VRAM/GPU", "vCPUs", "RAM", "STORAGE", "PRICE/GPU/HR*")
_LAMBDA_CLUSTER_LABELS = ("DURATION", "GPU COUNT", "PRICE/GPU/HR*")


def lambda_table(rows, labels=_LAMBDA_INSTANCE_LABELS):
    head = '<th scope="col"><span class="sr-only">Plan</span></th>'
    head += "".join(f'<th scope="col">{label}</th>' for label in labels)
    body = "".join(
        f'<tr class="_pricingRow_3954x_36" data-plan="{plan}"><th scope="row" data-label="Plan">{plan}</th>'
        + "".join(f'<td data-label="{label}">{cell}</td>' for label, cell in zip(labels, cells, strict=True))
        + "</tr>"
        for plan, *cells in rows
    )
    return (
        '<div class="table-wrapper _pricingTableWrapper_3954x_13"><table class="_pricingTable_3954x_13">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        '<p class="table-footer">* plus applicable sales tax/VAT/GST</p></div>'
    )


def _lambda_island(island, tabs, labels):
    buttons = "".join(
        f'<button role="tab" aria-controls="tabpanel-:{island}-R0:-{i}" id="tab-:{island}-R0:-{i}">{label}'
        "</button>"
        for i, label in enumerate(tabs)
    )
    panels = "".join(
        f'<div role="tabpanel" id="tabpanel-:{island}-R0:-{i}" aria-labelledby="tab-:{island}-R0:-{i}"'
        f"{' hidden' if i else ''}>{lambda_table(rows, labels)}</div>"
        for i, rows in enumerate(tabs.values())
    )
    # the whole of it again, as the page's script carries it: JSON with markup escaped
    copy = json.dumps(
        [{"contentHtml": lambda_table(rows, labels), "label": tab} for tab, rows in tabs.items()]
    )
    copy = copy.replace("<", "\\u003C").replace(">", "\\u003E").replace("/", "\\u002F")
    return (
        f'<div data-hs-island="true" id="{island}"><div role="tablist">{buttons}</div><div>{panels}</div></div>'
        f'<script type="text/javascript">var newIslands = [{{"props":{{"tabs":{copy}}}}}];</script>'
    )


def lambda_page(tabs=LAMBDA_TABS, clusters=LAMBDA_CLUSTERS):
    return document(
        '<section><h2 class="h2">1-Click Clusters<br>pricing</h2>'
        + _lambda_island("island-a", clusters, _LAMBDA_CLUSTER_LABELS)
        + '</section><section><h2 class="h2">Instances pricing</h2>'
        + _lambda_island("island-b", tabs, _LAMBDA_INSTANCE_LABELS)
        + "</section>",
        "Lambda pricing",
    )


LAMBDA_TYPES = {  # name: description, gpu_description, cents per instance-hour, vcpus, GiB, gpus, regions
    "gpu_8x_h100_sxm5": ("8x H100 (80 GB SXM5)", "H100 (80 GB SXM5)", 3192, 208, 1800, 8, ["us-east-1", "us-west-3"]),
    "gpu_1x_h100_sxm5": ("1x H100 (80 GB SXM5)", "H100 (80 GB SXM5)", 429, 26, 225, 1, []),
    "gpu_1x_gh200": ("1x GH200 (96 GB)", "GH200 (96 GB)", 229, 64, 432, 1, ["us-east-3"]),
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


# ---------------------------------------------------------------- CoreWeave

COREWEAVE_GPUS = [  # data-product, model, count, VRAM, vCPUs, RAM, storage, on demand, spot NA, spot EU, per GPU
    ("nvidia-gb300-nvl72", "NVIDIA GB300 NVL72", "4^1", "279", "144", "960", "61.44", "", "N/A", "N/A", ""),
    ("nvidia-gb200-nvl72", "NVIDIA GB200 NVL72", "4^1", "186", "144", "960", "30.72", "$42.00", "N/A", "N/A", "$10.50"),
    ("nvidia-b300", "NVIDIA HGX B300", "8", "270", "192", "4,096", "61.44", "", "$35.84", "$36.70", ""),
    ("nvidia-b200", "NVIDIA HGX B200", "8", "180", "128", "2,048", "61.44", "$68.80", "$34.11", "$34.87", "$8.60"),
    ("nvidia-rtx-pro-6000-blackwell-server-edition", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "8", "96", "128", "1,024", "7.68", "$20.00", "$11.09", "$11.01", "$2.50"),
    ("hgx-h100", "NVIDIA HGX H100", "8", "80", "128", "2,048", "61.44", "$49.24", "$19.71", "$19.51", "$6.16"),
    ("hgx-h200", "NVIDIA HGX H200", "8", "141", "128", "2,048", "61.44", "$50.44", "$20.93", "$20.64", "$6.31"),
    ("nvidia-gh200", "NVIDIA GH200", "1", "96", "72", "480", "7.68", "$6.50", "N/A", "N/A", "$6.50"),
    ("nvidia-a100", "NVIDIA A100", "8", "80", "128", "2,048", "7.68", "$21.60", "$9.65", "$9.65", "$2.70"),
]  # fmt: skip


def coreweave_row(
    product, model, count, vram, vcpus, ram, storage, on_demand, spot, per_gpu=None, copies=None
):
    """One `table-grid`: the cells of the wide layout and, in the columns left and right, those of the narrow one.

    `copies` overrides what the narrow layout says: (on demand, spot).
    """
    narrow_on_demand, narrow_spot = copies or (on_demand, spot)
    link = '<a href="/contact-us" class="table-pricing-url">Contact sales</a>' if not on_demand else ""
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
        '<div role="listitem" class="table-row-v2 w-dyn-item kubernetes-gpu-pricing"><div class="w-embed">'
        f'<div class="table-grid">\n\t<div class="table-v2-cell table-v2-cell--name">{heading}</div>'
        + "".join(
            f'<div class="table-v2-cell"><div>{c}</div></div>' for c in (count, vram, vcpus, ram, storage)
        )
        + f'<div class="table-v2-cell">\n  <div>{on_demand}</div>\n {link}</div>'
        f'<div class="table-cell-column table-cell-column-left">{heading}<div class="table-meta-text">'
        '<div class="table-meta-value"><span class="instance-price">On-Demand Price: '
        f'<span class="item-value">{narrow_on_demand}</span> / Hour<br/></span>'
        f'<span class="spot-price">Spot Price: <span class="item-value">{narrow_spot}</span> / Hour<br/></span>'
        f'{inference}</div></div><div class="table-meta-text">{link}</div></div>'
        f'<div class="table-v2-cell"><div>{spot}</div></div>{inference_cell}'
        '<div class="table-cell-column table-cell-column-right"><div class="table-cell-column-contents">'
        + "".join(
            f'<div class="table-meta-text"><div class="table-meta-value">{value}</div>\n<div>{label}</div></div>'
            for label, value in specs
        )
        + "</div></div></div></div></div>"
    )


def coreweave_table(rows, labels):
    head = "".join(
        f'<div class="table-v2-cell"><div class="table-header-text">{label}</div></div>' for label in labels
    )
    return (
        f'<div class="table-v2 gpu-pricing"><div class="table-v2-header"><div class="table-grid">{head}</div></div>'
        f'<div class="table-v2-body w-dyn-list"><div role="list" class="w-dyn-items">{"".join(rows)}</div></div></div>'
    )


_COREWEAVE_LABELS = (
    "GPU Model",
    "GPU Count",
    "VRAM (GB)",
    "vCPUs",
    "System RAM<br/>(GB)",
    "Local Storage<br/>(TB)",
    "On-Demand Price (Per Hour)",
    "Spot Price (Per Hour)",
)
_COREWEAVE_CPU_LABELS = ("CPU Model", "CPU Type", "vCPUs", "System RAM (GB)", "Local Storage (TB)")
COREWEAVE_CPU = (
    '<div role="listitem" class="table-row-v2 w-dyn-item kubernetes-cpu-pricing"><div class="w-embed">'
    '<div class="table-grid"><div class="table-v2-cell table-v2-cell--name">'
    '<h3 data-product="amd-genoa-9274f" class="table-model-name">AMD Genoa (9274F)</h3></div>'
    + "".join(
        f'<div class="table-v2-cell"><div>{c}</div></div>' for c in ("High Performance", "96", "768", "7.68")
    )
    + '<div class="table-v2-cell"><div>$6.42</div></div><div class="table-v2-cell"><div>$3.50</div></div>'
    '<div class="table-cell-column table-cell-column-left">'
    '<h3 data-product="amd-genoa-9274f" class="table-model-name">AMD Genoa (9274F)</h3>'
    '<div class="table-meta-value">$6.42</div></div></div></div></div>'
)


def coreweave_page(gpus=COREWEAVE_GPUS, extra_rows=()):
    """Both regions: on demand is the same, spot is each region's own; only North America states a per-GPU price."""
    north, europe = [], []
    for *shape, spot_north, spot_europe, per_gpu in gpus:
        north.append(coreweave_row(*shape, spot_north, per_gpu))
        europe.append(coreweave_row(*shape, spot_europe))
    per_gpu_label = "Inference Single GPU Price(Per Hour)²"
    return document(
        '<section><header><h2 class="heading-32-20">On-demand GPU instances</h2></header>'
        '<div class="section-content"><h5><strong class="eyebrow">REGION: NORTH AMERICA</strong></h5>'
        + coreweave_table([*north, *extra_rows], (*_COREWEAVE_LABELS, per_gpu_label))
        + '</div><div class="section-content"><h5><strong class="eyebrow">REGION: EUROPE</strong></h5>'
        + coreweave_table(europe, _COREWEAVE_LABELS)
        + '</div></section><section><header><h2 class="heading-32-20">On-demand CPU instances</h2></header>'
        '<div class="section-content"><h5><strong class="eyebrow">REGION: NORTH AMERICA</strong></h5>'
        + coreweave_table([COREWEAVE_CPU], _COREWEAVE_CPU_LABELS)
        + "</div></section>",
        "GPU Cloud Pricing | CoreWeave",
    )


# ---------------------------------------------------------------- Nebius

NEBIUS_HEADER = ("Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour", "On-demand, GPU-hour")
NEBIUS_GPUS = [
    ("NVIDIA GB300 NVL72", "112", "800", "––", "Contact us"),
    ("NVIDIA HGX B300", "24", "346", "$4.30", "$7.85"),
    ("NVIDIA GB200 NVL72", "112", "800", "––", "Contact us"),
    ("NVIDIA HGX B200", "20", "224", "$3.95", "$7.15"),
    ("NVIDIA HGX H200", "16", "200", "$2.45", "$4.50"),
    ("NVIDIA HGX H100", "16", "200", "$2.15", "$3.85"),
    ("NVIDIA RTX PRO 6000", "24", "218", "$0.95", "$1.80"),
    ("NVIDIA L40S with Intel CPU", "16-192", "96-1152", "from $0.90", "from $1.82"),
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
NEBIUS_SPOT_HEADER = ("Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour")
NEBIUS_SPOT = [("NVIDIA HGX H200", "16", "200", "from $0.79"), ("NVIDIA HGX H100", "16", "200", "from $0.79")]


def nebius_table(title, header, rows):
    def row(cells):
        inside = "".join(
            f'<div class="pc-highlight-table-block__cell"><div><p>{c}</p></div></div>' for c in cells
        )
        return f'<div class="pc-highlight-table-block__row">{inside}</div>'

    return (
        '<div class="pc-highlight-table-block"><div class="pc-highlight-table-block__title">'
        f'<h2 class="pc-title__text"><span class="pc-title-item__text">{title}</span></h2></div>'
        '<div class="pc-highlight-table-block__content"><div class="pc-highlight-table-block__head">'
        f'{row(header)}</div><div class="pc-highlight-table-block__body">{"".join(map(row, rows))}</div></div></div>'
    )


def nebius_page(tables=(("NVIDIA GPU Instances", NEBIUS_HEADER, NEBIUS_GPUS),)):
    embedded = json.dumps(
        [{"title": title, "table": {"content": [header, *rows]}} for title, header, rows in tables]
    )
    return document(
        "".join(nebius_table(*table) for table in tables)
        + nebius_table(
            "CPU-only instances",
            ("Item", "vCPUs", "RAM, GB", "Price per hour"),
            [("AMD EPYC Genoa", "4-64", "16-256", "from $0.10")],
        )
        + nebius_table("Storage", ("Item", "Price", "Unit"), [("WEKA filesystem", "$0.1000", "GiB/month")])
        + "<p>All prices are shown without any applicable taxes, including VAT.</p>"
        + f'<script id="__NEXT_DATA__" type="application/json">{json.dumps({"content": embedded})}</script>',
        "Nebius AI Cloud prices",
    )


# ---------------------------------------------------------------- Crusoe

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


def crusoe_item(heading, tags, cells, tags_wrapper=True):
    def price(cell):
        inside = f'<a href="/contact-sales">{cell}</a>' if cell == "Contact sales" else cell
        return f'<div class="pricing-rich w-richtext"><p>{inside}</p></div>'

    tag_list = "".join(
        f'<div class="pricing-tag{" is-dark" if i == 0 else ""}{"" if tag else " w-dyn-bind-empty"}">{tag}</div>'
        for i, tag in enumerate(tags)
    )
    wrapped = f'<div class="pricing_tags-wr">{tag_list}</div>' if tags_wrapper else ""
    return (
        '<div role="listitem" class="prixing-item w-dyn-item"><div class="pricing_gpu-item">'
        '<a href="/cloud/gpus" class="pricing-item-head-part w-inline-block"><div class="pricing-item-heading-wr">'
        f'<h4 class="pricing-item-heading">{heading}</h4></div>{wrapped}</a>{"".join(map(price, cells))}</div></div>'
    )


def crusoe_section(title, columns, items):
    head = "".join(f'<div class="pricing-heading is-d">{c}</div>' for c in columns)
    return (
        f'<div class="pricing-dd"><div class="pricing_title is-h"><h3 class="pricing-col-heading is-h">{title}</h3>'
        f'</div><div class="table-wr-h"><div class="pricing-gap"><div class="pricing-table-heading is-w">{head}</div>'
        '<div class="pricing-cms w-dyn-list"><div role="list" class="w-dyn-items">'
        f"{''.join(items)}</div></div></div></div></div>"
    )


def crusoe_page(gpus=CRUSOE_GPUS, columns=("GPU model", "On-demand", "Current spot")):
    return document(
        crusoe_section(
            "GPU instances pricing", columns, [crusoe_item(h, (m, f), cells) for h, m, f, *cells in gpus]
        )
        + crusoe_section(
            "CPU instances pricing",
            ("CPU Type", "On-demand"),
            [crusoe_item("General-purpose", (), ["$0.04/vCPU-hr"], tags_wrapper=False)],
        )
        # a managed product on the same chips at a higher price
        + crusoe_section(
            "Self-Serve Deployments pricing",
            ("GPU", "Price per hour"),
            [crusoe_item("NVIDIA H100", ("80GB", "HGX"), ["$5.50"])],
        )
        + crusoe_section(
            "Serverless Inference pricing",
            ("Model", "Input tokens", "Output tokens"),
            [crusoe_item("DeepSeek", (), ["$0.50", "$1.50"], tags_wrapper=False)],
        ),
        "Crusoe Cloud pricing",
    )


# ---------------------------------------------------------------- Together

TOGETHER_TERMS = ("7-30 days", "31-90 days", "91-180 days", "181+ days")
TOGETHER_GPUS = [  # hardware, on demand, one cell per term (one cell in all spans them)
    ("HGX H100", "$3.99", "$3.69", " $3.45", "$3.19", "Contact us"),
    ("HGX H200", "$5.99", "$4.99", "$4.15", "$3.99", "Contact us"),
    ("HGX B200", "$8.19", "$7.99", "$7.79", "$6.79", "Contact us"),
    ("GB200 NVL72", "—", "Contact us"),
    ("HGX B300", "—", "Contact us"),
]


def _together_cell(text, attributes=""):
    link = '<a href="/gpu-cluster-request" class="text-link w-inline-block">' if text == "Contact us" else ""
    end = "</a>" if link else ""
    return (
        f'<td{attributes}><div class="opacity-70">{link}<p data-batch="" class="body-m text-weight-medium">{text}</p>'
        f"{end}</div></td>"
    )


def _together_row(hardware, cells):
    return (
        '<div role="listitem" class="max-width-full w-dyn-item"><tr fs-list-element="item"><td>'
        f'<p class="body-l text-weight-medium"><span>NVIDIA</span><span> </span><span>{hardware}</span></p></td>'
        f"{cells}</tr></div>"
    )


def _together_caption(text):
    return f'<div class="pricing_inline"><div class="opacity-70"><p class="caption-m">{text}</p></div></div>'


def together_table(gpus=TOGETHER_GPUS, terms=TOGETHER_TERMS):
    rows = ""
    for hardware, on_demand, *cells in gpus:
        span = f' colspan="{len(terms)}" class="text-align-center"' if len(cells) == 1 else ""
        inside = _together_cell(on_demand, ' class="is-right-border"')
        inside += "".join(_together_cell(cell, span) for cell in cells)
        rows += _together_row(hardware, inside)
    return (
        '<table fs-list-element="table" class="pricing_table is-gpu"><thead><tr>'
        f'<th rowspan="2">{_together_caption("Hardware")}</th>'
        f'<th class="is-right-border">{_together_caption("ON-Demand")}</th>'
        f'<th colspan="{len(terms)}">{_together_caption("Reserved")}</th></tr>'
        f'<tr><th class="is-right-border">{_together_caption("Pay as you go")}</th>'
        + "".join(f"<th>{_together_caption(term)}</th>" for term in terms)
        + '</tr></thead><tbody fs-list-element="list"><div class="w-dyn-list"><div role="list" class="w-dyn-items">'
        + f"{rows}</div></div></tbody></table>"
    )


def together_page(gpus=TOGETHER_GPUS, terms=TOGETHER_TERMS, hidden=None):
    """Three surfaces: dedicated inference on the same boards (dearer), a hidden hourly copy, the table people see."""
    hourly = "".join(_together_row(h, _together_cell(p)) for h, p, *_ in (hidden or gpus))
    dedicated = _together_row("HGX B200", _together_cell("$8.99", ' class="is-right-border"'))
    tokens = "<tr><td>Llama 3.3 70B</td><td>$0.88</td><td>$0.88</td></tr>"
    return document(
        '<div id="serverless-inference" class="section-anchor cc-full"></div><table class="pricing_table"><thead>'
        f"<tr><th>Model</th><th>Input</th><th>Output</th></tr></thead><tbody>{tokens}</tbody></table>"
        '<div id="dedicated-inference" class="section-anchor cc-full"></div><h2>Dedicated Inference</h2>'
        '<table id="dedicated-inference" class="pricing_table"><thead>'
        f"<th>{_together_caption('Hardware')}{_together_caption('All prices per gpu per hour')}</th>"
        f"<th>{_together_caption('On-demand')}</th></thead><tbody>{dedicated}</tbody></table>"
        '<div><div id="gpu-clusters" class="section-anchor cc-full"></div><h2>GPU Clusters</h2>'
        '<div class="hide"><p class="h4">On-demand</p><table class="pricing_table is-gpu"><thead>'
        f"<th>{_together_caption('Hardware')}</th><th>{_together_caption('Hourly')}</th></thead>"
        f"<tbody>{hourly}</tbody></table></div>"
        '<div><p class="h4">On-demand hourly rates and reserved capacity</p>'
        '<p class="body-l text-weight-medium">All prices are per GPU per hour.</p>'
        f"{together_table(gpus, terms)}</div></div>"
        '<div id="sandbox" class="section-anchor cc-full"></div><table><tr><th>CPU</th><th>Hourly</th></tr>'
        "<tr><td>vCPU</td><td>$0.04</td></tr></table>",
        "Pricing | Together AI",
    )


# ---------------------------------------------------------------- Hyperstack

HYPERSTACK_ON_DEMAND = [  # model, VRAM, max pCPUs, max RAM, per hour
    ("NVIDIA H200 SXM", "141", "22", "225", "$3.99"),
    ("NVIDIA H100 SXM", "80", "24", "240", "$3.20"),
    ("NVIDIA H100 NVLink", "80", "31", "180", "$2.60"),
    ("NVIDIA H100", "80", "28", "180", "$2.50"),
    ("NVIDIA RTX Pro 6000 SE", "96", "31", "180", "$1.85"),
    ("NVIDIA A100 SXM", "80", "24", "120", "$1.60"),
    ("NVIDIA A100 NVLink", "80", "31", "240", "&nbsp;$1.40"),
    ("NVIDIA A100", "80", "28", "120", "&nbsp;$1.35"),
    ("NVIDIA L40", "48", "28", "120", "&nbsp;$1.00"),
    ("NVIDIA A6000", "48", "28", "58", "&nbsp;$0.50"),
    ("NVIDIA A4000", "16", "6", "24", "&nbsp;$0.15"),
    ("NVIDIA B200", "192", "31", "256", "$6.00"),
    ("NVIDIA B300", "288", "28", "240", "$7.40"),
]
HYPERSTACK_RESERVED = [
    (
        "NVIDIA H200 SXM",
        "&nbsp;$2.79",
        '<div class="feature_content"><a href="/reserve-now">Reserve here</a></div>',
    ),
    (
        "NVIDIA H100 SXM",
        "&nbsp;$2.72",
        '<div class="feature_content"><a href="/reserve-now">Reserve here</a></div>',
    ),
    ("NVIDIA H100 NVLink", "&nbsp;$1.82", '<div class="feature_content"><p>Reserve here</p></div>'),
]
HYPERSTACK_SPOT = [
    ("NVIDIA H100 PCIe", "$2.00"),
    ("NVIDIA RTX Pro 6000 SE", "$1.48"),
    ("NVIDIA A100", "$1.08"),
    ("NVIDIA L40", " $0.80"),
    ("NVIDIA A6000", "$0.40"),
]


def hyperstack_card(title, header, rows):
    def row(cells):
        inside = "".join(
            f'\n<div class="page-price_card_row_item_col page-price_card_row_item_col{i}">\n'
            + (cell if cell.startswith("<") else f"<span>{cell}</span>")
            + "\n</div>"
            for i, cell in enumerate(cells, 1)
        )
        return f'<div class="page-price_card_row_item df">{inside}</div>'

    head = "".join(
        f'<div class="page-price_card_head_item page-price_card_head_item{i}"><span>{label}</span></div>'
        for i, label in enumerate(header, 1)
    )
    return (
        '<div class="page-price_card df sb"><div class="page-price_card_top"><div class="page-price_card_top_content">'
        f'<h3>{title}</h3></div></div><div class="page-price_card_main"><div class="page-price_card_head df">{head}'
        f'</div><div class="page-price_card_row">{"".join(map(row, rows))}</div></div></div>'
    )


def hyperstack_page(on_demand=HYPERSTACK_ON_DEMAND, reserved=HYPERSTACK_RESERVED, spot=HYPERSTACK_SPOT):
    return document(
        '<a href="/nvidia-blackwell-gb200">NVIDIA GB200 NVL72</a>'
        + hyperstack_card(
            "<span>On-Demand GPU</span> Pricing",
            (
                "GPU Model ",
                "VRAM (GB)",
                "Max pCPUs<br>per GPU",
                "Max RAM (GB) per GPU",
                "Pricing Per Hour&nbsp;",
            ),
            on_demand,
        )
        + hyperstack_card(
            "<span>Reservation</span> Pricing", ("GPU Model ", "Starting from&nbsp;", "Reserve"), reserved
        )
        + hyperstack_card("<span>Spot VM</span> Pricing", ("GPU Model ", "Spot VM"), spot)
        + hyperstack_card(
            "<span>On-Demand CPU</span> Pricing",
            ("CPU Flavor", "GPU Cores", "RAM (GB)", "ROOT Disk (GB)", "Pricing Per Hour&nbsp;"),
            [("n1-cpu-small&nbsp;", "4", "4", "100", "$0.35")],
        )
        + hyperstack_card(
            "<span>Storage</span> Pricing",
            ("Service", "Pricing"),
            [("SSVs", "$0.000096774 per GB per hour (approximately $0.10 per TB per hour).&nbsp;")],
        ),
        "Hyperstack AI Cloud Pricing | On-Demand, Reserved and Spot GPU VMs",
    )


# ---------------------------------------------------------------- Verda

VERDA_OFFERS = [  # name, description, price, unit
    ("1x GB300 SXM6 288GB on-demand", "Hourly on-demand instance price", 8.62, "hour"),
    ("1x GB300 SXM6 288GB spot", "Hourly spot instance price", 4.31, "hour"),
    ("1x B300 SXM6 268GB on-demand", "Hourly on-demand instance price", 7.5, "hour"),
    ("1x B300 SXM6 268GB spot", "Hourly spot instance price", 3.75, "hour"),
    ("1x B200 SXM6 180GB on-demand", "Hourly on-demand instance price", 6.11, "hour"),
    ("1x B200 SXM6 180GB spot", "Hourly spot instance price", 3.055, "hour"),
    ("1x H200 SXM5 141GB on-demand", "Hourly on-demand instance price", 4, "hour"),
    ("1x H200 SXM5 141GB spot", "Hourly spot instance price", 2, "hour"),
    # the 30- and the 32-vCPU instance carry one name and, so far, one price
    ("1x H100 SXM5 80GB on-demand", "Hourly on-demand instance price", 3.25, "hour"),
    ("1x H100 SXM5 80GB spot", "Hourly spot instance price", 1.625, "hour"),
    ("1x H100 SXM5 80GB on-demand", "Hourly on-demand instance price", 3.25, "hour"),
    ("1x H100 SXM5 80GB spot", "Hourly spot instance price", 1.625, "hour"),
    ("1x A100 SXM4 40GB on-demand", "Hourly on-demand instance price", 1.29, "hour"),
    ("1x A100 SXM4 40GB spot", "Hourly spot instance price", 0.645, "hour"),
    ("1x Tesla V100 16GB on-demand", "Hourly on-demand instance price", 0.17, "hour"),
    ("1x Tesla V100 16GB spot", "Hourly spot instance price", 0.085, "hour"),
    ("1x B200 CC SXM6 180GB on-demand", "Hourly on-demand instance price", 6.232, "hour"),
    (" on-demand", "Hourly on-demand instance price", 0.048, "hour"),
    (" spot", "Hourly spot instance price", 0.0192, "hour"),
    ("8x GB300 SXM6 288GB instant cluster", "Hourly instant cluster price", 68.96, "hour"),
    ("16x B200 SXM6 180GB instant cluster", "Hourly instant cluster price", 97.76, "hour"),
    ("1x H100 SXM5 80GB serverless continuous", "Hourly serverless container price", 3.58, "hour"),
    ("1x H100 SXM5 80GB serverless spot", "Hourly serverless spot container price", 1.79, "hour"),
    (" serverless spot", "Hourly serverless spot container price", 0.04, "hour"),
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


def verda_page(offers=None):
    offers = offers or [verda_offer(i, *offer) for i, offer in enumerate(VERDA_OFFERS, 1)]
    organization = {"@type": "Organization", "name": "Verda", "alternateName": "DataCrunch"}
    graph = {"@context": "https://schema.org", "@graph": [organization, *offers]}
    shown = "".join(
        f"<tr><td>{escape(o['name'])}</td><td>${o['price']}</td></tr>"
        for o in offers
        if "name" in o and "price" in o
    )
    return document(
        f'<script type="application/ld+json">{json.dumps(graph)}</script>'
        f"<h2>GPU instances</h2><table><tr><th>Hardware</th><th>Price</th></tr>{shown}</table>",
        "Pricing - Verda",
    )


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
