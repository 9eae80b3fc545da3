/** Import of blocks on a large state, in its own process: rate, CPU time, memory, event loop delay. */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { importBlocks } from "../../src/node/chain/importer.js";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { SignaturePool, workerScript } from "../../src/node/signatures/pool.js";
import { useFastHashing } from "../../src/protocol/hash.js";
import { readBlocks, sharedCopy } from "./data-set.js";
import { openNetwork } from "./network.js";

const CLOCK_TICKS = 100;
const SAMPLE_MS = 50;
/** Delays are measured after so many blocks: uncompiled code takes several times as long. */
const WARM_UP_BLOCKS = 10;
/** The first second isn't representative of a long import. */
const WARM_UP_MS = 1_000;

/** Results of one import: numbers, and the CPU time of each thread. */
type Measured = Readonly<Record<string, number | readonly number[]>>;

/** Measures one import of a data set. @param folder with `data` and `blocks` */
export async function measureImport(folder: string): Promise<Measured> {
	const script = workerScript();
	if (!script) throw new Error("run this from the bundle");
	installRecoverEngine();
	await useFastHashing();
	const blocks = readBlocks(join(folder, "blocks"));
	const directory = sharedCopy(join(folder, "data"));
	const pool = await SignaturePool.start(script, 1);
	try {
		const opening = performance.now();
		const open = await openNetwork(directory);
		open.chain.state.account.get(new Uint8Array(21));
		const openMs = performance.now() - opening;
		let ownMiB = 0;
		const sampling = setInterval(() => {
			ownMiB = Math.max(ownMiB, ownMemoryMiB());
		}, SAMPLE_MS);
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		const cpu = process.cpuUsage();
		const mainCpu = mainThreadMs();
		const started = performance.now();
		let warm = { ms: 0, transactions: 0 };
		const onProgress = ({
			blocks: applied,
			transactions,
		}: {
			readonly blocks: number;
			readonly transactions: number;
		}): void => {
			const ms = performance.now() - started;
			if (warm.ms === 0 && ms > WARM_UP_MS) warm = { ms, transactions };
			if (applied === WARM_UP_BLOCKS) delay.reset();
		};
		const threads = threadMs();
		const writes = writtenBytes();
		const done = await importBlocks({ open, pool, onProgress }, blocks);
		delay.disable();
		const importMs = performance.now() - started;
		await open.close();
		clearInterval(sampling);
		const ms = performance.now() - started;
		const { user, system } = process.cpuUsage(cpu);
		const transactions = done?.transactions ?? 0;
		return {
			transactions,
			perSecond: Math.round((1000 * transactions) / ms),
			beforeClosePerSecond: Math.round((1000 * transactions) / importMs),
			warmPerSecond: Math.round((1000 * (transactions - warm.transactions)) / (importMs - warm.ms)),
			cpuUs: Math.round((user + system) / transactions),
			mainCpuUs: Math.round((1000 * (mainThreadMs() - mainCpu)) / transactions),
			threadsCpuUs: [...threadMs()]
				.map(([id, used]) => Math.round((1000 * (used - (threads.get(id) ?? 0))) / transactions))
				.filter((us) => us > 0)
				.sort((a, b) => b - a),
			writtenBytes: Math.round((writtenBytes() - writes) / transactions),
			openMs: Math.round(openMs),
			longestDelayMs: Math.round(delay.max / 1e6),
			ownMiB: Math.round(ownMiB),
			peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
		};
	} finally {
		await pool.close();
		rmSync(directory, { recursive: true, force: true });
	}
}

/** Resident memory without mapped files; on other systems than Linux, all of it. */
function ownMemoryMiB(): number {
	try {
		return (
			Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? 0) / 1024
		);
	} catch {
		return process.memoryUsage().rss / 2 ** 20;
	}
}

/** CPU time of the main thread; 0 except on Linux. */
const mainThreadMs = (): number => threadMs().get(String(process.pid)) ?? 0;

/** CPU time of each thread of this process; empty except on Linux. */
function threadMs(): ReadonlyMap<string, number> {
	try {
		return new Map(readdirSync("/proc/self/task").map((id) => [id, processorMs(id)]));
	} catch {
		return new Map();
	}
}

function processorMs(thread: string): number {
	const stat = readFileSync(`/proc/self/task/${thread}/stat`, "latin1");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return ((Number(fields[11]) + Number(fields[12])) * 1000) / CLOCK_TICKS;
}

/** Bytes written to files by this process; 0 except on Linux. */
function writtenBytes(): number {
	try {
		return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1] ?? 0);
	} catch {
		return 0;
	}
}
