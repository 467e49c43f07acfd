import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { PlanRunner } from "../../../../generator/targets/typescript/steps/runner.js";
import { type Random, randomFrom } from "../../../../generator/sample/values.js";
import { cases, seed } from "../../../support/cases.mjs";
import { type NoteText, object, ref } from "../../../support/models.js";
import { loaded } from "../emitted-output.js";
import { answering, stepFiles } from "./between.js";
import { type Steps, deepFrozen, type Step, outcomeOf, sampleOf } from "./protocol.js";

const text = { type: "string" };
const list = (items: JsonValue): JsonObject => ({ type: "array", items });
const block = (type: string, member: string): JsonValue =>
  object({ type: { type: "string", const: type }, [member]: text }, ["type", member]);
const blocks = {
  Block: { anyOf: [ref("Text"), ref("Image"), ref("Note")] },
  ...{ Text: block("text", "text"), Image: block("image", "data"), Note: block("note", "text") },
};
/** Texts have another member, one kind of block is gone, and one is new. */
const newBlocks = {
  Block: { anyOf: [ref("Text"), ref("Image"), ref("Sound")] },
  ...{ Text: block("text", "body"), Image: block("image", "data"), Sound: block("sound", "data") },
};
const Entry = object({ n: { type: "integer" }, tags: list(text), flag: { type: "boolean" } }, ["n"]);
const old = object(
  {
    content: list(ref("Block")),
    structured: {},
    nested: object({ list: list(ref("Entry")), map: { type: "object" } }),
  },
  ["content"],
);
const params = object({ wanted: list(text), n: { type: "integer" } });
const DoRequest = object({ method: { type: "string", const: "test/do" }, params }, ["method"]);

type ItemKind = "any" | "block" | "entry" | "none" | "text";
const paths: { readonly [kind in ItemKind]: readonly string[] } = {
  none: [
    "",
    "/content",
    "/content/1/type",
    "/structured",
    "/structured/a",
    "/nested",
    "/nested/list/0/n",
    "/nested/map/x",
  ],
  block: [".", "./type"],
  entry: [".", "./n", "./tags", "./tags/0", "./flag"],
  any: [".", "./a"],
  text: ["."],
};
const lists: { readonly [kind in ItemKind]: readonly (readonly [path: string, item: ItemKind])[] } = {
  none: [
    ["/content", "block"],
    ["/nested/list", "entry"],
    ["/structured", "any"],
    ["/nested/map/x", "any"],
  ],
  block: [],
  entry: [["./tags", "text"]],
  any: [["./a", "any"]],
  text: [],
};
const tested: { readonly [kind in ItemKind]: readonly (readonly [member: string, value: JsonValue])[] } = {
  none: [],
  block: [
    ["type", "text"],
    ["type", "image"],
    ["type", "note"],
  ],
  entry: [
    ["n", 0],
    ["n", 1],
    ["flag", true],
  ],
  any: [
    ["a", null],
    ["a", "x"],
  ],
  text: [],
};
const plain: readonly JsonValue[] = [null, true, 0, -1.5, "", "a", '"\\`${b}'];

/** Any expression, as it is written in a note. */
function expression(random: Random, item: ItemKind, depth: number): JsonValue {
  const inner = (): JsonValue => expression(random, item, depth - 1);
  const path = (): string => random.pick([...paths[item], ...paths.none]);
  const some = (least: number): JsonValue[] => Array.from({ length: least + random.below(3) }, inner);
  if (depth <= 0)
    return random.pick<() => JsonValue>([
      () => random.pick(plain),
      () => ({ $: path() }),
      () => ({ $: path() }),
      () => ({ $request: random.pick(["/wanted", "/wanted/0", "/n", ""]) }),
    ])();
  return random.pick<() => JsonValue>([
    () => some(0),
    () => Object.fromEntries(["a", "__proto__", "$$b"].slice(random.below(3)).map((key) => [key, inner()])),
    () => ({ $or: some(1) }),
    () => ({ $join: some(1) }),
    () => ({ $json: inner() }),
    () => ({ $if: path(), then: inner(), ...(random.chance(0.5) && { else: inner() }) }),
    () => selection(random, item, depth),
    () => selection(random, item, depth),
  ])();
}

function selection(random: Random, item: ItemKind, depth: number): JsonValue {
  const [path, kind] = random.pick([...lists[item], ...lists.none]);
  const make = expression(random, kind, depth - 1);
  const [member, value] = tested[kind].length > 0 ? random.pick(tested[kind]) : ["", null];
  const among = random.pick<JsonValue>([
    ["text", 1, null],
    { $request: "/wanted" },
    expression(random, kind, 0),
  ]);
  const where = member !== "" &&
    random.chance(0.6) && { where: { [member]: random.chance(0.6) ? value : { in: among } } };
  if (random.chance(0.2)) return { $map: path, ...where, key: { $json: expression(random, kind, 0) }, make };
  return random.chance(0.7)
    ? { $each: path, ...where, make, ...(random.chance(0.4) && { flat: random.chance(0.8) }) }
    : { $first: path, ...where, make };
}

/** Expressions over one object, each for a member that may be anything; and some for members that are converted. */
const count = cases(1000);

it("the printed code of any expression and the runner give the same values and losses", async () => {
  const random = randomFrom(`${seed}: expressions`);
  const made = Array.from({ length: count }, (_, index) => [
    `m${index}`,
    expression(random, "none", 1 + (index % 3)),
  ]);
  const converted = {
    blocks: { $each: "/content", make: { $: "." } },
    texts: { $each: "/content", where: { type: "text" }, make: { $: "." } },
    first: { $first: "/content", where: { type: { in: { $request: "/wanted" } } }, make: { $: "." } },
    joined: { $join: [{ $: "/content" }, { $first: "/content", make: { $: "." } }] },
    asked: { $request: "/wanted" },
  };
  const members = {
    ...Object.fromEntries(made.map(([name]) => [name, {}])),
    ...{ blocks: list(ref("Block")), texts: list(ref("Block")), first: ref("Block") },
    ...{ joined: list(ref("Block")), asked: list(text) },
  };
  const note: NoteText = {
    ...{ kind: "reshaped", targets: ["/$defs/DoResult"], previous: "r1" },
    lift: { ...Object.fromEntries(made), ...converted } as JsonObject,
  };
  const lift = (target: string, how: JsonObject): NoteText =>
    ({ kind: "lift", targets: [target], previous: "r1", ...how }) as unknown as NoteText;
  const models = [
    answering("r1", old, { ...blocks, Entry, DoRequest }),
    answering("r2", object(members), { ...newBlocks, DoRequest }, [
      note,
      { kind: "renamed", targets: ["/$defs/Text/properties/body"], previous: "r1", from: "text" },
      lift("/$defs/Note", { how: "drop" }),
    ]),
  ] as const;
  const plan = planSteps(...models);
  expect(plan.reshapes.problems).toEqual([]);
  const { clientSteps } = await loaded<{ clientSteps: Steps }>(
    stepFiles(...models),
    `export { clientSteps } from "./r2/steps.js";`,
  );
  const printed = clientSteps.incomingResults.get("test/do")!;
  const runner = new PlanRunner(plan.lift.planner.target);
  const { result } = plan.lift.methods.find(({ method }) => method === "test/do")!;
  const run = runner.place(result!);

  const outcome = (step: (value: object, report: never) => unknown, value: JsonValue, request?: object) =>
    outcomeOf(step as Step, deepFrozen(value) as object, request);
  const carried = { method: "test/do", kind: "request", sender: "client", part: "result" } as const;
  const seen = { made: 0, losses: 0 };
  for (let round = 0; round < 40; round++) {
    const value = sampleOf(models[0], carried, random)!;
    const request = random.pick([undefined, {}, { wanted: ["text", "image"], n: 1 }, { wanted: 5 }]);
    const got = outcome(printed, value, request);
    expect(got, JSON.stringify(value)).toEqual(
      outcome((each, report) => run(each, report, ""), value, request),
    );
    const { value: after = {}, losses = [] } = got as { value?: object; losses?: unknown[] };
    seen.made += Object.keys(after).length;
    seen.losses += losses.length;
  }
  expect(seen.made).toBeGreaterThan(count * 5);
  expect(seen.losses).toBeGreaterThan(0);
});
