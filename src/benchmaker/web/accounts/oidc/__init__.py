"""Signing in by OpenID Connect: the code flow with PKCE, at one provider that the server names."""
