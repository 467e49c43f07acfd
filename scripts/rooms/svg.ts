import type { Measured, Plan } from "./plan.js";
import { nameIn } from "./text.js";

const box = { width: 330, height: 34, gap: 12 };
const column = 520;
const top = 56;

/**
 * Draws the rooms as an SVG picture. Each building is a column, with the lowest room at the bottom. A curve
 * beside the column connects a room with each room that it imports from; it is wider for more imports. Line
 * counts are rounded, so that the picture changes only with the structure.
 */
export function planPicture(plans: readonly Plan[]): string {
  const most = Math.max(...plans.map(({ rooms }) => rooms.length));
  const height = top + most * (box.height + box.gap) + 10;
  const width = plans.length * column;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `  <title>The rooms of mcpgen: every arrow runs down</title>`,
    `  <rect width="${width}" height="${height}" fill="#fff"/>`,
    ...plans.flatMap((plan, index) => building(plan, 20 + index * column, height)),
    `</svg>`,
    ``,
  ].join("\n");
}

function building({ folder, rooms, arrows }: Plan, left: number, height: number): string[] {
  const middle = (path: string): number =>
    height - (rooms.findIndex((room) => room.path === path) + 1) * (box.height + box.gap) + box.height / 2;
  const right = left + box.width;
  return [
    `  <text x="${left}" y="28" font-size="16" font-weight="bold">${folder}</text>`,
    ...arrows.map(({ from, to, imports, fault }) => {
      const [start, end] = [middle(from), middle(to)];
      const bend = right + 20 + Math.min(Math.abs(end - start) / 5, 120);
      const colour = fault ? "#c00" : "#357";
      const stroke = Math.min(0.6 + imports.length / 12, 4).toFixed(1);
      return `  <path d="M${right} ${start}C${bend} ${start} ${bend} ${end} ${right} ${end}" fill="none" stroke="${colour}" stroke-opacity="0.45" stroke-width="${stroke}"/>`;
    }),
    ...rooms.flatMap((room) => roomBox(room, nameIn(folder, room.path), left, middle(room.path))),
  ];
}

function roomBox({ lines, holds }: Measured, name: string, left: number, middle: number): string[] {
  const y = middle - box.height / 2;
  return [
    `  <rect x="${left}" y="${y}" width="${box.width}" height="${box.height}" rx="4" fill="#eef3f8" stroke="#357"/>`,
    `  <text x="${left + 8}" y="${y + 14}" font-weight="bold">${name === "." ? "entries" : name}</text>`,
    `  <text x="${left + box.width - 8}" y="${y + 14}" text-anchor="end" fill="#555">${rounded(lines)} lines</text>`,
    `  <text x="${left + 8}" y="${y + 28}" font-size="10" fill="#555">${holds}</text>`,
  ];
}

/** Rounds to two digits. */
function rounded(lines: number): number {
  return Number(lines.toPrecision(2));
}
