"""The server's address in the links that leads hand on."""

from starlette.requests import Request


def base_address(request: Request) -> str:
    """The address of the server as others write it, without a slash at the end."""
    return str(request.app.state.public_url or request.base_url).rstrip("/")
