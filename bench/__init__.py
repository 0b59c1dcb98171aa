"""What `make bench` measures: ratios, each against something fixed that runs beside it."""
