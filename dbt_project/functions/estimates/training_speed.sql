select
    s.kind,
    s.speed as tokens_per_s,
    s.speed_low as tokens_per_s_low,
    s.speed_high as tokens_per_s_high,
    s.speed_format as number_format,
    s.mid as mfu_pct,
    s.speed_peak as dense_peak_tflops,
    case when s.kind in ('measured', 'carried') then s.result_id end as result_id,
    case
        when s.kind = 'given' then 'an MFU as given'
        when s.kind = 'published' then s.n_published || ' published figures of MFU'
        when s.case_kind is null then 'fewer past cases than a range takes'
        else format('{} past cases in {} groups, {}', s.n_cases, s.n_groups, s.case_kind)
    end as uncertainty_basis,
    [b for b in [
        case s.kind
            when 'given' then format('MFU of {:g} % of the dense {} peak is an input, not measured.', s.mid, upper(s.wanted))
            when 'measured' then 'Measured: ' || s.words
            when 'carried' then 'Carried over: the MFU of ' || s.words
            else format(
                'A range, not a measurement: no MLPerf result of known number format can stand for {}. Assumed is an MFU of {:g} to {:g} % '
                'of the dense {} peak, the range of {} published figures on {} ({}); the figure between is their geometric mean, {:.1f} %.',
                s.accelerator_id, s.published_low, s.published_high, upper(s.wanted), s.n_published, s.published_parts, s.published_urls, s.mid
            )
        end,
        case
            when s.kind = 'given' then 'For comparison, the nearest known: ' || s.words
            when s.kind in ('measured', 'carried') then s.error_words
        end
    ] if b is not null] as basis,
    s.extrapolated,
    [
        'To another ' || x || case x
            when 'format' then format(': that of the measured run is ambiguous ({}), {} is one of them.', s.mfu_candidates, upper(s.wanted))
            when 'sequence length' then format(
                ': measured at {:,}, used for {:,} at the same model FLOPs per second (x {:.3f}).', s.run_sequence,
                cast(sequence_length as bigint), s.by_sequence
            )
            when 'accelerator' then format(
                ': the MFU is of {}, as nothing comparable is known of {}. It need not hold.', coalesce(s.known_part, s.published_parts),
                s.accelerator_id
            )
            when 'model' then coalesce(
                format(': known of {} with {:.4g} parameters, used for {:.4g} at the same MFU.', s.run_name, s.active, s.p),
                ': the MFU was published for other models.'
            )
            else case s.kind
                when 'published' then ': the MFU was published for other systems.'
                when 'carried' then format(
                    ': known at {}, used for {:,} at the same MFU.', coalesce(format('{:,}', s.n), 'a number that is not stated'),
                    cast(s.fleet as bigint)
                )
                else format(
                    ': measured on {:,} to {:,} of {}, {:,} nearest, used for {:,} at the same tokens/s per accelerator.', s.fewest, s.most,
                    s.accelerator_id, s.n, cast(s.fleet as bigint)
                )
            end
        end
        for x in s.extrapolated
    ] as extrapolations
from {{ function('training_speed_codes') }}(
    accelerator, params, total_params, flops_per_token, gpus, sequence_length := sequence_length, mfu := mfu, number_format := number_format
) as s
