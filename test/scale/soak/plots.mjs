// Plots of a run as SVG, all with the same axis of time.
import { createRequire } from "node:module";
import { faults, lasting } from "./faults.mjs";
import { kinds } from "./load.mjs";

const echarts = createRequire(new URL("../../engines/", import.meta.url))("echarts");

const [width, height] = [960, 486];
const font = "DejaVu Sans, Verdana, sans-serif";
const colours = ["#2563a8", "#c2410c", "#2e7d4f", "#7c3aad", "#a16207"];
const faultColours = ["#b91c1c", "#c2410c", "#a16207", "#2e7d4f", "#2563a8", "#7c3aad"];
const names = Object.keys(faults);

const minutes = (ms) => ms / 60_000;

/**
 * A plot above a strip with the faults.
 *
 * @param options.series of echarts, with pairs of minutes and values as data
 */
function plot({ title, unit, isLogarithmic = false, series, record, until }) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  const time = { type: "value", min: 0, max: until, axisLine: { onZero: false } };
  const grid = { left: 170, right: 20 };
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: font },
    color: colours,
    title: { text: title, left: 0, top: 4, textStyle: { fontSize: 15, fontFamily: font } },
    legend: {
      top: 30,
      left: 0,
      itemGap: 14,
      itemStyle: { opacity: 0 },
      data: series.map(({ name }) => name),
    },
    grid: [
      { ...grid, top: 88, height: 230 },
      { ...grid, top: 344, height: 96 },
    ],
    xAxis: [
      { ...time, gridIndex: 0, axisLabel: { show: false } },
      {
        ...time,
        gridIndex: 1,
        name: "minutes",
        nameLocation: "middle",
        nameGap: 24,
        splitLine: { show: false },
      },
    ],
    yAxis: [
      {
        type: isLogarithmic ? "log" : "value",
        gridIndex: 0,
        name: unit,
        nameLocation: "middle",
        nameGap: 52,
        ...(isLogarithmic ? {} : { min: 0 }),
      },
      {
        type: "category",
        gridIndex: 1,
        data: names,
        inverse: true,
        axisTick: { show: false },
        splitLine: { show: true, lineStyle: { color: "#eeeeee" } },
      },
    ],
    series: [...series.map((each) => ({ symbol: "none", type: "line", ...each })), faultSeries(record)],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** A mark for each fault, in the line of its kind. */
function faultSeries(record) {
  return {
    type: "scatter",
    xAxisIndex: 1,
    yAxisIndex: 1,
    symbol: "rect",
    symbolSize: [3, 11],
    data: record.faults.map(({ name, at }) => ({
      value: [minutes(at), name],
      itemStyle: { color: faultColours[names.indexOf(name)] },
    })),
  };
}

const line = (width, opacity = 1, type = "solid") => ({ lineStyle: { width, opacity, type } });

function latencySeries({ intervals }) {
  return Object.keys(kinds).flatMap((kind, index) =>
    ["p50", "p99"].map((name) => ({
      name: `${kind} ${name}`,
      color: colours[index],
      ...(name === "p50" ? line(1.8) : line(0.8, 0.8, "dotted")),
      data: intervals.flatMap(({ at, kinds: all }) =>
        all[kind].count ? [[minutes(at), all[kind][name]]] : [],
      ),
    })),
  );
}

function memorySeries({ samples }, member) {
  const pids = new Map(samples.flatMap(({ nodes }) => nodes.map(({ pid, slot }) => [pid, slot])));
  const of = (pid) =>
    samples.flatMap(({ at, nodes }) =>
      nodes.filter((node) => node.pid === pid).map((node) => [minutes(at), node[member] / 2 ** 20]),
    );
  return [...pids].map(([pid, slot]) =>
    slot < lasting
      ? { name: `node ${slot + 1}`, color: colours[slot], ...line(1.8), data: of(pid) }
      : { name: "nodes that are killed", color: "#999999", ...line(0.9), data: of(pid) },
  );
}

/** By file name. */
export function plots(record) {
  const until = Math.ceil(minutes(record.intervals.at(-1).at) * 10) / 10;
  const common = { record, until };
  const failed = (pick) =>
    record.intervals.map(({ at, kinds: all }) => [minutes(at), pick(Object.values(all))]);
  const sum = (member) => (all) => all.reduce((total, each) => total + each[member], 0);
  return {
    "latency.svg": plot({
      ...common,
      title: "Latency of calls",
      unit: "milliseconds",
      isLogarithmic: true,
      series: latencySeries(record),
    }),
    "errors.svg": plot({
      ...common,
      title: "Calls and errors in each interval",
      unit: "calls",
      series: [
        { name: "calls", ...line(1.5), data: failed(sum("count")) },
        { name: "failed", ...line(1.5), color: "#b91c1c", data: failed(sum("failed")) },
      ],
    }),
    "rss.svg": plot({
      ...common,
      title: "Memory of nodes: resident set",
      unit: "MiB",
      series: memorySeries(record, "rss"),
    }),
    "heap.svg": plot({
      ...common,
      title: "Memory of nodes: heap after a collection",
      unit: "MiB",
      series: memorySeries(record, "heap"),
    }),
    "redis.svg": plot({
      ...common,
      title: "Memory of Redis",
      unit: "MiB",
      series: [
        {
          name: "used memory",
          ...line(1.5),
          data: record.samples.flatMap(({ at, redis }) => (redis ? [[minutes(at), redis / 2 ** 20]] : [])),
        },
      ],
    }),
  };
}
