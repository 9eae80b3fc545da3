/**
 * Import of transactions mixed as on mainnet: a third transfers, a third delegations and their ends, a fifth
 * ORC-10 transfers, a seventh contract calls, 98 % of them `transfer` of one token. 31 % name a permission,
 * some of them one with two keys. Accounts follow Zipf's law; all signatures are checked, on disk. The data
 * set of each size is created once and cached.
 *
 * npm run tool bench:mix -- [--only transfers|calls] [counts of accounts…]
 */

import type { OpenChain } from "../src/node/chain/open-chain.js";
import { stores } from "../src/node/state/definition.js";
import { propertyKey } from "../src/node/state/property-table.js";
import { be64, concatBytes, fromKey } from "../src/protocol/bytes.js";
import type { Message } from "../src/protocol/codec/descriptor.js";
import {
	AccountFreezeV2,
	AssetIssueContract,
	DelegateResourceContract,
	Key,
	Permission,
	ResourceCode,
	TransferAssetContract,
	TransferContract,
	UnDelegateResourceContract,
} from "../src/protocol/messages.js";
import type { SignedTransaction } from "../src/protocol/transaction.js";
import { accountEntries, addressAt } from "./large-state/account-entries.js";
import type { RawEntry } from "./large-state/data-set.js";
import { benchLargeState, type LargeState } from "./large-state/large-state.js";
import { OPERATIONS, plainAccount, produceNext, type Sender, signedBy } from "./large-state/network.js";
import { FEE_LIMIT_SUN, holderRows, tokenCall, tokenCreation } from "./large-state/token.js";

/** Of 210 transactions of the mix; `--only` measures a single kind. */
const MIX = { transfer: 70, delegation: 70, tokenTransfer: 40, call: 30 };
const NONE = { transfer: 0, delegation: 0, tokenTransfer: 0, call: 0 };
const APART: Readonly<Record<string, typeof MIX>> = {
	transfers: { ...NONE, transfer: 1 },
	calls: { ...NONE, call: 1 },
};
function apart(name: string): typeof MIX {
	const shares = APART[name];
	if (!shares) throw new Error(`--only takes one of ${Object.keys(APART).join(", ")}`);
	return shares;
}

const words = process.argv.slice(2);
const only = words[0] === "--only" ? (words.splice(0, 2)[1] ?? "") : undefined;
const SHARES = only === undefined ? MIX : apart(only);
const ALL = SHARES.transfer + SHARES.delegation + SHARES.tokenTransfer + SHARES.call;
const TRANSFERS_OF_CALLS = 0.98;
const NAMES_PERMISSION = 0.31;
/** Every so many signing accounts have a permission with two keys. */
const EVERY_SHARED = 10;
const PERMISSION_ID = 2;

const TOKEN_ID = Buffer.from("1000001");
const STAKE_SUN = 100_000_000_000_000n;
const COIN = 1_000_000n;
/** Resolution of random fractions. */
const FINE = 1 << 30;

const tokens = new Map([[TOKEN_ID.toString(), 1_000_000_000n]]);
const stakes = [ResourceCode.BANDWIDTH, ResourceCode.ENERGY].map((type) =>
	AccountFreezeV2.create({ type, amount: STAKE_SUN }),
);

const isShared = (sender: number): boolean => sender % EVERY_SHARED === 0;
const partnerOf = (sender: number, senders: readonly Sender[]): Sender =>
	senders[(sender + 1) % senders.length] as Sender;

function recordOf(senders: readonly Sender[], address: Uint8Array, sender: number | undefined): Uint8Array {
	if (sender === undefined) return plainAccount(address);
	const more = { assetV2: tokens, asset_optimized: true, frozenV2: stakes };
	if (!isShared(sender)) return plainAccount(address, more);
	const keys = [address, partnerOf(sender, senders).address].map((key) =>
		Key.create({ address: key, weight: 1n }),
	);
	const active_permission = [
		Permission.create({
			type: 2,
			id: PERMISSION_ID,
			permission_name: "active",
			threshold: 2n,
			operations: OPERATIONS,
			keys,
		}),
	];
	return plainAccount(address, { ...more, active_permission });
}

function* entries(open: OpenChain, count: number, senders: readonly Sender[]): Generator<RawEntry> {
	const weight = be64((BigInt(senders.length) * STAKE_SUN) / COIN);
	for (const name of ["TOTAL_ENERGY_WEIGHT", "TOTAL_NET_WEIGHT"] as const) {
		yield [concatBytes(Uint8Array.of(stores.properties.index), fromKey(propertyKey(name))), weight];
	}
	yield* accountEntries(count, senders, (address, sender) => recordOf(senders, address, sender));
	yield* holderRows(open, holdersAmong(count), senders);
}

/** Zipf's law with exponent 1: an account's rank by usage. */
function zipf(count: number, pick: (bound: number) => number): number {
	return Math.min(count - 1, Math.floor((count + 1) ** (pick(FINE) / FINE)) - 1);
}

/** The most holders of the token, regardless of the number of accounts. */
const MAX_HOLDERS = 10_000_000;
const holdersAmong = (count: number): number => Math.min(count, MAX_HOLDERS);

/** Delegations not yet ended. */
const delegations: { readonly sender: number; readonly contract: DelegateResourceContract }[] = [];

interface Draw {
	readonly name: string;
	readonly sender: number;
	readonly contract: Message;
}

function draw(
	open: OpenChain,
	sender: number,
	count: number,
	senders: readonly Sender[],
	pick: (bound: number) => number,
): Draw {
	const { address: owner_address } = senders[sender] as Sender;
	let index = sender;
	while (index === sender) index = zipf(count, pick);
	const to_address = senders[index]?.address ?? addressAt(index, count);
	let kind = pick(ALL);
	if (kind < SHARES.transfer) {
		const contract = TransferContract.create({ owner_address, to_address, amount: 1n });
		return { name: "TransferContract", sender, contract };
	}
	kind -= SHARES.transfer;
	if (kind < SHARES.delegation) {
		const ended = kind % 2 === 0 ? delegations.splice(pick(delegations.length || 1), 1)[0] : undefined;
		if (ended) {
			const { owner_address, receiver_address, resource, balance } = ended.contract;
			const contract = UnDelegateResourceContract.create({
				owner_address,
				receiver_address,
				resource,
				balance,
			});
			return { name: "UnDelegateResourceContract", sender: ended.sender, contract };
		}
		const resource = pick(4) === 0 ? ResourceCode.BANDWIDTH : ResourceCode.ENERGY;
		const balance = COIN * BigInt(1 + pick(20));
		const contract = DelegateResourceContract.create({
			owner_address,
			receiver_address: to_address,
			resource,
			balance,
		});
		delegations.push({ sender, contract });
		return { name: "DelegateResourceContract", sender, contract };
	}
	kind -= SHARES.delegation;
	if (kind < SHARES.tokenTransfer) {
		const contract = TransferAssetContract.create({
			asset_name: TOKEN_ID,
			owner_address,
			to_address,
			amount: 1n,
		});
		return { name: "TransferAssetContract", sender, contract };
	}
	const name = pick(FINE) < FINE * TRANSFERS_OF_CALLS ? "transfer" : "approve";
	const contract = tokenCall(open, senders[sender] as Sender, senders, index % holdersAmong(count), name);
	return { name: "TriggerSmartContract", sender, contract };
}

function transaction(
	open: OpenChain,
	count: number,
	senders: readonly Sender[],
	pick: (bound: number) => number,
): SignedTransaction {
	const { name, sender, contract } = draw(open, zipf(senders.length, pick), count, senders, pick);
	const namesPermission = pick(FINE) < FINE * NAMES_PERMISSION;
	return signedBy(senders[sender] as Sender, open, name, contract, {
		...(name === "TriggerSmartContract" ? { feeLimitSun: FEE_LIMIT_SUN } : {}),
		...(namesPermission ? { permissionId: PERMISSION_ID } : {}),
		...(namesPermission && isShared(sender) ? { others: [partnerOf(sender, senders)] } : {}),
	});
}

const state: LargeState = {
	name: only === undefined ? "mix" : `mix-${only}`,
	blocks: 400,
	perBlock: 500,
	prepare(open, [owner]) {
		if (!owner) throw new Error("there is no account");
		open.chain.pushTransaction(tokenCreation(open, owner));
		const start = open.chain.head.timestampMs;
		const token = AssetIssueContract.create({
			owner_address: owner.address,
			name: Buffer.from("Bench"),
			total_supply: 1_000_000_000_000_000n,
			coin_num: 1,
			num: 1,
			start_time: start + 3_600_000n,
			end_time: start + 7_200_000n,
			url: Buffer.from("u"),
		});
		open.chain.pushTransaction(signedBy(owner, open, "AssetIssueContract", token));
		produceNext(open);
	},
	entries,
	transaction: (open, _sender, count, senders, pick) => transaction(open, count, senders, pick),
};

await benchLargeState(state, words);
