import { describe, expect, test } from "vitest";
import { opcodes } from "../../src/node/vm/opcodes.js";
import { precompiles } from "../../src/node/vm/precompiles/precompiles.js";
import type { MessageType } from "../../src/protocol/codec/descriptor.js";
import { contractTypes } from "../../src/protocol/contract-types.js";
import { spell, toDeployed, toNeutral } from "../../src/protocol/dialect.js";
import * as messages from "../../src/protocol/messages.js";

const PAIRS: readonly (readonly [neutral: string, deployed: string])[] = [
	["getburncoin", "getburntrx"],
	["BURN_COIN_AMOUNT", "BURN_TRX_AMOUNT"],
	["TOTAL_COIN_POWER_WEIGHT", "TOTAL_TRON_POWER_WEIGHT"],
	["COIN_POWER", "TRON_POWER"],
	["coinPowerLimit", "tronPowerLimit"],
	["TotalCoinPowerWeight", "TotalTronPowerWeight"],
	["old_coin_power", "old_tron_power"],
	["getAllowTvmTransferOrc10", "getAllowTvmTransferTrc10"],
	["getAllowShieldedORC20Transaction", "getAllowShieldedTRC20Transaction"],
	["allowShieldedORC20Transaction", "allowShieldedTRC20Transaction"],
	["scanshieldedorc20notesbyivk", "scanshieldedtrc20notesbyivk"],
	["org.coin.core.exception", "org.tron.core.exception"],
	["Cannot transfer COIN to yourself.", "Cannot transfer TRX to yourself."],
	["coin.reference.block", "trx.reference.block"],
];

describe("the table of spellings", () => {
	test.each(PAIRS)("%s is %s where clients are deployed", (neutral, deployed) => {
		expect(toDeployed(neutral)).toBe(deployed);
		expect(toNeutral(deployed)).toBe(neutral);
	});

	test.each([
		"trx_hash",
		"Not enough energy for 'COINBASE' operation executing",
		"TvmTransfer",
		"force",
		"enforced",
		"BANDWITH_ERROR",
		"raw_data_hex",
		"",
	])("%j is not a brand word", (word) => {
		expect(toDeployed(word)).toBe(word);
		expect(toNeutral(word)).toBe(word);
	});

	test.each(PAIRS)("%s stays what it is in its own spelling", (neutral, deployed) => {
		expect(toNeutral(neutral)).toBe(neutral);
		expect(spell(neutral, "neutral")).toBe(neutral);
		expect(spell(neutral, "deployed")).toBe(deployed);
	});
});

describe("every name of the schema", () => {
	const fields = Object.values(messages).flatMap((value) =>
		typeof value === "function" && "fields" in value
			? (value as unknown as MessageType<object>).fields.map(({ name }) => name)
			: [],
	);
	const names = [...new Set([...fields, ...contractTypes.map(({ name }) => name)])];

	test("comes back from the deployed spelling", () => {
		expect(names.length).toBeGreaterThan(500);
		expect(names.filter((name) => toNeutral(toDeployed(name)) !== name)).toEqual([]);
	});

	test("has a spelling of its own there", () => {
		expect(new Set(names.map(toDeployed)).size).toBe(names.length);
	});
});

test("no name of an operation or a precompile is respelled, alone or in a text", () => {
	const names = [...opcodes, ...precompiles].map(({ name }) => name);
	expect(names).toContain("COINBASE");
	expect(names.filter((name) => toDeployed(name) !== name)).toEqual([]);
	expect(
		names.filter((name) => toDeployed(`CPU timeout for '${name}'`) !== `CPU timeout for '${name}'`),
	).toEqual([]);
});
