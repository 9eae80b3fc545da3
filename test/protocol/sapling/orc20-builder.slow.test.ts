import { expect, test } from "vitest";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import { ShieldedORC20Parameters } from "../../../src/protocol/messages.js";
import {
	decodePoint,
	encodePoint,
	type Point,
	valueRandomnessGenerator,
} from "../../../src/protocol/sapling/jubjub.js";
import { unseal } from "../../../src/protocol/sapling/note-encryption.js";
import {
	buildOrc20Parameters,
	encodeTriggerInput,
	type Orc20Plan,
} from "../../../src/protocol/sapling/orc20-builder.js";
import { verifyRedJubjub } from "../../../src/protocol/sapling/redjubjub.js";
import { bindingKey } from "../../../src/protocol/sapling/value-commitment.js";
import { keysOf, ListeningProver, sendTo, spendOf, toolsWith } from "./building.js";

const sender = keysOf(1);
const receiver = keysOf(2);
const contract = fromHex(`41${"ab".repeat(20)}`);
const payTo = fromHex(`41${"cd".repeat(20)}`);
const common = { contract, keys: sender, ovk: sender.ovk, rawValue: 0n };
const mint: Orc20Plan = {
	...common,
	kind: "mint",
	spends: [],
	outputs: [sendTo(receiver, 6n)],
	rawValue: 600n,
};
const burn: Orc20Plan = {
	...common,
	kind: "burn",
	spends: [spendOf(sender, 10n)],
	outputs: [],
	rawValue: 1_000n,
	payTo,
};
const transfer = (spends: number, outputs: number): Orc20Plan => ({
	...common,
	kind: "transfer",
	spends: Array.from({ length: spends }, () => spendOf(sender, 10n)),
	outputs: Array.from({ length: outputs }, () => sendTo(receiver, 5n)),
});
const changed = (plan: Orc20Plan): Orc20Plan => ({ ...plan, outputs: [sendTo(sender, 4n)], rawValue: 600n });

const build = (plan: Orc20Plan) => buildOrc20Parameters(plan, toolsWith(new ListeningProver()));

function binds(parameters: ShieldedORC20Parameters, balance: bigint): boolean {
	const values = (list: readonly { readonly value_commitment: Uint8Array }[]) =>
		list.map(({ value_commitment }) => decodePoint(value_commitment) as Point);
	const { spend_description, receive_description } = parameters;
	const key = bindingKey(values(spend_description), values(receive_description), balance) as Point;
	const message = concatBytes(encodePoint(key), parameters.message_hash);
	return verifyRedJubjub(key, valueRandomnessGenerator(), message, parameters.binding_signature);
}

test.each([
	["mint", mint, -6n, 1056],
	["transfer 1 to 1", transfer(1, 1), 5n, 1664],
	["transfer 1 to 2", transfer(1, 2), 0n, 2624],
	["transfer 2 to 1", transfer(2, 1), 15n, 2048],
	["transfer 2 to 2", transfer(2, 2), 10n, 3008],
	["burn", burn, 10n, 736],
	["burn with change", changed(burn), 6n, 1696],
] as const)(
	"%s: the values are bound to their balance, and the call data has its length",
	async (_, plan, balance, length) => {
		const parameters = await build(plan);
		expect(parameters.parameter_type).toBe(plan.kind);
		expect(binds(parameters, balance)).toBe(true);
		expect(binds(parameters, balance + 1n)).toBe(false);
		expect(parameters.trigger_contract_input).toHaveLength(2 * length);
	},
);

test("a sum of values that 64 bits don't hold is not signed", async () => {
	const spend = spendOf(sender, MAX_INT64);
	const { binding_signature } = await build({ ...transfer(0, 1), spends: [spend, spend] });
	expect(binding_signature).toEqual(new Uint8Array(64));
});

test("lists of a transfer stand where their words say", async () => {
	const parameters = await build(transfer(2, 2));
	const data = fromHex(parameters.trigger_contract_input);
	const wordAt = (at: number) => Number(BigInt(`0x${toHex(data.subarray(at, at + 32))}`));
	const [spends, signatures, outputs, texts] = [0, 32, 64, 160].map(wordAt) as [
		number,
		number,
		number,
		number,
	];
	expect([spends, signatures, outputs, texts].map(wordAt)).toEqual([2, 2, 2, 2]);
	expect(toHex(data.subarray(spends + 32, spends + 64))).toBe(
		toHex(parameters.spend_description[0]?.nullifier as Uint8Array),
	);
	expect(toHex(data.subarray(signatures + 96, signatures + 160))).toBe(
		toHex(parameters.spend_description[1]?.spend_authority_signature as Uint8Array),
	);
	expect(toHex(data.subarray(outputs + 320, outputs + 352))).toBe(
		toHex(parameters.receive_description[1]?.note_commitment as Uint8Array),
	);
	expect(toHex(data.subarray(texts + 32, texts + 612))).toBe(
		toHex(parameters.receive_description[0]?.c_enc as Uint8Array),
	);
});

test("a burn tells its sender amount and receiver", async () => {
	const data = fromHex((await build(burn)).trigger_contract_input);
	const plain = unseal(sender.ovk, data.subarray(512, 592)) as Uint8Array;
	expect(BigInt(`0x${toHex(plain.subarray(0, 32))}`)).toBe(1_000n);
	expect(toHex(plain.subarray(32, 53))).toBe(toHex(payTo));
	expect(toHex(data.subarray(480, 512))).toBe(`${"00".repeat(11)}${toHex(payTo)}`);
});

test("without ask a transfer has no call data and a burn has its sealed text", async () => {
	const { ask: _, ...keys } = sender;
	expect((await build({ ...transfer(1, 1), keys })).trigger_contract_input).toBe("");
	expect((await build({ ...burn, keys })).trigger_contract_input).toHaveLength(160);
	const record = (await build({ ...burn, keys, noncesBurn: true })).trigger_contract_input;
	expect(record).toMatch(/^[0-9a-f]{184}00000001$/);
	expect((await build({ ...mint, keys })).trigger_contract_input).toHaveLength(2 * 1056);
});

test.each([
	["mint", 0n, "require the value be positive"],
	["burn", 0n, "the value must be positive"],
	["transfer", 1n, "invalid transfer input number"],
	["mint", 1n, "Index: 0"],
	["burn", 1n, "Index: 0"],
])("call data of a %s that can't be made is refused", (kind, rawValue, message) => {
	const parameters = ShieldedORC20Parameters.create({ parameter_type: kind });
	const call = { rawValue, burnText: new Uint8Array(80), payTo, signatures: [] };
	expect(() => encodeTriggerInput(parameters, call)).toThrow(message);
});
