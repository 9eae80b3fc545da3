import { expect, it } from "vitest";
import { readStorageLayout, slotOfKey, wordOf } from "../../../src/abi/storage-layout.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { readAddress } from "../../../src/wallet/values/address-text.js";
import type { CallNode } from "../../../src/wallet/view/call-tree.js";
import { walletForms } from "../../../src/wallet/view/contract-storage.js";
import { storageChanges } from "../../../src/wallet/view/storage-changes.js";

const number = { encoding: "inplace", label: "uint256", numberOfBytes: "32" };
const mapping = (key: string, value: string) => ({ encoding: "mapping", numberOfBytes: "32", key, value });
/** `uint256 count; mapping(address => mapping(uint256 => uint256)) notes;` */
const layout = readStorageLayout({
	storage: [
		{ label: "count", slot: "0", offset: 0, type: "t_uint256" },
		{ label: "notes", slot: "1", offset: 0, type: "t_outer" },
	],
	types: {
		t_uint256: number,
		t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
		t_outer: { ...mapping("t_address", "t_inner"), label: "mapping(address => mapping(uint256 => uint256))" },
		t_inner: { ...mapping("t_uint256", "t_uint256"), label: "mapping(uint256 => uint256)" },
	},
});
const forms = walletForms((text) => {
	const address = readAddress(text);
	return address && toHex(address.subarray(1));
});
const ann = "11".repeat(20);
const vault = "22".repeat(20);
const call = {
	from: fromHex(ann),
	to: fromHex(vault),
	input: new Uint8Array(4),
	inner: [],
} as unknown as CallNode;

it("names a nested mapping's value whose key is a counter in the storage", async () => {
	const outer = slotOfKey(1n, "address", forms.write(ann), forms) as bigint;
	const inner = slotOfKey(outer, "uint256", "7", forms) as bigint;
	const state = (count: bigint, note: bigint) => ({
		[`0x${vault}`]: {
			storage: { [`0x${wordOf(0n)}`]: `0x${wordOf(count)}`, [`0x${wordOf(inner)}`]: `0x${wordOf(note)}` },
		},
	});
	const changes = await storageChanges(
		{ pre: state(7n, 0n), post: state(8n, 5n) },
		call,
		async (address) => (toHex(address) === `41${vault}` ? layout : undefined),
		forms,
	);
	expect(changes).toMatchObject([
		{ variable: "count", before: "7", after: "8" },
		{ variable: `notes[${forms.write(ann)}][7]`, before: "0", after: "5" },
	]);
});
