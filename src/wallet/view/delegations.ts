/** Delegations of an account, of both staking generations, one row per amount (protocol/staking §8.4). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import {
	type DelegatedResource,
	DelegatedResourceAccountIndex,
	DelegatedResourceList,
} from "../../protocol/messages.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";

/** One delegated amount, for printing. */
export interface DelegationView {
	readonly from: string;
	readonly to: string;
	readonly resource: "bandwidth" | "energy";
	/** Sun. */
	readonly amount: bigint;
	/** Epoch milliseconds until which it can't be reclaimed; absent if it can. */
	readonly lockedUntil?: bigint | undefined;
	/** Generation of staking. */
	readonly version: 1 | 2;
}

/** Endpoints of a generation: who delegates to whom, and how much. */
const GENERATIONS = [
	{
		version: 2,
		index: "getdelegatedresourceaccountindexv2",
		records: "getdelegatedresourcev2",
	},
	{ version: 1, index: "getdelegatedresourceaccountindex", records: "getdelegatedresource" },
] as const;

/**
 * What an account has delegated to others, or others to it.
 * @param direction `given` by the account, or `received`
 */
export async function delegationsOf(
	client: NodeClient,
	account: Uint8Array,
	view: NodeView,
	direction: "given" | "received",
): Promise<DelegationView[]> {
	const found: DelegationView[] = [];
	for (const { version, index, records } of GENERATIONS) {
		const answer = await client.call(index, { value: toHex(account) }, view);
		const { toAccounts, fromAccounts } = messageFrom(DelegatedResourceAccountIndex, answer);
		for (const other of direction === "given" ? toAccounts : fromAccounts) {
			const [from, to] = direction === "given" ? [account, other] : [other, account];
			const request = { fromAddress: toHex(from), toAddress: toHex(to) };
			const list = messageFrom(DelegatedResourceList, await client.call(records, request, view));
			for (const record of list.delegatedResource) found.push(...amountsOf(record, version));
		}
	}
	return found;
}

function amountsOf(record: Readonly<DelegatedResource>, version: 1 | 2): DelegationView[] {
	const ends = { from: toBase58Check(record.from), to: toBase58Check(record.to) };
	const until = (ms: bigint): bigint | undefined => (ms > 0n ? ms : undefined);
	const both: DelegationView[] = [
		{
			...ends,
			resource: "bandwidth",
			amount: record.frozen_balance_for_bandwidth,
			lockedUntil: until(record.expire_time_for_bandwidth),
			version,
		},
		{
			...ends,
			resource: "energy",
			amount: record.frozen_balance_for_energy,
			lockedUntil: until(record.expire_time_for_energy),
			version,
		},
	];
	return both.filter(({ amount }) => amount > 0n);
}
