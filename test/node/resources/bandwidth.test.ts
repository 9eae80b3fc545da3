import { beforeEach, describe, expect, test } from "vitest";
import { chargeBandwidth } from "../../../src/node/resources/bandwidth.js";
import { resourceLimit } from "../../../src/node/resources/stake.js";
import { ResourceInsufficientError } from "../../../src/node/rules/errors.js";
import type { StateView } from "../../../src/node/state/view.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import {
	Account,
	AccountFreezeV2,
	ResourceCode,
	ResourceReceipt,
	Transaction,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { address, openState, rules } from "../consensus/chain-state.js";

let state: StateView;
beforeEach(async () => {
	state = await openState(0);
	state.properties.set("ALLOW_CREATION_OF_CONTRACTS", 1n);
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("ALLOW_BLACKHOLE_OPTIMIZATION", 1n);
	put({ balance: 10_000_000n });
	state.account.put(address(2), Account.create({ address: address(2) }));
});

function put(fields: Partial<Account>): void {
	state.account.put(address(1), Account.create({ address: address(1), ...fields }));
}

function transfer(to = address(2)): SignedTransaction {
	const type = contractTypeByName("TransferContract");
	if (!type) throw new Error("there are no transfers");
	const built = buildTransaction(
		type,
		TransferContract.create({ owner_address: address(1), to_address: to, amount: 1n }),
		{ refBlockBytes: new Uint8Array(2), refBlockHash: new Uint8Array(8), expirationMs: 1n, timestampMs: 1n },
	);
	return new SignedTransaction(Transaction.create({ ...built.message, signature: [Buffer.alloc(65)] }));
}

function charge(transaction = transfer()): { receipt: ResourceReceipt; account: Readonly<Account> } {
	const receipt = new ResourceReceipt();
	chargeBandwidth({ state, rules, transaction, inBlock: false }, receipt);
	return { receipt, account: state.account.existing(address(1)) };
}

const staked = (amount: bigint): AccountFreezeV2[] => [
	AccountFreezeV2.create({ type: ResourceCode.BANDWIDTH, amount }),
];
const bytes = BigInt(transfer().size + 64);

test("the limit counts own and received stakes of both generations, for bandwidth only", () => {
	state.properties.set("TOTAL_NET_LIMIT", 1_000_000n);
	state.properties.set("TOTAL_NET_WEIGHT", 1_000_000n);
	const account = Account.create({
		acquired_delegated_frozen_balance_for_bandwidth: 1_000_000n,
		acquired_delegated_frozenV2_balance_for_bandwidth: 20_000_000n,
		frozenV2: [...staked(300_000_000n), AccountFreezeV2.create({ type: ResourceCode.ENERGY, amount: 7n })],
	});
	expect(resourceLimit(state.properties, account, "bandwidth")).toBe(321n);
});

describe("a transaction's bytes are paid", () => {
	test("from the stake where it covers all of them", () => {
		state.properties.set("TOTAL_NET_LIMIT", bytes);
		state.properties.set("TOTAL_NET_WEIGHT", 1n);
		put({ frozenV2: staked(1_000_000n), balance: 5n });
		const { receipt, account } = charge();
		expect(receipt).toMatchObject({ net_usage: bytes, net_fee: 0n });
		expect(account).toMatchObject({ net_usage: bytes, free_net_usage: 0n, balance: 5n });
		expect(account.latest_opration_time).toBe(state.properties.headTimestampMs);
	});

	test("from the free allowance where the stake falls a byte short", () => {
		state.properties.set("TOTAL_NET_LIMIT", bytes - 1n);
		state.properties.set("TOTAL_NET_WEIGHT", 1n);
		put({ frozenV2: staked(1_000_000n) });
		const { receipt, account } = charge();
		expect(receipt).toMatchObject({ net_usage: bytes, net_fee: 0n });
		expect(account).toMatchObject({ net_usage: 0n, free_net_usage: bytes });
		expect(state.properties.get("PUBLIC_NET_USAGE")).toBe(bytes);
	});

	test.each([
		["the account's own free allowance", "FREE_NET_LIMIT"],
		["what all accounts share", "PUBLIC_NET_LIMIT"],
	] as const)("with coins once %s is a byte short", (_, limit) => {
		state.properties.set(limit, bytes - 1n);
		const { receipt, account } = charge();
		const fee = bytes * 10n;
		expect(receipt).toMatchObject({ net_usage: 0n, net_fee: fee });
		expect(account).toMatchObject({ balance: 10_000_000n - fee, free_net_usage: 0n });
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(fee);
		expect(state.properties.get("TOTAL_TRANSACTION_COST")).toBe(fee);
	});

	test("into the fee pool while there is one", () => {
		state.properties.set("FREE_NET_LIMIT", 0n);
		state.properties.set("ALLOW_TRANSACTION_FEE_POOL", 1n);
		charge();
		expect(state.properties.get("TRANSACTION_FEE_POOL")).toBe(bytes * 10n);
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(0n);
	});

	test("with a fee below zero where price times bytes wraps, if the black hole can give it", () => {
		state.properties.set("FREE_NET_LIMIT", 0n);
		state.properties.set("TRANSACTION_FEE", 2n ** 64n / bytes);
		const gain = 2n ** 64n % bytes;
		expect(charge().account.balance).toBe(10_000_000n + gain);
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(0n);
		state.properties.set("ALLOW_BLACKHOLE_OPTIMIZATION", 0n);
		state.account.put(rules.blackHole, Account.create({ address: rules.blackHole, balance: gain - 1n }));
		expect(() => charge()).toThrow(ResourceInsufficientError);
	});

	test("or the transaction is refused, with the text that speaks of a new account", () => {
		state.properties.set("FREE_NET_LIMIT", 0n);
		put({ balance: bytes * 10n - 1n });
		expect(() => charge()).toThrow(ResourceInsufficientError);
		expect(() => charge()).toThrow(
			`has insufficient bandwidth[${bytes}] and balance[${bytes * 10n}] to create new account`,
		);
	});
});

describe("a transaction that creates an account", () => {
	test("never uses the free allowance, and its fee never reaches the fee pool", () => {
		state.properties.set("ALLOW_TRANSACTION_FEE_POOL", 1n);
		const { receipt, account } = charge(transfer(address(77)));
		expect(receipt).toMatchObject({ net_usage: 0n, net_fee: 100_000n });
		expect(account).toMatchObject({ balance: 9_900_000n, free_net_usage: 0n });
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(100_000n);
		expect(state.properties.get("TRANSACTION_FEE_POOL")).toBe(0n);
		expect(state.properties.get("TOTAL_CREATE_ACCOUNT_COST")).toBe(100_000n);
	});

	test("uses staked bandwidth at its own rate", () => {
		state.properties.set("CREATE_NEW_ACCOUNT_BANDWIDTH_RATE", 3n);
		state.properties.set("TOTAL_NET_LIMIT", bytes * 3n);
		state.properties.set("TOTAL_NET_WEIGHT", 1n);
		put({ frozenV2: staked(1_000_000n) });
		const { receipt } = charge(transfer(address(77)));
		expect(receipt).toMatchObject({ net_usage: bytes * 3n, net_fee: 0n });
	});
});
