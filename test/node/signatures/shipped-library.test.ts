import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openWasmEngine } from "../../../src/node/signatures/wasm-engine.js";
import { addressOfPrivateKey } from "../../../src/protocol/signature.js";

const folder = "src/node/signatures";
const path = `${folder}/recovery.linux-x64.node`;
const compiled = ["recovery.linux-x64.node", "recovery.linux-arm64.node", "recovery.wasm"];

test.each(compiled)("%s is the file that is recorded beside its source", (name) => {
	const record = readFileSync("crates/signature-recovery/library.txt", "utf8");
	const bytes = readFileSync(`${folder}/${name}`);
	expect(record).toContain(
		`sha256 ${createHash("sha256").update(bytes).digest("hex")} ${name} ${bytes.length}\n`,
	);
});

test.each(compiled.slice(0, 2))("%s asks for no library and no version of one", (name) => {
	const asked = readFileSync(`${folder}/${name}`)
		.toString("latin1")
		.match(/GLIBC_[\d.]+|GCC_[\d.]+|lib(c|m|gcc_s|stdc\+\+|dl|pthread)\.so/g);
	expect(asked).toBeNull();
});

describe("the module", () => {
	const { recover, recoverSigners, checkSigners, isPoint, sign } = openWasmEngine(`${folder}/recovery.wasm`);
	const bytes = (length: number): Uint8Array => new Uint8Array(length);

	test.each<[string, () => unknown]>([
		["recover of a short hash", () => recover(bytes(31), bytes(64), 0)],
		["signers of a part of a question", () => recoverSigners?.(bytes(96), 0x41, bytes(86))],
		["signers into too few answers", () => recoverSigners?.(bytes(194), 0x41, bytes(86))],
		["a part of a claim", () => checkSigners?.(bytes(114), bytes(64))],
		["more claims than it has room for", () => checkSigners?.(bytes(513 * 115), bytes(64))],
		["more keys than claims", () => checkSigners?.(bytes(115), bytes(128))],
		["a point of 32 bytes", () => isPoint(bytes(32))],
		["sign with a short key", () => sign(bytes(32), bytes(31).fill(1))],
	])("refuses %s", (_, call) => {
		expect(call).toThrow(TypeError);
	});

	test("answers more questions than it has room for", () => {
		const hash = bytes(32).fill(1);
		const { signature, recid } = sign(hash, bytes(32).fill(2));
		const question = Uint8Array.of(...hash, ...signature, recid + 27);
		const questions = Buffer.concat(Array(600).fill(question));
		const answers = bytes(600 * 86);
		recoverSigners?.(questions, 0x41, answers);
		const key = recover(hash, signature, recid) as Uint8Array;
		const signer = Uint8Array.of(1, ...addressOfPrivateKey(bytes(32).fill(2)), ...key.subarray(1));
		expect(Buffer.concat(Array(600).fill(signer)).equals(answers)).toBe(true);
	});
});

describe.runIf(process.platform === "linux" && process.arch === "x64")("its functions", () => {
	type Call = (...values: unknown[]) => unknown;
	const { recover, recoverSigners, checkSigners, checkRoom, isPoint, sign } = createRequire(import.meta.url)(
		resolve(path),
	) as Record<"recover" | "recoverSigners" | "checkSigners" | "checkRoom" | "isPoint" | "sign", Call>;
	const bytes = (length: number): Uint8Array => new Uint8Array(length);

	test.each<[string, () => unknown]>([
		["recover of a short hash", () => recover(bytes(31), bytes(64), 0, bytes(65))],
		["recover into too little", () => recover(bytes(32), bytes(64), 0, bytes(64))],
		["recover of nothing", () => recover()],
		["recover of numbers", () => recover(1, 2, 3, 4)],
		["recover of wider elements", () => recover(new Uint16Array(32), bytes(64), 0, bytes(65))],
		["signers of a part of a question", () => recoverSigners(bytes(96), 0x41, bytes(86))],
		["signers into too few answers", () => recoverSigners(bytes(194), 0x41, bytes(86))],
		["signers with a prefix above a byte", () => recoverSigners(bytes(97), 256, bytes(86))],
		["claims in too little room", () => checkSigners(bytes(115), bytes(64), bytes(1000))],
		["no claims", () => checkSigners(bytes(0), bytes(64), bytes(checkRoom() as number))],
		["a point of 32 bytes", () => isPoint(bytes(32))],
		["sign into too little", () => sign(bytes(32), bytes(32).fill(1), bytes(63))],
	])("refuse %s", (name, call) => {
		if (name === "recover into too little") {
			// Found out only where there is something to write.
			expect(call()).toBe(0);
			const made = bytes(64);
			const recovery = sign(bytes(32), bytes(32).fill(1), made);
			expect(() => recover(bytes(32), made, recovery, bytes(64))).toThrow(TypeError);
		} else {
			expect(call).toThrow(TypeError);
		}
	});

	test.each([
		["a part of a claim", 114, 64],
		["a part of a key", 115, 63],
		["more claims than there is room for", 513 * 115, 64],
		["more keys than claims", 115, 128],
		["claims without a signature", 115, 64],
	])("hold %s for wrong", (_, claims, keys) => {
		expect(checkSigners(bytes(claims), bytes(keys), bytes(checkRoom() as number))).toBe(0);
	});

	test("read and write through views of one buffer", () => {
		const memory = new Uint8Array(300);
		memory.fill(1, 40, 72);
		expect(sign(memory.subarray(8, 40), memory.subarray(40, 72), memory.subarray(8, 72))).toBeTypeOf(
			"number",
		);
		expect(isPoint(memory.subarray(0, 33))).toBe(0);
	});
});
