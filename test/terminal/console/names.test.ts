import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { expect, it } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { runScript } from "../../../src/terminal/console/console-prompt.js";
import type { ConsoleChain } from "../../../src/terminal/console/contract-object.js";
import { consoleNames } from "../../../src/terminal/console/names.js";
import { Operations } from "../../../src/terminal/console/operations.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { answering } from "../../wallet/answering-client.js";

const BOB = fromHex(`41${"22".repeat(20)}`);

type Send = (to: string, amount: unknown, options?: object) => Promise<unknown>;

/** The console's `send`, which answers with the plan that it would carry out. */
async function sender(account: JsonRecord): Promise<Send> {
	const settings = {
		tokens: { gold: "1000001" },
		contactsFile: "/nowhere/contacts",
		keystoreDirectory: "/nowhere/keystore",
	};
	const answers = { getaccount: account, getassetissuebyid: { id: "1000001", precision: 6n } };
	const { client } = answering(answers, settings);
	const actor = { client, settings, owner: fromHex(`41${"11".repeat(20)}`), account: {} };
	const perform = async (_: unknown, plan: (actor: object) => Promise<object>) => await plan(actor);
	const chain = { client, settings, operations: new Operations(), from: () => undefined, perform };
	const { globals } = await consoleNames(chain as unknown as ConsoleChain, () => undefined);
	return globals["send"] as Send;
}

it("sends tokens in their own units alone: an amount of coins isn't one of them", async () => {
	const send = await sender({});
	const to = toBase58Check(BOB);
	for (const [amount, said] of [
		[100_000n, '"0.1coin" is an amount of coin, not of gold'],
		[1n, '"0.000001coin" is an amount of coin, not of gold'],
		[5, "needs an amount with its unit"],
		["0.1coin", "is an amount of coin, not of"],
	] as const)
		await expect(send(to, amount, { token: "gold" })).rejects.toThrow(said);
	expect(await send(to, "0.1", { token: "gold" })).toMatchObject({ parameter: { amount: 100_000n } });
	expect(await send(to, "0.1@gold")).toMatchObject({ parameter: { amount: 100_000n } });
	expect(await send(to, 100_000n)).toMatchObject({
		type: { name: "TransferContract" },
		parameter: { amount: 100_000n },
	});
	await expect(send(to, 1n, { form: "carol" })).rejects.toThrow('"form" is not an option');
});

it("pays no contract unless it is told to", async () => {
	const send = await sender({ address: `41${"22".repeat(20)}`, type: "Contract" });
	const to = toBase58Check(BOB);
	await expect(send(to, 1n)).rejects.toThrow("the recipient is a contract");
	expect(await send(to, 1n, { force: true })).toMatchObject({ type: { name: "TransferContract" } });
});

it("prints accounts and contracts, and writes them in texts by their address", async () => {
	const folder = await mkdtemp(join(tmpdir(), "console-names-"));
	const [dev, store] = ["11", "22"].map((digits) => toBase58Check(fromHex(`41${digits.repeat(20)}`)));
	const contactsFile = join(folder, "contacts");
	const contacts = [
		{ label: "dev", address: dev },
		{ label: "store", address: store },
	];
	await writeFile(contactsFile, JSON.stringify(contacts));
	const settings = { contactsFile, keystoreDirectory: join(folder, "keystore"), http: "http://node" };
	const functions = ["value", "abi"].map((name) => ({ type: "Function", name, stateMutability: "View" }));
	const abi = { entrys: functions };
	const { client } = answering(
		{ getcontract: ({ value }) => (value === `41${"22".repeat(20)}` ? { abi } : {}) },
		settings,
	);
	const send = async () => ({ status: 404, body: new Uint8Array() });
	const operations = new Operations();
	const chain = {
		client: Object.assign(client, { send, baseUrl: () => "http://node" }),
		settings,
		operations,
		from: () => undefined,
	};
	const { globals } = await consoleNames(chain as unknown as ConsoleChain, () => undefined);
	const script = async (source: string): Promise<string> => {
		let said = "";
		const print = (text: string): void => {
			said += `${text}\n`;
		};
		const terminal = {
			input: Readable.from([Buffer.from(source)]),
			output: new Writable(),
			history: undefined,
		};
		await runScript({ ...terminal, print, note: print }, globals, operations);
		return said;
	};
	const shown = `contract store ${store}\n  value() view\n  abi() view`;
	for (const [source, said] of [
		["help", expect.stringMatching(/coin contract deploy …: await contract\("T…"\) takes them up/)],
		["dev", `account dev ${dev}`],
		["store", shown],
		["contracts.store", shown],
		[`await contract("${store}")`, shown.replace("store", String(store))],
		['await contract("dev", "store")', shown.replace(`store ${store}`, `dev ${dev}`)],
		['await contract("dev", store)', shown.replace(`store ${store}`, `dev ${dev}`)],
		[
			'await contract("dev", { address: store.address, abi: [{ type: "function", name: "own", inputs: [] }] })',
			`contract dev ${dev}\n  own()`,
		],
		["accounts", `accounts:\n  dev ${dev}`],
		["contracts", `contracts:\n  store ${store}`],
		["console.log(accounts)", `accounts:\n  dev ${dev}`],
		["console.log('%s', store)", `${store}`],
		["({ dev })", `{ dev: account dev ${dev} }`],
		[`\`to \${dev} and \${store}\` + dev`, `to ${dev} and ${store}${dev}`],
		["String(accounts)", `accounts:\n  dev ${dev}`],
		["JSON.stringify(dev)", `{"address":"${dev}"}`],
		["[store.toString(), store.href]", `[ '${store}', undefined ]`],
		["console.log([dev.send])", "[ [Function: dev.send] ]"],
	] as const)
		expect((await script(source)).replace(/\n$/, ""), source).toEqual(said);
	await expect(script("dev.sned")).rejects.toMatchObject({ facts: { hint: "did you mean send?" } });
	await rm(folder, { recursive: true });
});

it("looks up contacts that are known to be contracts before others, of which there may be too many", async () => {
	const folder = await mkdtemp(join(tmpdir(), "console-names-"));
	const contactsFile = join(folder, "contacts");
	const contacts = Array.from({ length: 70 }, (_, at) => ({
		label: `a${at + 10}`,
		address: toBase58Check(fromHex(`41${String(at + 10).repeat(20)}`)),
		...(at === 69 ? { contract: "00" } : {}),
	}));
	await writeFile(contactsFile, JSON.stringify(contacts));
	const settings = { contactsFile, keystoreDirectory: join(folder, "keystore"), http: "http://node" };
	const abi = { entrys: [{ type: "Function", name: "value", stateMutability: "View" }] };
	const { client, asked } = answering(
		{ getcontract: ({ value }) => (value === `41${"79".repeat(20)}` ? { abi } : {}) },
		settings,
	);
	const send = async () => ({ status: 404, body: new Uint8Array() });
	const chain = {
		client: Object.assign(client, { send, baseUrl: () => "http://node" }),
		settings,
		operations: new Operations(),
		from: () => undefined,
	};
	const { globals, contracts } = await consoleNames(chain as unknown as ConsoleChain, () => undefined);
	expect([contracts, Object.keys(globals["contracts"] as object)]).toEqual([1, ["a79"]]);
	expect(new Set(asked.map(({ request }) => request["value"])).size).toBe(64);
	await rm(folder, { recursive: true });
});
