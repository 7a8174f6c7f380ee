-- Words for a country: its code, its name, and groups of countries.
with

names as (
    select place_published as word, country from {{ ref('stg_grids__intensities') }} where level = 'country'
),

codes as (
    select country as word, country from names
    union all
    select country as word, country from {{ ref('region_groups') }}
    union all
    select country as word, country from {{ ref('int_price__countries') }} where country is not null
),

groups as (
    select region_group as word, country from {{ ref('region_groups') }}
),

words as (
    select * from names
    union all
    select * from codes
    union all
    select * from groups
)

select distinct lower(word) as word, country from words
