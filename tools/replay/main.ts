/**
 * `npm run replay -- FOLDER… [--heal] [--only blocks] [--until N] [--show N] [--path TEXT] [--params FOLDER]
 *  [--trace] [--history] [--compiled]`
 *
 * Replays recordings into this node. Prints one JSON line per recording on stdout, and differences on stderr.
 * Exit code: 1 for differences, 2 for usage errors.
 */

import { parseArgs } from "node:util";
import { replayBundle } from "./bundle.js";
import { describeFinding } from "./finding.js";
import { openNode } from "./node-target.js";
import { openRecordings, type Recording, RecordingError } from "./recording.js";
import { isClean, type ReplayOptions, replay } from "./replay.js";

const USAGE = `usage: npm run replay -- FOLDER… [options]
  FOLDER         a folder with NAME.conf, NAME.ndjson.br, NAME.state.json.br, or such a .conf file;
                 or a node's fault bundle, NAME.fault
  --heal         go on after a differing block, from the recorded state
  --only blocks  compare no requests
  --until N      stop after block N
  --show N       print the first N differences of each set (default 1)
  --path TEXT    compare only requests whose path or body holds TEXT
  --trace        trace every contract transaction and simulate every block, and compare what executing them again comes to
  --params FOLDER  check shielded proofs with the keys of this folder
  --history      keep the state of every block, and read it back at the end
  --compiled     compile every contract program before it runs
`;

interface CommandLine {
	readonly folders: readonly string[];
	readonly show: number;
	/** Folder of the parameters for shielded proofs. */
	readonly params: string | undefined;
	readonly options: Omit<ReplayOptions, "report">;
}

class UsageError extends Error {}

function readCommandLine(args: readonly string[]): CommandLine {
	let parsed: ReturnType<typeof parse>;
	try {
		parsed = parse(args);
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	const { values, positionals } = parsed;
	if (positionals.length === 0) throw new UsageError("no folder is given");
	if (values.only !== undefined && values.only !== "blocks") throw new UsageError("--only takes: blocks");
	return {
		folders: positionals,
		show: readCount("show", values.show) ?? 1,
		params: values.params,
		options: {
			heal: values.heal === true,
			onlyBlocks: values.only === "blocks",
			until: readCount("until", values.until),
			path: values.path,
			history: values.history === true,
			trace: values.trace === true,
			compiled: values.compiled === true,
		},
	};
}

function parse(args: readonly string[]) {
	return parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {
			heal: { type: "boolean" },
			only: { type: "string" },
			until: { type: "string" },
			show: { type: "string" },
			path: { type: "string" },
			params: { type: "string" },
			history: { type: "boolean" },
			trace: { type: "boolean" },
			compiled: { type: "boolean" },
		},
	});
}

function readCount(name: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (!/^\d+$/.test(text)) throw new UsageError(`--${name} takes a number, not "${text}"`);
	return Number(text);
}

/** Replays one recording and prints its line. @returns whether there are no differences */
async function run(recording: Recording, { show, params, options }: CommandLine): Promise<boolean> {
	const started = performance.now();
	const target = await openNode(recording, params, options);
	let shown = 0;
	try {
		const result = await replay(recording, target, {
			...options,
			report: (finding) => {
				if (shown++ < show) process.stderr.write(`${describeFinding(finding)}\n`);
			},
		});
		const { ignored, ...line } = result;
		for (const [kind, times] of Object.entries(ignored)) {
			process.stderr.write(
				`${recording.name}: not compared: ${kind}${times > 1 ? `, ${times} times` : ""}\n`,
			);
		}
		const seconds = Math.round((performance.now() - started) / 100) / 10;
		process.stdout.write(`${JSON.stringify({ ...line, seconds })}\n`);
		return isClean(result);
	} finally {
		await target.close();
	}
}

async function main(): Promise<number> {
	try {
		const commandLine = readCommandLine(process.argv.slice(2));
		const isBundle = (path: string): boolean => path.endsWith(".fault");
		const recordings = commandLine.folders.filter((path) => !isBundle(path)).flatMap(openRecordings);
		let clean = true;
		for (const path of commandLine.folders.filter(isBundle)) clean = (await replayBundle(path)) && clean;
		for (const recording of recordings) clean = (await run(recording, commandLine)) && clean;
		return clean ? 0 : 1;
	} catch (error) {
		if (!(error instanceof UsageError) && !(error instanceof RecordingError)) throw error;
		process.stderr.write(`${error.message}\n\n${USAGE}`);
		return 2;
	}
}

process.exitCode = await main();
