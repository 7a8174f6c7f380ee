-- One row per offer and stretch of time in which its price stayed the same.
select * exclude (is_hardware_price, purchase_form)
from {{ ref('int_price__compared') }}
