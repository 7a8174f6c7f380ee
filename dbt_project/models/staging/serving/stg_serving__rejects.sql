-- One row per record of the last payload of a list of measured serving that is no row, and per remark.
{{ staged_rejects('serving_rejects') }}
