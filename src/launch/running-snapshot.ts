/** A snapshot of a chain that goes on: what a running node does when a command asks for it. */

import { join } from "node:path";
import type { OpenChain } from "../node/chain/open-chain.js";
import { segmentsDirectory } from "../node/segments/segments.js";
import { createSnapshot } from "../node/snapshot/create.js";
import { MANIFEST_NAME, SnapshotError } from "../node/snapshot/manifest.js";
import { toHex } from "../protocol/bytes.js";
import type { SnapshotWork } from "./control-server.js";

/** The work of a running node that a command asks for. */
export function snapshotOfRunning(open: OpenChain, dataDirectory: string, version: string): SnapshotWork {
	return async (target, onProgress) => {
		const old = open.oldBlocks;
		if (!old) throw new SnapshotError("the chain lives in memory");
		await open.flushNow();
		const manifest = await createSnapshot(
			{
				entries: () => old.storedEntries(),
				segmentsDirectory: segmentsDirectory(dataDirectory),
				genesisId: toHex(open.rules.genesisId),
			},
			target,
			{ program: `coin ${version}`, nowMs: Date.now(), onProgress },
		);
		return manifest && { manifest: join(target, MANIFEST_NAME) };
	};
}
