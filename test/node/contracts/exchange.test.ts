import { beforeEach, describe, expect, it } from "vitest";
import { isExactlyPrecise, isPrecise } from "../../../src/node/contracts/exchange.js";
import { findExchange, pageOfExchanges } from "../../../src/node/exchange/pair.js";
import { ContractExecuteError, ContractValidateError } from "../../../src/node/rules/errors.js";
import type { StateView } from "../../../src/node/state/view.js";
import { COIN_ID, tokenBytes } from "../../../src/node/tokens/token-store.js";
import { OverflowError } from "../../../src/protocol/int64.js";
import {
	Account,
	ExchangeCreateContract,
	ExchangeInjectContract,
	ExchangeTransactionContract,
	ExchangeWithdrawContract,
} from "../../../src/protocol/messages.js";
import { check, giveAccount, openTokenState, run } from "./contract-chain.js";

const FEE = 1_024_000_000n;
const A = tokenBytes("1000001");
const B = tokenBytes("1000002");

let state: StateView;
let owner: Uint8Array;

beforeEach(async () => {
	state = await openTokenState();
	owner = giveAccount(state, 1, 10_000n + FEE, { "1000001": 10n ** 18n, "1000002": 10n ** 18n });
});

function create(first: Uint8Array, firstBalance: bigint, second: Uint8Array, secondBalance: bigint): bigint {
	return run(
		state,
		"ExchangeCreateContract",
		ExchangeCreateContract.create({
			owner_address: owner,
			first_token_id: first,
			first_token_balance: firstBalance,
			second_token_id: second,
			second_token_balance: secondBalance,
		}),
	).exchange_id;
}

const balances = (id: bigint): readonly [bigint | undefined, bigint | undefined] => {
	const pair = findExchange(state, id);
	return [pair?.first_token_balance, pair?.second_token_balance];
};

describe("a pair", () => {
	it("is opened with the creator's coins and tokens, and the fee is burnt", () => {
		const id = create(COIN_ID, 10_000n, A, 50_000n);
		expect(id).toBe(1n);
		expect(state.account.existing(owner).balance).toBe(0n);
		expect(state.account.existing(owner).assetV2.get("1000001")).toBe(10n ** 18n - 50_000n);
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(FEE);
		expect(state.properties.get("LATEST_EXCHANGE_NUM")).toBe(1n);
	});

	it("grows and shrinks in its ratio, and closes when it is emptied", () => {
		const id = create(A, 100n, B, 5_000n);
		const inject = ExchangeInjectContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: B,
			quant: 50n,
		});
		expect(run(state, "ExchangeInjectContract", inject).exchange_inject_another_amount).toBe(1n);
		expect(balances(id)).toEqual([101n, 5_050n]);
		const withdraw = ExchangeWithdrawContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 101n,
		});
		expect(run(state, "ExchangeWithdrawContract", withdraw).exchange_withdraw_another_amount).toBe(5_050n);
		expect(balances(id)).toEqual([0n, 0n]);
		expect(() => check(state, "ExchangeInjectContract", inject)).toThrow("has been closed");
	});

	it("accepts an injection in the checks that the effect can't multiply", () => {
		const id = create(A, 10n ** 14n, B, 10n ** 14n);
		const inject = ExchangeInjectContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 10n ** 14n,
		});
		expect(() => check(state, "ExchangeInjectContract", inject)).not.toThrow();
		expect(() => run(state, "ExchangeInjectContract", inject)).toThrow("long overflow");
	});

	it("can pay out more than it holds", () => {
		const id = create(A, 1n, B, 10n ** 15n);
		const trade = ExchangeTransactionContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 999_999_999_999_999n,
			expected: 1n,
		});
		expect(run(state, "ExchangeTransactionContract", trade).exchange_received_amount).toBe(
			1_000_000_000_000_098n,
		);
		expect(balances(id)).toEqual([10n ** 15n, -98n]);
	});

	it.each([
		[{ token_id: tokenBytes("x") }, "token id is not a valid number"],
		[{ token_id: COIN_ID }, "token is not in exchange"],
		[{ exchange_id: 9n }, "Exchange[9] not exists"],
		[{ quant: 0n }, "token quant must greater than zero"],
		[{ expected: 0n }, "token expected must greater than zero"],
		[{ quant: 10n ** 15n }, "token balance must less than 1000000000000000"],
		[{ expected: 1_000n }, "token required must greater than expected"],
	])("refuses a trade with %o", (change, message) => {
		const id = create(A, 1_000n, B, 1_000n);
		const trade = { owner_address: owner, exchange_id: id, token_id: A, quant: 10n, expected: 1n, ...change };
		expect(() =>
			check(state, "ExchangeTransactionContract", ExchangeTransactionContract.create(trade)),
		).toThrow(message);
	});
});

describe("with exact sums", () => {
	beforeEach(() => state.properties.set("ALLOW_HARDEN_EXCHANGE_CALCULATION", 1n));

	const trade = (id: bigint, quant: bigint, expected = 1n) =>
		ExchangeTransactionContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant,
			expected,
		});

	it("a trade never takes more than the pair holds, whatever is expected", () => {
		const id = create(A, 1n, B, 10n ** 15n);
		for (const expected of [1n, 10n ** 18n]) {
			const attempt = () =>
				run(state, "ExchangeTransactionContract", trade(id, 999_999_999_999_999n, expected));
			expect(attempt).toThrow("Exchange balance must be >=0 after transaction");
		}
		expect(balances(id)).toEqual([1n, 10n ** 15n]);
	});

	it("a trade whose sum leaves 64 bits is refused, by whichever way", () => {
		const id = create(A, 10n, B, 10n);
		const most = trade(id, 2n ** 63n - 1n);
		expect(() => run(state, "ExchangeTransactionContract", most)).toThrow(
			new ContractValidateError("long overflow"),
		);
		expect(() => run(state, "ExchangeTransactionContract", most, "4.8.1")).toThrow(
			new OverflowError("long overflow"),
		);
		state.properties.set("ALLOW_HARDEN_EXCHANGE_CALCULATION", 0n);
		expect(() => run(state, "ExchangeTransactionContract", most)).toThrow("token balance is not enough");
	});

	it("an account of all coins can't withdraw one more", () => {
		const id = create(COIN_ID, 100n, A, 100n);
		const account = Account.copy(state.account.existing(owner));
		account.balance = 2n ** 63n - 1n;
		state.account.put(owner, account);
		const withdraw = ExchangeWithdrawContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: COIN_ID,
			quant: 1n,
		});
		expect(() => run(state, "ExchangeWithdrawContract", withdraw)).toThrow(
			new ContractExecuteError("long overflow"),
		);
		state.properties.set("ALLOW_HARDEN_EXCHANGE_CALCULATION", 0n);
		expect(() => run(state, "ExchangeWithdrawContract", withdraw)).not.toThrow();
	});

	it.each([
		// The remainder is 1/3 of a unit: above and not above a ten-thousandth of the whole units.
		[3n, 9_997n, 1n, false],
		[3n, 10_000n, 1n, true],
		// 0.5 of 5000 is just a ten-thousandth, 0.5001 is more.
		[2n, 10_001n, 1n, true],
		[10_000n, 50_005_001n, 1n, false],
	])("a withdrawal from %i and %i of %i is precise enough: %s", (balance, otherBalance, quant, precise) => {
		const side = { balance, otherBalance, otherId: B };
		expect(isExactlyPrecise(side, quant, (otherBalance * quant) / balance)).toBe(precise);
	});
});

describe("errors of arithmetic", () => {
	it("in checks and effects are refusals of the contract from release 4.8.2 on", () => {
		const id = create(A, 10n ** 14n, B, 10n ** 14n);
		const inject = ExchangeInjectContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 10n ** 14n,
		});
		expect(() => run(state, "ExchangeInjectContract", inject)).toThrow(
			new ContractExecuteError("long overflow"),
		);
		expect(() => run(state, "ExchangeInjectContract", inject, "4.8.1")).toThrow(
			new OverflowError("long overflow"),
		);
		state.properties.set("EXCHANGE_CREATE_FEE", 0n);
		const small = create(A, 1n, B, 10n ** 6n);
		const most = ExchangeInjectContract.create({ ...inject, exchange_id: small, quant: 2n ** 63n - 1n });
		expect(() => run(state, "ExchangeInjectContract", most)).toThrow(
			new ContractValidateError("BigInteger out of long range"),
		);
	});
});

describe("a withdrawal", () => {
	// protocol/exchange §5.
	it.each([
		[10_000_000n, 1_000_000_000_000n, 1_000_000n, true],
		[3n, 10_000n, 1n, true],
		[3n, 9_997n, 1n, false],
		[3n, 100_000n, 1n, true],
	])("from %d and %d of %d is precise enough: %s", (balance, otherBalance, quant, precise) => {
		const side = { balance, otherBalance, otherId: B };
		expect(isPrecise(side, quant, (otherBalance * quant) / balance)).toBe(precise);
	});
});

describe("a page of pairs", () => {
	it.each([
		[0n, 2n, [1n, 2n]],
		[1n, 9n, [2n, 3n]],
		[0n, 0n, []],
		[3n, 1n, undefined],
		[-1n, 1n, undefined],
		[0n, -1n, undefined],
	])("after %d of %d", (offset, limit, ids) => {
		state.properties.set("EXCHANGE_CREATE_FEE", 0n);
		for (let i = 0; i < 3; i++) create(A, 10n, B, 10n);
		expect(pageOfExchanges(state, offset, limit)?.exchanges.map((pair) => pair.exchange_id)).toEqual(ids);
	});
});
