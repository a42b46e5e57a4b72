"""Looking for a text wherever a database could have kept it."""

from django.db import connection


def find_in_database(text: str) -> list[str]:
    """`table.column` of every column of every table that holds the text, as text or as bytes."""
    as_text = connection.ops.quote_name
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = [
                column.name for column in connection.introspection.get_table_description(cursor, table)
            ]
            cursor.execute(f"SELECT * FROM {as_text(table)}")
            rows = cursor.fetchall()
            for place, column in enumerate(columns):
                if any(_holds(row[place], text) for row in rows):
                    found.append(f"{table}.{column}")
    return sorted(found)


def _holds(value: object, text: str) -> bool:
    if isinstance(value, bytes | memoryview):
        return text.encode() in bytes(value)
    return text in str(value)
