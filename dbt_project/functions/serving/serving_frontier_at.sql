select f.*
from {{ function('serving_frontiers') }}(speed_per_user) as f
where (model is null or f.model_id = {{ function('serving_model_named') }}(model))
    and (accelerator is null or f.accelerator_id = {{ function('accelerator_named') }}(accelerator))
    and (weights is null or f.number_format = weights)
order by
    f.reason is not null, f.rent_usd_per_output_mtok, {% for column in serving_group() %}
    f.{{ column }}{{ ', ' if not loop.last }}
    {%- endfor %}
