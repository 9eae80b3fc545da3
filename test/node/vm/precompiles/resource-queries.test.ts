import { describe, expect, it } from "vitest";
import { toHex } from "../../../../src/protocol/bytes.js";
import { Account, AccountType } from "../../../../src/protocol/messages.js";
import { assemble } from "../assembler.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "../machine-fixture.js";

/** Asks for the stake behind the contract's own usage of bandwidth, all of it of this moment. */
async function askUsage(values: {
	readonly usage: bigint;
	readonly limit: bigint;
	readonly weight: bigint;
	readonly exact: boolean;
}) {
	const state = await emptyState();
	const self = toHex(CONTRACT.subarray(1));
	const text = `0x${self} PUSH0 MSTORE 0x40 0x40 0x40 PUSH0 0x01000012 GAS STATICCALL POP 0x20 0x40 RETURN`;
	putTestContract(state, CONTRACT, toHex(assemble(text)));
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("TOTAL_NET_LIMIT", values.limit);
	state.properties.set("TOTAL_NET_WEIGHT", values.weight);
	state.properties.set("ALLOW_HARDEN_RESOURCE_CALCULATION", values.exact ? 1n : 0n);
	const { headSlot } = state.properties;
	state.account.put(
		CONTRACT,
		Account.create({
			address: CONTRACT,
			type: AccountType.Contract,
			net_usage: values.usage,
			latest_consume_time: headSlot,
		}),
	);
	return runContract(state);
}

describe("the stake behind a usage", () => {
	it("is counted in doubles without #97, exactly with it", async () => {
		// The result is far above 2^53, where doubles have gaps.
		const values = { usage: 28_800n, limit: 43_200_001n, weight: 9_007_199_254_740_993n };
		const whole = (28_800n * values.weight * 1_000_000n) / values.limit;
		const exact = BigInt(`0x${toHex((await askUsage({ ...values, exact: true })).output)}`);
		const rounded = BigInt(`0x${toHex((await askUsage({ ...values, exact: false })).output)}`);
		expect(exact).toBe(whole);
		expect(rounded).not.toBe(whole);
		expect(Math.abs(Number(rounded - whole))).toBeLessThan(10_000);
	});

	it("fails the caller with #97 if it is beyond 64 bits, and saturates without", async () => {
		const values = { usage: 288_000_000n, limit: 1n, weight: 2n ** 40n };
		const { failure } = await askUsage({ ...values, exact: true });
		expect(failure).toMatchObject({
			message: "BigInteger out of long range",
			className: "java.lang.ArithmeticException",
		});
		const { output } = await askUsage({ ...values, exact: false });
		expect(BigInt(`0x${toHex(output)}`)).toBe(2n ** 63n - 1n);
	});

	it("fails the caller with #97 without a limit", async () => {
		const { failure } = await askUsage({ usage: 28_800n, limit: 0n, weight: 1n, exact: true });
		expect(failure?.message).toBe("BigInteger divide by zero");
	});
});
