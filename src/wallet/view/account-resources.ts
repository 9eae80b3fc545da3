/** What an account may use without paying: bandwidth, energy, votes (protocol/resources §§3 to 5), recovered to now by the node. */

import { toHex } from "../../protocol/bytes.js";
import { AccountResourceMessage } from "../../protocol/messages.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";

export interface ResourcesView {
	/** Bytes: a daily allowance for everybody, and the share that a stake gives. */
	readonly bandwidth: {
		readonly free: bigint;
		readonly freeUsed: bigint;
		readonly staked: bigint;
		readonly used: bigint;
		/** Left of the larger of the two; a transaction is paid from one of them, never from both. */
		readonly available: bigint;
	};
	readonly energy: { readonly staked: bigint; readonly used: bigint; readonly available: bigint };
	readonly votes: { readonly total: bigint; readonly used: bigint; readonly available: bigint };
}

export async function resourcesOf(
	client: NodeClient,
	address: Uint8Array,
	view: NodeView,
): Promise<ResourcesView> {
	const answer = await client.call("getaccountresource", { address: toHex(address) }, view);
	const resource = messageFrom(AccountResourceMessage, answer);
	const free = left(resource.freeNetLimit, resource.freeNetUsed);
	const staked = left(resource.NetLimit, resource.NetUsed);
	return {
		bandwidth: {
			free: resource.freeNetLimit,
			freeUsed: resource.freeNetUsed,
			staked: resource.NetLimit,
			used: resource.NetUsed,
			available: free > staked ? free : staked,
		},
		energy: {
			staked: resource.EnergyLimit,
			used: resource.EnergyUsed,
			available: left(resource.EnergyLimit, resource.EnergyUsed),
		},
		votes: {
			total: resource.coinPowerLimit,
			used: resource.coinPowerUsed,
			available: left(resource.coinPowerLimit, resource.coinPowerUsed),
		},
	};
}

function left(limit: bigint, used: bigint): bigint {
	return limit > used ? limit - used : 0n;
}
