/**
 * Builds transactions: the node checks the contract against its state and supplies the reference block and times; the
 * bytes are assembled here, so that nothing is ever signed that the caller did not ask for (protocol/http-endpoints §1).
 */

import { refBlockOf } from "../../protocol/block.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { ContractType } from "../../protocol/contract-types.js";
import { sha256 } from "../../protocol/hash.js";
import { printMessage } from "../../protocol/json/message-writer.js";
import { TransactionRaw } from "../../protocol/messages.js";
import { buildTransaction, SignedTransaction, type TransactionHeader } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";
import { isRecord, type JsonRecord, readJson } from "../json.js";
import { fetchBlockByNumber, fetchHead } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { irreversibleNumber } from "../node/wait.js";
import { type Expiry, expirationOf, usualExpiration } from "./lifetime.js";

/** The reference block of a transaction; if absent, the node's choice, which is its irreversible head. */
export type ReferenceBlock = "head" | "solid" | { readonly number: bigint; readonly id?: Uint8Array };

/** What a transaction is to contain. */
export interface BuildRequest {
	readonly type: ContractType;
	readonly parameter: Readonly<Message>;
	readonly permissionId?: number;
	readonly memo?: Uint8Array | undefined;
	readonly feeLimitSun?: bigint | undefined;
	readonly expiry?: Expiry | undefined;
	readonly reference?: ReferenceBlock | undefined;
}

/**
 * Builds a transaction with a node.
 * @param nowMs this machine's clock
 * @throws {Failure} what the node refuses; `transaction_mismatch` if it builds a transaction other than the one requested
 */
export async function buildAtNode(
	client: NodeClient,
	request: BuildRequest,
	nowMs = Date.now(),
): Promise<SignedTransaction> {
	const offered = await askBuilder(client, request);
	const { expiry, reference } = request;
	const [refBlock, expirationMs] = await Promise.all([
		referenceOf(client, reference),
		expiry === undefined
			? usualExpiration(client, offered.expiration, nowMs)
			: expirationOf(client, expiry, nowMs),
	]);
	return assemble(request, {
		refBlockBytes: offered.ref_block_bytes,
		refBlockHash: offered.ref_block_hash,
		...refBlock,
		expirationMs,
		timestampMs: offered.timestamp,
	});
}

/**
 * Builds a transaction offline.
 * @param nowMs the transaction's own timestamp
 * @throws {Failure} `usage` if the reference block's id or an absolute expiry is missing
 */
export function buildOffline(request: BuildRequest, nowMs: number): SignedTransaction {
	const { expiry, reference } = request;
	if (typeof reference !== "object" || !reference.id) {
		throw new Failure("usage", "--offline needs the reference block: --ref-block <number>:<id>");
	}
	if (!expiry || !("atMs" in expiry))
		throw new Failure("usage", "--offline needs an absolute expiry: --expires @<epoch ms>");
	return assemble(request, {
		...refBlockOf(reference.id),
		expirationMs: expiry.atMs,
		timestampMs: BigInt(nowMs),
	});
}

/** Validity of a transaction whose header is fixed before its proofs are produced, which may take a minute. */
const PROVED_LIFE_MS = 600_000;

/**
 * Builds a transaction's header before its contract, for contracts that can only be built afterwards.
 * @param nowMs the transaction's own timestamp
 * @throws {Failure}
 */
export async function headerFor(
	client: NodeClient,
	request: BuildRequest,
	nowMs: number,
): Promise<TransactionHeader> {
	const { expiry, reference } = request;
	const refBlock =
		(await referenceOf(client, reference)) ??
		(await referenceOf(client, { number: await irreversibleNumber(client) }));
	return {
		...(refBlock as ReturnType<typeof refBlockOf>),
		expirationMs: await expirationOf(client, expiry ?? { afterMs: PROVED_LIFE_MS }, nowMs),
		timestampMs: BigInt(nowMs),
		...chosenMembers(request),
	};
}

/** A copy of a transaction with the contract and members of another request, keeping the node's reference block and times. */
export function rebuild(transaction: SignedTransaction, request: BuildRequest): SignedTransaction {
	const raw = transaction.raw ?? new TransactionRaw();
	return assemble(request, {
		refBlockBytes: raw.ref_block_bytes,
		refBlockHash: raw.ref_block_hash,
		expirationMs: raw.expiration,
		timestampMs: raw.timestamp,
	});
}

function assemble(request: BuildRequest, header: TransactionHeader): SignedTransaction {
	return buildTransaction(request.type, request.parameter, { ...header, ...chosenMembers(request) });
}

/** Header members that the request determines, not the node. */
function chosenMembers({ permissionId, memo, feeLimitSun }: BuildRequest) {
	return {
		...(permissionId ? { permissionId } : {}),
		...(memo && memo.length > 0 ? { data: memo } : {}),
		...(feeLimitSun === undefined ? {} : { feeLimitSun }),
	};
}

/** Has the node check and build the contract, and verifies that it built the requested one. */
async function askBuilder(client: NodeClient, request: BuildRequest): Promise<Readonly<TransactionRaw>> {
	const { type, parameter, permissionId } = request;
	const style = { visible: false, dialect: client.settings.dialect };
	const members = readJson(
		printMessage(type.message as MessageType<Message>, parameter, style),
	) as JsonRecord;
	const endpoint = type.walletBuilder === "own" ? type.http : undefined;
	const answer = await client.call(endpoint ?? "createCommonTransaction", {
		...members,
		...(endpoint === undefined ? { contractType: type.name } : {}),
		...(permissionId ? { Permission_id: permissionId } : {}),
	});
	const raw = rawOfAnswer(answer);
	const offered = new SignedTransaction({ raw_data: raw, signature: [], ret: [] });
	const wanted = rebuild(offered, request);
	const [got, asked] = [offered.contract, wanted.contract];
	if (
		raw.contract.length !== 1 ||
		got?.type !== asked?.type ||
		got?.Permission_id !== asked?.Permission_id ||
		!got?.parameter ||
		!equalBytes(got.parameter.value, asked?.parameter?.value as Uint8Array)
	) {
		throw new Failure(
			"transaction_mismatch",
			"the node built another transaction than was asked for; nothing was signed",
			{
				sent: false,
				details: { builtHex: toHex(offered.rawBytes), askedHex: toHex(wanted.rawBytes) },
			},
		);
	}
	return raw;
}

function rawOfAnswer(answer: JsonRecord): Readonly<TransactionRaw> {
	const { transaction } = answer;
	const { raw_data_hex: rawHex, txID } = isRecord(transaction) ? transaction : answer;
	if (typeof rawHex !== "string")
		throw new Failure("rpc_error", "the node's answer to a builder has no raw_data_hex");
	let bytes: Uint8Array;
	let raw: TransactionRaw;
	try {
		bytes = fromHex(rawHex);
		raw = TransactionRaw.decode(bytes);
	} catch (error) {
		if (!(error instanceof RangeError) && !(error instanceof DecodeError)) throw error;
		throw new Failure("rpc_error", "the node's answer to a builder holds bytes that are not a transaction");
	}
	if (txID !== undefined && txID !== toHex(sha256(bytes))) {
		throw new Failure(
			"transaction_mismatch",
			`the node's txID ${String(txID)} isn't the hash of its raw_data_hex`,
			{ sent: false },
		);
	}
	return raw;
}

async function referenceOf(
	client: NodeClient,
	reference: ReferenceBlock | undefined,
): Promise<ReturnType<typeof refBlockOf> | undefined> {
	// The node's builder already uses its irreversible head as the reference.
	if (reference === undefined || reference === "solid") return undefined;
	let id = typeof reference === "object" ? reference.id : undefined;
	if (!id) {
		const block =
			reference === "head"
				? await fetchHead(client)
				: await fetchBlockByNumber(client, (reference as { number: bigint }).number);
		if (!block) throw new Failure("not_found", "the reference block does not exist on this chain");
		({ id } = block);
	}
	return refBlockOf(id);
}

/** Reads `head`, `solid`, a number, or `<number>:<id>`. @throws {Failure} `bad_value` */
export function parseReference(text: string): ReferenceBlock {
	if (text === "head" || text === "solid") return text;
	const match = /^(\d{1,18})(?::([0-9a-fA-F]{64}))?$/.exec(text);
	if (!match?.[1])
		throw new Failure("bad_value", `"${text}" is not a block: use head, solid, a number or <number>:<id>`);
	const number = BigInt(match[1]);
	return match[2] === undefined ? { number } : { number, id: fromHex(match[2]) };
}
