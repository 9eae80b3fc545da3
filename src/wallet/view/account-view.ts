/** An account for printing: what it holds, what it has staked, who controls it (protocol/command-line §1.6). */

import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { type Account, AccountResourceMessage, AccountTypeEnum } from "../../protocol/messages.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";
import { type PermissionView, permissionDocument, storedPermissions } from "../permission/permission-set.js";
import { resourceName } from "../values/resource.js";
import { type Unstaking, unstakings } from "./stake-view.js";

export interface AccountView {
	readonly address: string;
	readonly type: string;
	readonly name?: string | undefined;
	readonly id?: string | undefined;
	/** Sun. */
	readonly balance: bigint;
	/** Epoch milliseconds. */
	readonly created?: bigint | undefined;
	readonly witness?: true | undefined;
	/** Sun by resource: staked by the account itself, and received or given by delegation. */
	readonly staked?: Readonly<Record<string, bigint>> | undefined;
	readonly unstaking?: readonly Unstaking[] | undefined;
	readonly votes?: Readonly<Record<string, bigint>> | undefined;
	/** Smallest units by token id. */
	readonly tokens?: Readonly<Record<string, bigint>> | undefined;
	readonly owner: PermissionView;
	readonly witnessPermission?: PermissionView | undefined;
	readonly actives: readonly PermissionView[];
}

export function viewAccount(account: Readonly<Account>): AccountView {
	const permissions = permissionDocument(account.address, storedPermissions(account));
	return {
		address: permissions.account,
		type: AccountTypeEnum.names.get(account.type) ?? String(account.type),
		name: account.account_name.length > 0 ? fromUtf8(account.account_name) : undefined,
		id: account.account_id.length > 0 ? fromUtf8(account.account_id) : undefined,
		balance: account.balance,
		created: account.create_time > 0n ? account.create_time : undefined,
		witness: account.is_witness || undefined,
		staked: nonEmpty(stakes(account)),
		unstaking: account.unfrozenV2.length > 0 ? unstakings(account) : undefined,
		votes: nonEmpty(
			account.votes.map(({ vote_address, vote_count }) => [toBase58Check(vote_address), vote_count] as const),
		),
		tokens: nonEmpty([...account.assetV2].filter(([, amount]) => amount !== 0n)),
		owner: permissions.owner,
		witnessPermission: permissions.witness,
		actives: permissions.actives,
	};
}

function stakes(account: Readonly<Account>): (readonly [string, bigint])[] {
	const sums = new Map<string, bigint>();
	const add = (name: string, amount: bigint): void => {
		if (amount !== 0n) sums.set(name, (sums.get(name) ?? 0n) + amount);
	};
	for (const { type, amount } of account.frozenV2) add(resourceName(type), amount);
	for (const { frozen_balance } of account.frozen) add("bandwidth (version 1)", frozen_balance);
	const resource = account.account_resource;
	add("energy (version 1)", resource?.frozen_balance_for_energy?.frozen_balance ?? 0n);
	add("bandwidth received", account.acquired_delegated_frozen_balance_for_bandwidth);
	add("bandwidth received", account.acquired_delegated_frozenV2_balance_for_bandwidth);
	add("bandwidth delegated", account.delegated_frozen_balance_for_bandwidth);
	add("bandwidth delegated", account.delegated_frozenV2_balance_for_bandwidth);
	add("energy received", resource?.acquired_delegated_frozen_balance_for_energy ?? 0n);
	add("energy received", resource?.acquired_delegated_frozenV2_balance_for_energy ?? 0n);
	add("energy delegated", resource?.delegated_frozen_balance_for_energy ?? 0n);
	add("energy delegated", resource?.delegated_frozenV2_balance_for_energy ?? 0n);
	return [...sums];
}

function nonEmpty(entries: Iterable<readonly [string, bigint]>): Record<string, bigint> | undefined {
	const record = Object.fromEntries(entries);
	return Object.keys(record).length > 0 ? record : undefined;
}

export interface ResourcesView {
	/** Bandwidth in bytes: the daily free allowance of every account, and the share from stake. */
	readonly bandwidth: {
		readonly free: bigint;
		readonly freeUsed: bigint;
		readonly staked: bigint;
		readonly used: bigint;
		/** What is left of the larger of the two; a transaction is paid from one of them, never from both. */
		readonly available: bigint;
	};
	readonly energy: { readonly staked: bigint; readonly used: bigint; readonly available: bigint };
	readonly votes: { readonly total: bigint; readonly used: bigint; readonly available: bigint };
}

/** What an account may use without paying: bandwidth, energy, votes (protocol/resources §§3 to 5), with the node's recovery up to now. */
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
