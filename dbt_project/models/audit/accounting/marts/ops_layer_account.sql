-- One row per step on the way from the landed payload to the comparison, and payload, list or round: the rows that go in, that come
-- out, and that are excluded, with the reasons. A step that loses a row is not balanced.
with

steps as (
    {%- for step in [
        ref('int_accounts__payloads'),
        ref('int_accounts__prices_staged'),
        ref('int_accounts__spec_figures'),
        ref('int_accounts__facts')
    ] %}
    {%- if not loop.first %}
    union all by name
    {%- endif %}
    select * from {{ step }}
    {%- endfor %}
)

select *, rows_in = rows_out + rows_excluded as is_balanced
from steps
