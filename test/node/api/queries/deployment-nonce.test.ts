import { expect, test } from "vitest";
import { nextNonce } from "../../../../src/node/api/queries/deployment-nonce.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { readBe64, toKey } from "../../../../src/protocol/bytes.js";
import { contractAddressByNonce } from "../../../../src/protocol/deployment.js";

const OWNER = new Uint8Array(21).fill(0x41);
const idOf = (number: bigint, branch: number): Uint8Array => new Uint8Array(32).fill(Number(number) + branch);

test("nonces are counted from where they were counted before, unless the chain was put back behind it", () => {
	const deployed = new Set<string>();
	let [head, branch, looked] = [0n, 0, 0];
	const state = {
		account: {
			has: (address: Uint8Array) => {
				looked++;
				return deployed.has(toKey(address));
			},
		},
		blockIndex: {
			get: (key: Uint8Array) => (readBe64(key) <= head ? idOf(readBe64(key), branch) : undefined),
		},
		properties: {
			get headNumber() {
				return head;
			},
			get headId() {
				return idOf(head, branch);
			},
		},
	} as unknown as StateView;
	const next = (): readonly [nonce: number, looked: number] => {
		looked = 0;
		return [nextNonce(state, OWNER), looked];
	};
	for (let nonce = 0; nonce < 100; nonce++) deployed.add(toKey(contractAddressByNonce(OWNER, nonce)));
	head = 5n;
	expect(next()[0]).toBe(100);
	deployed.add(toKey(contractAddressByNonce(OWNER, 100)));
	head = 6n;
	expect(next()[0]).toBe(101);
	expect(looked).toBeLessThan(6);
	// A snapshot of before the last blocks, then another block in their place.
	head = 5n;
	deployed.delete(toKey(contractAddressByNonce(OWNER, 100)));
	deployed.delete(toKey(contractAddressByNonce(OWNER, 40)));
	expect(next()[0]).toBe(40);
	branch = 100;
	deployed.delete(toKey(contractAddressByNonce(OWNER, 7)));
	expect(next()[0]).toBe(7);
});
