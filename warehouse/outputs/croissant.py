"""Croissant (1.0), the description of data sets by MLCommons: https://docs.mlcommons.org/croissant/docs/croissant-spec.html.

It says what the data package says, in another vocabulary: each file with its SHA-256, each table with its columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

CROISSANT = "croissant.json"
REPOSITORY = "https://github.com/accelmart/accelmart"
DATA_LICENCE = f"{REPOSITORY}/blob/main/LICENSE-DATA.md"
# the specification asks for these definitions word by word
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{
        name: f"cr:{name}"
        for name in [
            "citeAs",
            "column",
            "equivalentProperty",
            "extract",
            "field",
            "fileProperty",
            "fileObject",
            "fileSet",
            "format",
            "includes",
            "isLiveDataset",
            "jsonPath",
            "key",
            "md5",
            "parentField",
            "path",
            "recordSet",
            "references",
            "regex",
            "repeated",
            "replace",
            "samplingRate",
            "separator",
            "source",
            "subField",
            "transform",
        ]
    },
}
# the names that the specification and its reader have for them
_FORMATS = {"parquet": "application/x-parquet", "csv": "text/csv"}
_TYPES = {
    "string": "sc:Text",
    "array": "sc:Text",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "datetime": "sc:DateTime",
    "number": "sc:Float",
    "integer": "sc:Integer",
}


def croissant(package: Mapping[str, Any]) -> str:
    """Return the Croissant document of an export.

    Args:
        package: its data package descriptor.
    """
    tables = package["resources"]
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": package["name"],
        "description": package["description"],
        "version": package["version"],
        "datePublished": package["created"],
        "url": REPOSITORY,
        "license": [DATA_LICENCE, *(licence["title"] for licence in package["licenses"])],
        "creator": {"@type": "sc:Organization", "name": "The Accelmart contributors", "url": REPOSITORY},
        "citeAs": f"{package['title']}, generation {package['version']}. {REPOSITORY}",
        "keywords": package["keywords"],
        "distribution": [_file(table) for table in tables],
        "recordSet": [_record_set(table) for table in tables],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _file(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": table["path"],
        "name": table["path"],
        "contentUrl": table["path"],
        "contentSize": f"{table['bytes']} B",
        "encodingFormat": _FORMATS[table["format"]],
        "sha256": table["hash"].removeprefix("sha256:"),
    }


def _record_set(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table["name"],
        "name": table["name"],
        "description": table["description"],
        "field": [_field(table, field) for field in table["schema"]["fields"]],
    }


def _field(table: Mapping[str, Any], field: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{table['name']}/{field['name']}",
        "name": field["name"],
        "description": f"[{field['unit']}] {field['description']}"
        if "unit" in field
        else field["description"],
        "dataType": _TYPES[field["type"]],
        **({"repeated": True} if field["type"] == "array" else {}),
        "source": {"fileObject": {"@id": table["path"]}, "extract": {"column": field["name"]}},
    }
