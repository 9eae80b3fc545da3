/** Servers for the operator: metrics, and the pages beside the API. */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import type { Ports } from "../template.js";

const configuration = ({ metrics }: Ports): string =>
	`node.metrics.prometheus { enable = true, port = ${metrics} }`;

/** Pipelines requests for metrics on each connection, which is reopened when closed. */
function metrics(name: string, sends: string, connections: number, requests: number, reads: boolean): Attack {
	const body = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(requests);
	return {
		name,
		sends,
		configuration,
		async run({ ports }, durationMs) {
			const end = Date.now() + durationMs;
			let closed = 0;
			let bytes = 0;
			const one = async (): Promise<void> => {
				while (Date.now() < end) {
					const socket = connect(ports.metrics, "127.0.0.1");
					let isOpen = true;
					socket.on("error", () => {});
					socket.on("close", () => {
						isOpen = false;
					});
					if (reads) socket.on("data", (chunk) => (bytes += chunk.length));
					socket.write(body);
					for (let turn = 0; turn < 15 && isOpen && Date.now() < end; turn++) await sleep(20);
					if (!isOpen) closed++;
					socket.destroy();
				}
			};
			await Promise.all(Array.from({ length: connections }, one));
			return `${reads ? `${bytes >> 20} MiB read, ` : ""}disconnected ×${closed}`;
		},
	};
}

const openApi: Attack = {
	name: "openapi",
	sends: "48 clients that ask for /openapi.json under ever other names",
	async run({ ports }, durationMs) {
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		let number = 0;
		const one = async (n: number): Promise<void> => {
			while (Date.now() < end) {
				const headers = { host: `h${number++}.example` };
				const options = { host: attackerHost(n), method: "GET", headers } as const;
				const text = await ask(ports.http, "/openapi.json", "", options).catch(() => "closed");
				outcomes.push(text === "closed" ? text : "answered");
				await sleep(20);
			}
		};
		await Promise.all(Array.from({ length: 48 }, (_, n) => one(n)));
		return tally(outcomes);
	},
};

export const operatorPorts: readonly Attack[] = [
	metrics(
		"metrics-once",
		"1,000 requests for metrics at once on a connection, nothing read, again and again",
		1,
		1_000,
		false,
	),
	metrics(
		"metrics-flood",
		"50 requests for metrics at once on each of 100 connections, again and again",
		100,
		50,
		true,
	),
	openApi,
];
