/**
 * Floods of post-quantum signatures, which verify twenty times as slowly as secp256k1, on a node with Nile's
 * rules and both schemes. The attacker has five such keys; signatures are valid, but for another message.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
	ApplicationType,
	decodeInventory,
	type EncodedTransaction,
	encodeInventory,
	encodeTransactions,
	InventoryKind,
} from "../../../src/node/network/wire/application-messages.js";
import { refBlockOf } from "../../../src/protocol/block.js";
import { be32, concatBytes, fromHex, toHex, toKey } from "../../../src/protocol/bytes.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import {
	AccountPermissionUpdateContract,
	Key,
	Permission,
	PermissionPermissionType,
	PQAuthSig,
	Transaction,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { loadPostQuantum, postQuantumAlgorithm } from "../../../src/protocol/post-quantum/algorithms.js";
import { transactionFieldsOf } from "../../../src/protocol/post-quantum/fields.js";
import { addressOfPostQuantumKey, ML_DSA_44 } from "../../../src/protocol/post-quantum/schemes.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, caused, type Probe, tally } from "../attack.js";
import { AttackPeer } from "../attack-peer.js";
import { grpcCall } from "../grpc-call.js";
import { RICH_KEY } from "../template.js";
import type { Victim } from "../victim.js";
import { lieAbout } from "./branches.js";
import { type Head, headOf, send } from "./transactions.js";

await loadPostQuantum();

export const OWNER = addressOfPrivateKey(RICH_KEY);
const SENDERS = 8;

export const configuration = (): string =>
	"node.network = nile, committee.allowFnDsa512 = 1, committee.allowMlDsa44 = 1";

/** A valid signature of another message, with its own key. */
export function entryOf(number: number): PQAuthSig {
	const algorithm = postQuantumAlgorithm(ML_DSA_44);
	const { publicKey, privateKey } = algorithm.keysOfSeed(new Uint8Array(32).fill(number));
	const signature = algorithm.sign(new Uint8Array(32), privateKey);
	return PQAuthSig.create({ scheme: ML_DSA_44.id, public_key: publicKey, signature });
}

export const own = [1, 2, 3, 4, 5].map(entryOf);
const stranger = entryOf(6);

/** An unsigned transaction of the attacker's account, unique by number. */
function unsigned(head: Head, name: string, parameter: Message, number: number): Transaction {
	const contract = contractTypeByName(name);
	if (!contract) throw new Error(`there is no ${name}`);
	const headMs = BigInt(head.block_header.raw_data.timestamp);
	const built = buildTransaction(contract, parameter, {
		...refBlockOf(fromHex(head.blockID)),
		expirationMs: headMs + 600_000n,
		timestampMs: headMs + BigInt(number),
	});
	return Transaction.create({ raw_data: built.raw as never });
}

function transferWith(head: Head, number: number, entries: readonly PQAuthSig[]): SignedTransaction {
	const to_address = addressOfPrivateKey(Buffer.alloc(32, 1));
	const parameter = TransferContract.create({ owner_address: OWNER, to_address, amount: 1n });
	const message = unsigned(head, "TransferContract", parameter, number);
	message.$unknown = transactionFieldsOf(entries);
	return new SignedTransaction(message);
}

/** A transaction with valid signatures, of which the first ones are by the account's keys. */
function rightfullyBy(head: Head, number: number, entries: readonly number[]): SignedTransaction {
	const { id } = transferWith(head, number, []);
	const algorithm = postQuantumAlgorithm(ML_DSA_44);
	const signed = entries.map((seed) => {
		const { publicKey, privateKey } = algorithm.keysOfSeed(new Uint8Array(32).fill(seed));
		const signature = algorithm.sign(id, privateKey);
		return PQAuthSig.create({ scheme: ML_DSA_44.id, public_key: publicKey, signature });
	});
	return transferWith(head, number, [...signed, stranger]);
}

/** Sets the five keys of the attacker's account, and waits until a block includes that. */
export async function takeKeys(victim: Victim): Promise<Head> {
	const head = await headOf(victim);
	const keys = own.map(({ public_key }) =>
		Key.create({ address: addressOfPostQuantumKey(public_key), weight: 1n }),
	);
	// Permits transfers only.
	const operations = Uint8Array.of(0x02, ...new Uint8Array(31));
	const parameter = AccountPermissionUpdateContract.create({
		owner_address: OWNER,
		owner: Permission.create({ permission_name: "owner", threshold: 5n, keys }),
		actives: [
			Permission.create({
				type: PermissionPermissionType.Active,
				permission_name: "active",
				threshold: 1n,
				operations,
				keys: [Key.create({ address: OWNER, weight: 1n })],
			}),
		],
	});
	const message = unsigned(head, "AccountPermissionUpdateContract", parameter, 0);
	const { id } = new SignedTransaction(message);
	message.signature = [sign(id, RICH_KEY)];
	const code = await send(victim, new SignedTransaction(message), attackerHost(0));
	if (code !== "SUCCESS") throw new Error(`no keys: ${code}`);
	await sleep(4000);
	return headOf(victim);
}

/** Runs several senders concurrently. @param once sends something, and returns the outcome */
export async function fromAll(
	durationMs: number,
	once: (number: number, host: string) => Promise<string>,
	senders = SENDERS,
) {
	const outcomes: string[] = [];
	const end = Date.now() + durationMs;
	let number = 1;
	const sender = async (n: number): Promise<void> => {
		while (Date.now() < end) outcomes.push(await once(number++, attackerHost(n)));
	};
	await Promise.all(Array.from({ length: senders }, (_, n) => sender(n)));
	return tally(outcomes);
}

const broadcastForged: Attack = {
	name: "pq-broadcast-forged",
	sends: "transactions with five forged ML-DSA signatures by the account's own keys, from 8 senders",
	configuration,
	async run(victim, durationMs) {
		const head = await takeKeys(victim);
		return fromAll(durationMs, (number, host) => send(victim, transferWith(head, number, own), host));
	},
};

const broadcastForeign: Attack = {
	name: "pq-broadcast-foreign",
	sends: "transactions with four right ML-DSA signatures and a stranger's, from 8 senders",
	configuration,
	async run(victim, durationMs) {
		const head = await takeKeys(victim);
		const prepared = [1, 2, 3, 4].map((number) => rightfullyBy(head, number, [1, 2, 3, 4]));
		return fromAll(durationMs, (number, host) =>
			send(victim, prepared[number % prepared.length] as SignedTransaction, host),
		);
	},
};

export const JSON_TYPE = { "content-type": "application/json" };

/** Body of the two signature queries: the transaction as JSON. */
function queryBody(transaction: SignedTransaction, entries: readonly PQAuthSig[]): string {
	const { raw } = transaction;
	const contract = {
		type: "TransferContract",
		parameter: {
			type_url: "type.googleapis.com/protocol.TransferContract",
			value: { owner_address: toHex(OWNER), to_address: toHex(OWNER), amount: 1 },
		},
	};
	return JSON.stringify({
		raw_data: { contract: [contract], timestamp: Number(raw?.timestamp ?? 0n) },
		pq_auth_sig: entries.map(({ scheme, public_key, signature }) => ({
			scheme,
			public_key: toHex(public_key),
			signature: toHex(signature),
		})),
	});
}

const probe: Probe = { server: "http", path: "/wallet/getsignweight", body: "{}", host: attackerHost(100) };

const queries: Attack = {
	name: "pq-queries",
	sends:
		"getsignweight and getapprovedlist of five forged ML-DSA signatures, by HTTP and gRPC, from 8 clients",
	configuration,
	meanwhile: probe,
	async run(victim, durationMs) {
		const head = await takeKeys(victim);
		return fromAll(durationMs, async (number, host) => {
			const transaction = transferWith(head, number, own);
			const isList = number % 2 === 0;
			if (number % 4 < 2) {
				const path = `/protocol.Wallet/GetTransaction${isList ? "ApprovedList" : "SignWeight"}`;
				const { bytes } = transaction;
				return grpcCall(
					victim.ports.grpc,
					path,
					Buffer.concat([Uint8Array.of(0), be32(bytes.length), bytes]),
					host,
				);
			}
			const path = `/wallet/${isList ? "getapprovedlist" : "getsignweight"}`;
			const options = { host, headers: JSON_TYPE, timeoutMs: 30_000 };
			return ask(victim.ports.http, path, queryBody(transaction, own), options).then(
				(text) => /"message": ?"([^"]{0,40})/.exec(text)?.[1] ?? "answered",
				(error: Error) => `closed (${error.message})`,
			);
		});
	},
};

/** An encoded transaction. Decoding it would cost the attacker as much as the node. */
type Sent = EncodedTransaction & Pick<SignedTransaction, "id">;

/** Announces transactions from several addresses, and serves them on request. */
function announced(
	name: string,
	sends: string,
	make: (head: Head, number: number) => Sent,
	batchSize: number,
): Attack {
	return {
		name,
		sends,
		configuration,
		async run(victim, durationMs) {
			const head = await takeKeys(victim);
			let number = 1;
			const outcomes: string[] = [];
			let given = 0;
			const end = Date.now() + durationMs;
			const sender = async (n: number): Promise<void> => {
				for (let round = 0; Date.now() < end; round++) {
					const host = attackerHost(n + SENDERS * round);
					const peer = await AttackPeer.greet(victim.ports, { host }).catch(() => undefined);
					if (!peer) {
						await sleep(200);
						continue;
					}
					const offered = new Map<string, Sent>();
					peer.on(ApplicationType.FETCH_INV_DATA, (payload) => {
						const wanted = decodeInventory(payload).ids.flatMap((id) => offered.get(toKey(id)) ?? []);
						given += wanted.length;
						if (wanted.length > 0) peer.say(ApplicationType.TXS, encodeTransactions(wanted));
					});
					while (Date.now() < end && peer.gone === undefined) {
						const batch = Array.from({ length: batchSize }, () => make(head, number++));
						for (const each of batch) offered.set(toKey(each.id), each);
						peer.say(
							ApplicationType.INVENTORY,
							encodeInventory(
								InventoryKind.TX,
								batch.map(({ id }) => id),
							),
						);
						await peer.until(() => false, 300);
					}
					outcomes.push(peer.gone ?? "kept");
					peer.end();
				}
			};
			await Promise.all(Array.from({ length: SENDERS }, (_, n) => sender(n)));
			return caused(outcomes, given, "transactions");
		},
	};
}

/** As many empty signatures as fit into a message of transactions. */
const EMPTY_ENTRIES = new Uint8Array(1_400_000);
for (let at = 0; at < EMPTY_ENTRIES.length; at += 2) EMPTY_ENTRIES[at] = 0x32;

function emptyEntries(head: Head, number: number): Sent {
	const { id, bytes, size } = transferWith(head, number, []);
	return { id, bytes: concatBytes(bytes, EMPTY_ENTRIES), size: size + EMPTY_ENTRIES.length };
}

const fullOfEntries = (): readonly SignedTransaction[] => {
	const head = { blockID: "00".repeat(32), block_header: { raw_data: { timestamp: 0 } } };
	return Array.from({ length: 100 }, (_, number) => transferWith(head, number, own));
};

export const postQuantum: readonly Attack[] = [
	broadcastForged,
	broadcastForeign,
	queries,
	announced(
		"pq-announced",
		"announced transactions with five forged ML-DSA signatures, from 8 peers",
		(head, number) => transferWith(head, number, own),
		20,
	),
	announced(
		"pq-announced-empty",
		"announced transactions with 700,000 empty signatures, from 8 peers",
		emptyEntries,
		1,
	),
	lieAbout(
		"pq-blocks",
		"branches of 15 blocks with 500 forged ML-DSA signatures each, signed by a random key",
		{ depth: 14, length: 15, contents: fullOfEntries, configuration },
	),
];
