import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../generator/sample/values.js";
import { lintCode } from "../../generator/lint/code/lint-code.js";
import { cases, seed } from "../support/cases.mjs";
import { temporaryFolder } from "../support/temporary-folder.js";

// Random handlers are run as a server runs them again, and each effect that happened twice must be found.

/** The statements of a handler with effects `act(n)`, in random positions around its asks. */
function randomBody(random: Random): string {
  const functions: string[] = [];
  let last = 0;
  const next = (): number => last++;
  const act = (): string => `await act(${next()});`;
  const ask = (): string => `ask.elicit(key(${next()}))`;
  const block = (depth: number, ends: readonly string[]): string =>
    Array.from({ length: 1 + random.below(3) }, () => statement(depth, ends)).join(" ");
  const statement = (depth: number, ends: readonly string[]): string => {
    const simple = [
      act,
      act,
      act,
      () => `await ${ask()};`,
      () => `await once(key(${next()}), async () => { ${act()} });`,
      () => `await Promise.all([${ask()}, act(${next()})]);`,
      () => `{ const open = ${ask()}; ${act()} await open; ${act()} }`,
      () => `await ${ask()}.then(async () => { ${act()} });`,
      () => `await ${ask()}.catch(async (error) => { ${act()} throw error; });`,
      () => `await ${ask()}.finally(async () => { ${act()} });`,
      () => `await ${ask()}.then(() => {}, async (error) => { ${act()} throw error; });`,
      () => `await act(${next()}).then(async () => { ${act()} });`,
      () => `act(${next()}).catch(() => {});`,
      () => (functions.length > 0 ? `await local${random.below(functions.length)}();` : act()),
      () =>
        `{ const base = key(${next()}); await Promise.all([0, 1].map(async (item) => { ${[
          `await act(${next()}, item);`,
          "await ask.elicit(base + item);",
          `await act(${next()}, item);`,
        ]
          .slice(random.below(2), 2 + random.below(2))
          .join(" ")} })); }`,
    ];
    if (depth === 0) return random.pick(simple)();
    const inner = (): string => block(depth - 1, ends);
    const turns = (): string => block(depth - 1, ["return;", "break;", "continue;"]);
    const whole = (): string => block(depth - 1, []);
    return random.pick([
      ...simple,
      () => `if (is(${next()})) { ${inner()} } else { ${inner()} }`,
      () => `if (is(${next()})) { ${inner()} ${ends.length > 0 ? random.pick(ends) : ""} }`,
      () => `is(${next()}) ? await act(${next()}) : await ${ask()};`,
      () => `for (let turn = 0; turn < 3; turn++) { ${turns()} }`,
      () => `do { ${turns()} } while (is(${next()}));`,
      () =>
        `switch (is(${next()})) { case true: { ${whole()} } ${random.pick(["break;", ""])} default: ${whole()} }`,
      () => `try { ${inner()} } catch (error) { ${inner()} throw error; }`,
      () => `try { ${inner()} } finally { ${whole()} }`,
      () => {
        const body = block(depth - 1, ["return;"]);
        functions.push(`const local${functions.length} = async () => { ${body} };`);
        return `await local${functions.length - 1}();`;
      },
    ])();
  };
  const body = block(2, ["return;"]);
  return [...functions, body].join("\n  ");
}

interface Surroundings {
  readonly act: (name: number, item?: number) => Promise<void>;
  readonly key: (name: number) => string;
  readonly is: (name: number) => boolean;
}

type Handler = (
  args: undefined,
  context: {
    readonly ask: { readonly elicit: (key: string) => Promise<string> };
    readonly once: (key: string, effect: () => Promise<unknown>) => Promise<unknown>;
  },
) => Promise<void>;

type Register = (
  server: { tool: (name: string, _: object, handler: Handler) => void } & Surroundings,
) => void;

/** The effects of a handler that happened in more than one of its runs. */
async function repeated(handler: Handler, random: Random): Promise<Set<number>> {
  const choices = new Map<string, boolean>();
  const answered = new Set<string>();
  const kept = new Map<string, Promise<unknown>>();
  const done = new Set<string>();
  const twice = new Set<number>();
  let isKept = false;
  for (let isOver = false; !isOver;) {
    const wanted = new Set<string>();
    const counts = new Map<string, number>();
    const doneNow: string[] = [];
    const occurrence = (name: string): string => {
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return `${name}:${count}:`;
    };
    surroundings = {
      act: async (name, item) => {
        // An effect that `once` starts happens once for each key, and the later keys of a loop in later runs.
        if (isKept) return;
        const each = occurrence(`act ${name} ${item}`);
        if (done.has(each)) twice.add(name);
        doneNow.push(each);
      },
      key: (name) => occurrence(`key ${name}`),
      is: (name) => {
        const each = occurrence(`is ${name}`);
        // A loop ends.
        if (!choices.has(each)) choices.set(each, random.chance(0.5) && counts.get(`is ${name}`)! < 4);
        return choices.get(each)!;
      },
    };
    const elicit = (key: string): Promise<string> => {
      if (answered.has(key)) return Promise.resolve(key);
      wanted.add(key);
      const suspended = Promise.reject(new Error("suspended"));
      suspended.catch(() => {});
      return suspended;
    };
    const once = (key: string, effect: () => Promise<unknown>): Promise<unknown> => {
      isKept = true;
      if (!kept.has(key)) kept.set(key, effect());
      isKept = false;
      return kept.get(key)!;
    };
    await handler(undefined, { ask: { elicit }, once }).catch(() => {});
    // What was started beside the ask ends, too.
    await new Promise((resolve) => setImmediate(resolve));
    for (const each of doneNow) done.add(each);
    isOver = wanted.size === 0;
    const all = [...wanted];
    if (!isOver) answered.add(random.pick(all));
    for (const key of all) if (random.chance(0.7)) answered.add(key);
  }
  return twice;
}

let surroundings: Surroundings;

test("each effect that happens again in a random handler is found", { timeout: 3_600_000 }, async () => {
  const count = cases(5_000);
  const random = randomFrom(`${seed}: replays`);
  const bodies = Array.from({ length: count }, () => randomBody(random));
  const text = bodies.map(
    (body, index) =>
      `  server.tool("${index}", { replay: true }, async (_, { ask, once }) => {\n  ${body}\n  });\n`,
  );
  const folder = temporaryFolder({
    "handlers.mjs": `export function register(server) {\n  const { act, key, is } = server;\n${text.join("")}}\n`,
  });
  const found = new Map<string, Set<number>>();
  for (const { message } of lintCode(folder, (file) => file).findings) {
    const [, tool, effect] = /^tool "(\d+)": act\((\d+)/.exec(message)!;
    found.set(tool!, (found.get(tool!) ?? new Set()).add(Number(effect)));
  }
  const handlers: Handler[] = [];
  const { register } = (await import(pathToFileURL(join(folder, "handlers.mjs")).href)) as {
    register: Register;
  };
  register({
    tool: (_name, _definition, handler) => void handlers.push(handler),
    act: (name, item) => surroundings.act(name, item),
    key: (name) => surroundings.key(name),
    is: (name) => surroundings.is(name),
  });
  let happened = 0;
  let reported = 0;
  for (const [index, handler] of handlers.entries()) {
    const twice = new Set<number>();
    for (let run = 0; run < 20; run++) for (const each of await repeated(handler, random)) twice.add(each);
    const missed = [...twice].filter((each) => !found.get(String(index))?.has(each));
    expect(missed, `effects that happen again in ${bodies[index]}`).toEqual([]);
    happened += twice.size;
    reported += found.get(String(index))?.size ?? 0;
  }
  expect(handlers).toHaveLength(count);
  expect(happened).toBeGreaterThan(count / 2);
  // Most of what the rule reports happens again.
  expect(happened).toBeGreaterThan(reported / 2);
});
