/** The client of an agent, which signs with keys that it holds. */

import { lstatSync, type Stats } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { objectOf } from "../../protocol/json/modest-json.js";
import { PQAuthSig } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { keysOfIncomingKey, keysOfViewingKey, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { DIVERSIFIER_SIZE, KEY_SIZE, SIGNATURE_SIZE } from "../../protocol/sapling/sizes.js";
import { SIGNATURE_LENGTH } from "../../protocol/signature.js";
import { KeystoreError } from "../keystore-error.js";
import { ANSWER_MS, MAX_AGENT_ANSWER } from "./server.js";

/**
 * Checks that an agent exists and is the user's own: its directory and socket belong to the user, and nobody else has
 * access. Node.js has no API to find out who is listening, so the directory's permissions have to show it.
 * @returns undefined if there is no agent (any more)
 * @throws {KeystoreError} `agent_refused` for one that somebody else could have placed there
 */
export function agentAt(socketPath: string): AgentClient | undefined {
	const directory = statOf(dirname(socketPath));
	const socket = statOf(socketPath);
	if (!directory || !socket) return undefined;
	const own = process.getuid?.();
	if (own === undefined) throw new KeystoreError("agent_refused", "agents don't exist on this system");
	const isPrivate = directory.isDirectory() && directory.uid === own && (directory.mode & 0o077) === 0;
	if (!isPrivate || !socket.isSocket() || socket.uid !== own) {
		throw new KeystoreError(
			"agent_refused",
			`the agent at ${socketPath} is not yours alone: its directory must belong to you, with mode 0700`,
		);
	}
	return new AgentClient(socketPath);
}

function statOf(path: string): Stats | undefined {
	return lstatSync(path, { throwIfNoEntry: false });
}

class AgentClient {
	constructor(readonly socketPath: string) {}

	/** Addresses of the keys that it holds, in Base58; undefined if it has ended. */
	async list(): Promise<readonly string[] | undefined> {
		const answer = await this.ask({ do: "list" });
		const addresses = answer?.["addresses"];
		return Array.isArray(addresses) ? addresses.map(String) : undefined;
	}

	/** Signs a hash of 32 bytes with a secp256k1 key; undefined if the agent has ended or doesn't hold the key. */
	async sign(base58: string, hash: Uint8Array): Promise<Uint8Array | undefined> {
		const answer = await this.ask({ do: "sign", address: base58, hash: toHex(hash) });
		return bytesIn(answer ?? {}, "signature", SIGNATURE_LENGTH);
	}

	/** Signs with a post-quantum key. @returns a signature whose length fits the scheme, but which wasn't verified */
	async signPostQuantum(
		base58: string,
		scheme: PostQuantumScheme,
		hash: Uint8Array,
	): Promise<PQAuthSig | undefined> {
		const answer = (await this.ask({ do: "sign", address: base58, hash: toHex(hash) })) ?? {};
		const { shortestSignature, longestSignature, publicKeyLength } = scheme;
		const signature = bytesIn(answer, "signature", shortestSignature, longestSignature);
		const public_key = bytesIn(answer, "publicKey", publicKeyLength);
		if (!signature || !public_key || answer["scheme"] !== scheme.name) return undefined;
		return PQAuthSig.create({ scheme: scheme.id, public_key, signature });
	}

	/**
	 * The keys of a shielded address, except the one that authorizes spends: the agent does that itself.
	 * @param address in neutral spelling
	 * @returns undefined if the agent has ended or doesn't hold the key
	 */
	async view(address: string): Promise<ShieldedKeys | undefined> {
		const answer = await this.ask({ do: "view", address });
		return answer && keysOfAnswer(answer, (alpha, hash) => this.authorize(address, alpha, hash));
	}

	/** Authorizes a spend. @throws {KeystoreError} `agent_refused` if the agent has ended or doesn't hold the key (any more) */
	private async authorize(address: string, alpha: Uint8Array, hash: Uint8Array): Promise<Uint8Array> {
		const answer = await this.ask({ do: "authorize", address, alpha: toHex(alpha), hash: toHex(hash) });
		const signature = bytesIn(answer ?? {}, "signature", SIGNATURE_SIZE);
		if (signature) return signature;
		throw new KeystoreError(
			"agent_refused",
			`the agent has forgotten the key of ${address}: nothing was spent`,
		);
	}

	/** Makes the agent erase its keys and end. @returns whether it was running */
	async lock(): Promise<boolean> {
		return (await this.ask({ do: "lock" }))?.["locked"] === true;
	}

	/** Sends one request; undefined if there is no response. */
	private ask(request: object): Promise<Readonly<Record<string, unknown>> | undefined> {
		return new Promise((resolve) => {
			let text = "";
			const socket = connect(this.socketPath, () => socket.write(`${JSON.stringify(request)}\n`));
			socket.setEncoding("utf8").setTimeout(ANSWER_MS, () => socket.destroy());
			socket.on("data", (chunk: string) => {
				text += chunk;
				if (text.length <= MAX_AGENT_ANSWER) return;
				text = "";
				socket.destroy();
			});
			socket.on("error", () => undefined);
			socket.on("close", () => resolve(objectOf(text)));
		});
	}
}

type Answer = Readonly<Record<string, unknown>>;

function bytesIn(answer: Answer, name: string, least: number, most = least): Uint8Array | undefined {
	const value = answer[name];
	return typeof value === "string" && new RegExp(`^(?:[0-9a-f]{2}){${least},${most}}$`).test(value)
		? fromHex(value)
		: undefined;
}

function keysOfAnswer(
	answer: Answer,
	authorize: (alpha: Uint8Array, hash: Uint8Array) => Promise<Uint8Array>,
): ShieldedKeys | undefined {
	const key = (name: string): Uint8Array | undefined => bytesIn(answer, name, KEY_SIZE);
	const [ak, nk, ovk, ivk, nsk] = [key("ak"), key("nk"), key("ovk"), key("ivk"), key("nsk")];
	const diversifier = bytesIn(answer, "diversifier", DIVERSIFIER_SIZE);
	if (!diversifier || !ivk) return undefined;
	if (answer["reach"] === "incoming") return keysOfIncomingKey(ivk, ovk, diversifier);
	const viewing = ak && nk && ovk && keysOfViewingKey(ak, nk, ovk, diversifier);
	if (!viewing || answer["reach"] !== "spending") return viewing;
	return nsk && { ...viewing, reach: "spending", delegated: { nsk, authorize } };
}
