/**
 * The recorded set that a bench takes when none is named: the first 45 blocks of a chain of a reference node, most of
 * them 200 transfers each. Folders and files of a set are described in `tools/replay/recording.ts`.
 */
export const DEFAULT_SET = "bench/recorded/transfers";
