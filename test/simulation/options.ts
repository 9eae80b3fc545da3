import { parseArgs } from "node:util";

export const USAGE = `Simulates networks under faults, one a seed, and as many chains on a disk that fails.

usage: npm run sim -- [--seeds <n>] [--from <seed>] [--nile] [--trace]
       npm run sim -- --seed <seed> [--nile] [--trace]

  --seeds <n>    how many seeds (100)
  --from <seed>  the first of them (1)
  --seed <seed>  only this one
  --nile         the rules of Nile, and witnesses with post-quantum keys
  --trace        print everything that happens
  --help         print this
`;

export interface SimulationOptions {
	first: number;
	count: number;
	isNile: boolean;
	isTraced: boolean;
}

/** Parses the command line. @throws {Error} with a message for the user */
export function readOptions(args: string[]): SimulationOptions | "help" {
	const { values } = parseArgs({
		args,
		options: {
			seeds: { type: "string" },
			from: { type: "string" },
			seed: { type: "string" },
			nile: { type: "boolean", default: false },
			trace: { type: "boolean", default: false },
			help: { type: "boolean", short: "h", default: false },
		},
	});
	if (values.help) return "help";
	if (values.seed !== undefined && (values.seeds ?? values.from) !== undefined) {
		throw new Error("--seed is one seed: it goes without --seeds and --from");
	}
	return {
		first: wholeNumber("--seed or --from", values.seed ?? values.from ?? "1"),
		count: values.seed === undefined ? wholeNumber("--seeds", values.seeds ?? "100") : 1,
		isNile: values.nile,
		isTraced: values.trace,
	};
}

/** A misread count would run no seed and report no failure. */
function wholeNumber(name: string, text: string): number {
	if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Error(`${name} takes a whole number from 1 to 999999999`);
	return Number(text);
}
