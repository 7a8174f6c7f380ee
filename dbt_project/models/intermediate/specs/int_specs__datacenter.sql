-- Which accelerators are datacenter parts, and by what: rented in a cloud, in a closed datacenter result, or its form.
with

specs as (select accelerator_id, product_name, form_factor from {{ ref('stg_reference__accelerator_specs') }}),

rented as (select distinct accelerator_id from {{ ref('int_price__current') }}),

measured as (
    -- MLCommons' category of research, development and internal systems is of what nobody can buy or rent
    select distinct accelerator_id from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite_published like '%datacenter%' and availability <> 'research'
    union
    select distinct accelerator_id from {{ ref('fct_training_result') }} where division = 'closed'
),

judged as (
    select
        specs.accelerator_id,
        rented.accelerator_id is not null as is_rented,
        measured.accelerator_id is not null as is_measured,
        coalesce(regexp_matches(specs.form_factor, '^(SXM|OAM|Superchip|Board|SH5|PCIe \((NVL|cloud)\))'), false) as has_form,
        -- graphics and workstation cards, FPGA cards, boards of the edge: rented and measured, but no datacenter parts
        regexp_matches(specs.product_name, 'GeForce|Radeon|Arc Pro|Quadro|TITAN|FPGA|Jetson|DGX Spark|Workstation|^RTX (A[0-9]|[0-9]{4})') as is_other
    from specs
    left join rented using (accelerator_id)
    left join measured using (accelerator_id)
)

select
    accelerator_id,
    not is_other and (is_rented or is_measured or has_form) as is_datacenter,
    case
        when is_other then 'graphics, workstation or edge part'
        when is_rented then 'rented in a cloud'
        when is_measured then 'closed datacenter result'
        when has_form then 'form factor'
        else 'neither rented nor measured'
    end as datacenter_basis
from judged
