-- One row per record of the last payload of a specification that is no row, and per remark.
{{ staged_rejects('spec_rejects') }}
