-- What the values of the analysis of MLPerf (2025-10) beside its tables of results are recomputed from.
-- Each is a named expression; names are those of int_published__known.
with

known as (
    select * from {{ ref('int_published__known') }} where document = 'mlperf_analysis_2025-10'
),

-- a row of its tables of results: throughput per accelerator as printed, and as measured in the newest round
cells as (
    select
        map_from_entries(list((row_id, {
            per_accelerator: avg_per_accelerator_printed, measured: right_throughput_per_accelerator
        }))) as cell,
        count(distinct benchmark_id) as n_models
    from {{ ref('mart_published_analysis_check') }}
),

named as (
    select
        known.*,
        cells.*,
        known.part['nvidia-a100-pcie-80gb'] as a100_pcie,
        known.part['nvidia-a100-sxm-80gb'] as a100,
        known.part['nvidia-l40s'] as l40s,
        known.part['nvidia-h100-pcie-80gb'] as h100_pcie,
        known.part['nvidia-h100-sxm-80gb'] as h100,
        known.part['nvidia-h100-nvl-94gb'] as h100_nvl,
        known.part['nvidia-h200-sxm-141gb'] as h200,
        known.part['nvidia-h200-nvl-141gb'] as h200_nvl,
        known.part['nvidia-gh200-96gb'] as gh200,
        known.part['nvidia-rtx-pro-6000-server'] as rtx_pro_6000,
        known.part['nvidia-b200-sxm-180gb'] as b200,
        known.part['nvidia-gb200-186gb'] as gb200,
        known.part['google-tpu-v5e'] as tpu_v5e
    from known
    cross join cells
)

select unnest([
    -- nvidia-a100-pcie-80gb: fp16_tflops
    {{ recomputed('V001', 'specification', 'a100_pcie.bf16_dense_tflops') }},
    -- nvidia-a100-pcie-80gb: memory_bandwidth
    {{ recomputed('V002', 'specification', 'a100_pcie.memory_bandwidth_gb_s') }},
    -- nvidia-a100-pcie-80gb: tdp
    {{ recomputed('V003', 'specification', 'a100_pcie.tdp_w') }},
    -- nvidia-a100-sxm-80gb: fp16_tflops
    {{ recomputed('V004', 'specification', 'a100.bf16_dense_tflops') }},
    -- nvidia-a100-sxm-80gb: memory_bandwidth
    {{ recomputed('V005', 'specification', 'a100.memory_bandwidth_gb_s') }},
    -- nvidia-a100-sxm-80gb: tdp
    {{ recomputed('V006', 'specification', 'a100.tdp_w') }},
    -- nvidia-l40s: fp16_tflops
    {{ recomputed('V007', 'specification', 'l40s.bf16_dense_tflops') }},
    -- nvidia-l40s: memory_bandwidth
    {{ recomputed('V008', 'specification', 'l40s.memory_bandwidth_gb_s') }},
    -- nvidia-l40s: tdp
    {{ recomputed('V009', 'specification', 'l40s.tdp_w') }},
    -- nvidia-h100-pcie-80gb: fp16_tflops
    {{ recomputed('V010', 'specification', 'h100_pcie.bf16_dense_tflops') }},
    -- nvidia-h100-pcie-80gb: memory_bandwidth
    {{ recomputed('V011', 'specification', 'h100_pcie.memory_bandwidth_gb_s') }},
    -- nvidia-h100-pcie-80gb: tdp
    {{ recomputed('V012', 'specification', 'h100_pcie.tdp_w') }},
    -- nvidia-h100-sxm-80gb: fp16_tflops
    {{ recomputed('V013', 'specification', 'h100.bf16_dense_tflops') }},
    -- nvidia-h100-sxm-80gb: memory_bandwidth
    {{ recomputed('V014', 'specification', 'h100.memory_bandwidth_gb_s') }},
    -- nvidia-h100-sxm-80gb: tdp
    {{ recomputed('V015', 'specification', 'h100.tdp_w') }},
    -- nvidia-h100-nvl-94gb: fp16_tflops
    {{ recomputed('V016', 'specification', 'h100_nvl.bf16_dense_tflops') }},
    -- nvidia-h100-nvl-94gb: memory_bandwidth
    {{ recomputed('V017', 'specification', 'h100_nvl.memory_bandwidth_gb_s') }},
    -- nvidia-h100-nvl-94gb: tdp
    {{ recomputed('V018', 'specification', 'h100_nvl.tdp_w') }},
    -- nvidia-h200-sxm-141gb: fp16_tflops
    {{ recomputed('V019', 'specification', 'h200.bf16_dense_tflops') }},
    -- nvidia-h200-sxm-141gb: memory_bandwidth
    {{ recomputed('V020', 'specification', 'h200.memory_bandwidth_gb_s') }},
    -- nvidia-h200-sxm-141gb: tdp
    {{ recomputed('V021', 'specification', 'h200.tdp_w') }},
    -- nvidia-h200-nvl-141gb: fp16_tflops
    {{ recomputed('V022', 'specification', 'h200_nvl.bf16_dense_tflops') }},
    -- nvidia-h200-nvl-141gb: memory_bandwidth
    {{ recomputed('V023', 'specification', 'h200_nvl.memory_bandwidth_gb_s') }},
    -- nvidia-h200-nvl-141gb: tdp
    {{ recomputed('V024', 'specification', 'h200_nvl.tdp_w') }},
    -- nvidia-gh200-96gb: fp16_tflops
    {{ recomputed('V025', 'specification', 'gh200.bf16_dense_tflops') }},
    -- nvidia-gh200-96gb: memory_bandwidth
    {{ recomputed('V026', 'specification', 'gh200.memory_bandwidth_gb_s') }},
    -- nvidia-gh200-96gb: tdp
    {{ recomputed('V027', 'specification', 'gh200.tdp_w') }},
    -- nvidia-rtx-pro-6000-server: fp16_tflops
    {{ recomputed('V028', 'specification', 'rtx_pro_6000.bf16_dense_tflops') }},
    -- nvidia-rtx-pro-6000-server: memory_bandwidth
    {{ recomputed('V029', 'specification', 'rtx_pro_6000.memory_bandwidth_gb_s') }},
    -- nvidia-rtx-pro-6000-server: tdp
    {{ recomputed('V030', 'specification', 'rtx_pro_6000.tdp_w') }},
    -- nvidia-b200-sxm-180gb: fp16_tflops
    {{ recomputed('V031', 'specification', 'b200.bf16_dense_tflops') }},
    -- nvidia-b200-sxm-180gb: memory_bandwidth
    {{ recomputed('V032', 'specification', 'b200.memory_bandwidth_gb_s') }},
    -- nvidia-b200-sxm-180gb: tdp
    {{ recomputed('V033', 'specification', 'b200.tdp_w') }},
    -- nvidia-gb200-186gb: fp16_tflops
    {{ recomputed('V034', 'specification', 'gb200.bf16_dense_tflops') }},
    -- nvidia-gb200-186gb: memory_bandwidth
    {{ recomputed('V035', 'specification', 'gb200.memory_bandwidth_gb_s') }},
    -- nvidia-gb200-186gb: tdp
    {{ recomputed('V036', 'specification', 'gb200.tdp_w') }},
    -- google-tpu-v5e: fp16_tflops
    {{ recomputed('V037', 'specification', 'tpu_v5e.bf16_dense_tflops') }},
    -- google-tpu-v5e: memory_bandwidth
    {{ recomputed('V038', 'specification', 'tpu_v5e.memory_bandwidth_gb_s') }},
    -- google-tpu-v5e: tdp
    {{ recomputed('V039', 'specification', 'tpu_v5e.tdp_w') }},
    -- nvidia-gh200-96gb: memory_type
    {{ recomputed_words('V040', 'specification', 'gh200.memory_type') }},
    -- nvidia-h100-pcie-80gb: memory_type
    {{ recomputed_words('V041', 'specification', 'h100_pcie.memory_type') }},
    -- nvidia-a100-pcie-80gb: architecture
    {{ recomputed_words('V254', 'specification', 'a100_pcie.architecture') }},
    -- nvidia-a100-sxm-80gb: architecture
    {{ recomputed_words('V255', 'specification', 'a100.architecture') }},
    -- nvidia-l40s: architecture
    {{ recomputed_words('V256', 'specification', 'l40s.architecture') }},
    -- nvidia-h100-pcie-80gb: architecture
    {{ recomputed_words('V257', 'specification', 'h100_pcie.architecture') }},
    -- nvidia-h100-sxm-80gb: architecture
    {{ recomputed_words('V258', 'specification', 'h100.architecture') }},
    -- nvidia-h100-nvl-94gb: architecture
    {{ recomputed_words('V259', 'specification', 'h100_nvl.architecture') }},
    -- nvidia-h200-sxm-141gb: architecture
    {{ recomputed_words('V260', 'specification', 'h200.architecture') }},
    -- virtualised nvidia-h200-sxm-141gb: architecture
    {{ recomputed_words('V261', 'specification', 'h200.architecture') }},
    -- nvidia-h200-nvl-141gb: architecture
    {{ recomputed_words('V262', 'specification', 'h200_nvl.architecture') }},
    -- nvidia-gh200-96gb: architecture
    {{ recomputed_words('V263', 'specification', 'gh200.architecture') }},
    -- nvidia-rtx-pro-6000-server: architecture
    {{ recomputed_words('V264', 'specification', 'rtx_pro_6000.architecture') }},
    -- nvidia-b200-sxm-180gb: architecture
    {{ recomputed_words('V265', 'specification', 'b200.architecture') }},
    -- nvidia-gb200-186gb: architecture
    {{ recomputed_words('V266', 'specification', 'gb200.architecture') }},
    -- google-tpu-v5e: architecture
    {{ recomputed_words('V267', 'specification', 'tpu_v5e.architecture') }},
    -- nvidia-a100-pcie-80gb: memory_type
    {{ recomputed_words('V268', 'specification', 'a100_pcie.memory_type') }},
    -- nvidia-a100-sxm-80gb: memory_type
    {{ recomputed_words('V269', 'specification', 'a100.memory_type') }},
    -- nvidia-l40s: memory_type
    {{ recomputed_words('V270', 'specification', 'l40s.memory_type') }},
    -- nvidia-h100-sxm-80gb: memory_type
    {{ recomputed_words('V271', 'specification', 'h100.memory_type') }},
    -- nvidia-h100-nvl-94gb: memory_type
    {{ recomputed_words('V272', 'specification', 'h100_nvl.memory_type') }},
    -- nvidia-h200-sxm-141gb: memory_type
    {{ recomputed_words('V273', 'specification', 'h200.memory_type') }},
    -- virtualised nvidia-h200-sxm-141gb: memory_type
    {{ recomputed_words('V274', 'specification', 'h200.memory_type') }},
    -- nvidia-h200-nvl-141gb: memory_type
    {{ recomputed_words('V275', 'specification', 'h200_nvl.memory_type') }},
    -- nvidia-rtx-pro-6000-server: memory_type
    {{ recomputed_words('V276', 'specification', 'rtx_pro_6000.memory_type') }},
    -- nvidia-b200-sxm-180gb: memory_type
    {{ recomputed_words('V277', 'specification', 'b200.memory_type') }},
    -- nvidia-gb200-186gb: memory_type
    {{ recomputed_words('V278', 'specification', 'gb200.memory_type') }},
    -- virtualised nvidia-h200-sxm-141gb: fp16_tflops
    {{ recomputed('V280', 'specification', 'h200.bf16_dense_tflops') }},
    -- virtualised nvidia-h200-sxm-141gb: memory_bandwidth
    {{ recomputed('V281', 'specification', 'h200.memory_bandwidth_gb_s') }},
    -- virtualised nvidia-h200-sxm-141gb: tdp
    {{ recomputed('V282', 'specification', 'h200.tdp_w') }},
    -- GB200 NVL72: accelerators as 18 nodes of 4
    {{ recomputed('V283', 'specification', 'gb200.scale_up_domain_size') }},
    -- MLPerf Inference: rounds
    {{ recomputed('V284', 'their own cells', "len(['v3.1', 'v4.0', 'v4.1', 'v5.0', 'v5.1'])") }},
    -- MLPerf Inference: first round
    {{ recomputed_words('V285', 'their own cells', "'v3.1'") }},
    -- MLPerf Inference: models
    {{ recomputed('V286', 'their own cells', 'n_models') }},
    -- GPT-J: parameters
    {{ recomputed('V287', 'specification', "architecture['gptj'].parameters / 1e9") }},
    -- Llama 3.1 405B: parameters
    {{ recomputed('V288', 'specification', "architecture['llama31_405b'].parameters / 1e9") }},
    -- nvidia-h200-sxm-141gb: memory_bandwidth in the summary
    {{ recomputed('V301', 'specification', 'h200.memory_bandwidth_gb_s / 1000') }},
    -- nvidia-h100-sxm-80gb: memory_bandwidth in the summary
    {{ recomputed('V302', 'specification', 'h100.memory_bandwidth_gb_s / 1000') }},
    -- nvidia-h200-sxm-141gb: memory_bandwidth in the insights
    {{ recomputed('V303', 'specification', 'h200.memory_bandwidth_gb_s') }},
    -- nvidia-b200-sxm-180gb: memory_bandwidth in the insights
    {{ recomputed('V304', 'specification', 'b200.memory_bandwidth_gb_s') }},
    -- H100 SXM against H100 PCIe, GPT-J Offline: throughput per accelerator, above
    {{ recomputed('V306', 'their own cells', "cell['pai-011'].per_accelerator / cell['pai-009'].per_accelerator") }},
    -- H100 SXM against H100 PCIe, GPT-J Offline: measured throughput per accelerator, above
    {{ recomputed('V307', 'results', "cell['pai-011'].measured / cell['pai-009'].measured") }},
    -- TPU v5e against A100 PCIe, GPT-J Offline: throughput per accelerator
    {{ recomputed('V308', 'their own cells', "cell['pai-019'].per_accelerator / cell['pai-001'].per_accelerator") }},
    -- GH200 against H100 SXM, Stable Diffusion XL Offline: throughput per accelerator
    {{ recomputed('V309', 'their own cells', "cell['pai-045'].per_accelerator / cell['pai-049'].per_accelerator") }},
    -- virtualised against physical H200, Stable Diffusion XL Offline: throughput per accelerator, above
    {{ recomputed('V310', 'their own cells', "cell['pai-061'].per_accelerator / cell['pai-053'].per_accelerator") }},
    -- B200, DeepSeek-R1 Server against Offline: throughput, under
    {{ recomputed('V311', 'their own cells', "cell['pai-064'].per_accelerator / cell['pai-063'].per_accelerator") }},
    -- GB200, DeepSeek-R1 Server against Offline: throughput, under
    {{ recomputed('V312', 'their own cells', "cell['pai-066'].per_accelerator / cell['pai-065'].per_accelerator") }},
    -- L40S against H100 SXM, Llama 2 70B Offline: throughput per accelerator, under
    {{ recomputed('V313', 'their own cells', "cell['pai-037'].per_accelerator / cell['pai-031'].per_accelerator") }}
], recursive := true)
from named
