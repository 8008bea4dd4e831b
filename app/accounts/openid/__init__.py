"""Sign-in of leads by OpenID Connect: an optional part (`pip install 'attune-studies[openid]'`)."""
