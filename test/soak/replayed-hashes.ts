/** State hashes after chosen blocks of a recording, executed from the first block. */

import { StateHash } from "../../src/node/state/state-hash/state-hash.js";
import { kindOf } from "../../src/node/state/store-kinds.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { openNode } from "../../tools/replay/node-target.js";
import { openRecordings } from "../../tools/replay/recording.js";
import type { State } from "../../tools/replay/target.js";

function hashOfState(state: State): string {
	const hash = new StateHash();
	for (const [store, entries] of state) {
		if (kindOf(store) !== "state") continue;
		for (const [key, value] of entries) hash.add(store, fromHex(key), value);
	}
	return toHex(hash.value().hash);
}

/** @returns state hashes by height */
export async function replayedHashes(
	set: string,
	heights: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
	const [recording] = openRecordings(set);
	if (!recording) throw new Error(`no set ${set}`);
	const target = await openNode(recording, undefined);
	const hashes = new Map<number, string>();
	try {
		for (const [, line] of recording.lines()) {
			if (hashes.size === heights.size) break;
			if (line.t !== "block") continue;
			const bytes = fromHex(line.block);
			target.setClock(SignedBlock.decode(bytes).timestampMs);
			const outcome = await target.applyBlock(bytes);
			if ("error" in outcome) throw new Error(`block ${line.number} is refused: ${outcome.error}`);
			if (heights.has(line.number)) hashes.set(line.number, hashOfState(await target.finalState()));
		}
	} finally {
		await target.close();
	}
	return hashes;
}
