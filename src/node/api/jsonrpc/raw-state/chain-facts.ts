/** What is fixed about a chain before its first block, as another node needs it that goes on with its state (protocol/json-rpc §18.3). */

import { addressPrefix } from "../../../../protocol/address.js";
import { toHex } from "../../../../protocol/bytes.js";
import type { ApiNode } from "../../context.js";
import type { RpcValue } from "../method.js";

/** Numbers of 64 bits as decimal text. */
export function chainFacts({ rules, config }: Pick<ApiNode, "rules" | "config">): RpcValue {
	const { maintenanceTimeIntervalMs } = config.block;
	const committee = Object.entries(config.committee as Readonly<Record<string, bigint | undefined>>);
	return {
		genesisId: toHex(rules.genesisId),
		genesisTimestampMs: String(rules.genesisTimestampMs),
		addressPrefix: addressPrefix(),
		network: rules.network ?? "main",
		release: rules.release,
		blackHole: toHex(rules.blackHole),
		genesisWitnesses: rules.genesisWitnesses.map(({ address, votes }) => ({
			address: toHex(address),
			votes: String(votes),
		})),
		proposalExpireMs: String(rules.proposalExpireMs),
		energyLimitHeight: String(rules.energyLimitHeight),
		checkFrozenTime: rules.checkFrozenTime,
		maintenanceIntervalMs: String(maintenanceTimeIntervalMs),
		committee: Object.fromEntries(
			committee.flatMap(([key, value]) => (typeof value === "bigint" ? [[key, String(value)]] : [])),
		),
	};
}
