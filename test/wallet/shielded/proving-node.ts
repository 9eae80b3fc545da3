/** A node's method that makes proofs, answered by the simulated prover, for tests of whoever asks it. */

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import type { ShieldedORC20Parameters } from "../../../src/protocol/messages.js";
import type { NoteToSend, NoteToSpend } from "../../../src/protocol/sapling/descriptions.js";
import { buildOrc20Parameters, type Orc20Plan } from "../../../src/protocol/sapling/orc20-builder.js";
import { readPaymentAddress } from "../../../src/protocol/sapling/payment-address.js";
import { type JsonRecord, readJson, writeWireJson } from "../../../src/wallet/json.js";
import { SimulatedProver, seededRandom } from "./simulated-prover.js";

export const PROVING_METHOD = "createshieldedcontractparameterswithoutask";

const tools = { prover: new SimulatedProver(), random: seededRandom("proving node") };

type Texts = Readonly<Record<string, string>>;

interface AskedNote {
	readonly value: bigint;
	readonly payment_address: string;
	readonly rcm: string;
	readonly memo?: string;
}

const noteOf = ({ value, payment_address, rcm }: AskedNote): NoteToSend["note"] => ({
	...readPaymentAddress(payment_address),
	value,
	randomness: fromHex(rcm),
});

function planOf(asked: JsonRecord, factor: bigint): Orc20Plan {
	const texts = asked as Texts;
	const { ak, nsk, ovk = "", from_amount = "", to_amount = "", transparent_to_address } = texts;
	const spends = (asked["shielded_spends"] as unknown as (Texts & { note: AskedNote; pos: bigint })[]).map(
		({ note, alpha = "", root = "", path = "", pos }): NoteToSpend => ({
			note: noteOf(note),
			alpha: fromHex(alpha),
			anchor: fromHex(root),
			path: { siblings: (path.match(/.{64}/g) ?? []).map((part) => fromHex(part)), position: pos },
		}),
	);
	const outputs = (asked["shielded_receives"] as unknown as { note: AskedNote }[]).map(
		({ note }): NoteToSend => ({ note: noteOf(note), memo: fromHex(note.memo ?? "") }),
	);
	const rawValue = BigInt(from_amount || to_amount || "0");
	if (rawValue % factor !== 0n) throw new Error("not a multiple");
	return {
		kind: from_amount ? "mint" : to_amount ? "burn" : "transfer",
		contract: fromHex(texts["shielded_ORC20_contract_address"] ?? ""),
		...(ak && nsk ? { keys: { ak: fromHex(ak), nsk: fromHex(nsk) } } : {}),
		ovk: fromHex(ovk),
		spends,
		outputs,
		rawValue,
		...(transparent_to_address ? { payTo: fromHex(transparent_to_address) } : {}),
	};
}

/** A message as the node writes it. */
function answerOf(parameters: ShieldedORC20Parameters): JsonRecord {
	return JSON.parse(
		JSON.stringify(parameters, (_, item: unknown) =>
			typeof item === "object" && item !== null && (item as { type?: string }).type === "Buffer"
				? toHex(Uint8Array.from((item as { data: number[] }).data))
				: item instanceof Uint8Array
					? toHex(item)
					: item,
		),
	) as JsonRecord;
}

/** What the method answers to a request. */
export async function proveFor(asked: JsonRecord, factor: bigint): Promise<JsonRecord> {
	return answerOf(await buildOrc20Parameters(planOf(asked, factor), tools));
}

export interface ProvingNode {
	readonly url: string;
	/** Requests for proofs, as they came. */
	readonly asked: string[];
	stop(): Promise<void>;
}

/** A node in front of another one that makes proofs itself, and hands on everything else. */
export async function startProvingNode(behind: string, factor: bigint): Promise<ProvingNode> {
	const asked: string[] = [];
	const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(chunk as Buffer);
		const body = Buffer.concat(chunks);
		if (incoming.url?.endsWith(PROVING_METHOD)) {
			asked.push(body.toString("utf8"));
			outgoing.end(writeWireJson(await proveFor(readJson(body.toString("utf8")) as JsonRecord, factor)));
			return;
		}
		const { method, headers, url } = incoming;
		// A connection that is kept may be closed by the node at the moment when it is used again.
		const passed = request(`${behind}${url}`, { method, headers, agent: false }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(outgoing);
		});
		passed.on("error", () => outgoing.destroy());
		passed.end(body);
	};
	// Nor does it close one itself that a command is about to use.
	const server: Server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
		serve(incoming, outgoing).catch((error: unknown) => {
			outgoing.statusCode = 500;
			outgoing.end(String(error));
		});
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked,
		stop: () =>
			new Promise((done) => {
				server.close(() => done());
				server.closeAllConnections();
			}),
	};
}
