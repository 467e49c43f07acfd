import { ok, same } from "./assert.mjs";
import { both, newest } from "./party.mjs";

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** Checks that come before every request, in both eras. */
export const front = [
  {
    name: "a page of another origin is refused, one of this machine gets CORS headers",
    async run(world) {
      const party = world.raw(newest);
      const bad = await (
        await party.post(party.message("tools/list"), { origin: "https://evil.example" })
      ).whole();
      same([bad.status, bad.messages[0].error.code], [403, -32600]);
      const good = await party.post(party.message("tools/list"), { origin: "http://localhost:5173" });
      same([good.status, good.headers.get("access-control-allow-origin")], [200, "http://localhost:5173"]);
      ok((await good.whole()).messages[0].result.tools.length > 5, "the list comes");
    },
  },
  {
    name: "a preflight names the headers of the revisions and of the tools",
    async run(world) {
      const party = world.raw(newest);
      const answer = await party.send("OPTIONS", {
        origin: "http://localhost:5173",
        "access-control-request-method": "POST",
        "access-control-request-headers": "mcp-method,mcp-param-region",
      });
      same(answer.status, 204);
      const allowed = answer.headers.get("access-control-allow-headers").split(", ");
      for (const name of ["Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-ID", "Mcp-Param-Region"])
        ok(allowed.includes(name), `${name} is allowed`);
      const elsewhere = await party.send("OPTIONS", { origin: "https://evil.example" });
      same(elsewhere.status, 403);
    },
  },
  {
    name: "another host is refused, one that was named is served",
    needs: ["inside"],
    async run(world) {
      const party = world.raw(newest, {}, world.serve({}, { allowedHosts: ["api.example.com"] }));
      const statuses = [];
      for (const host of ["evil.example", "api.example.com", "127.0.0.1:3000", "[::1]:3000"]) {
        const message = party.message("tools/list");
        const answer = await party.send(
          "POST",
          party.headersOf(message),
          JSON.stringify(message),
          undefined,
          `http://${host}/mcp`,
        );
        statuses.push(answer.status);
      }
      same(statuses, [403, 200, 200, 200]);
    },
  },
  {
    name: "wrong media types, methods and bodies each have their status",
    async run(world) {
      const party = world.raw(newest);
      const statusOf = async (headers, body, method = "POST") =>
        (await (await party.send(method, headers, body)).whole()).status;
      const json = { "content-type": "application/json", accept: both };
      same(await statusOf({ ...json, "content-type": "text/plain" }, JSON.stringify(list)), 415);
      same(await statusOf({ ...json, accept: "text/html" }, JSON.stringify(list)), 406);
      same(await statusOf(json, "{"), 400);
      same(await statusOf(json, ""), 400);
      same(await statusOf(json, `${"[".repeat(600)}${"]".repeat(600)}`), 400);
      same(await statusOf({ accept: both }, undefined, "PATCH"), 405);
    },
  },
  {
    name: "a body that is too long is refused by its length, and while it streams",
    needs: ["early"],
    async run(world) {
      const party = world.raw(newest);
      const json = { "content-type": "application/json", accept: both };
      const said = await party.send("POST", json, " ".repeat(5_000_000));
      same(said.status, 413);
      const streamed = endless(5_000_000);
      const answer = await (await party.send("POST", json, streamed.body)).whole();
      same([answer.status, answer.messages[0].error.code], [413, -32600]);
      ok((await party.tool("echo", { text: "still here" })) === "still here", "others are served");
    },
  },
  {
    name: "a body that never ends is left where the limit is",
    needs: ["inside"],
    async run(world) {
      const party = world.raw(newest, {}, world.serve({}, { bodyLimit: 100_000 }));
      const { body, given } = endless(Infinity);
      const answer = await party.send("POST", party.headersOf({}), body);
      same(answer.status, 413);
      ok(given() < 1_000_000, `${given()} bytes were taken`);
    },
  },
  {
    name: "characters that come in pieces are put together",
    async run(world) {
      const party = world.raw(newest);
      const message = party.call("echo", { text: "größer als 𝄞" });
      const bytes = new TextEncoder().encode(JSON.stringify(message));
      const answer = await (await party.send("POST", party.headersOf(message), byteByByte(bytes))).whole();
      same(answer.messages[0].result.content[0].text, "größer als 𝄞");
    },
  },
  {
    name: "a body that breaks off leaves the server well",
    needs: ["inside"],
    async run(world) {
      const party = world.raw(newest);
      const broken = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"jsonrpc"'));
        },
        pull(controller) {
          controller.error(new Error("cut"));
        },
      });
      same((await party.send("POST", party.headersOf({}), broken)).status, 400);
      same(await party.tool("echo", { text: "well" }), "well");
    },
  },
  {
    name: "the caller is authenticated before the body is read, and handlers get it",
    needs: ["inside"],
    async run(world) {
      const authenticate = async ({ header }) => {
        const user = header("authorization")?.slice("Bearer ".length);
        return user
          ? { auth: user, principal: user }
          : { status: 401, headers: { "www-authenticate": "Bearer" } };
      };
      const party = world.raw(newest, {}, world.serve({}, { authenticate }));
      const { body, given } = endless(Infinity);
      const refused = await party.send("POST", party.headersOf({}), body);
      same([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
      ok(given() < 500_000, `${given()} bytes were taken`);
      const call = party.call("whoami");
      const answer = await (await party.post(call, { authorization: "Bearer ada" })).whole();
      same(answer.messages[0].result.content[0].text, "ada");
    },
  },
  {
    name: "requests beyond those there may be at a time are refused, and served again after",
    needs: ["inside"],
    async run(world) {
      const party = world.raw(newest, {}, world.serve({}, { limits: { work: 2 } }));
      const signal = new AbortController();
      const held = ["a", "b"].map((name) => party.post(party.call("hold", { name }), {}, signal.signal));
      for (const each of held) each.catch(() => undefined);
      same((await party.post(party.message("tools/list"))).status, 503);
      signal.abort();
      await Promise.allSettled(held.map((each) => Promise.race([each, settled()])));
      same((await party.post(party.message("tools/list"))).status, 200);
    },
  },
];

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Endless white space, or up to `most`; counts the bytes that were read. */
function endless(most) {
  const chunk = new TextEncoder().encode(" ".repeat(50_000));
  let given = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (given >= most) return controller.close();
      given += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return { body, given: () => given };
}

function byteByByte(bytes) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at === bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, ++at));
    },
  });
}
