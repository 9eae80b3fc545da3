/** The interface against the shapes of protocol/history §§3 to 6, on a development chain with transfers, tokens and calls. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromBase58Check } from "../../../../src/protocol/address.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { noPostgresql, Schemas } from "../../history/postgresql/schemas.js";
import { type Artifact, DevelopmentNode, type Json, word } from "../development/development-node.js";
import { POOR_HEX, RICH_HEX, startHttpNode } from "../http-node.js";

const COUPON = JSON.parse(
	readFileSync(new URL("../../../clients/contracts/Coupon.json", import.meta.url), "utf8"),
) as Artifact;

interface Page {
	readonly data: Json[];
	readonly success: boolean;
	readonly meta: Json & { readonly fingerprint?: string; readonly links?: { readonly next: string } };
}

let chain: DevelopmentNode;
let token: string;
let anna: string;
let bert: string;
let carl: string;
const payments: string[] = [];
let call = "";
let assetId = "";
let assetCall = "";

const hexOf = (address: string): string => toHex(fromBase58Check(address) ?? new Uint8Array());
const bareWord = (address: string): string => hexOf(address).slice(2).padStart(64, "0");

/** A chain with some of everything. */
async function begin(directory: string | undefined, settings: string): Promise<void> {
	payments.length = 0;
	const flags = directory === undefined ? {} : { "output-directory": directory };
	chain = await DevelopmentNode.start(flags, settings);
	[anna, bert, carl] = [0, 1, 2].map((index) => chain.account(index).address) as [string, string, string];
	const name = `${word(6)}${Buffer.from("Coupon").toString("hex").padEnd(64, "0")}`;
	token = await chain.deploy(COUPON, word(64) + word(1_000_000) + name);
	const start_time = Date.now() + 86_400_000;
	await chain.act("createassetissue", {
		name: "Gold",
		abbr: "GLD",
		total_supply: 1000,
		trx_num: 1,
		num: 1,
		precision: 2,
		start_time,
		end_time: start_time + 86_400_000,
		description: "a token",
		url: "http://gold.example",
	});
	const issued = (await chain.post("/wallet/getaccount", { address: anna, visible: true })) as Json;
	assetId = String(issued["asset_issued_ID"]);
	const moved = { to_address: bert, asset_name: assetId, amount: 5 };
	assetCall = String((await chain.act("transferasset", moved))["txid"]);
	for (const amount of [1, 2, 3]) {
		const { txid } = await chain.act("createtransaction", { to_address: bert, amount });
		payments.push(String(txid));
	}
	if (directory !== undefined) {
		// What is final is in the store now, and what is read of it comes from there.
		await chain.stop();
		chain = await DevelopmentNode.start(flags, settings);
	}
	await chain.result("dev_setSolidLag", [2]);
	const back = { owner_address: bert, to_address: anna, amount: 4 };
	payments.push(String((await chain.act("createtransaction", back, chain.account(1)))["txid"]));
	call = String((await chain.trigger(token, "transfer(address,uint256)", bareWord(carl) + word(7)))["txid"]);
}

const STORES = [
	["memory", undefined],
	["LevelDB", undefined],
	["PostgreSQL", noPostgresql],
] as const;

async function page(path: string): Promise<Page> {
	const answer = await chain.get(
		path.startsWith("http") ? new URL(path).pathname + new URL(path).search : `/v1/${path}`,
	);
	expect({ path, status: answer.status }).toEqual({ path, status: 200 });
	return (await answer.json()) as Page;
}

async function refusal(path: string): Promise<{ readonly status: number; readonly text: string }> {
	const answer = await chain.get(`/v1/${path}`);
	return { status: answer.status, text: await answer.text() };
}

const ids = ({ data }: Page): unknown[] => data.map((row) => row["txID"] ?? row["transaction_id"]);

describe.each(STORES)("with the history in %s", (where, missing) => {
	describe.skipIf(missing)(missing ?? "it answers", () => {
		let schemas: Schemas | undefined;
		let directory: string | undefined;
		beforeAll(async () => {
			if (where !== "memory") directory = mkdtempSync(join(tmpdir(), "coin-routes-"));
			if (where === "PostgreSQL") schemas = await Schemas.open();
			const address = schemas?.next();
			const database = address ? `database = "${address.url}", schema = ${address.schema}` : "";
			await begin(directory, `storage {}, node.history { ${database} }`);
		});
		afterAll(async () => {
			await chain.stop();
			await schemas?.close();
			if (directory) rmSync(directory, { recursive: true, force: true });
		});

		describe("the transactions of an account", () => {
			it("have the members of the gateway", async () => {
				const { data, success, meta } = await page(
					`accounts/${bert}/transactions?limit=1&order_by=block_timestamp,asc`,
				);
				expect(success).toBe(true);
				expect(meta).toEqual({
					at: expect.any(Number),
					fingerprint: expect.any(String),
					links: { next: expect.stringContaining("fingerprint=") },
					page_size: 1,
				});
				const [row] = (await page(`transactions/../accounts/${bert}/transactions?only_to=true`)).data.slice(
					-1,
				);
				expect(data).toHaveLength(1);
				expect(row).toMatchObject({
					txID: expect.stringMatching(/^[0-9a-f]{64}$/),
					raw_data_hex: expect.stringMatching(/^[0-9a-f]+$/),
					raw_data: { contract: [{ type: "TransferContract" }] },
					ret: [{ contractRet: "SUCCESS", fee: 0 }],
					blockNumber: expect.any(Number),
					block_timestamp: expect.any(Number),
					net_usage: expect.any(Number),
					net_fee: 0,
					energy_usage: 0,
					energy_fee: 0,
					energy_usage_total: 0,
					internal_transactions: [],
				});
				const paid = (await page(`accounts/${bert}/transactions`)).data.find(
					({ txID }) => txID === payments[0],
				);
				expect(paid).toMatchObject({
					signature: [expect.stringMatching(/^[0-9a-f]{130}$/)],
					raw_data: {
						contract: [
							{ parameter: { value: { owner_address: hexOf(anna), to_address: hexOf(bert), amount: 1 } } },
						],
					},
				});
			});

			it("come newest first, in pages whose links lead on, by direction, time and confirmation", async () => {
				const all = await page(`accounts/${bert}/transactions`);
				expect(ids(all).slice(0, 4)).toEqual([...payments].reverse());
				expect(ids(await page(`accounts/${bert}/transactions?only_from=true`))).toEqual([payments[3]]);
				expect(ids(await page(`accounts/${bert}/transactions?onlyTo=true&limit=3`))).toEqual(
					payments.slice(0, 3).reverse(),
				);
				const both = await page(`accounts/${bert}/transactions?only_from=true&only_to=true`);
				expect(ids(both)).toEqual(ids(all));
				const walked: unknown[] = [];
				let next: string | undefined = `accounts/${bert}/transactions?limit=1`;
				for (let pages = 0; next !== undefined && pages < 20; pages++) {
					const found: Page = await page(next);
					walked.push(...ids(found));
					next = found.meta.links?.next;
				}
				expect(walked).toEqual(ids(all));
				const second = all.data.find(({ txID }) => txID === payments[1]) as Json;
				const at = String(second["block_timestamp"]);
				const since = await page(
					`accounts/${bert}/transactions?min_timestamp=${at}&max_block_timestamp=${at}`,
				);
				expect(ids(since)).toContain(payments[1]);
				expect(since.data.every((row) => String(row["block_timestamp"]) === at)).toBe(true);
				const confirmed = ids(await page(`accounts/${anna}/transactions?only_confirmed=true`));
				const unconfirmed = ids(await page(`accounts/${anna}/transactions?only_unconfirmed=true`));
				expect(unconfirmed).toEqual([call, payments[3]]);
				expect([...unconfirmed, ...confirmed]).toEqual(ids(await page(`accounts/${anna}/transactions`)));
			});

			it("are found by each spelling of the address, and are none for one that is unknown", async () => {
				const wanted = ids(await page(`accounts/${bert}/transactions`));
				const hex = hexOf(bert);
				for (const name of [hex, `0x${hex}`, `0x${hex.slice(2)}`, hex.toUpperCase()]) {
					expect(ids(await page(`accounts/${name}/transactions`))).toEqual(wanted);
				}
				expect(await page(`accounts/41${"7".repeat(40)}/transactions`)).toMatchObject({
					data: [],
					meta: { page_size: 0 },
				});
			});
		});

		describe("requests that can't be answered", () => {
			it.each([
				[
					"accounts/nobody/transactions",
					400,
					'{"success":false,"error":"A valid account address is required.","statusCode":400}\n',
				],
				["accounts/$anna/transactions?limit=201", 400, ""],
				[
					"accounts/$anna/transactions?limit=0",
					400,
					'{"success":false,"error":"Invalid limit provided","statusCode":400}\n',
				],
				[
					"accounts/$anna/transactions?order_by=fee,desc",
					400,
					'{"success":false,"error":"Invalid order_by provided","statusCode":400}\n',
				],
				[
					"accounts/$anna/transactions?only_to=maybe",
					400,
					'{"success":false,"error":"Invalid only_to provided","statusCode":400}\n',
				],
				[
					"accounts/$anna/transactions?fingerprint=abc",
					400,
					'{"success":false,"error":"Invalid fingerprint provided","statusCode":400}\n',
				],
				[
					"accounts/$anna?only_confirmed=true&only_unconfirmed=true",
					400,
					'{"success":false,"error":"Conflicting parameters passed.","statusCode":400}\n',
				],
				["accounts/$anna/nothing", 404, '{"success":false,"error":"Not found","statusCode":404}\n'],
				["contracts/$anna/events/more", 404, '{"success":false,"error":"Not found","statusCode":404}\n'],
				[
					"transactions/12/events",
					400,
					'{"success":false,"error":"Invalid transaction id","statusCode":400}\n',
				],
				["blocks/none/events", 400, '{"success":false,"error":"Invalid block number","statusCode":400}\n'],
				["orc20/info", 400, '{"success":false,"error":"Invalid contract_list provided","statusCode":400}\n'],
				...["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"].map(
					(name): [string, number, string] => [
						`accounts/$anna/${name}`,
						404,
						'{"success":false,"error":"Not found","statusCode":404}\n',
					],
				),
				["contracts/$anna/constructor", 404, '{"success":false,"error":"Not found","statusCode":404}\n'],
			])("%s", async (path, status, text) => {
				expect(await refusal(path.replace("$anna", anna))).toEqual({ status, text });
			});

			it("are none where numbers are only too large or too small", async () => {
				const huge = "9".repeat(18);
				for (const query of [`min_timestamp=${huge}`, "max_timestamp=0&min_timestamp=1"]) {
					expect((await page(`accounts/${carl}/transactions?${query}`)).data).toEqual([]);
				}
				expect((await page(`contracts/${token}/events?block_number=${huge}`)).data).toEqual([]);
				expect((await page(`blocks/${huge.slice(3)}/events`)).data).toEqual([]);
				const largest = `accounts/${carl}/transactions?max_timestamp=${huge}`;
				expect((await page(largest)).data.length).toBeGreaterThan(0);
			});

			it("include a page of another query, and leave out parameters that nobody knows", async () => {
				const { meta } = await page(`accounts/${anna}/transactions?limit=1&only_from=true`);
				const changed = `accounts/${anna}/transactions?limit=1&fingerprint=${meta.fingerprint}`;
				expect((await refusal(changed)).text).toContain("Invalid fingerprint provided");
				const same = `accounts/${anna}/transactions?limit=5&onlyFrom=true&fingerprint=${meta.fingerprint}`;
				expect((await page(same)).data.length).toBeGreaterThan(0);
				expect((await page(`accounts/${anna}/transactions?to=x&topic=1`)).success).toBe(true);
			});
		});

		describe("token movements", () => {
			it("have the members of the gateway", async () => {
				const row = {
					transaction_id: call,
					token_info: {
						address: token,
						decimals: 6,
						name: "Coupon",
					},
					block_timestamp: expect.any(Number),
					from: anna,
					to: carl,
					type: "Transfer",
					value: "7",
				};
				expect((await page(`accounts/${carl}/transactions/trc20`)).data).toEqual([row]);
				expect((await page(`accounts/${carl}/transactions/orc20?contract_address=${token}`)).data).toEqual([
					row,
				]);
				expect((await page(`accounts/${carl}/transactions/trc20?only_from=true`)).data).toEqual([]);
				expect((await page(`accounts/${carl}/transactions/trc20?contract_address=${bert}`)).data).toEqual([]);
			});

			it("lead to balances and holders, as the contract tells them", async () => {
				expect((await page(`accounts/${carl}/trc20/balance`)).data).toEqual([{ [token]: "7" }]);
				expect((await page(`contracts/${token}/tokens`)).data).toEqual([
					{ [anna]: "999993" },
					{ [carl]: "7" },
				]);
				expect((await page(`contracts/${token}/tokens?order_by=balance,asc&limit=1`)).data).toEqual([
					{ [carl]: "7" },
				]);
				const [info] = (await page(`trc20/info?contract_list=${token}`)).data;
				expect(info).toMatchObject({
					contract_address: token,
					type: "trc20",
					total_supply: "1000000",
					decimals: expect.any(String),
				});
			});
		});

		describe("movements of ORC-10 tokens", () => {
			it("have the form of those of ORC-20, and leave others out where one is asked for", async () => {
				const row = {
					transaction_id: assetCall,
					token_info: { token_id: assetId, symbol: "GLD", decimals: 2, name: "Gold" },
					block_timestamp: expect.any(Number),
					from: anna,
					to: bert,
					type: "Transfer",
					value: "5",
				};
				for (const name of ["trc10", "orc10"])
					expect((await page(`accounts/${bert}/transactions/${name}`)).data).toEqual([row]);
				const path = `accounts/${anna}/transactions/orc10`;
				expect((await page(`${path}?token_id=${assetId}`)).data).toEqual([row]);
				for (const query of ["token_id=7", "only_to=true", "only_unconfirmed=true"])
					expect((await page(`${path}?${query}`)).data).toEqual([]);
			});
		});

		describe("the paths of the event query service", () => {
			const list = async (path: string): Promise<Json[]> => {
				const answer = await chain.get(path);
				expect({ path, status: answer.status }).toEqual({ path, status: 200 });
				return (await answer.json()) as Json[];
			};

			it("tell blocks, transactions and transfers as documents, newest first and in pages", async () => {
				const head = await chain.head();
				const blocks = await list("/blocks?limit=3");
				expect(blocks.map((row) => row["blockNumber"])).toEqual([head, head - 1, head - 2]);
				expect(blocks[0]).toMatchObject({ triggerName: "blockTrigger", transactionSize: 1 });
				expect(await list("/blocks?limit=1&start=2")).toEqual([blocks[1]]);
				expect(await list(`/blocks?block=${head - 1}`)).toEqual([blocks[1]]);
				expect(await list(`/blocks/${String(blocks[2]?.["blockHash"])}`)).toEqual([blocks[2]]);
				const solid = await chain.get("/blocks/latestSolidifiedBlockNumber");
				expect(Number(await solid.text())).toBe(head - 2);
				const [sent] = await list(`/transactions/${call}`);
				expect(sent).toMatchObject({
					transactionId: call,
					contractType: "TriggerSmartContract",
					contractAddress: token,
				});
				expect((await list("/transactions?limit=1"))[0]).toEqual(sent);
				expect((await list("/transfers?limit=3")).map((row) => row["transactionId"])).toEqual([
					payments[3],
					payments[2],
					payments[1],
				]);
				expect(await list(`/transfers/${call}`)).toEqual([]);
			});

			it("tell events and logs of a transaction, a contract and an id", async () => {
				const [event] = await list(`/events/transaction/${call}`);
				expect(event).toMatchObject({
					triggerName: "contractEventTrigger",
					uniqueId: `${call}_1`,
					eventName: "Transfer",
					topicMap: { from: anna, to: carl },
					dataMap: { "2": "7" },
				});
				expect(await list(`/events/uniqueId/${call}_1`)).toEqual([event]);
				expect(await list(`/events/uniqueId/${call}_2`)).toEqual([]);
				expect((await list(`/events/contract/${token}/Transfer?limit=1`))[0]).toEqual(event);
				expect(await list(`/events/contract/${token}/Nothing`)).toEqual([]);
				expect((await list("/events"))[0]).toEqual(event);
				expect(await list(`/events/contract/${token}?since=${String(event?.["timeStamp"])}`)).toEqual([
					event,
				]);
				expect((await list("/events/confirmed")).map((row) => row["uniqueId"])).not.toContain(`${call}_1`);
				expect((await list(`/events/${token}?limit=1`))[0]).toEqual({
					transactionId: call,
					blockNumber: event?.["blockNumber"],
					timeStamp: event?.["timeStamp"],
					eventSignatureFull: event?.["eventSignatureFull"],
					eventName: "Transfer",
					contractAddress: token,
					"0": anna,
					"1": carl,
					"2": "7",
				});
				for (const path of ["/contractlogs", `/contractlogs/contract/${token}`])
					expect(await list(path)).toEqual([]);
				expect((await list(`/orc20/getholder/${token}`)).sort()).toEqual([anna, carl].sort());
			});

			it("begin with the oldest where they are asked to, and with what is as late as a time", async () => {
				const head = await chain.head();
				const [before, last] = (await list("/blocks?limit=2")).reverse();
				const since = String(before?.["timeStamp"]);
				expect((await list("/blocks?limit=3&sort=timeStamp")).map((row) => row["blockNumber"])).toEqual([
					0, 1, 2,
				]);
				expect(await list(`/blocks?sort=blockNumber&since=${since}`)).toEqual([before, last]);
				expect(await list(`/blocks?since=${since}`)).toEqual([last, before]);
				expect(await list(`/blocks?since=${since}&block=${head - 2}`)).toEqual([]);
				expect(await list(`/blocks?since=${String(last?.["timeStamp"])}0`)).toEqual([]);
				// Behind those of the genesis block, which fund accounts.
				const afterGenesis = String((await list("/blocks?block=1"))[0]?.["timeStamp"]);
				const [first] = await list(`/transfers?limit=1&sort=timeStamp&since=${afterGenesis}`);
				expect(first?.["transactionId"]).toBe(assetCall);
				expect(
					(await list(`/transactions?sort=timeStamp&since=${since}`)).map((row) => row["transactionId"]),
				).toEqual([payments[3], call]);
				const [event] = await list(`/events/transaction/${call}`);
				expect(await list(`/events?since=${String(event?.["timeStamp"])}&sort=timeStamp`)).toEqual([event]);
				expect(await list(`/events/confirmed?since=${String(event?.["timeStamp"])}`)).toEqual([]);
			});

			it("refuse what can't be answered", async () => {
				for (const path of [
					"/events?limit=201",
					"/events?sort=name",
					"/events/contract/none",
					"/events/uniqueId/1",
					"/blocks?start=99999999",
				]) {
					expect({ path, status: (await chain.get(path)).status }).toEqual({ path, status: 400 });
				}
				expect((await chain.get("/events/filter/contract/a/b")).status).toBe(404);
			});
		});

		describe("other rows", () => {
			it("tell an account as the wallet does, with its tokens", async () => {
				const [row] = (await page(`accounts/${carl}`)).data;
				const wallet = await chain.post("/wallet/getaccount", { address: hexOf(carl) });
				expect(row).toEqual({ trc20: [{ [token]: "7" }], ...wallet });
				expect((await page(`accounts/41${"7".repeat(40)}`)).data).toEqual([]);
				const [resources] = (await page(`accounts/${carl}/resources`)).data;
				expect(resources).toMatchObject({ freeNetLimit: expect.any(Number) });
			});

			it("tell the sums of a block", async () => {
				const [found] = (await page(`accounts/${carl}/transactions/trc20`)).data;
				expect(found?.["transaction_id"]).toBe(call);
				const blockNumber = await chain.head();
				const [row] = (await page(`blocks/${blockNumber}/stats`)).data;
				expect(row).toMatchObject({
					transactions: 1,
					block_number: blockNumber,
					energy_usage_total: expect.any(Number),
				});
				expect(Number(row?.["energy_usage_total"])).toBeGreaterThan(0);
			});

			it("tell events of a contract by name, of a block by id, and in the older form", async () => {
				const events = await page(`contracts/${token}/events?event_name=Transfer&limit=1`);
				const [event] = events.data;
				expect(event).toMatchObject({
					transaction_id: call,
					event_name: "Transfer",
					event_index: 0,
					contract_address: token,
					caller_contract_address: token,
					result: { "0": `0x${hexOf(anna).slice(2)}`, "2": "7" },
					_unconfirmed: true,
				});
				expect((await page(`contracts/${token}/events?event_name=Nothing`)).data).toEqual([]);
				const number = Number(event?.["block_number"]);
				expect(ids(await page(`contracts/${token}/events?block_number=${number}`))).toEqual([call]);
				expect(
					ids(await page(`contracts/${token}/events?block_number=${number}&only_confirmed=true`)),
				).toEqual([]);
				const { blockID } = await chain.post("/wallet/getblockbynum", { num: number });
				expect(ids(await page(`blocks/${String(blockID)}/events`))).toEqual([call]);
				expect(ids(await page(`transactions/${call}/events`))).toEqual([call]);
				expect(ids(await page(`transactions/${call}/events?only_confirmed=true`))).toEqual([]);
				const older = (await (await chain.get(`/event/contract/${token}/Transfer?size=1`)).json()) as Json[];
				expect(older).toEqual([
					expect.objectContaining({
						transaction_id: call,
						event_name: "Transfer",
						_fingerprint: expect.any(String),
					}),
				]);
				const rest = await chain.get(
					`/event/contract/${token}/Transfer?size=1&fingerprint=${String(older[0]?.["_fingerprint"])}`,
				);
				expect(((await rest.json()) as Json[]).map((row) => row["transaction_id"])).not.toContain(call);
				expect(await (await chain.get(`/event/transaction/${call}`)).json()).toEqual([
					expect.objectContaining({ event_index: 0 }),
				]);
				const latest = await chain.get("/event/contract/latestSolidifiedBlockNum");
				expect(Number(await latest.text())).toBe((await chain.head()) - 2);
				const transfers = `/event/contract/${token}/Transfer`;
				const olderIds = async (path: string): Promise<unknown[]> =>
					((await (await chain.get(transfers + path)).json()) as Json[]).map((row) => row["transaction_id"]);
				const time = Number(event?.["block_timestamp"]);
				for (const block of [number, "latest"]) {
					expect(await olderIds(`/${block}`)).toEqual([call]);
					expect(await olderIds(`/${block}?onlyUnconfirmed=true&since=${time}`)).toEqual([call]);
					expect(await olderIds(`/${block}?onlyConfirmed=true`)).toEqual([]);
					expect(await olderIds(`/${block}?since=${time + 1}`)).toEqual([]);
				}
				const conflict = await chain.get(`/event/contract/${token}?onlyConfirmed=true&onlyUnconfirmed=true`);
				expect(await conflict.json()).toMatchObject({
					success: false,
					error: "Conflicting parameters passed.",
				});
			});

			it("leave with what a development chain undoes", async () => {
				const id = await chain.result("evm_snapshot");
				const { txid } = await chain.act("createtransaction", { to_address: carl, amount: 9 });
				expect(ids(await page(`accounts/${carl}/transactions?limit=1`))).toEqual([txid]);
				// Code that pays one sun to carl while it is deployed.
				const data = `0x6000600060006000600173${hexOf(carl).slice(2)}5af100`;
				const from = `0x${hexOf(anna).slice(2)}`;
				const deployed = await chain.result("eth_sendTransaction", [{ from, data, value: "0x5" }]);
				const [row] = (await page(`accounts/${anna}/transactions?limit=1&search_internal=false`)).data;
				expect(`0x${String(row?.["txID"])}`).toBe(deployed);
				const inner = {
					internal_tx_id: expect.stringMatching(/^[0-9a-f]{64}$/),
					from_address: expect.stringMatching(/^41[0-9a-f]{40}$/),
					to_address: hexOf(carl),
					data: { note: "63616c6c", rejected: false, call_value: { _: 1 } },
				};
				expect(row?.["internal_transactions"]).toEqual([inner]);
				const [own] = (await page(`accounts/${carl}/internal-transactions?limit=1`)).data;
				expect(own).toEqual({ ...inner, tx_id: row?.["txID"], block_timestamp: expect.any(Number) });
				await chain.result("evm_revert", [id]);
				expect(ids(await page(`accounts/${carl}/transactions?limit=1`))).not.toContain(txid);
				expect(ids(await page(`accounts/${anna}/transactions?limit=1`))).toEqual([call]);
			});
		});
	});
});

describe("a node of a network with the index", () => {
	it("answers on its full HTTP server alone, in its spelling", async () => {
		const node = await startHttpNode("node.history.index = on");
		try {
			const path = `/v1/accounts/${RICH_HEX}/transactions`;
			const { status, type, json } = await node.ask(path);
			expect({ status, type }).toEqual({ status: 200, type: "application/json;charset=utf-8" });
			expect(json).toMatchObject({ data: [{ blockNumber: 0 }], meta: { page_size: 1 } });
			expect((await node.ask("/blocks")).json).toMatchObject([{ blockNumber: 0 }]);
			expect((await node.ask(path, { server: "solidity" })).status).toBe(404);
			expect((await node.ask(path, { method: "POST", body: "{}" })).status).toBe(405);
		} finally {
			await node.close();
		}
	});
});

describe("a node without the index", () => {
	it("names the setting", async () => {
		const node = await startHttpNode();
		try {
			const answer = await node.ask(`/v1/accounts/${POOR_HEX}/transactions`);
			expect(answer).toMatchObject({
				status: 404,
				json: {
					success: false,
					error: "this node keeps no history by account and contract: set node.history.index = on",
				},
			});
			expect((await node.ask("/blocks")).status).toBe(404);
			// What needs no index is answered all the same.
			expect((await node.ask(`/v1/accounts/${POOR_HEX}`)).json).toMatchObject({
				data: [{ address: POOR_HEX }],
			});
		} finally {
			await node.close();
		}
	});
});
