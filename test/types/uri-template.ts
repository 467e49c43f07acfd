// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import { UriTemplate } from "@mcpgen/runtime";
import { createServer } from "@mcpgen/runtime/all";

const found = new UriTemplate("x://{a,b}{/path*}{;c}{?d,e*}").match("x://");
found!.a.trim();
found!.b.trim();
found!.path?.map((each) => each.trim());
found!.c?.trim();
found!.d?.trim();
found!.e?.map((each) => each.trim());
// @ts-expect-error It may be absent.
found!.path.at(0);
// @ts-expect-error It is a list.
found!.e?.trim();
// @ts-expect-error There is no such variable.
found!.f?.trim();
new UriTemplate("x://" as string).match("x://")?.["any"]?.trim();

const server = createServer({ name: "files", version: "1.0.0" });
server.resourceTemplate(
  "file://{/path*}{?line}",
  { complete: { path: () => [], line: () => [] } },
  ({ path = [], line = "" }) => path.join("/") + line.trim(),
);
