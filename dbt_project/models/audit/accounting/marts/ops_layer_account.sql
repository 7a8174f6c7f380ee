-- One row per step from the landed payload to the comparison and payload, list or round: the rows that go in, that come out, and that are
-- excluded, with the reasons. A step that loses a row is not balanced.
with

steps as (
    {%- for step in [
        'parsed', 'inference_staged', 'training_staged', 'lists_staged', 'rates_staged',
        'prices_staged', 'inference_facts', 'training_facts', 'spec_figures', 'price_facts',
        'serving_facts', 'inference_compared', 'prices_compared', 'serving_compared'
    ] %}
    {% if not loop.first %}union all by name{% endif %}
    select * from {{ ref('int_accounts__' ~ step) }}
    {%- endfor %}
)

select *, rows_in = rows_out + rows_excluded as is_balanced
from steps
