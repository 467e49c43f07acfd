// Runs the suite's checks of authorization servers against the proxy of examples/proxied. The suite prints a URL for the
// browser of a user; a browser without script follows it here, consents and logs in.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePorts } from "../support/free-ports.mjs";

/** @param suite the program of the suite, with its interpreter; @param folder for its results */
export async function runAuthorization(suite, program, folder) {
  const [port, callbackPort] = await freePorts(2);
  const issuer = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [...program, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    await seen(server, server.stderr, /listening on/);
    const client = await registered(issuer, `http://127.0.0.1:${callbackPort}/callback`);
    const options = ["--url", issuer, "--client-id", client, "--resource", `${issuer}/mcp`];
    const [command, ...args] = suite;
    const child = spawn(
      command,
      [...args, "authorization", ...options, "-p", String(callbackPort), "-o", folder],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    try {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.stderr.resume();
      const [url] = await seen(child, child.stdout, /^http\S+\/authorize\?\S+$/m);
      await logIn(url);
      await ended;
    } finally {
      child.kill();
    }
  } finally {
    server.kill();
  }
}

async function registered(issuer, redirectUri) {
  const response = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Conformance suite",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    }),
  });
  return (await response.json()).client_id;
}

/** Consents, logs in, and follows every redirection, the last of them to the suite. */
async function logIn(url) {
  const cookies = new Map();
  let page = await follow(url, {}, cookies);
  // The consent page, then the page of the login.
  for (let forms = 0; forms < 2; forms += 1) {
    const [, action] = /<form method="post"(?: action="([^"]+)")?>/.exec(page.text);
    const fields = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const body = new URLSearchParams(fields.map(([, name, value]) => [name, value]));
    body.set("decision", "allow");
    page = await follow(action ?? page.url, { method: "POST", body }, cookies);
  }
}

async function follow(url, init, cookies) {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
  for (const set of response.headers.getSetCookie()) {
    const [name, value] = set.split(";")[0].split("=");
    cookies.set(name, value);
  }
  const location = response.headers.get("location");
  if (location !== null) return follow(new URL(location, url).href, {}, cookies);
  return { url, text: await response.text() };
}

/** Waits for a text in the output of a process. */
function seen(child, stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) resolve(found);
    });
    child.on("exit", () => reject(new Error(`the process ended: ${text}`)));
  });
}

export const proxied = (root) => join(root, "dist/examples/proxied/main.js");
