// The View: shows a forecast, and asks the host for others.
import {
  type ViewMessages,
  viewTable,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
import { type ChannelPeer, openPeer, postMessageChannel } from "@mcpgen/apps";

const heading = document.createElement("h1");
const chart = document.createElement("ol");
const choice = document.createElement("select");
choice.ariaLabel = "City";
const ask = document.createElement("button");
ask.textContent = "Ask what to wear";
document.body.append(heading, chart, choice, ask);
const style = document.createElement("style");
style.textContent = `
  :root { color-scheme: light dark; font: 16px system-ui; }
  ol { display: flex; gap: 8px; align-items: end; height: 140px; padding: 0; list-style: none; }
  li { width: 48px; background: #4a7fb5; color: #fff; text-align: center; }`;
document.head.append(style);

interface Forecast {
  readonly city: string;
  readonly days: readonly number[];
}

let shown: Forecast | undefined;

function show(result: { readonly structuredContent?: unknown }): void {
  shown = result.structuredContent as Forecast;
  const { city, days } = shown;
  heading.textContent = city;
  choice.value = city;
  const bars = days.map((celsius) => {
    const bar = document.createElement("li");
    bar.style.height = `${celsius * 4}px`;
    bar.textContent = `${celsius}°`;
    return bar;
  });
  chart.replaceChildren(...bars);
}

const view: ChannelPeer<ViewMessages> = openPeer(
  viewTable,
  // A View does not know its host. Messages of other windows are not read.
  postMessageChannel(window.parent, { origin: "*" }),
  {
    "ui/notifications/tool-input": ({ arguments: given }) => {
      heading.textContent = `${String(given?.["city"])} …`;
    },
    "ui/notifications/tool-result": show,
    "ui/notifications/host-context-changed": ({ theme }) => useTheme(theme),
    "ui/resource-teardown": () => ({}),
  },
);

function useTheme(theme: string | undefined): void {
  if (theme !== undefined) document.documentElement.style.colorScheme = theme;
}

choice.addEventListener("change", async () => {
  show(await view.request("tools/call", { name: "forecast", arguments: { city: choice.value } }));
});

ask.addEventListener("click", async () => {
  if (!shown) return;
  const text = `What shall I wear in ${shown.city} at ${shown.days[0]}°?`;
  await view.request("ui/message", { role: "user", content: [{ type: "text", text }] });
});

const { hostContext } = await view.request("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "forecast", version: "1.0.0" },
  appCapabilities: {},
});
useTheme(hostContext.theme);

const { structuredContent } = await view.request("tools/call", { name: "cities", arguments: {} });
const { cities } = structuredContent as { cities: readonly string[] };
choice.append(...cities.map((city) => new Option(city, city)));
choice.value = heading.textContent.replace(" …", "");

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  void view.notify("ui/notifications/size-changed", { width, height });
}).observe(document.documentElement);
