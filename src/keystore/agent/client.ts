/** Asking an agent to sign. */

import { lstatSync, type Stats } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { SIGNATURE_LENGTH } from "../../protocol/signature.js";
import { KeystoreError } from "../keystore-error.js";
import { ANSWER_MS, MAX_LINE } from "./server.js";

/**
 * Whether an agent is there, and is the user's own: its directory and socket belong to the user, and no one else can
 * enter. The system tells programs of this runtime nothing about who listens, so the directory has to.
 * @returns undefined if there is no agent (any more)
 * @throws {KeystoreError} `agent_refused` for one that others could have put there
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

	/** Addresses of the keys that it holds, in Base58; undefined if it is gone. */
	async list(): Promise<readonly string[] | undefined> {
		const answer = await this.ask({ do: "list" });
		const addresses = answer?.["addresses"];
		return Array.isArray(addresses) ? addresses.map(String) : undefined;
	}

	/** Has it sign a hash of 32 bytes; undefined if it is gone or doesn't hold the key. */
	async sign(base58: string, hash: Uint8Array): Promise<Uint8Array | undefined> {
		const answer = await this.ask({ do: "sign", address: base58, hash: toHex(hash) });
		const signature = answer?.["signature"];
		const isOne =
			typeof signature === "string" && new RegExp(`^[0-9a-f]{${2 * SIGNATURE_LENGTH}}$`).test(signature);
		return isOne ? fromHex(signature) : undefined;
	}

	/** Has it forget its keys and end. @returns whether it was there */
	async lock(): Promise<boolean> {
		return (await this.ask({ do: "lock" }))?.["locked"] === true;
	}

	/** One request, one answer; undefined if there is no answer. */
	private ask(request: object): Promise<Readonly<Record<string, unknown>> | undefined> {
		return new Promise((resolve) => {
			let text = "";
			const socket = connect(this.socketPath, () => socket.write(`${JSON.stringify(request)}\n`));
			socket.setEncoding("utf8").setTimeout(ANSWER_MS, () => socket.destroy());
			socket.on("data", (chunk: string) => {
				text += chunk;
				if (text.length > 64 * MAX_LINE) socket.destroy();
			});
			socket.on("error", () => undefined);
			socket.on("close", () => resolve(objectOf(text)));
		});
	}
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}
