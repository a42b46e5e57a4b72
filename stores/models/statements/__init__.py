"""The few hot statements, as SQL: each costs a fraction of the ORM's way (performance.md, 1 and 2).

One function each, a variant per engine where that pays; tests compare each with a plain ORM twin. They check
no rule and know no right: the domain does.
"""
