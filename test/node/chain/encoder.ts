/** Encodings of one message, as other programs might write it. */

import { concatBytes } from "../../../src/protocol/bytes.js";
import type { PQAuthSig } from "../../../src/protocol/messages.js";
import type { Randomness } from "../../simulation/randomness.js";

/** Numbers of a signature's fields. */
const ENTRY = { scheme: 1, publicKey: 2, signature: 3 } as const;

const varint = (value: number, isLong = false): Uint8Array => {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
	if (isLong) bytes.push(rest | 0x80, 0);
	else bytes.push(rest);
	return Uint8Array.from(bytes);
};

/** Fields of one message, each with its tag. */
export class Encoder {
	constructor(private readonly random: Randomness) {}

	private varint(value: number): Uint8Array {
		return varint(value, this.random.chance(0.2));
	}

	number(field: number, value: number): Uint8Array {
		return concatBytes(this.varint(field * 8), this.varint(value));
	}

	bytes(field: number, content: Uint8Array): Uint8Array {
		return concatBytes(this.varint(field * 8 + 2), this.varint(content.length), content);
	}

	/** In any order, those of one number as they stand. */
	message(fields: readonly (readonly Uint8Array[])[]): Uint8Array {
		const waiting = fields.map((line) => [...line]).filter((line) => line.length > 0);
		const out: Uint8Array[] = [];
		while (waiting.length > 0) {
			const at = this.random.below(waiting.length);
			const line = waiting[at] as Uint8Array[];
			out.push(line.shift() as Uint8Array);
			if (line.length === 0) waiting.splice(at, 1);
		}
		return concatBytes(...out);
	}

	/** The lines of a signature's members, some of them with values before that don't count. */
	private lines({ scheme, public_key, signature }: PQAuthSig): (readonly Uint8Array[])[] {
		const wrong = (make: () => Uint8Array): readonly Uint8Array[] =>
			this.random.chance(0.3) ? [make()] : [];
		return [
			[...wrong(() => this.number(ENTRY.scheme, this.random.below(3))), this.number(ENTRY.scheme, scheme)],
			...[[ENTRY.publicKey, public_key] as const, [ENTRY.signature, signature] as const].map(
				([field, value]) => [
					...wrong(() => this.bytes(field, this.random.bytes(7))),
					this.bytes(field, value),
				],
			),
		];
	}

	entry(entry: PQAuthSig): Uint8Array {
		return this.message(this.lines(entry));
	}

	/** The same in one occurrence or more, which merge. */
	occurrences(field: number, entry: PQAuthSig): readonly Uint8Array[] {
		return this.random.chance(0.5)
			? [this.bytes(field, this.entry(entry))]
			: this.lines(entry).flatMap((line) => line.map((one) => this.bytes(field, one)));
	}
}
