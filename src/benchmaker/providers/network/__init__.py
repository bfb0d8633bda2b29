"""HTTP to providers: connections, proxies, certificates, egress."""
