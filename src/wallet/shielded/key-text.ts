/**
 * Text forms of shielded keys: a spending key as 64 hexadecimal digits; any keys as JSON with the member
 * names of the network's own methods (`sk`, `ak`, `nk`, `ovk`, `ivk`, `d`), whose responses can thus be read.
 */

import { fromHex, toHex } from "../../protocol/bytes.js";
import {
	keysOfIncomingKey,
	keysOfSpendingKey,
	keysOfViewingKey,
	type ShieldedKeys,
} from "../../protocol/sapling/key-set.js";
import { DIVERSIFIER_SIZE, KEY_SIZE } from "../../protocol/sapling/sizes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member, readJson } from "../json.js";

/**
 * Reads keys. The most powerful one given is used; error messages never repeat the text.
 * @throws {Failure} `bad_value`
 */
export function readShieldedKeys(text: string): ShieldedKeys {
	const trimmed = text.trim();
	const keys = trimmed.startsWith("{") ? keysOfRecord(recordOf(trimmed)) : spendingKeys(trimmed);
	if (!keys)
		throw new Failure("bad_value", "these are not keys that the network uses: nothing follows from them");
	return keys;
}

function spendingKeys(text: string): ShieldedKeys | undefined {
	const digits = text.replace(/^0x/i, "");
	if (!/^[0-9a-f]{64}$/i.test(digits))
		throw new Failure(
			"bad_value",
			`a spending key is 64 hexadecimal digits, and viewing keys are JSON; this text has ${digits.length} characters`,
		);
	return keysOfSpendingKey(Uint8Array.from(fromHex(digits)));
}

function recordOf(text: string): JsonRecord {
	let json: Json;
	try {
		json = readJson(text);
	} catch {
		throw new Failure("bad_value", "the keys are not valid JSON");
	}
	if (!isRecord(json)) throw new Failure("bad_value", "the keys are not a JSON object");
	return json;
}

function keysOfRecord(record: JsonRecord): ShieldedKeys | undefined {
	const part = (name: string, length = KEY_SIZE): Uint8Array | undefined => {
		const value = member(record, name);
		if (value === undefined) return undefined;
		if (typeof value !== "string" || !new RegExp(`^[0-9a-f]{${2 * length}}$`, "i").test(value))
			throw new Failure(
				"bad_value",
				`the member ${name} of the keys is not ${2 * length} hexadecimal digits`,
			);
		return Uint8Array.from(fromHex(value));
	};
	const [sk, ak, nk, ovk, ivk] = ["sk", "ak", "nk", "ovk", "ivk"].map((name) => part(name));
	const d = part("d", DIVERSIFIER_SIZE);
	if (sk) return keysOfSpendingKey(sk);
	if (ak && nk && ovk) return keysOfViewingKey(ak, nk, ovk, d);
	if (ivk) return keysOfIncomingKey(ivk, ovk, d);
	throw new Failure("bad_value", "the keys have neither sk, nor ak, nk and ovk, nor ivk");
}

/** Viewing keys as one line of JSON. They reveal incoming and outgoing payments, but can't spend. */
export function viewingKeyText({ full, ivk, ovk, diversifier }: ShieldedKeys): string {
	return JSON.stringify({
		...(full ? { ak: toHex(full.ak), nk: toHex(full.nk) } : { ivk: toHex(ivk) }),
		...(ovk ? { ovk: toHex(ovk) } : {}),
		d: toHex(diversifier),
	});
}
