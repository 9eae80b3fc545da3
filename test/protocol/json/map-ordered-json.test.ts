import { expect, it } from "vitest";
import type { MessageType } from "../../../src/protocol/codec/descriptor.js";
import { spell } from "../../../src/protocol/dialect.js";
import { fieldOrder, hashOrdered } from "../../../src/protocol/json/map-ordered-json.js";
import * as messages from "../../../src/protocol/messages.js";

const self = (name: string): string => name;

it("no message has so many fields in a bucket that it could grow or become a tree for them", () => {
	const types = Object.values(messages).filter((one) => "fields" in one) as unknown as MessageType<never>[];
	expect(types.length).toBeGreaterThan(200);
	for (const { typeName, fields } of types) {
		for (const dialect of ["neutral", "deployed"] as const) {
			const names = fields.map(({ name }) => spell(name, dialect));
			// Each capacity that the message can come to: with as many of its fields as fit.
			for (let capacity = 16; capacity <= 128; capacity *= 2) {
				const some = names.slice(0, capacity * 0.75);
				const least =
					some.length > capacity * 0.375 ? some : names.slice(0, Math.floor(capacity * 0.375) + 1);
				if (capacity > 16 && least.length <= capacity * 0.375) continue;
				expect(hashOrdered(least, self), `${typeName} ${capacity}`).toEqual(
					fieldOrder(least, self, capacity),
				);
			}
		}
	}
});

it("nine names of one bucket make the map grow before their number does", () => {
	const hashOf = (name: string) => [...name].reduce((hash, c) => (31 * hash + c.charCodeAt(0)) | 0, 0);
	const slotOf = (name: string, capacity: number) => (hashOf(name) ^ (hashOf(name) >>> 16)) & (capacity - 1);
	const all = Array.from({ length: 5000 }, (_, i) => `n${i}`);
	const nine = all
		.filter((name) => slotOf(name, 16) === 3)
		.slice(0, 9)
		.reverse();
	expect(hashOrdered(nine.slice(0, 8), self)).toEqual(nine.slice(0, 8));
	const low = nine.filter((name) => slotOf(name, 32) === 3);
	expect(low.length).toBeGreaterThan(0);
	expect(hashOrdered(nine, self)).toEqual([...low, ...nine.filter((name) => !low.includes(name))]);
	expect(hashOrdered(nine, self)).not.toEqual(nine);
});
