// A dependency that prints, as dependencies do: when it is loaded, when it is called, and later.
console.log("printed at import");
process.stdout.write("written at import\n");

const { stdout } = process;

export function chat(): Promise<void> {
  console.info("printed in a handler");
  console.dir({ printed: "as an object" });
  stdout.write("written in a handler\n");
  stdout.end("written at the end\n");
  return new Promise((resolve) => {
    setTimeout(() => {
      console.log("printed in a timer");
      resolve();
    });
  });
}
