"""What commands do, apart from their options: import, export, compare, evaluate."""
