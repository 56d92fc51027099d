"""Statistics of connectors: heartbeats and routing outcomes become hourly, daily and fan-out tables (SWB-22, CNX-13).

One specification, two engines: `sql` computes inside PostgreSQL, `spark` in PySpark. An engine fills a stage;
planning, checking, publishing and reporting are shared, so both give the same tables. Only `butler_rollups.spark`
imports pyspark.
"""
