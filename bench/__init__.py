"""How fast the product is, measured against the raw database in the same rounds; see README.md."""
