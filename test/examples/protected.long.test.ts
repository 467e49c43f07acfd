import { spawn } from "node:child_process";
import { once } from "node:events";
import { oauth } from "@mcpgen/auth/client";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { type AuthorizationServer, authorizationServer } from "../support/auth/authorization-server.js";
import { builtProgram } from "../support/built-program.js";
import { protectedProcess } from "./protected-process.js";

const program = builtProgram("examples/protected/main.ts");
const resource = "https://notes.example.com/mcp";

async function started(as: AuthorizationServer): Promise<string> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NODE_OPTIONS: "", ISSUER: as.issuer, RESOURCE: resource, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return line.toString().trim();
}

async function clientWith(url: string, token: string): Promise<Client> {
  const authorize = (): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const client = await connect(url, { revisions: clientRevisions, http: { authorize } });
  onTestFinished(() => client.close());
  return client;
}

test("the protected example: tokens, scopes for each tool, notes of each principal", async () => {
  const as = await authorizationServer();
  const url = await started(as);
  const refused = await fetch(url, { method: "POST" });
  expect(refused.status).toBe(401);
  const metadata = new URL(url).origin + "/.well-known/oauth-protected-resource/mcp";
  expect(refused.headers.get("www-authenticate")).toContain(
    'resource_metadata="https://notes.example.com/.well-known/oauth-protected-resource/mcp"',
  );
  expect(await (await fetch(metadata)).json()).toMatchObject({
    resource,
    authorization_servers: [as.issuer],
  });

  const tokenOf = (subject: string, scope: string): Promise<string> => as.mint({ resource, subject, scope });
  const ada = await clientWith(url, await tokenOf("ada", "notes notes:write"));
  await ada.callTool("add_note", { text: "milk" });
  expect(await ada.callTool("list_notes", {})).toMatchObject({ content: [{ text: "milk" }] });

  const ben = await clientWith(url, await tokenOf("ben", "notes notes:read"));
  expect(await ben.callTool("list_notes", {})).toMatchObject({ content: [{ text: "" }] });
  await expect(ben.callTool("add_note", { text: "eggs" })).rejects.toMatchObject({
    message: expect.stringContaining("403") as string,
  });
});

test("a token whose user is empty is refused: its client is not a user", async () => {
  const as = await authorizationServer();
  const url = await started(as);
  const token = await as.mint({ resource, subject: "", clientId: "one", scope: "notes notes:write" });
  await expect(clientWith(url, token)).rejects.toMatchObject({
    message: expect.stringContaining("its claim sub: expected text") as string,
  });
});

test("our own client logs in: each user only sees their own notes, and a tool gets its scopes", async () => {
  let subject = "ada";
  const as = await authorizationServer({ decide: () => ({ subject }) });
  const url = await protectedProcess(program, as);
  const scopes: (readonly string[])[] = [];
  const login = async (user: string): Promise<Client> => {
    subject = user;
    const authorize = oauth({
      client: { name: user },
      redirect: {
        uri: "http://127.0.0.1/callback",
        receive: (address, facts) => {
          scopes.push(facts.scopes);
          return as.visit(address);
        },
      },
    });
    const client = await connect(url, { revisions: clientRevisions, http: { authorize } });
    onTestFinished(() => client.close());
    return client;
  };
  const ada = await login("ada");
  expect((await ada.listTools()).items.map(({ name }) => name)).toEqual(["list_notes", "add_note"]);
  await ada.callTool("add_note", { text: "milk" });
  expect(scopes).toEqual([["notes"], ["notes", "notes:write"]]);
  // The scope for writing implies the scope for reading, so no other login is needed.
  expect(await ada.callTool("list_notes", {})).toMatchObject({ content: [{ text: "milk" }] });
  expect(scopes).toHaveLength(2);

  const ben = await login("ben");
  expect(await ben.callTool("list_notes", {})).toMatchObject({ content: [{ text: "" }] });
});
