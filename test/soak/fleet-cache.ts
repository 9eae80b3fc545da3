/** Checks nginx's cache of immutable answers: each must equal the answer of every node. */

import { setTimeout as sleep } from "node:timers/promises";
import type { FleetNode } from "./fleet-nodes.js";

interface CachedFleet {
	readonly producer: FleetNode;
	readonly readers: readonly FleetNode[];
	/** Transactions in irreversible blocks. */
	readonly ids: readonly string[];
}

/** Blocks produced during the test. */
const BLOCKS = 6;

interface Asked {
	readonly text: string;
	/** Cache status reported by nginx, such as HIT or MISS. */
	readonly cache: string | null;
	/** Whether the node marked the answer as cacheable. */
	readonly isFinal: boolean;
}

async function ask(url: string): Promise<Asked> {
	const answer = await fetch(url);
	const { headers } = answer;
	return {
		text: await answer.text(),
		cache: headers.get("x-cache-status"),
		isFinal: headers.get("cache-control")?.includes("immutable") ?? false,
	};
}

/** Paths whose answers become final during the test, never do, or are from the start. */
function pathsOf(head: number, ids: readonly string[]): readonly string[] {
	const [id = ""] = ids;
	const heights = [1, 2, head - 1, head, head + 1, head + 2, head + 4];
	return [
		...heights.flatMap((num) => [
			`/wallet/getblockbynum?num=${num}`,
			`/wallet/getblockbynum?num=${num}&visible=true`,
			`/wallet/gettransactioninfobyblocknum?num=${num}`,
			`/wallet/gettransactioncountbyblocknum?num=${num}`,
			`/wallet/getblock?id_or_num=${num}&detail=true`,
			`/v1/blocks/${num}/stats`,
			`/v1/blocks/${num}/events`,
		]),
		...ids
			.slice(0, 3)
			.flatMap((each) => [
				`/wallet/gettransactionbyid?value=${each}`,
				`/wallet/gettransactioninfobyid?value=${each}`,
				`/v1/transactions/${each}/events`,
				`/v1/transactions/${each}/internal-transactions`,
			]),
		"/wallet/getnowblock",
		"/wallet/getchainparameters",
		"/wallet/listwitnesses",
		"/wallet/getnodeinfo",
		"/wallet/getblockbynum?num=-1",
		"/wallet/getblockbynum?num=x",
		`/wallet/gettransactionbyid?value=${"0".repeat(64)}`,
		`/wallet/getblockbyid?value=${id}`,
		"/healthz",
		"/readyz?lag=10",
		"/openapi.json",
		"/nope",
	];
}

/** @returns whether all cached answers equal those of every node, and nothing mutable was cached */
export async function checkCache(port: number, { producer, readers, ids }: CachedFleet): Promise<boolean> {
	const first = await producer.head();
	const paths = pathsOf(first, ids);
	const faults: string[] = [];
	const final = new Set<string>();
	let hits = 0;
	while ((await producer.head()) < first + BLOCKS) {
		for (const path of paths) {
			const through = await ask(`http://127.0.0.1:${port}${path}`);
			if (through.isFinal) final.add(path);
			if (through.cache !== "HIT") continue;
			hits++;
			if (!final.has(path)) faults.push(`${path} was kept, and no node had said so`);
			for (const node of readers) {
				const { text, isFinal } = await ask(`http://127.0.0.1:${node.ports.http}${path}`);
				if (text !== through.text)
					faults.push(`${path}: ${node.name} answers ${text}, the cache ${through.text}`);
				if (!isFinal) faults.push(`${path}: ${node.name} doesn't call final what the cache has`);
			}
		}
		await sleep(500);
	}
	console.log(
		`the cache of nginx: ${paths.length} paths, ${final.size} final, ${hits} answers of it, ${faults.length} faults`,
	);
	for (const fault of faults.slice(0, 10)) console.log(`  ${fault.slice(0, 400)}`);
	return faults.length === 0 && hits > 0;
}
