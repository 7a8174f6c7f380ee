{#- The model of a run: dimensions as given, else of the known model of that size within 1 %, else zeros, which leave attention out. -#}
with asked as (
    select
        cast(case
            when total_params < params then error(format(
                'total_params is {:g}: it must be at least params, the active ones ({:g})', cast(total_params as double), cast(params as double)
            ))
            when (layers is null) <> (hidden is null) or (layers is null) <> (sequence_length is null)
                then error('layers, hidden and sequence_length go together: give all three or none')
            else {{ argument('params') }}
        end as double) as active,
        cast(coalesce({{ argument('total_params') }}, params) as double) as held
),

known as (
    select m.*
    from {{ ref('model_architectures') }} as m
    where layers is null and m.training_sequence_length is not null
        and abs(m.parameters / cast(coalesce(total_params, params) as double) - 1) <= {{ same_model() }}
        and (total_params is null or abs(m.active_parameters / cast(params as double) - 1) <= {{ same_model() }})
    order by abs(m.parameters / cast(coalesce(total_params, params) as double) - 1), m.model_id
    limit 1
),

taken as (
    select
        k.*,
        coalesce(k.active_parameters, a.active) as active,
        coalesce(k.parameters, a.held) as held,
        coalesce({{ argument('layers') }}, k.layers, 0) as n_layers,
        coalesce({{ argument('hidden') }}, k.hidden_size, 0) as width,
        coalesce({{ argument('sequence_length') }}, k.training_sequence_length, 0) as sequence_tokens
    from asked as a
    left join known as k on true
)

select
    t.model_name as model,
    t.active,
    t.held,
    t.n_layers,
    t.width,
    t.sequence_tokens,
    {{ function('training_flops_per_token') }}(t.active, t.n_layers, t.width, t.sequence_tokens) as flops_per_token,
    case
        when layers is not null then 'FLOPs per token are 6·P + 12·L·d·s with the dimensions given.'
        when t.model_id is not null then format(
            'FLOPs per token are 6·P + 12·L·d·s with the dimensions of {} ({} layers of {:,}, sequences of {:,}; {:.4g} of {:.4g} parameters '
            'work on a token), the known model of that size ({}).',
            t.model_name, t.layers, t.hidden_size, t.training_sequence_length, t.active, t.held, t.source_url
        )
        else
            'FLOPs per token are 6·P alone: no known model has that size, so attention is left out and time is understated where it follows '
            'from an MFU; layers, hidden and sequence_length add it.'
    end as basis
from taken as t
