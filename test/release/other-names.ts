import type { ProjectNames } from "../../scripts/project-names.js";

const alphabet = "abcdefghijklmnopqrstuvwxyz";

/**
 * Returns longer names, made of the project's: each letter is the next one of the alphabet. Names that were written here
 * would be in the repository, and a name that the repository contains is refused.
 */
export function otherNames({ name }: ProjectNames): ProjectNames {
  const word = name.replace(
    /[a-z]/g,
    (letter) => alphabet[(alphabet.indexOf(letter) + 1) % alphabet.length]!,
  );
  return {
    name: `${word}forge`.slice(0, 24),
    scope: `@${word}-forge`,
    repository: `${word}-forge/compiler`,
  };
}
