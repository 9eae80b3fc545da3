/**
 * The default recording of benches: the first 45 blocks of a reference node's chain, most with 200 transfers.
 * Files of a recording are described in `tools/replay/recording.ts`.
 */
export const DEFAULT_SET = "bench/recorded/transfers";
