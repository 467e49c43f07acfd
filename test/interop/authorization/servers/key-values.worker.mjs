// A KV namespace for workerd, in memory.
const values = new Map();

const live = (key) => {
  const found = values.get(key);
  if (found && found.expiration * 1000 < Date.now()) values.delete(key);
  return values.get(key);
};

// oxlint-disable-next-line import/no-default-export -- it is how workers are found
export default {
  async fetch(request) {
    const url = new URL(request.url);
    const key = decodeURIComponent(url.pathname.slice(1));
    if (request.method === "GET" && key === "") {
      const prefix = url.searchParams.get("prefix") ?? "";
      const keys = [...values.keys()].filter((each) => each.startsWith(prefix) && live(each));
      return Response.json({ keys: keys.map((name) => ({ name })), list_complete: true });
    }
    if (request.method === "GET") {
      const found = live(key);
      return found ? new Response(found.body) : new Response(null, { status: 404 });
    }
    if (request.method === "PUT") {
      const ttl = url.searchParams.get("expiration_ttl");
      const expiration = Number(
        url.searchParams.get("expiration") ?? (ttl ? Date.now() / 1000 + Number(ttl) : Infinity),
      );
      values.set(key, { body: await request.arrayBuffer(), expiration });
    } else if (request.method === "DELETE") values.delete(key);
    return new Response(null);
  },
};
