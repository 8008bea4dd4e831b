"""Pure ASGI middleware around the application; outermost first `AccessLog`, `Guard`, `UnexpectedErrors`, `Bodies`."""
