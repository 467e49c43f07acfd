import { serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type Mount,
  type Receiver,
  type ToolRegistration,
  createServer,
} from "@mcpgen/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { metaOf } from "../../support/raw-stdio-client.js";
import { cases } from "../../support/cases.mjs";

interface Tool {
  name: string;
  enabled: boolean;
  readonly registration: ToolRegistration;
}

/** A server, and what was done to it. */
interface Node {
  readonly server: CodeFirstServer;
  readonly tools: Tool[];
  readonly mounts: { readonly guest: Node; readonly prefix: string | undefined; readonly mount: Mount }[];
}

const newNode = (): Node => ({
  server: createServer({ name: "s", version: "1" }, { revisions: serverRevisions }),
  tools: [],
  mounts: [],
});

/** The expected list of a server: names, and whether they are enabled. */
function expected({ tools, mounts }: Node): [string, boolean][] {
  return [
    ...tools.map(({ name, enabled }): [string, boolean] => [name, enabled]),
    ...mounts.flatMap(({ guest, prefix }) =>
      expected(guest).map(([name, enabled]): [string, boolean] => [
        prefix === undefined ? name : `${prefix}_${name}`,
        enabled,
      ]),
    ),
  ];
}

const reaches = (node: Node, other: Node): boolean =>
  node === other || node.mounts.some(({ guest }) => reaches(guest, other));

const isUnique = (nodes: readonly Node[]): boolean =>
  nodes.every((node) => {
    const names = expected(node).map(([name]) => name);
    return new Set(names).size === names.length;
  });

/** The names that a client gets. */
function listed({ server }: Node): string[] {
  let receiver: Receiver | undefined;
  let names: string[] = [];
  server.connect({
    open: (given) => (receiver = given),
    send: (text) => {
      const { result } = JSON.parse(text) as { result?: { tools: { name: string }[] } };
      names = result?.tools.map(({ name }) => name) ?? [];
    },
    flush: () => undefined,
    close: () => Promise.resolve(),
  });
  receiver!.message(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: metaOf() } }),
  );
  receiver!.closed();
  return names.sort();
}

const index = fc.nat(2);
// `p_a` is also the name that a mount may give to `a`. A tool with that name is not renamed: if it is mounted twice, a
// new name may equal an old one, which is refused.
const name = fc.constantFrom("a", "b", "p_a");
const prefix = fc.constantFrom(undefined, "p", "q");
const step = fc.oneof(
  fc.tuple(fc.constant("add" as const), index, name),
  fc.tuple(fc.constant("rename" as const), index, fc.constantFrom("a", "b")),
  fc.tuple(fc.constant("toggle" as const), index, name),
  fc.tuple(fc.constant("remove" as const), index, name),
  fc.tuple(fc.constant("mount" as const), index, index, prefix),
  fc.tuple(fc.constant("unmount" as const), index, index),
);

/** Applies one step to the model and to the servers, which must refuse it if the model has a name twice or a cycle. */
function take(nodes: readonly Node[], [kind, at, what, before]: readonly unknown[]): void {
  const node = nodes[at as number]!;
  const [tool] = node.tools;
  /** @param undo takes the step back in the model */
  const tried = (act: () => void, undo: () => void, possible = isUnique(nodes)): boolean => {
    if (possible) act();
    else {
      undo();
      expect(act).toThrow(/registered already|cannot show itself/);
    }
    return possible;
  };
  if (kind === "add") {
    const added = { name: what as string, enabled: true } as { -readonly [Key in keyof Tool]: Tool[Key] };
    node.tools.push(added);
    const act = (): void => void (added.registration = node.server.tool(added.name, {}, () => ""));
    tried(act, () => void node.tools.pop());
  } else if (kind === "rename" && tool && tool.name !== "p_a") {
    const old = tool.name;
    tool.name = what as string;
    tried(
      () => tool.registration.update({ name: what as string }),
      () => void (tool.name = old),
    );
  } else if (kind === "toggle" && tool) {
    tool.enabled = !tool.enabled;
    if (tool.enabled) tool.registration.enable();
    else tool.registration.disable();
  } else if (kind === "remove" && tool) {
    node.tools.shift();
    tool.registration.remove();
  } else if (kind === "mount") {
    const guest = nodes[what as number]!;
    const cycle = reaches(guest, node);
    const options = before === undefined ? {} : { prefix: before as string };
    const made = { guest, prefix: before as string | undefined, mount: undefined as unknown as Mount };
    if (!cycle) node.mounts.push(made);
    tried(
      () => void (made.mount = node.server.mount(guest.server, options)),
      () => void (cycle || node.mounts.pop()),
      !cycle && isUnique(nodes),
    );
  } else if (kind === "unmount") node.mounts.shift()?.mount.unmount();
}

test("servers list all registered and mounted definitions after any steps; a refused step has no effect", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      const nodes = Array.from({ length: 3 }, newNode);
      for (const each of steps) {
        take(nodes, each);
        for (const node of nodes) {
          const enabled = expected(node).filter(([, isEnabled]) => isEnabled);
          expect(listed(node)).toEqual(enabled.map(([each]) => each).sort());
        }
      }
    }),
    { numRuns: cases(1000, 150) },
  );
});
