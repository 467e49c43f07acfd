// The growth of a series of measurements, and its certainty.

/** The number of groups of neighbours. Consecutive measurements are similar, and therefore not independent. */
const groups = 20;

/**
 * A straight line by least squares, through the means of groups of neighbours.
 *
 * @param points pairs of time and value, in order of time
 * @returns `slope`, and `error`, twice its standard error: with 95 % certainty the slope is within it. Undefined with fewer than
 *   three groups.
 */
export function slopeOf(points) {
  const size = Math.max(1, Math.ceil(points.length / groups));
  const means = [];
  for (let at = 0; at + size <= points.length; at += size) {
    const part = points.slice(at, at + size);
    means.push([0, 1].map((index) => part.reduce((sum, point) => sum + point[index], 0) / size));
  }
  if (means.length < 3) return undefined;
  const mean = (index) => means.reduce((sum, point) => sum + point[index], 0) / means.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = means.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  const slope = means.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread;
  const rest = means.reduce((sum, point) => sum + (point[1] - y - slope * (point[0] - x)) ** 2, 0);
  return { slope, error: 2 * Math.sqrt(rest / (means.length - 2) / spread) };
}

/** Megabytes an hour that the memory of a node may grow by. */
export const mostGrowth = 1;

/** The verdict on a slope in megabytes an hour: `steady`, `grows`, or `undecided` if the run was too short. */
export function verdictOn(found) {
  if (!found) return "undecided";
  const { slope, error } = found;
  if (slope - error > mostGrowth) return "grows";
  return slope + error <= mostGrowth ? "steady" : "undecided";
}
