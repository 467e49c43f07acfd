import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { version, workspaces, repository } = JSON.parse(readFileSync("package.json", "utf8")) as {
  version: string;
  workspaces: readonly string[];
  repository: { url: string };
};
const [, slug] = /github\.com\/(.+)\.git$/.exec(repository.url)!;

function check(env: NodeJS.ProcessEnv): readonly [status: number | null, lines: string[]] {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/release-check.mjs"], {
    env,
    encoding: "utf8",
  });
  return [status, stderr.trim().split("\n")];
}

test("a release is refused where tag, versions and repository disagree", () => {
  expect(check({})).toEqual([0, [""]]);
  expect(check({ TAG: `v${version}`, GITHUB_REPOSITORY: slug })).toEqual([0, [""]]);
  expect(check({ TAG: "v0.0.0" })).toEqual([1, [expect.stringContaining("the tag is v0.0.0")]]);
  expect(check({ GITHUB_REPOSITORY: "a/b" })[1]).toHaveLength(2 + workspaces.length);
});

test("the release publishes each package, after those that it depends on", () => {
  const text = readFileSync(".github/workflows/release.yml", "utf8");
  const [, braces] = /for name in @mcpgen\/\{([\w,]+)\} mcpgen create-mcpgen; do/.exec(text)!;
  const published = [...braces!.split(",").map((name) => `@mcpgen/${name}`), "mcpgen", "create-mcpgen"];
  const manifests = [...workspaces, ".", "create-mcpgen"].map(
    (folder) =>
      JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
        name: string;
        dependencies?: Readonly<Record<string, string>>;
      },
  );
  expect(published.toSorted()).toEqual(manifests.map(({ name }) => name).toSorted());
  for (const { name, dependencies = {} } of manifests)
    for (const dependency of Object.keys(dependencies).filter((each) => published.includes(each)))
      expect(published.indexOf(dependency), `${dependency} of ${name}`).toBeLessThan(published.indexOf(name));
});
