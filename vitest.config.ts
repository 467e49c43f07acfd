import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Our own packages are taken from source: tests need no build, and see what is being worked on. */
const conditions = ["mcpgen-source", "node", "import", "default"];

/** `npm run test:all`: the property tests with many more instances than `npm test` has time for. */
const long = process.env["MCPGEN_LONG"] === "1";
const instances = process.env["MCPGEN_COUNT"] ?? "100000";

/** The tests that draw at random. */
const drawing = [
  "test/properties/**/*.test.ts",
  "test/emit/validators/agreement.test.ts",
  "test/extension/validators.test.ts",
  "test/emit/check/random.test.ts",
  "test/emit/open/tags.test.ts",
  "test/emit/steps/pairs.test.ts",
  "test/emit/steps/property.test.ts",
  "test/emit/steps/successors.test.ts",
  "test/diff/gauntlet.test.ts",
  "test/diff/mutations.test.ts",
  "test/diff/released-mutations.test.ts",
  "test/diff/truth.test.ts",
  "test/sync/nasty.test.ts",
  "test/contract/hostile.test.ts",
  "test/emit/steps/renames-released.test.ts",
];

/** Those that have more to do in the long run. */
const heavy = [
  "test/runtime/http/server/{bodies,churn,heap,kept,readers}.test.ts",
  "test/runtime/client/{deep,floods}.test.ts",
  "test/init/*.test.ts",
  "test/runtime/limits.test.ts",
  "test/tasks/both-ways.test.ts",
  "test/files/layout-free.test.ts",
  "test/docs/{journeys,migration}.test.ts",
  "test/tasks/server/{guesses,races}.test.ts",
];

/** What the long run alone has time for: days of a user's work, faults of processes, and what draws or weighs most. */
const deep = [
  "test/tasks/client/{killed,push}.test.ts",
  "test/extension/{alone,laid-out,mistakes,validators}.test.ts",
  "test/emit/open/emit.test.ts",
  "test/extension/channel-compiled.test.ts",
  "test/extension/{output,random-compiled,random-talk,steps}.test.ts",
  "test/auth/client/client-rules.test.ts",
  "test/auth/node/processes.test.ts",
  "test/examples/{action,app,ci,ci-job,cli-agent,skills-programs,task-server}.test.ts",
  "test/properties/{differential,large,soak}.test.ts",
  "test/diff/{memory,metamorphic,released-mutations,robustness,truth}.test.ts",
  "test/contract/hostile.test.ts",
  "test/pipeline/memory.test.ts",
  "test/contract/{compile-cost,compiled,task-program}.test.ts",
  "test/command/rehearsal.test.ts",
  "test/emit/validators/depth.test.ts",
  "test/properties/foreign/{cases,compile}.test.ts",
  "test/distribution/package.test.ts",
  "test/pipeline/determinism.test.ts",
  "test/emit/steps/renames-released.test.ts",
  "test/types/mistakes.test.ts",
  "test/capture/signals.test.ts",
  "test/dev/type-check.test.ts",
  "test/command/{dev,process,task,watch}.test.ts",
  "test/lint/code.test.ts",
  "test/command/login/{interactive,unattended,processes}.test.ts",
  "test/runtime/http/recovery.test.ts",
  "test/runtime/client/besieged.test.ts",
  "test/runtime/http/killed.test.ts",
  "test/runtime/http/fired-{handlers,rates,sessions}.test.ts",
  "test/docs/option-types.test.ts",
  "test/command/{reuse,upgrade}.test.ts",
  "test/command/servers/named-servers.test.ts",
  "test/diff/uses/{sdk,uses}.test.ts",
  "test/extension/{add-again,add-refused,check-output,determinism,diff,history,revision-add,store-commands}.test.ts",
  "test/emit/types/{assignability,constructs,layout}.test.ts",
  "test/engine/read/read-document.test.ts",
  "test/engine/resources/canonicalise.test.ts",
  "test/examples/websocket-ends.test.ts",
  "test/files/transaction.test.ts",
  "test/runtime/server/bad-values.test.ts",
  "test/auth/proxy/browser.test.ts",
  "test/dev/page/{browser,controls,hostile,journey}.test.ts",
  "test/page/browser/*.test.ts",
  "test/auth/server/size.test.ts",
  "test/auth/node/stores.test.ts",
  "test/command/{check-handlers,check-line-ends,check-server-metadata,contracts,everyday,layout,module-kind}.test.ts",
  "test/command/ask/questions.test.ts",
  "test/contract/hard-patterns.test.ts",
  "test/diff/{documents,gauntlet,mutations,pairs}.test.ts",
  "test/docs/{journeys,tasks}.test.ts",
  "test/emit/check/{hostile,random}.test.ts",
  "test/emit/open/tags.test.ts",
  "test/emit/protocol/released.test.ts",
  "test/emit/steps/successors.test.ts",
  "test/emit/texts/modules.test.ts",
  "test/emit/validators/{revisions,suite}.test.ts",
  "test/engine/ir/references.test.ts",
  "test/examples/websocket.test.ts",
  "test/files/{in-layout-of,layout-free}.test.ts",
  "test/init/{live,watch}.test.ts",
  "test/pipeline/refusals.test.ts",
  "test/properties/adequacy.test.ts",
  "test/revision/carry.test.ts",
  "test/runtime/client/{deep,floods,resending}.test.ts",
  "test/runtime/http/server/{bodies,kept,sharing}.test.ts",
  "test/runtime/generated-extension.test.ts",
  "test/runtime/otel/{bounds,conventions,open-spans,secrets}.test.ts",
  "test/runtime/server/bad-asks.test.ts",
  "test/sample/sample.test.ts",
  "test/sync/nasty.test.ts",
  "test/sqlite/store/task-store.test.ts",
  "test/tasks/server/scale.test.ts",
  "test/site/{browser,site,what-changed}.test.ts",
  // A test of these takes a quarter of a second or more: it starts a program or a compiler.
  "test/auth/client/{size,stdio}.test.ts",
  "test/auth/proxy/consent.test.ts",
  "test/capture/{capture,usable}.test.ts",
  "test/checklist/client/{probe,stdio}.test.ts",
  "test/checklist/http/client.test.ts",
  "test/checklist/server/stdio.test.ts",
  "test/command/{call,check,check-configured-servers,check-server,check-upstream,generate,usage,without-methods}.test.ts",
  "test/contract/{bundle-size,task-member,untyped,uri-templates}.test.ts",
  "test/dev/preparation.test.ts",
  "test/diff/{changelog,files,lines,policies}.test.ts",
  "test/diff/contract/for-contract.test.ts",
  "test/docs/{code,editor,scale}.test.ts",
  "test/emit/check/emit.test.ts",
  "test/emit/methods/emit.test.ts",
  "test/emit/protocol/hostile.test.ts",
  "test/emit/steps/emit.test.ts",
  "test/emit/types/extends.test.ts",
  "test/examples/{deploy,everything-server,protected,servers}.test.ts",
  "test/extension/{bundle-size,canonical,clashes,committed,random,validate}.test.ts",
  "test/identity/{extensions,identity}.test.ts",
  "test/init/{extension,mistakes,tasks}.test.ts",
  "test/lint/{command,extensions}.test.ts",
  "test/page/{offer,reference,report}.test.ts",
  "test/pipeline/{formatted,overrides,unknown-revisions}.test.ts",
  "test/print/{names,terminal-text}.test.ts",
  "test/properties/stdio.test.ts",
  "test/runtime/client/{endless-lists,failures,restart}.test.ts",
  "test/runtime/http/client/resent-answers.test.ts",
  "test/runtime/http/server/{fairness,faults,sealed-sessions}.test.ts",
  "test/runtime/peer/random-messages.test.ts",
  "test/runtime/server/mount-graph.test.ts",
  "test/runtime/stdio/{client-channel,death,options,serve-stdio,tools}.test.ts",
  "test/sync/stub.test.ts",
  "test/tasks/server/{core-wire,six-peers}.test.ts",
];

/** Tests of what runs in users' programs. */
const running = "test/{runtime,checklist}/**/*.test.ts";
const runs = /^test\/(runtime|checklist)\//;

/** Where these tests run no code is made of text, as in workers and on pages with a strict policy; nor in what they start. */
const noCode = "--disallow-code-generation-from-strings";

const others = [
  "**/node_modules/**",
  "test/interop/**",
  "test/portability/**",
  "test/engines/**",
  "test/scale/**",
];
const env = long ? { MCPGEN_COUNT: instances } : {};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "running",
          include: long ? [...heavy, ...deep].filter((path) => runs.test(path)) : [running],
          exclude: [...others, ...(long ? [] : deep)],
          env: { ...env, NODE_OPTIONS: noCode },
          execArgv: [noCode],
        },
      },
      {
        extends: true,
        test: {
          name: "making",
          include: long ? [...drawing, ...heavy, ...deep] : ["test/**/*.test.ts"],
          exclude: [...others, running, ...(long ? [] : deep)],
          env,
        },
      },
    ],
    server: { deps: { inline: [/@mcpgen\//] } },
    setupFiles: ["test/support/seed.ts", "test/support/auth/search-output.ts"],
    // Files share the modules a worker has loaded: reading them anew for each would cost a third of the time.
    isolate: false,
    // One worker a core: the default leaves one core idle, which is half of a small machine.
    maxWorkers: availableParallelism(),
    testTimeout: long ? 600_000 : 30_000,
    // A busy machine takes longer than the 10 s that are the default.
    hookTimeout: 120_000,
    reporters: process.env["CI"]
      ? [
          "default",
          ["json", { outputFile: `node_modules/.cache/mcpgen-reports/${long ? "long" : "test"}.json` }],
        ]
      : ["default"],
  },
});
