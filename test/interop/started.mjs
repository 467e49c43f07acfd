import { spawn } from "node:child_process";

const tellPort = new URL("servers/tell-port.mjs", import.meta.url).href;

/** Starts a program that listens. Resolves with its `url`, once it does, and `close()`. */
export async function started([file, ...args], env = {}, path = "/mcp") {
  const child = spawn(process.execPath, ["--import", tellPort, file, ...args], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, ...env },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const { port } = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    ended.then(() => reject(new Error(`${file} ended before it listened: ${said}`)));
  });
  return {
    url: new URL(path, `http://127.0.0.1:${port}`),
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
