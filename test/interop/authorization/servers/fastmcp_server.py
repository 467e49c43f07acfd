# A server of fastmcp behind its OAuthProxy. Usage: fastmcp_server.py PORT UPSTREAM, which is what login-stand-in.ts returns
import json
import sys

from fastmcp import FastMCP
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.server.auth.oauth_proxy import OAuthProxy
from fastmcp.server.dependencies import get_access_token

port, upstream = int(sys.argv[1]), json.loads(sys.argv[2])


class Verifier(TokenVerifier):
    async def verify_token(self, token):
        if token.startswith("gho_"):
            return AccessToken(token=token, client_id="upstream", scopes=["gist"], claims={"sub": "17"})
        return None


auth = OAuthProxy(
    upstream_authorization_endpoint=upstream["host"] + "/login/oauth/authorize",
    upstream_token_endpoint=upstream["host"] + "/login/oauth/access_token",
    upstream_client_id=upstream["clientId"],
    upstream_client_secret=upstream["secret"],
    token_endpoint_auth_method="client_secret_post",
    token_verifier=Verifier(required_scopes=["gist"]),
    base_url=f"http://127.0.0.1:{port}",
    jwt_signing_key="a key of tests, which is long enough",
)
server = FastMCP("protected", auth=auth)


@server.tool
def whoami() -> str:
    return json.dumps({"scopes": get_access_token().scopes})


server.run(transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="error")
