/** Keys of a configuration file that mean nothing to a node: most often a mistyped name. */

import type { Section } from "./section.js";

export interface UnknownKey {
	/** Dotted path in the neutral spelling. */
	readonly path: string;
	readonly line: number;
}

/**
 * Keys that files for the network's node carry and that change nothing here: options of its runtime, of its other
 * database and network libraries, and keys that it reads and never uses (protocol/configuration §§1.3 to 1.6, §2).
 */
const WITHOUT_EFFECT: readonly RegExp[] = [
	/^log\./,
	/^crypto\.engine$/,
	/^storage\.index\./,
	/^storage\.(dbSettings|backup|default|defaultM|defaultL)\./,
	/^storage\.properties(\[\d+\]\.\w+)?$/,
	/^node\.connection\.timeout$/,
	/^node\.channel\.read\.timeout$/,
	/^node\.(tcpNettyWorkThreadNum|udpNettyWorkThreadNum|netMaxCoinPerSecond|receiveTcpMinDataLength)$/,
	/^node\.(connectFactor|activeConnectFactor|maxActiveNodes)$/,
	/^node\.http\.statsPort$/,
	/^node\.allowShieldedTransactionApi$/,
	/^node\.validContractProto\.threads$/,
	/^node\.solidity\.threads$/,
	/^node\.metrics\.(storageEnable|influxdb\..*)$/,
	/^node\.dns\./,
	/^event\.subscribe\.(server|dbconfig|enable|native\.sendqueuelength)$/,
	/^seed\.node\./,
];

/** What a file holds beyond what was read of it. */
export function unknownKeys(root: Section): UnknownKey[] {
	return root.unasked().filter(({ path }) => !WITHOUT_EFFECT.some((known) => known.test(path)));
}
