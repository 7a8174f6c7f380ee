{#- Whether an alarm follows from what the operator withdrew or brought back: the loss of a withdrawn round, of offers of a
    withdrawn price list, and, in the generation that first goes without it or has it again, of rows and figures of any mart. -#}
{% macro is_withdrawn_on_purpose() -%}
    case alarms.rule
        when 'release_lost_rows' then exists (
            select 1
            from withdrawals
            where withdrawals.release in ('', alarms.subject)
                and withdrawals.source like case alarms.relation when 'fct_training_result' then 'mlperf-training%' else 'mlperf-inference%' end
        )
        when 'provider_lost_offers' then
            alarms.subject in (select provider from withdrawn_providers where provider is not null)
            -- without exchange rates any seller can lose comparable offers
            or exists (select 1 from withdrawals where source = 'ecb-reference-rates')
        else exists (select 1 from withdrawals)
    end
{%- endmacro %}
