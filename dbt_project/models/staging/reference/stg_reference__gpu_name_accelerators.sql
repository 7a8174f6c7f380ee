-- Seed gpu_name_accelerators with the user's overrides of it.
{{ with_overrides('gpu_name_accelerators') }}
