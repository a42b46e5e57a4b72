#!/bin/sh
# Makes the partitions of the next three days and drops those older than 40 days.
# Runs from cron at 01:10; safe to run again.
set -eu

psql -X -v ON_ERROR_STOP=1 "$DATABASE_URL" <<'SQL'
select readings_make_partition(current_date + n) from generate_series(0, 3) as n;
select readings_drop_partition(day) from readings_partitions where day < current_date - 40;
SQL

echo "partitions ok"
