-- What the values of the guide to accelerators (2026-03) are recomputed from.
-- Each is a named expression; names are those of int_published__known.
with

known as (
    select * from {{ ref('int_published__known') }} where document = 'accelerator_guide'
),

-- power and space as a share of the ownership cost, over all accelerators and scenarios
power_shares as (
    select
        min(power_and_space_share_pct) as power_share_low,
        median(power_and_space_share_pct) as power_share,
        max(power_and_space_share_pct) as power_share_high
    from {{ ref('mart_tco') }}
    where is_default
),

parts as (
    select
        known.*,
        power_shares.*,
        known.part['nvidia-a100-sxm-80gb'] as a100,
        known.part['nvidia-a100-sxm-40gb'] as a100_40,
        known.part['nvidia-h100-pcie-80gb'] as h100_pcie,
        known.part['nvidia-h100-sxm-80gb'] as h100,
        known.part['nvidia-h200-sxm-141gb'] as h200,
        known.part['nvidia-b200-sxm-180gb'] as b200,
        known.part['nvidia-gb200-186gb'] as gb200,
        known.part['google-tpu-v4'] as tpu_v4,
        known.part['google-tpu-v5p'] as tpu_v5p,
        known.part['nvidia-rtx-4090'] as rtx4090,
        known.part['amd-mi300x'] as mi300x,
        known.part['nvidia-p100-pcie-16gb'] as p100,
        known.part['nvidia-v100-pcie-32gb'] as v100_pcie,
        known.part['nvidia-v100-sxm2-32gb'] as v100,
        known.part['nvidia-v100-sxm2-16gb'] as v100_16,
        known.part['nvidia-t4'] as t4
    from known
    cross join power_shares
),

named as (
    select
        *,
        (select constants.value from {{ ref('estimate_constants') }} as constants where constants.constant_id = 'weight_bytes') as weight_bytes,
        {{ training_state_bytes(1, ref('estimate_constants')) }} as state_bytes,
        {{ accelerator_hours_for('100e9', trained_tokens_per_s(
            '50', model_flops_per_token('8e9', '32', '4096', '8192'), 'a100.bf16_dense_tflops')) }} / 8 / 24
            as llama3_8b_days,
        -- Llama 2 and 3 of 70 billion parameters have the same layers and key-value heads
        {{ kv_cache_bytes_per_token("architecture['llama2_70b'].layers", "architecture['llama2_70b'].kv_heads",
            "architecture['llama2_70b'].head_dim", 2) }} as kv_cache_bytes_70b
    from parts
)

select unnest([
    -- nvidia-a100-sxm-80gb: fp16_tflops
    {{ recomputed('V074', 'specification', 'a100.bf16_dense_tflops') }},
    -- nvidia-a100-sxm-80gb: memory
    {{ recomputed('V075', 'specification', 'a100.memory_gb') }},
    -- nvidia-a100-sxm-80gb: memory_bandwidth
    {{ recomputed('V076', 'specification', 'a100.memory_bandwidth_gb_s') }},
    -- nvidia-a100-sxm-80gb: tdp
    {{ recomputed('V077', 'specification', 'a100.tdp_w') }},
    -- nvidia-a100-sxm-80gb: year
    {{ recomputed('V078', 'specification', 'a100.release_year') }},
    -- nvidia-rtx-4090: fp16_tflops
    {{ recomputed('V079', 'specification', 'rtx4090.bf16_dense_tflops') }},
    -- nvidia-rtx-4090: memory
    {{ recomputed('V080', 'specification', 'rtx4090.memory_gb') }},
    -- nvidia-rtx-4090: memory_bandwidth
    {{ recomputed('V081', 'specification', 'rtx4090.memory_bandwidth_gb_s') }},
    -- nvidia-rtx-4090: tdp
    {{ recomputed('V082', 'specification', 'rtx4090.tdp_w') }},
    -- nvidia-rtx-4090: year
    {{ recomputed('V083', 'specification', 'rtx4090.release_year') }},
    -- nvidia-h100-sxm-80gb: fp16_tflops
    {{ recomputed('V084', 'specification', 'h100.bf16_dense_tflops') }},
    -- nvidia-h100-sxm-80gb: memory
    {{ recomputed('V085', 'specification', 'h100.memory_gb') }},
    -- nvidia-h100-sxm-80gb: memory_bandwidth
    {{ recomputed('V086', 'specification', 'h100.memory_bandwidth_gb_s') }},
    -- nvidia-h100-sxm-80gb: tdp
    {{ recomputed('V087', 'specification', 'h100.tdp_w') }},
    -- nvidia-h100-sxm-80gb: year
    {{ recomputed('V088', 'specification', 'h100.release_year') }},
    -- amd-mi300x: fp16_tflops
    {{ recomputed('V089', 'specification', 'mi300x.bf16_dense_tflops') }},
    -- amd-mi300x: memory
    {{ recomputed('V090', 'specification', 'mi300x.memory_gb') }},
    -- amd-mi300x: memory_bandwidth
    {{ recomputed('V091', 'specification', 'mi300x.memory_bandwidth_gb_s') }},
    -- amd-mi300x: tdp
    {{ recomputed('V092', 'specification', 'mi300x.tdp_w') }},
    -- amd-mi300x: year
    {{ recomputed('V093', 'specification', 'mi300x.release_year') }},
    -- nvidia-h200-sxm-141gb: fp16_tflops
    {{ recomputed('V094', 'specification', 'h200.bf16_dense_tflops') }},
    -- nvidia-h200-sxm-141gb: memory
    {{ recomputed('V095', 'specification', 'h200.memory_gb') }},
    -- nvidia-h200-sxm-141gb: memory_bandwidth
    {{ recomputed('V096', 'specification', 'h200.memory_bandwidth_gb_s') }},
    -- nvidia-h200-sxm-141gb: tdp
    {{ recomputed('V097', 'specification', 'h200.tdp_w') }},
    -- nvidia-h200-sxm-141gb: year
    {{ recomputed('V098', 'specification', 'h200.release_year') }},
    -- nvidia-b200-sxm-180gb: fp16_tflops
    {{ recomputed('V099', 'specification', 'b200.bf16_dense_tflops') }},
    -- nvidia-b200-sxm-180gb: memory
    {{ recomputed('V100', 'specification', 'b200.memory_gb') }},
    -- nvidia-b200-sxm-180gb: memory_bandwidth
    {{ recomputed('V101', 'specification', 'b200.memory_bandwidth_gb_s') }},
    -- nvidia-b200-sxm-180gb: tdp
    {{ recomputed('V102', 'specification', 'b200.tdp_w') }},
    -- nvidia-b200-sxm-180gb: year
    {{ recomputed('V103', 'specification', 'b200.release_year') }},
    -- nvidia-h100-sxm-80gb: fp8_tflops
    {{ recomputed('V104', 'specification', 'h100.fp8_dense_tflops') }},
    -- nvidia-h100-sxm-80gb: fp32_tflops
    {{ recomputed('V105', 'specification', 'h100.fp32_tflops') }},
    -- nvidia-h100-sxm-80gb: nvlink_bandwidth
    {{ recomputed('V106', 'specification', 'h100.interconnect_bandwidth_gb_s') }},
    -- nvidia-h100-pcie-80gb: fp16_tflops
    {{ recomputed('V107', 'specification', 'h100_pcie.bf16_dense_tflops') }},
    -- nvidia-h100-pcie-80gb: memory_bandwidth
    {{ recomputed('V108', 'specification', 'h100_pcie.memory_bandwidth_gb_s') }},
    -- nvidia-h100-pcie-80gb: tdp
    {{ recomputed('V109', 'specification', 'h100_pcie.tdp_w') }},
    -- nvidia-a100-sxm-80gb: fp32_tflops
    {{ recomputed('V110', 'specification', 'a100.fp32_tflops') }},
    -- nvidia-a100-sxm-80gb: tf32_tflops
    {{ recomputed('V111', 'specification', 'a100.tf32_dense_tflops') }},
    -- nvidia-a100-sxm-80gb: nvlink_bandwidth
    {{ recomputed('V112', 'specification', 'a100.interconnect_bandwidth_gb_s') }},
    -- nvidia-b200-sxm-180gb: fp4_pflops
    {{ recomputed('V113', 'specification', 'b200.fp4_dense_tflops / 1e3') }},
    -- nvidia-b200-sxm-180gb: fp8_pflops
    {{ recomputed('V114', 'specification', 'b200.fp8_dense_tflops / 1e3') }},
    -- amd-mi300x: fp8_tflops
    {{ recomputed('V115', 'specification', 'mi300x.fp8_dense_tflops') }},
    -- nvidia-rtx-4090: fp32_tflops
    {{ recomputed('V116', 'specification', 'rtx4090.fp32_tflops') }},
    -- nvidia-gb200-nvl72 rack: fp4_eflops
    {{ recomputed('V117', 'specification', 'gb200.fp4_dense_tflops * 72 / 1e6') }},
    -- nvidia-gb200-nvl72 rack: fp8_pflops
    {{ recomputed('V118', 'specification', 'gb200.fp8_dense_tflops * 72 / 1e3') }},
    -- nvidia-gb200-nvl72 rack: memory
    {{ recomputed('V119', 'specification', 'gb200.memory_gb * 72 / 1e3') }},
    -- nvidia-gb200-nvl72 rack: power
    {{ recomputed('V120', 'ownership scenario', "owned['nvidia-gb200-186gb'].it_power_w * 72 / 1e3") }},
    -- DGX A100: fp16_pflops
    {{ recomputed('V121', 'specification', 'a100.bf16_dense_tflops * 8 / 1e3') }},
    -- DGX H100: fp8_pflops
    {{ recomputed('V122', 'specification', 'h100.fp8_dense_tflops * 8 / 1e3') }},
    -- DGX H100: nvlink_total
    {{ recomputed('V123', 'specification', 'h100.interconnect_bandwidth_gb_s * 8 / 1e3') }},
    -- google-tpu-v4: tflops
    {{ recomputed('V124', 'specification', 'tpu_v4.bf16_dense_tflops') }},
    -- google-tpu-v5p: tflops
    {{ recomputed('V125', 'specification', 'tpu_v5p.bf16_dense_tflops') }},
    -- nvidia-h100-sxm-80gb/nvidia-a100-sxm-80gb: fp16
    {{ recomputed('V126', 'specification', 'h100.bf16_dense_tflops / a100.bf16_dense_tflops') }},
    -- nvidia-h100-sxm-80gb/nvidia-a100-sxm-80gb: fp8 against int8
    {{ recomputed('V127', 'specification', 'h100.fp8_dense_tflops / a100.int8_dense_tops') }},
    -- nvidia-h100-sxm-80gb/nvidia-a100-sxm-80gb: memory bandwidth
    {{ recomputed('V128', 'specification', 'h100.memory_bandwidth_gb_s / a100.memory_bandwidth_gb_s') }},
    -- nvidia-h100-sxm-80gb/nvidia-a100-sxm-80gb: nvlink
    {{ recomputed('V129', 'specification', 'h100.interconnect_bandwidth_gb_s / a100.interconnect_bandwidth_gb_s') }},
    -- nvidia-h200-sxm-141gb/nvidia-h100-sxm-80gb: memory
    {{ recomputed('V131', 'specification', 'h200.memory_gb / h100.memory_gb') }},
    -- nvidia-h200-sxm-141gb/nvidia-h100-sxm-80gb: bandwidth
    {{ recomputed('V132', 'specification', 'h200.memory_bandwidth_gb_s / h100.memory_bandwidth_gb_s') }},
    -- nvidia-b200-sxm-180gb/nvidia-h100-sxm-80gb: fp8
    {{ recomputed('V133', 'specification', 'b200.fp8_dense_tflops / h100.fp8_dense_tflops') }},
    -- nvidia-b200-sxm-180gb/nvidia-h100-sxm-80gb: memory
    {{ recomputed('V134', 'specification', 'b200.memory_gb / h100.memory_gb') }},
    -- nvidia-b200-sxm-180gb/nvidia-h100-sxm-80gb: bandwidth
    {{ recomputed('V135', 'specification', 'b200.memory_bandwidth_gb_s / h100.memory_bandwidth_gb_s') }},
    -- DGX H100/DGX A100: performance
    {{ recomputed('V136', 'specification', 'h100.fp8_dense_tflops / a100.bf16_dense_tflops') }},
    -- nvidia-rtx-4090/nvidia-h100-sxm-80gb: tensor performance
    {{ recomputed('V137', 'specification', 'rtx4090.bf16_dense_tflops / h100.bf16_dense_tflops') }},
    -- nvidia-rtx-4090/nvidia-h100-sxm-80gb: price
    {{ recomputed('V138', 'purchase', "bought['nvidia-rtx-4090'].usd / bought['nvidia-h100-sxm-80gb'].usd") }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: days low
    {{ recomputed('V156', 'formula', 'llama3_8b_days') }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: days high
    {{ recomputed('V157', 'formula', 'llama3_8b_days') }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: cost p4d
    {{ recomputed('V158', 'formula', "llama3_8b_days * 24 * rent['V141'].usd") }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: cost spot
    {{ recomputed('V159', 'formula',
        "llama3_8b_days * 24 * rent['V141'].usd * (1 - (saving.low + saving.high) / 2 / 100)") }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: cost Lambda
    {{ recomputed('V160', 'formula', "llama3_8b_days * 24 * rent['V152'].usd") }},
    -- spot against on demand: saving low
    {{ recomputed('V161', 'rent', 'saving.low') }},
    -- spot against on demand: saving high
    {{ recomputed('V162', 'rent', 'saving.high') }},
    -- 7B: parameter memory FP16
    {{ recomputed('V163', 'formula', '7e9 * weight_bytes / 1e9') }},
    -- 7B: training memory
    {{ recomputed('V164', 'formula', '7e9 * state_bytes / 1e9') }},
    -- 7B: H100 needed
    {{ recomputed('V165', 'formula', accelerators_that_hold('7e9 * state_bytes', 'h100.memory_gb')) }},
    -- 13B: parameter memory FP16
    {{ recomputed('V166', 'formula', '1.3e10 * weight_bytes / 1e9') }},
    -- 13B: training memory
    {{ recomputed('V167', 'formula', '1.3e10 * state_bytes / 1e9') }},
    -- 13B: H100 needed
    {{ recomputed('V168', 'formula', accelerators_that_hold('1.3e10 * state_bytes', 'h100.memory_gb')) }},
    -- 70B: parameter memory FP16
    {{ recomputed('V169', 'formula', '7e10 * weight_bytes / 1e9') }},
    -- 70B: training memory
    {{ recomputed('V170', 'formula', '7e10 * state_bytes / 1e9') }},
    -- 70B: H100 needed
    {{ recomputed('V171', 'formula', accelerators_that_hold('7e10 * state_bytes', 'h100.memory_gb')) }},
    -- 405B: parameter memory FP16
    {{ recomputed('V172', 'formula', '4.05e11 * weight_bytes / 1e9') }},
    -- 405B: training memory
    {{ recomputed('V173', 'formula', '4.05e11 * state_bytes / 1e9') }},
    -- 405B: H100 needed
    {{ recomputed('V174', 'formula', accelerators_that_hold('4.05e11 * state_bytes', 'h100.memory_gb')) }},
    -- 1T: parameter memory FP16
    {{ recomputed('V175', 'formula', '1e12 * weight_bytes / 1e9') }},
    -- 1T: training memory
    {{ recomputed('V176', 'formula', '1e12 * state_bytes / 1e9') }},
    -- 1T: H100 needed
    {{ recomputed('V177', 'formula', accelerators_that_hold('1e12 * state_bytes', 'h100.memory_gb')) }},
    -- nvidia-h100-sxm-80gb: fp16_pflops, roughly
    {{ recomputed('V431', 'specification', 'h100.bf16_dense_tflops / 1e3') }},
    -- nvidia-h100-sxm-80gb: fp8_pflops, roughly
    {{ recomputed('V432', 'specification', 'h100.fp8_dense_tflops / 1e3') }},
    -- nvidia-p100-pcie-16gb: fp32_tflops
    {{ recomputed('V433', 'specification', 'p100.fp32_tflops') }},
    -- nvidia-p100-pcie-16gb: fp16_tflops
    {{ recomputed('V434', 'specification', 'p100.fp16_dense_tflops') }},
    -- nvidia-p100-pcie-16gb: memory
    {{ recomputed('V435', 'specification', 'p100.memory_gb') }},
    -- nvidia-p100-pcie-16gb: memory_bandwidth
    {{ recomputed('V436', 'specification', 'p100.memory_bandwidth_gb_s') }},
    -- nvidia-v100-pcie-32gb: fp32_tflops
    {{ recomputed('V437', 'specification', 'v100_pcie.fp32_tflops') }},
    -- nvidia-v100-pcie-32gb: fp16_tflops
    {{ recomputed('V438', 'specification', 'v100_pcie.fp16_dense_tflops') }},
    -- nvidia-v100-pcie-32gb: memory
    {{ recomputed('V439', 'specification', 'v100_pcie.memory_gb') }},
    -- nvidia-v100-pcie-32gb: memory_bandwidth
    {{ recomputed('V440', 'specification', 'v100_pcie.memory_bandwidth_gb_s') }},
    -- nvidia-v100-sxm2-32gb: nvlink_bandwidth
    {{ recomputed('V441', 'specification', 'v100.interconnect_bandwidth_gb_s') }},
    -- nvidia-a100-sxm-80gb: bf16_tflops
    {{ recomputed('V442', 'specification', 'a100.bf16_dense_tflops') }},
    -- nvidia-a100-sxm-80gb: int8_tops
    {{ recomputed('V443', 'specification', 'a100.int8_dense_tops') }},
    -- nvidia-h100-sxm-80gb: bf16_tflops
    {{ recomputed('V444', 'specification', 'h100.bf16_dense_tflops') }},
    -- amd-mi300x: bf16_tflops
    {{ recomputed('V445', 'specification', 'mi300x.bf16_dense_tflops') }},
    -- nvidia-b200-sxm-180gb: nvlink_bandwidth
    {{ recomputed('V446', 'specification', 'b200.interconnect_bandwidth_gb_s') }},
    -- nvidia-h100-pcie-80gb: memory
    {{ recomputed('V447', 'specification', 'h100_pcie.memory_gb') }},
    -- nvidia-p100-pcie-16gb: memory_type
    {{ recomputed_words('V453', 'specification', 'p100.memory_type') }},
    -- nvidia-v100-pcie-32gb: memory_type
    {{ recomputed_words('V454', 'specification', 'v100_pcie.memory_type') }},
    -- nvidia-a100-sxm-80gb: memory_type
    {{ recomputed_words('V455', 'specification', 'a100.memory_type') }},
    -- nvidia-h100-sxm-80gb: memory_type
    {{ recomputed_words('V456', 'specification', 'h100.memory_type') }},
    -- nvidia-h100-pcie-80gb: memory_type
    {{ recomputed_words('V457', 'specification', 'h100_pcie.memory_type') }},
    -- nvidia-h200-sxm-141gb: memory_type
    {{ recomputed_words('V458', 'specification', 'h200.memory_type') }},
    -- nvidia-b200-sxm-180gb: memory_type
    {{ recomputed_words('V459', 'specification', 'b200.memory_type') }},
    -- nvidia-gb200-186gb: memory_type
    {{ recomputed_words('V460', 'specification', 'gb200.memory_type') }},
    -- nvidia-rtx-4090: memory_type
    {{ recomputed_words('V461', 'specification', 'rtx4090.memory_type') }},
    -- amd-mi300x: memory_type
    {{ recomputed_words('V462', 'specification', 'mi300x.memory_type') }},
    -- nvidia-a100-sxm-40gb: memory_type
    {{ recomputed_words('V463', 'specification', 'a100_40.memory_type') }},
    -- Pascal: year
    {{ recomputed('V464', 'specification', 'p100.release_year') }},
    -- Volta: year
    {{ recomputed('V465', 'specification', 'v100_16.release_year') }},
    -- Turing: year
    {{ recomputed('V466', 'specification', 't4.release_year') }},
    -- Ampere: year
    {{ recomputed('V467', 'specification', 'a100.release_year') }},
    -- Hopper: year
    {{ recomputed('V468', 'specification', 'h100.release_year') }},
    -- Blackwell: year
    {{ recomputed('V469', 'specification', 'b200.release_year') }},
    -- Volta: formats of tensor cores
    {{ recomputed_words('V475', 'specification', formats_with_a_rate('v100')) }},
    -- Turing: formats of tensor cores
    {{ recomputed_words('V476', 'specification', formats_with_a_rate('t4')) }},
    -- Ampere: formats of tensor cores
    {{ recomputed_words('V477', 'specification', formats_with_a_rate('a100')) }},
    -- Hopper: formats of tensor cores
    {{ recomputed_words('V478', 'specification', formats_with_a_rate('h100')) }},
    -- Blackwell: formats of tensor cores
    {{ recomputed_words('V479', 'specification', formats_with_a_rate('b200')) }},
    -- tensor core of Volta: multiplications of a cycle
    {{ recomputed('V481', 'formula', '4 * 4 * 4') }},
    -- tensor core of Volta: operations of a cycle
    {{ recomputed('V482', 'formula', '2 * 4 * 4 * 4') }},
    -- V100: tensor FP16 against FP32
    {{ recomputed('V483', 'specification', 'v100_pcie.fp16_dense_tflops / v100_pcie.fp32_tflops') }},
    -- Turing: INT8 against FP16
    {{ recomputed('V484', 'specification', 't4.int8_dense_tops / t4.fp16_dense_tflops') }},
    -- TF32: first accelerator
    {{ recomputed_words('V490', 'specification',
        "case when a100.tf32_dense_tflops > 0 and v100.tf32_dense_tflops is null then 'A100' end") }},
    -- FP8: architectures
    {{ recomputed_words('V491', 'specification',
        "concat_ws(', ', case when h100.fp8_dense_tflops > 0 then 'Hopper' end, case when b200.fp8_dense_tflops > 0 then 'Blackwell' end)") }},
    -- FP4: first architecture
    {{ recomputed_words('V492', 'specification',
        "case when b200.fp4_dense_tflops > 0 and h100.fp4_dense_tflops is null then 'Blackwell' end") }},
    -- FP8 against FP16, H100: rate
    {{ recomputed('V494', 'specification', 'h100.fp8_dense_tflops / h100.bf16_dense_tflops') }},
    -- FP8 against FP16: memory
    {{ recomputed('V495', 'formula', '1 / 2') }},
    -- FP4 against FP8, B200: rate, more than
    {{ recomputed('V496', 'specification', 'b200.fp4_dense_tflops / b200.fp8_dense_tflops') }},
    -- 2:4 sparsity: weights set to zero
    {{ recomputed('V497', 'formula', '100 * 2 / 4') }},
    -- nvidia-a100-sxm-80gb: int8_sparse_tops
    {{ recomputed('V499', 'specification', '2 * a100.int8_dense_tops') }},
    -- nvidia-h100-sxm-80gb: accelerators of a mesh
    {{ recomputed('V502', 'specification', 'h100.scale_up_domain_size') }},
    -- nvidia-a100-sxm-80gb: accelerators of a mesh
    {{ recomputed('V503', 'specification', 'a100.scale_up_domain_size') }},
    -- 70B: GPUs of 141 GB that hold it for inference
    {{ recomputed('V504', 'formula',
        'ceil((70e9 * weight_bytes + kv_cache_bytes_70b * 8192) / (h200.memory_gb * 1e9))') }},
    -- Llama 3 70B: tokens of KV cache beside its weights in 141 GB
    {{ recomputed('V505', 'formula', '(h200.memory_gb * 1e9 - 70e9 * weight_bytes) / kv_cache_bytes_70b') }},
    -- B200 against H100: nvlink
    {{ recomputed('V506', 'specification', 'b200.interconnect_bandwidth_gb_s / h100.interconnect_bandwidth_gb_s') }},
    -- nvidia-gb200-nvl72 rack: accelerators
    {{ recomputed('V507', 'specification', 'gb200.scale_up_domain_size') }},
    -- nvidia-gb200-nvl72 rack: CPUs
    {{ recomputed('V508', 'formula', 'gb200.scale_up_domain_size / 2') }},
    -- Llama 3 405B: racks of GB200 NVL72 that hold it
    {{ recomputed('V510', 'formula', 'ceil(405e9 * weight_bytes / (72 * gb200.memory_gb * 1e9))') }},
    -- PCIe 4.0 x16: bandwidth of one direction
    {{ recomputed('V514', 'formula', '16e9 * 16 * 128 / 130 / 8 / 1e9') }},
    -- PCIe 4.0 x16: bandwidth of both directions
    {{ recomputed('V515', 'specification', 'rtx4090.interconnect_bandwidth_gb_s') }},
    -- 10B: gradients in FP32
    {{ recomputed('V516', 'formula', '10e9 * 4 / 1e9') }},
    -- all-reduce of 40 GB among 4 GPUs over PCIe: time, at least
    {{ recomputed('V517', 'formula', "2 * (4 - 1) / 4 * printed['V516'] / printed['V514']") }},
    -- NVLink 2.0: bandwidth of one direction
    {{ recomputed('V520', 'specification', 'v100.interconnect_bandwidth_gb_s / 6 / 2') }},
    -- NVLink 2.0: bandwidth of both directions
    {{ recomputed('V521', 'specification', 'v100.interconnect_bandwidth_gb_s') }},
    -- NVLink 3.0: bandwidth of one direction
    {{ recomputed('V522', 'specification', 'a100.interconnect_bandwidth_gb_s / 12 / 2') }},
    -- NVLink 3.0: bandwidth of both directions
    {{ recomputed('V523', 'specification', 'a100.interconnect_bandwidth_gb_s') }},
    -- NVLink 4.0: bandwidth of one direction
    {{ recomputed('V524', 'specification', 'h100.interconnect_bandwidth_gb_s / 18 / 2') }},
    -- NVLink 4.0: bandwidth of both directions
    {{ recomputed('V525', 'specification', 'h100.interconnect_bandwidth_gb_s') }},
    -- NVLink 5.0: bandwidth of one direction
    {{ recomputed('V526', 'specification', 'b200.interconnect_bandwidth_gb_s / 18 / 2') }},
    -- NVLink 5.0: bandwidth of both directions
    {{ recomputed('V527', 'specification', 'b200.interconnect_bandwidth_gb_s') }},
    -- NVLink 3.0: bandwidth of both directions, total
    {{ recomputed('V528', 'specification', 'a100.interconnect_bandwidth_gb_s') }},
    -- NVLink 4.0 against PCIe 4.0 x16: bandwidth, more than
    {{ recomputed('V529', 'specification',
        'h100.interconnect_bandwidth_gb_s / rtx4090.interconnect_bandwidth_gb_s') }},
    -- DGX A100: nvlink_total
    {{ recomputed('V530', 'specification', '8 * a100.interconnect_bandwidth_gb_s / 1e3') }},
    -- DGX A100: memory
    {{ recomputed('V531', 'specification', '8 * a100.memory_gb') }},
    -- DGX A100: accelerators
    {{ recomputed('V532', 'specification', 'a100.scale_up_domain_size') }},
    -- DGX H100: memory
    {{ recomputed('V533', 'specification', '8 * h100.memory_gb') }},
    -- DGX H100: accelerators
    {{ recomputed('V534', 'specification', 'h100.scale_up_domain_size') }},
    -- DGX H100: bandwidth of a pair
    {{ recomputed('V536', 'specification', 'h100.interconnect_bandwidth_gb_s') }},
    -- aws p4d.24xlarge: memory
    {{ recomputed('V539', 'specification', '8 * a100_40.memory_gb') }},
    -- aws p5.48xlarge: memory
    {{ recomputed('V540', 'specification', '8 * h100.memory_gb') }},
    -- Lambda 8 x H100 against AWS p5: price
    {{ recomputed('V543', 'their own cells', "100 * (printed['V149'] / printed['V142'] - 1)") }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: days used for the cost
    {{ recomputed('V545', 'their own cells', "(printed['V156'] + printed['V157']) / 2") }},
    -- spot against on demand: saving of the example
    {{ recomputed('V546', 'formula', 'saving.low',
        'saving.low',
        'saving.high') }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: cost p4d from the cells printed beside it
    {{ recomputed('V547', 'their own cells', "printed['V141'] * 24 * printed['V545']") }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: cost spot from the cells printed beside it
    {{ recomputed('V548', 'their own cells', "printed['V158'] * (1 - printed['V546'] / 100)") }},
    -- Llama 3 8B, 100e9 tokens, 8 x A100: cost Lambda from the cells printed beside it
    {{ recomputed('V549', 'their own cells', "printed['V152'] * 24 * printed['V545']") }},
    -- FP8 training: memory against 16 bits
    {{ recomputed('V552', 'formula', '(state_bytes - weight_bytes / 2 - weight_bytes / 2) / state_bytes') }},
    -- training memory: values a parameter
    {{ recomputed('V553', 'their own cells', "printed['V164'] / printed['V163']") }},
    -- individual, 2,000 USD: RTX 4090, memory
    {{ recomputed('V554', 'specification', 'rtx4090.memory_gb') }},
    -- individual, 2,000 USD: RTX 4090, price
    {{ recomputed('V555', 'purchase', "bought['nvidia-rtx-4090'].usd") }},
    -- individual, 2,000 USD: RTX 4090 that it buys, at least
    {{ recomputed('V556', 'purchase', "floor(2000 / bought['nvidia-rtx-4090'].usd)") }},
    -- individual, 2,000 USD: 7B with 4-bit weights, memory, at most
    {{ recomputed('V557', 'formula', '7e9 * 0.5 / 1e9') }},
    -- start-up, 10,000 to 50,000 USD: price of 4 RTX 4090, at most
    {{ recomputed('V558', 'purchase', "4 * bought['nvidia-rtx-4090'].usd") }},
    -- start-up, 10,000 to 50,000 USD: price of 8 RTX 4090, at most
    {{ recomputed('V559', 'purchase', "8 * bought['nvidia-rtx-4090'].usd") }},
    -- start-up, 10,000 to 50,000 USD: price of 1 used A100, at most
    {{ recomputed('V560', 'purchase', "1 * bought['nvidia-a100-sxm-80gb'].usd") }},
    -- start-up, 10,000 to 50,000 USD: price of 4 used A100, at most
    {{ recomputed('V561', 'purchase', "4 * bought['nvidia-a100-sxm-80gb'].usd") }},
    -- mid-size team, 1,000,000 USD: 8 x H100, price, at most
    {{ recomputed('V562', 'purchase', "8 * bought['nvidia-h100-sxm-80gb'].usd") }},
    -- mid-size team, 8 x H100: parameters that can be trained, at least
    {{ recomputed('V563', 'formula', '8 * h100.memory_gb / state_bytes') }},
    -- 100B: training memory
    {{ recomputed('V564', 'formula', '100e9 * state_bytes / 1e9') }},
    -- 100B: H100 needed for training
    {{ recomputed('V565', 'formula', accelerators_that_hold('100e9 * state_bytes', 'h100.memory_gb')) }},
    -- nvidia-rtx-4090: nvlink
    {{ recomputed_words('V570', 'specification',
        "case when rtx4090.interconnect like 'NVLink%' then 'Supported' else 'Not supported' end") }},
    -- nvidia-h100-sxm-80gb: nvlink
    {{ recomputed_words('V573', 'specification',
        "case when h100.interconnect like 'NVLink%' then 'Supported' else 'Not supported' end") }},
    -- own cluster: electricity as a share of ownership cost, on a par with hardware
    {{ recomputed('V578', 'ownership scenario', 'power_share_low',
        'power_share_low',
        'power_share_high') }}
], recursive := true)
from named
