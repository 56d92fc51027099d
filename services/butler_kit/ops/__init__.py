"""The ops API of a service: FastAPI behind the tool server's guard, with uniform refusals and documents."""
