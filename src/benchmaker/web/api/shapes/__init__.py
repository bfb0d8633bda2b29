"""What the API answers, as types: the document's schemas are made of them."""
