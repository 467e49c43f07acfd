// The files of examples/deploy agree with its program: ports, paths, variables, times.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { builtProgram } from "../support/built-program.js";

const main = builtProgram("examples/deploy/main.ts");
const read = (name: string): string => readFileSync(`examples/deploy/${name}`, "utf8");
const program = read("main.ts");
const variables = new Set([...program.matchAll(/process\.env\["(\w+)"\]/g)].map(([, name]) => name));
const port = Number(/"PORT"\] \?\? (\d+)/.exec(program)![1]);
/** Seconds that a process takes to end at most: the defaults of delayMs and graceMs. */
const ending = 10;

/** The value of a YAML file: a wrong path in it fails the test. */
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

interface Probe {
  readonly httpGet: {
    readonly path: string;
    readonly port: string;
    readonly httpHeaders: readonly { readonly name: string; readonly value: string }[];
  };
}

/** Starts the program. @returns its process, and the origin that it listens at */
async function started(): Promise<{ child: ChildProcess; origin: string }> {
  const keys = "a secret of the deployed example for tests";
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: "0", DRAIN_MS: "0", STATE_KEYS: keys },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for await (const chunk of child.stderr) {
    text += String(chunk);
    const found = /listening on (http:\/\/[^/\s]+)/.exec(text);
    if (found) return { child, origin: found[1]! };
  }
  throw new Error(`it did not start: ${text}`);
}

test("the Kubernetes manifests name ports, probes and variables that the program has", async () => {
  const documents = parseAllDocuments(read("kubernetes.yaml"));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const [deployment, service] = documents.map((each) => each.toJS() as Loose);
  const { containers, terminationGracePeriodSeconds } = deployment.spec.template.spec;
  const [container] = containers;
  expect(container.ports).toEqual([{ name: "http", containerPort: port }]);
  expect(service.spec.ports[0].targetPort).toBe("http");
  expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
  expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
  for (const { name } of container.env) expect(variables).toContain(name);
  expect(terminationGracePeriodSeconds).toBeGreaterThan(ending);
  const { child, origin } = await started();
  for (const { httpGet } of [container.readinessProbe, container.livenessProbe] as Probe[]) {
    expect(httpGet.port).toBe("http");
    const headers = Object.fromEntries(httpGet.httpHeaders.map(({ name, value }) => [name, value]));
    expect(headers).toEqual({ Host: "localhost" });
    expect((await fetch(new URL(httpGet.path, origin))).status).toBe(200);
  }
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test("the Compose file names the port, the probe and the variables of the program", () => {
  const { services } = parse(read("compose.yaml")) as Loose;
  expect(services.mcp.expose).toEqual([String(port)]);
  expect(services.mcp.healthcheck.test.at(-1)).toContain(`localhost:${port}/health/ready`);
  for (const name of Object.keys(services.mcp.environment)) expect(variables).toContain(name);
  expect(Number.parseInt(services.mcp.stop_grace_period)).toBeGreaterThan(ending);
  const proxy = read("haproxy.cfg");
  expect(proxy).toContain(`mcp:${port} `);
  expect(proxy).toContain("uri /health/ready hdr Host localhost");
  expect(services.proxy.volumes[0]).toMatch(/^\.\/haproxy\.cfg:/);
  expect(read("Dockerfile")).toContain(`EXPOSE ${port}`);
});

test("the unit of systemd names variables of the program, and gives it time to end", () => {
  const lines = read("mcp@.service")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  const settings = lines.filter((line) => !/^\[(Unit|Service|Install)\]$/.test(line));
  for (const line of settings) expect(line).toMatch(/^[A-Z]\w+=\S/);
  const value = (name: string) =>
    settings.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  expect(variables).toContain(value("Environment")!.split("=")[0]);
  expect(Number(value("TimeoutStopSec"))).toBeGreaterThan(ending);
  expect(value("KillSignal")).toBe("SIGTERM");
});
