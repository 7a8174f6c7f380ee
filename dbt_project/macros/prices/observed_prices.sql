{#- Whether a row of a price list is among those that an observation of the list shows. A list may date its rows: a row then shows the
    price of its own moment, and a fetch shows what is dated up to it. -#}
{% macro is_row_of_observation(offers, observations) -%}
    case
        when {{ observations }}.is_dated then {{ offers }}.observed_at = {{ observations }}.observed_at
        when {{ observations }}.has_dated_rows then {{ offers }}.observed_at is null or {{ offers }}.observed_at <= {{ observations }}.observed_at
        else true
    end
{%- endmacro %}

{#- Each price of an offer in the polls in which one list showed it: a query over parsed offers and their observations (raw tables).
    An offer has one price in a poll: of a list that dates its rows, an undated row replaces a dated one, and a later list
    replaces an earlier one. A macro, and not materialized: it is as large as all lists together, and is read again where it is needed. -#}
{% macro observed_prices(offers, observations) -%}
    with paired as not materialized (
        select
            o.source, o.source_rank, o.stream, p.offer_id, {{ offer_terms() }}, o.first_poll, o.last_poll,
            p.payload_key, p.payload_sha256, p.file_row_number as row_in_payload,
            o.observation, o.has_dated_rows, p.observed_at as row_dated_to, p.is_available
        from {{ offers }} as p
        inner join {{ observations }} as o using (source, payload_key, payload_sha256)
        where {{ is_row_of_observation('p', 'o') }}
    )

    select
        source, source_rank, stream, offer_id, {{ offer_terms() }}, first_poll, last_poll,
        payload_key, payload_sha256, row_in_payload, is_available
    from paired
    where not has_dated_rows

    union all

    select
        source, source_rank, stream, offer_id, {{ offer_terms() }}, first_poll, last_poll,
        payload_key, payload_sha256, row_in_payload, is_available
    from paired
    where has_dated_rows
    qualify row_number() over (
        partition by source, stream, offer_id, first_poll
        order by observation desc, row_dated_to desc nulls first, row_in_payload
    ) = 1
{%- endmacro %}
