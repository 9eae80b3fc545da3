/** Applies new active and passive nodes while the node runs (`node.dynamicConfig`, protocol/configuration §1.4). */

import { stat } from "node:fs/promises";
import { loadConfig, type NodeConfig } from "../config/config.js";
import type { Transport } from "./connection.js";
import type { NetworkEnvironment, NodeAddress, Timer } from "./environment.js";
import { resolvePeers } from "./peer-hosts.js";

const FIRST_MS = 10_000;

interface ReloadOptions {
	readonly environment: NetworkEnvironment;
	/** The configuration's file. */
	readonly file: string;
	/** What stands below it. */
	readonly preset: NodeConfig["preset"];
	readonly periodSeconds: bigint;
	readonly transport: Pick<Transport, "trust">;
	/** Notified of the nodes that are always to be dialed from now on. */
	readonly setActive: (active: readonly NodeAddress[]) => void;
	readonly onProblem: (error: unknown) => void;
	/** Called with hosts whose names nobody knows. */
	readonly onUnknown: (host: string, error: unknown) => void;
}

/** Looks at the file from time to time. @returns ends that */
export function watchConfig(options: ReloadOptions): Timer {
	const { environment, file, preset, periodSeconds, transport, setActive, onProblem, onUnknown } = options;
	let seenMs: number | undefined;
	const look = async (): Promise<void> => {
		const { mtimeMs } = await stat(file);
		const isNew = seenMs === undefined || mtimeMs > seenMs;
		seenMs = mtimeMs;
		if (!isNew) return;
		const { active, passive } = await resolvePeers(
			environment,
			loadConfig(file, { preset }).node.peers,
			onUnknown,
		);
		for (const { host } of passive) transport.trust(host);
		setActive(active);
	};
	return environment.every(Number(periodSeconds) * 1000, () => void look().catch(onProblem), FIRST_MS);
}
