/**
 * The agent: holds opened keys for a while, and signs for programs of the same user. Keys are in its memory alone; it
 * answers on a socket in a directory that only its user can enter, and never tells a key.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { addressOfPrivateKey, sign } from "../../protocol/signature.js";

/** Requests and answers are lines of JSON, one of each a connection. */
export const MAX_LINE = 4_096;
export const ANSWER_MS = 5_000;
const MAX_CONNECTIONS = 16;
/** What addresses of sockets may have on every system. */
const MAX_PATH = 100;

interface AgentOptions {
	/** Private keys, 32 bytes each; the agent overwrites them when it ends. */
	readonly keys: readonly Uint8Array[];
	/** How long it lives. */
	readonly lifeMs: number;
	/** Directory below which its own is made; it should be the user's. */
	readonly parent: string;
	/** Called once, when it is over. */
	readonly onEnd?: () => void;
}

/** Where agents have their directories. */
export function agentParent(environment: Readonly<Record<string, string | undefined>>): string {
	const { XDG_RUNTIME_DIR } = environment;
	return XDG_RUNTIME_DIR && XDG_RUNTIME_DIR.length < MAX_PATH - 30 ? XDG_RUNTIME_DIR : tmpdir();
}

export class Agent {
	private readonly keys: ReadonlyMap<string, Uint8Array>;
	private readonly directory: string;
	private readonly timer: NodeJS.Timeout;
	private readonly server: Server;
	private ended = false;

	private constructor(private readonly options: AgentOptions) {
		this.keys = new Map(options.keys.map((key) => [toBase58Check(addressOfPrivateKey(key)), key]));
		// Made with mode 0700 in one step, under an unpredictable name.
		this.directory = mkdtempSync(join(options.parent, "coin-agent-"));
		this.server = createServer((socket) => this.serve(socket));
		this.server.maxConnections = MAX_CONNECTIONS;
		this.timer = setTimeout(() => this.end(), options.lifeMs);
	}

	/** Starts one. @throws Error of the system if there can't be a socket */
	static async start(options: AgentOptions): Promise<Agent> {
		const agent = new Agent(options);
		try {
			await new Promise<void>((done, fail) => {
				agent.server.once("error", fail);
				agent.server.listen(agent.socketPath, done);
			});
		} catch (error) {
			agent.end();
			throw error;
		}
		return agent;
	}

	get socketPath(): string {
		return join(this.directory, "socket");
	}

	/** Forgets the keys and ends. */
	end(): void {
		if (this.ended) return;
		this.ended = true;
		clearTimeout(this.timer);
		for (const key of this.keys.values()) key.fill(0);
		for (const key of this.options.keys) key.fill(0);
		this.server.close();
		rmSync(this.directory, { recursive: true, force: true });
		this.options.onEnd?.();
	}

	private serve(socket: Socket): void {
		let text = "";
		socket.setEncoding("utf8").setTimeout(ANSWER_MS, () => socket.destroy());
		socket.on("error", () => socket.destroy());
		socket.on("data", (chunk: string) => {
			text += chunk;
			const end = text.indexOf("\n");
			if (end < 0 && text.length <= MAX_LINE) return;
			socket.removeAllListeners("data");
			const answer = end < 0 || end > MAX_LINE ? { error: "too long" } : this.answer(text.slice(0, end));
			socket.end(`${JSON.stringify(answer)}\n`);
			if ("locked" in answer) this.end();
		});
	}

	private answer(line: string): object {
		let request: { readonly do?: unknown; readonly address?: unknown; readonly hash?: unknown };
		try {
			request = (JSON.parse(line) ?? {}) as typeof request;
		} catch {
			return { error: "not JSON" };
		}
		if (this.ended) return { error: "locked" };
		if (request.do === "list") return { addresses: [...this.keys.keys()] };
		if (request.do === "lock") return { locked: true };
		if (request.do !== "sign") return { error: "unknown request" };
		const key = this.keys.get(String(request.address));
		if (!key) return { error: "unknown key" };
		if (typeof request.hash !== "string" || !/^[0-9a-f]{64}$/.test(request.hash))
			return { error: "not a hash" };
		return { signature: toHex(sign(fromHex(request.hash), key)) };
	}
}
