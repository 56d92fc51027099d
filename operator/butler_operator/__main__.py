"""`python -m butler_operator`."""

from butler_operator.main import main

raise SystemExit(main())
