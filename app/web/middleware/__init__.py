"""What stands around the application: pure ASGI, outermost first `AccessLog`, `Guard`, `UnexpectedErrors`, `Bodies`."""
