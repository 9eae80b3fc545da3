import { expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { GROUP_ORDER, littleBytes } from "../../../src/protocol/sapling/jubjub.js";
import { noteCommitment } from "../../../src/protocol/sapling/note.js";
import {
	agreeOnKey,
	ephemeralKey,
	openNote,
	openSentNote,
	outgoingKey,
	seal,
	sealNote,
	sealOutgoing,
	unseal,
} from "../../../src/protocol/sapling/note-encryption.js";
import { KEYS } from "./vectors.js";

const present = (bytes: Uint8Array | undefined): Uint8Array => {
	if (!bytes) throw new Error("nothing was made");
	return bytes;
};

const [keys, other] = KEYS;
const note = {
	diversifier: fromHex(keys.diversifier),
	transmissionKey: fromHex(keys.address),
	value: 12_345n,
	randomness: littleBytes(77n),
};
const secret = littleBytes(1_234_567n);
const cm = present(noteCommitment(note));
const cv = new Uint8Array(32).fill(7);
const epk = present(ephemeralKey(note.diversifier, secret));
const forReceiver = present(sealNote(note, utf8("for lunch"), secret));
const forSender = sealOutgoing(outgoingKey(fromHex(keys.ovk), cv, cm, epk), note.transmissionKey, secret);

test("two parties agree on the key of the network's library", () => {
	const point = fromHex("11f3701326cda3e61bb83490ed3de05960d56985a4031a876d8c899345919843");
	const scalar = fromHex("49e83d29a922f83da17a08e4a6be84d5d007752c2394b66fed456c5ef2e82706");
	expect(toHex(present(agreeOnKey(point, scalar)))).toBe(
		"6d76e9881454e5f3e6991b042442e3e66d61dade7f10b9c5a89ba77bc24e3c6d",
	);
	expect(agreeOnKey(point, littleBytes(GROUP_ORDER))).toBeUndefined();
	expect(agreeOnKey(new Uint8Array(32).fill(0xff), scalar)).toBeUndefined();
});

test("receiver and sender open a note, and nobody else", () => {
	expect(forReceiver.length).toBe(580);
	expect(forSender.length).toBe(80);
	const opened = openNote(fromHex(keys.ivk), epk, forReceiver, cm);
	expect(opened?.note.value).toBe(note.value);
	for (const part of ["diversifier", "transmissionKey", "randomness"] as const) {
		expect(opened && toHex(opened.note[part])).toBe(toHex(note[part]));
	}
	expect(opened && Buffer.from(opened.memo).toString().replace(/\0+$/, "")).toBe("for lunch");
	const sent = { cv, cm, epk, forReceiver, forSender };
	expect(openSentNote(fromHex(keys.ovk), sent)).toEqual(
		opened && { ...opened, note: { ...opened.note, transmissionKey: expect.anything() } },
	);
	expect(openNote(fromHex(other.ivk), epk, forReceiver, cm)).toBeUndefined();
	expect(openSentNote(fromHex(other.ovk), sent)).toBeUndefined();
	expect(openSentNote(fromHex(keys.ovk), { ...sent, cv: cm })).toBeUndefined();
});

test("a note that is not that of the commitment is none", () => {
	const wrong = cm.map((byte, i) => (i === 3 ? byte ^ 1 : byte));
	expect(openNote(fromHex(keys.ivk), epk, forReceiver, wrong)).toBeUndefined();
	const changed = forReceiver.map((byte, i) => (i === 100 ? byte ^ 1 : byte));
	expect(openNote(fromHex(keys.ivk), epk, changed, cm)).toBeUndefined();
});

test("what was sealed opens with its key alone", () => {
	const key = new Uint8Array(32).fill(9);
	const sealed = seal(key, utf8("text"));
	expect(toHex(present(unseal(key, sealed)))).toBe(toHex(utf8("text")));
	expect(unseal(new Uint8Array(32), sealed)).toBeUndefined();
	expect(unseal(key, sealed.subarray(0, 10))).toBeUndefined();
});
