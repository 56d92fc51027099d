"""The ops API of a service: FastAPI behind the tool server's guard, with one way to refuse and one to describe."""
