// Data from public reports (`source`). No test sends requests to these servers.

/** A public MCP server whose authorization server gives itself another name than the MCP server gives it. */
export interface RenamedIssuer {
  readonly name: string;
  /** The name in the protected resource metadata. */
  readonly issuer: string;
  /** The name that the authorization server gives itself. */
  readonly own: string;
  readonly where: "metadata" | "responses";
  /** The MCP server has no protected resource metadata: its user names the issuer. */
  readonly unnamed?: true;
  readonly source: string;
}

/** Moves both names to a server on this machine. Equal hosts stay equal, different hosts stay different. */
export function namesAt(
  { issuer, own }: RenamedIssuer,
  origin: string,
): { readonly issuer: string; readonly own: string } {
  const host = new URL(issuer).origin;
  const [, ownHost = "", rest = ""] = /^(https:\/\/[^/]+)(.*)$/.exec(own)!;
  const other = ownHost === host ? origin : origin.replace("127.0.0.1", "localhost");
  return { issuer: origin + issuer.slice(host.length), own: other + rest };
}

export const renamedIssuers: readonly RenamedIssuer[] = [
  {
    name: "Google Workspace: Calendar, Gmail, Drive, Docs, Sheets, Slides, People",
    issuer: "https://accounts.google.com/",
    own: "https://accounts.google.com",
    where: "metadata",
    source: "github.com/github/copilot-cli/issues/4606",
  },
  {
    name: "Atlassian Rovo, `/v1/mcp/authv2`",
    issuer: "https://auth.atlassian.com/VCeDsk8ZHncYF1g234fKtc4lNipbBhu3",
    own: "https://auth.atlassian.com",
    where: "metadata",
    source: "github.com/atlassian/atlassian-mcp-server/issues/205",
  },
  {
    name: "Atlassian Rovo, `/v1/mcp`, which names no issuer",
    issuer: "https://mcp.atlassian.com",
    own: "https://cf.mcp.atlassian.com",
    where: "metadata",
    unnamed: true,
    source: "github.com/atlassian/atlassian-mcp-server/issues/148",
  },
  {
    name: "Servers with the UAA of SAP BTP or Cloud Foundry",
    issuer: "https://my-tenant.authentication.eu10.hana.ondemand.com",
    own: "https://my-tenant.authentication.eu10.hana.ondemand.com/oauth/token",
    where: "metadata",
    source: "github.com/cloudfoundry/uaa/issues/805",
  },
  {
    name: "Meta Ads",
    issuer: "https://mcp.facebook.com/ads",
    own: "https://www.facebook.com",
    where: "metadata",
    source: "github.com/openai/codex/issues/38944",
  },
  {
    name: "SmartBear Zephyr",
    issuer: "https://app.tm4j.smartbear.com",
    own: "https://app.tm4j.smartbear.com/backend/oauthproxy",
    where: "metadata",
    source: "github.com/SmartBear/smartbear-mcp/issues/682",
  },
  {
    name: "monday.com",
    issuer: "https://auth.monday.com/mcp",
    own: "https://auth.monday.com",
    where: "responses",
    source: "github.com/mondaycom/mcp/issues/453",
  },
];
