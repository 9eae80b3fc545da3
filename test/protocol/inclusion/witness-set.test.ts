import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import { checkpointNamed } from "../../../src/protocol/inclusion/checkpoints.js";
import {
	InclusionError,
	readWitnessSet,
	setNumber,
	type WitnessSet,
	writeWitnessSet,
} from "../../../src/protocol/inclusion/witness-set.js";
import { type InclusionFacts, inclusionFacts, setOf } from "./real-proof.js";

const payment = inclusionFacts[2] as InclusionFacts;
const main = checkpointNamed("main") as WitnessSet;

describe("a set of witnesses", () => {
	it("of the main network is the one that was recorded there", () => {
		const rows = ({ witnesses }: WitnessSet) =>
			witnesses.map(({ address, key }) => `${toHex(address)} ${toHex(key)}`).sort();
		expect(rows(main)).toEqual(rows(setOf(payment)));
		const last = payment.headers.at(-1);
		expect([setNumber(main), toHex(main.block as Uint8Array)]).toEqual([BigInt(last?.number ?? 0), last?.id]);
		expect(checkpointNamed("nile")).toBe(undefined);
	});

	it("is read as it was written, with what it says of itself or without", () => {
		expect(writeWitnessSet(readWitnessSet(writeWitnessSet(main)))).toBe(writeWitnessSet(main));
		const { witnesses } = main;
		expect(readWitnessSet(writeWitnessSet({ witnesses })).block).toBe(undefined);
	});

	const text = writeWitnessSet(main);
	const [first] = JSON.parse(text).witnesses as [{ address: string }];
	it.each<[string, string, RegExp]>([
		["another format", text.replace("witnesses 1", "witnesses 2"), /format/],
		["not JSON", text.slice(1), /not JSON/],
		["null", "null", /format/],
		["no witness", text.replace(/"witnesses": \[.*\]/s, '"witnesses": []'), /1 to 127/],
		["a witness twice", text.replace(/"address": "T\w+"/g, `"address": "${first.address}"`), /twice/],
		["a wrong address", text.replace(first.address, `${first.address.slice(0, -1)}1`), /not an address/],
		["a block that is none", text.replace(/"block": "0/, '"block": "'), /block is not/],
		["too much", text.padEnd(70_000, " "), /at most/],
	])("with %s is refused", (_, wrong, why) => {
		expect(() => readWitnessSet(wrong)).toThrow(InclusionError);
		expect(() => readWitnessSet(wrong)).toThrow(why);
	});
});
