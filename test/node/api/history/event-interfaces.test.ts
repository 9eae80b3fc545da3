/** Whose interface events of the history are read by: the order of all commands, through proxies. */

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { PROXY_SLOTS } from "../../../../src/abi/proxy.js";
import { executions } from "../../../../src/node/scheduling/call-queue.js";
import { fromBase58Check } from "../../../../src/protocol/address.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { DevelopmentNode, type Json, STORE, setArguments, word } from "../development/development-node.js";

let chain: DevelopmentNode;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentNode.start();
	store = await chain.deploy(STORE, word(42));
});
afterAll(() => chain.stop());

const digitsOf = (contract: string): string => toHex(fromBase58Check(contract) as Uint8Array).slice(2);

/** Deploys runtime code. */
const deployCode = (code: string): Promise<string> =>
	chain.deploy({
		contractName: "",
		abi: [],
		bytecode: `60${(code.length / 2).toString(16)}80600b6000396000f3${code}`,
	});

/** Names of the values, as the event of a transaction has them: asked by contract, by name, by transaction and by block. */
async function namesOf(contract: string): Promise<readonly string[]> {
	const { txid } = await chain.trigger(contract, "set(uint256,string)", setArguments(7));
	const names: string[] = [];
	for (const path of [
		`contracts/${contract}/events?limit=1`,
		`contracts/${contract}/events?event_name=Changed&limit=1`,
		`transactions/${String(txid)}/events`,
		"blocks/latest/events",
	]) {
		const { data } = (await (await chain.get(`/v1/${path}`)).json()) as { readonly data: readonly Json[] };
		names.push(Object.keys((data[0]?.["result_type"] ?? {}) as object).join());
	}
	return [...new Set(names)];
}

const RECORDED = "by,value,note";

/** A proxy that isn't a minimal one, as what is behind that stands in its code: what is in the slot alone says what is known of it. */
async function proxyOf(slot: keyof typeof PROXY_SLOTS, address: string): Promise<string> {
	const proxy = await deployCode(`5b363d3d373d3d3d363d73${digitsOf(store)}5af43d82803e903d91602c57fd5bf3`);
	await chain.result("dev_setStorageAt", [
		proxy,
		PROXY_SLOTS[slot],
		`0x${word(BigInt(`0x${digitsOf(address)}`))}`,
	]);
	return proxy;
}

/** A contract that answers every call with an address. */
const beaconOf = (address: string): Promise<string> => deployCode(`73${digitsOf(address)}60005260206000f3`);

it("is that of the contract itself", async () => {
	expect(await namesOf(store)).toEqual([RECORDED]);
});

it.each([
	["minimal", () => deployCode(`363d3d373d3d3d363d73${digitsOf(store)}5af43d82803e903d91602b57fd5bf3`)],
	["EIP-1967", () => proxyOf("implementation", store)],
	["EIP-1822", () => proxyOf("proxiable", store)],
	["beacon", async () => proxyOf("beacon", await beaconOf(store))],
])("of a proxy is that of the contract behind it: %s", async (_, proxy) => {
	expect(await namesOf(await proxy())).toEqual([RECORDED]);
});

it("is asked of a beacon in a turn of the client that names an event", async () => {
	const proxy = await proxyOf("beacon", await beaconOf(store));
	const turns = vi.spyOn(executions, "run");
	await chain.get(`/v1/contracts/${proxy}/events?event_name=Changed`);
	expect(turns).toHaveBeenCalledOnce();
	turns.mockRestore();
});

it("of a proxy of a beacon that doesn't end is none", async () => {
	const endless = await deployCode("5b600056");
	expect(await namesOf(await proxyOf("beacon", endless))).toEqual([""]);
});

it("is the stored source before the chain's record", async () => {
	const shop = await chain.deploy(STORE, word(1));
	const abi = STORE.abi.map((item) => {
		const { type, inputs = [] } = item as { readonly type: string; readonly inputs?: readonly object[] };
		return type === "event"
			? { ...item, inputs: inputs.map((input, i) => ({ ...input, name: `stored${i}` })) }
			: item;
	});
	const source = {
		contract: "Store.sol:Store",
		compiler: "0.8.37",
		match: "exact",
		language: "Solidity",
		settings: {},
		sources: {},
		abi,
	};
	await chain.result("dev_setContractSource", [`41${digitsOf(shop)}`, JSON.stringify(source)]);
	expect(await namesOf(shop)).toEqual(["stored0,stored1,stored2"]);
});
