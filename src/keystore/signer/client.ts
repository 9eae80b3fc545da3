/** Asking a signer, from a node's side. Whatever it answers is bounded, and costs a slot at most. */

import { connect } from "node:net";
import { fromBase58Check } from "../../protocol/address.js";
import { be64, equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import { type PostQuantumScheme, postQuantumSchemes } from "../../protocol/post-quantum/schemes.js";
import { recoverAddress, SIGNATURE_LENGTH } from "../../protocol/signature.js";
import { MAX_SIGNER_ANSWER, SIGNER_ANSWER_MS, type SignedKind } from "./requests.js";

/** The signer is away, or signs something not. */
class SignerError extends OperatorError {
	override readonly name = "SignerError";

	/** @param isTaken the height or slot has another signature, which a node with the same signer asked for */
	constructor(
		message: string,
		readonly isTaken = false,
	) {
		super(message);
	}
}

/** A key that a signer holds. */
export interface SignerKey {
	readonly address: Uint8Array;
	readonly postQuantum: { readonly scheme: PostQuantumScheme; readonly publicKey: Uint8Array } | undefined;
	/** @param data bytes, or the time of a greeting @throws {SignerError} */
	readonly sign: (kind: SignedKind, data: Uint8Array | bigint) => Promise<Uint8Array>;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{34}$/;

/** The keys of the signer at a socket. @throws {SignerError} if none answers there */
export async function keysOfSigner(socketPath: string): Promise<readonly SignerKey[]> {
	const { keys } = await ask(socketPath, { do: "list" });
	const found = Array.isArray(keys) ? keys.map((key) => keyOf(socketPath, key)) : [];
	if (found.length === 0) throw new SignerError(`the signer at ${socketPath} holds no key`);
	return found;
}

function keyOf(socketPath: string, listed: unknown): SignerKey {
	const { address, scheme: name, publicKey } = (listed ?? {}) as Readonly<Record<string, unknown>>;
	const text = String(address);
	const bytes = ADDRESS.test(text) ? fromBase58Check(text) : undefined;
	const scheme = postQuantumSchemes.find((each) => each.name === name);
	if (!bytes || (name !== undefined && !(scheme && isHex(publicKey, scheme.publicKeyLength))))
		throw new SignerError(`the signer at ${socketPath} names a key that is none`);
	const { shortestSignature, longestSignature } = scheme ?? {
		shortestSignature: SIGNATURE_LENGTH,
		longestSignature: SIGNATURE_LENGTH,
	};
	/** Peers would ban a node for a block with another one. */
	const isSignedBy = (hash: Uint8Array, signature: Uint8Array): boolean => {
		if (scheme) return postQuantumAlgorithm(scheme).verify(hash, fromHex(publicKey as string), signature);
		try {
			return equalBytes(recoverAddress(hash, signature), bytes);
		} catch {
			return false;
		}
	};
	return {
		address: bytes,
		postQuantum: scheme && { scheme, publicKey: fromHex(publicKey as string) },
		sign: async (kind, data) => {
			const words = typeof data === "bigint" ? String(data) : toHex(data);
			const { signature } = await ask(socketPath, { do: kind, address: text, data: words });
			const hash = sha256(typeof data === "bigint" ? be64(data) : data);
			if (isHex(signature, shortestSignature, longestSignature) && isSignedBy(hash, fromHex(signature)))
				return fromHex(signature);
			throw new SignerError(`the signer at ${socketPath} answered with no signature of ${text}`);
		},
	};
}

function isHex(value: unknown, least: number, most = least): value is string {
	return typeof value === "string" && new RegExp(`^(?:[0-9a-f]{2}){${least},${most}}$`).test(value);
}

/** One request, one answer. */
function ask(socketPath: string, request: object): Promise<Readonly<Record<string, unknown>>> {
	return new Promise((resolve, reject) => {
		let text = "";
		const socket = connect(socketPath, () => socket.write(`${JSON.stringify(request)}\n`));
		const late = setTimeout(() => socket.destroy(), SIGNER_ANSWER_MS);
		socket.setEncoding("utf8").on("data", (chunk: string) => {
			text += chunk;
			if (text.length > MAX_SIGNER_ANSWER) socket.destroy();
		});
		socket.on("error", () => undefined);
		socket.on("close", () => {
			clearTimeout(late);
			const answer = text.endsWith("\n") ? objectOf(text) : undefined;
			if (!answer) return reject(new SignerError(`no signer answers at ${socketPath}`));
			if (typeof answer["error"] !== "string") return resolve(answer);
			const reason = answer["error"].replace(/[^ -~]/g, "?").slice(0, 200);
			reject(new SignerError(`the signer refuses: ${reason}`, answer["taken"] === true));
		});
	});
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}
