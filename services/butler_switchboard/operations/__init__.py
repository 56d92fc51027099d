"""Operations: partitions and retention, audit, the view of a request, the operators' API."""
