// The command line with servers whose authorization server has two names.
import { expect, test } from "vitest";
import { namesAt, renamedIssuers } from "../../support/auth/renamed-issuers.js";
import { type Protected, protectedServer } from "./protected-server.js";
import { type Visit, atTerminal } from "./terminal-login.js";

const login = ["--token-store", "file", "--no-browser"];

test.each(renamedIssuers.map((each) => [each.name, each] as const))(
  "%s: refused with both names and the variables to set; with them, a login and calls",
  async (_, renamed) => {
    const names = ({ as }: Pick<Protected, "as">): { readonly issuer: string; readonly own: string } =>
      namesAt(renamed, new URL(as.issuer).origin);
    const site: Protected = await protectedServer({
      path: new URL(renamed.issuer).pathname.replace(/\/$/, ""),
      fault: (call, honest) =>
        call.endpoint === "metadata" && renamed.where === "metadata"
          ? { ...honest, body: { ...(honest.body as object), issuer: names(site).own } }
          : honest,
    });
    const { issuer, own } = names(site);
    site.resource.options = {
      ...site.resource.options,
      ...(renamed.unnamed ? { metadataAt: "none" } : { metadata: { authorization_servers: [issuer] } }),
    };
    const visit: Visit = async (url, _input, { as }) => {
      const callback = new URL(await as.visit(url));
      callback.searchParams.set("iss", own);
      await (await fetch(callback)).text();
    };
    const named = { MCPGEN_ISSUER: issuer };
    const refused = await atTerminal(
      site,
      ["login", site.url, ...login],
      visit,
      renamed.unnamed ? named : {},
    );
    expect(refused.code, refused.stderr).toBe(4);
    for (const text of [`"${issuer}"`, `"${own}"`, "MCPGEN_METADATA_ISSUER"])
      expect(refused.stderr).toContain(text);
    const env = { ...named, MCPGEN_METADATA_ISSUER: own };
    const { code, logins, stderr } = await atTerminal(site, ["login", site.url, ...login], visit, env);
    expect([code, logins], stderr).toEqual([0, 1]);
    expect(await site.run(["call", site.url, "echo"], env)).toMatchObject({ code: 0, stdout: "echoed\n" });
    site.as.expireAccessTokens();
    const again = await site.run(["call", site.url, "echo"], env);
    expect([again.code, site.as.count("token refresh_token")], again.stderr).toEqual([0, 1]);
    // The check of the metadata has the same verdict.
    const checked = await site.run(["check", "--server", site.url]);
    expect(checked.code).toBe(renamed.where === "metadata" ? 1 : 0);
    if (!renamed.unnamed) expect((await site.run(["check", "--server", site.url], env)).code).toBe(0);
    const out = await site.run(["logout", site.url], env);
    expect(out.stdout).toContain("the authorization server revoked the tokens");
  },
);
