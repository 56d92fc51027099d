"""`/api/…`: the reads over HTTP (SWB-43, interfaces); its OpenAPI document is at `/api/openapi.json`."""

from butler_dashboard.api.routers import api_routes

__all__ = ["api_routes"]
