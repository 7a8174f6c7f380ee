{# The table of a model, made under its own name. dbt's own materialization makes it under another name beside the one in
   use and then renames both, so that readers see no gap. Nobody reads a build before it is published: half the time that
   dbt spent on a model went into this. #}
{% materialization table, adapter='duckdb', supported_languages=['sql', 'python'] %}
    {%- set relation = this.incorporate(type='table') -%}
    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}
    {% do adapter.drop_relation(relation) %}
    {% call statement('main', language=model['language']) %}
        {{- create_table_as(False, relation, compiled_code, model['language']) }}
    {% endcall %}
    {% do persist_docs(relation, model) %}
    {{ run_hooks(post_hooks, inside_transaction=True) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [relation]}) }}
{% endmaterialization %}
