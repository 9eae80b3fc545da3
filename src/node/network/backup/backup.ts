/**
 * Hot standby: several nodes hold the keys of one witness, and only one of them produces blocks (protocol/peers §12). They send each
 * other keep-alives over UDP; a node that receives none from a member with precedence becomes the master.
 *
 * Messages are not signed. Members are identified only by address, so a group needs a private network: a host that can send
 * datagrams with a member's address decides who produces, and nothing here prevents that. Datagrams from other hosts are
 * ignored.
 */

import { isIP } from "node:net";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { BackupMessage } from "../../../protocol/messages.js";
import { isHostName } from "../../config/peer-config.js";
import type { DatagramPort, NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import { addressOfHost } from "../peer-hosts.js";
import { canonicalHost } from "../wire/endpoint.js";

/** SLAVER: another member is the master, or has precedence to become it. */
export type BackupStatus = "INIT" | "MASTER" | "SLAVER";

export interface BackupOptions {
	/** The member with the highest priority becomes the master. */
	readonly priority: number;
	/** UDP port; 0 disables the backup. */
	readonly port: number;
	readonly keepAliveIntervalMs: number;
	/** IP literals and host names of the group; the node's own is ignored. */
	readonly members: readonly string[];
	/** This node's IP literal, the tie-breaker between members of equal priority. */
	readonly ownHost: string;
	/** Address to bind; undefined: every interface. */
	readonly host?: string | undefined;
	readonly onChange?: (status: BackupStatus) => void;
	/** Reports that the port can't be bound; the node is then the master. */
	readonly onProblem?: (error: unknown) => void;
	/** Called with members' host names that can't be resolved. */
	readonly onUnknown?: (host: string, error: unknown) => void;
}

const KEEP_ALIVE = 0x05;
/** Exclusive. */
const MAX_DATAGRAM = 2048;
const FIRST_MS = 1_000;
/** Interval between lookups of the members' names. */
const LOOKUP_MS = 60_000;
/** Number of intervals without a message after which a member counts as silent. */
const SILENT_INTERVALS = 6;
/** A block younger than this shows that the node is in sync; until then, it must not produce. */
const FRESH_BLOCK_MS = 3_000;

interface KeepAlive {
	readonly isMaster: boolean;
	readonly priority: number;
}

export class Backup {
	private current: BackupStatus = "MASTER";
	private lastSeenMs = 0;
	private port: DatagramPort | undefined;
	private timer: Timer | undefined;
	private isStarted = false;
	private isStopped = false;
	/** Addresses of the group. */
	private members: ReadonlySet<string> = new Set();
	/** Addresses of names, from the last lookup. */
	private readonly named = new Map<string, string>();
	private lookups: Timer | undefined;

	constructor(
		private readonly environment: NetworkEnvironment,
		private readonly options: BackupOptions,
	) {
		const notHost = options.members.find((member) => isIP(member) === 0 && !isHostName(member));
		if (notHost !== undefined) throw new Error(`node.backup.members: "${notHost}" is not a host`);
		this.gather();
	}

	/** Only the master produces. A node without a group, or whose group hasn't started, is the master. */
	get status(): BackupStatus {
		return this.current;
	}

	get isMaster(): boolean {
		return this.current === "MASTER";
	}

	/** Must be called for every applied block: the first fresh one starts the backup. */
	applied(blockTimestampMs: number): void {
		const { port } = this.options;
		if (this.isStarted || this.isStopped || port === 0 || this.isAlone) return;
		if (this.environment.wallClock() - blockTimestampMs >= FRESH_BLOCK_MS) return;
		this.isStarted = true;
		this.lastSeenMs = this.environment.now();
		this.become("INIT");
		this.begin(port).catch((error: unknown) => {
			this.become("MASTER");
			this.options.onProblem?.(error);
		});
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		this.timer?.cancel();
		this.lookups?.cancel();
		await this.port?.close();
	}

	private async begin(port: number): Promise<void> {
		const { host, keepAliveIntervalMs } = this.options;
		const bound = await this.environment.bindDatagrams({ host, port }, (datagram, from) =>
			this.receive(datagram, from),
		);
		if (this.isStopped) {
			await bound.close();
			return;
		}
		this.port = bound;
		if (this.names.length > 0) {
			this.lookups = this.environment.every(LOOKUP_MS, () => void this.lookUp(), 0);
		}
		this.timer = this.environment.every(keepAliveIntervalMs, () => this.tick(), FIRST_MS);
	}

	private get names(): readonly string[] {
		return this.options.members.filter((member) => isIP(member) === 0);
	}

	private get isAlone(): boolean {
		return this.members.size === 0 && this.names.length === 0;
	}

	/** Looks up the members' names; one that can't be resolved keeps its last address. */
	private async lookUp(): Promise<void> {
		for (const name of this.names) {
			try {
				this.named.set(name, await addressOfHost(this.environment, name));
			} catch (error) {
				this.options.onUnknown?.(name, error);
			}
		}
		this.gather();
	}

	private gather(): void {
		const { members, ownHost } = this.options;
		const addresses = members.flatMap((member) =>
			isIP(member) === 0 ? (this.named.get(member) ?? []) : canonicalHost(member),
		);
		this.members = new Set(addresses.filter((address) => address !== ownHost));
	}

	private tick(): void {
		const now = this.environment.now();
		if (!this.isMaster && now - this.lastSeenMs > SILENT_INTERVALS * this.options.keepAliveIntervalMs) {
			if (this.current === "SLAVER") {
				// The master is silent; the other waiting members get the same time to announce themselves.
				this.lastSeenMs = now;
				this.become("INIT");
			} else this.become("MASTER");
		}
		if (this.current === "SLAVER") return;
		const datagram = encodeKeepAlive({ isMaster: this.isMaster, priority: this.options.priority });
		for (const member of this.members) this.port?.send(datagram, { host: member, port: this.options.port });
	}

	private receive(datagram: Uint8Array, from: NodeAddress): void {
		if (this.isStopped || !this.members.has(from.host)) return;
		const message = decodeKeepAlive(datagram);
		if (message === undefined) return;
		const { priority, ownHost } = this.options;
		const isBetter = message.priority > priority || (message.priority === priority && ownHost < from.host);
		if (this.current === "INIT" && !message.isMaster && !isBetter) {
			// By the network's rule this counts as a keep-alive, but then members that start at the same time would wait for
			// each other forever. Here the one with priority doesn't wait, and the other one yields.
			return;
		}
		this.lastSeenMs = this.environment.now();
		if (this.current === "INIT" || (this.isMaster && message.isMaster && isBetter)) this.become("SLAVER");
	}

	private become(status: BackupStatus): void {
		if (this.current === status) return;
		this.current = status;
		this.options.onChange?.(status);
	}
}

export function encodeKeepAlive({ isMaster, priority }: KeepAlive): Uint8Array {
	const body = BackupMessage.encode(BackupMessage.create({ flag: isMaster, priority }));
	const datagram = new Uint8Array(body.length + 1);
	datagram[0] = KEEP_ALIVE;
	datagram.set(body, 1);
	return datagram;
}

/** @returns undefined if it is not a keep-alive; an initial message with priority 0 is too short to be one */
export function decodeKeepAlive(datagram: Uint8Array): KeepAlive | undefined {
	if (datagram.length <= 1 || datagram.length >= MAX_DATAGRAM || datagram[0] !== KEEP_ALIVE) return undefined;
	try {
		const { flag, priority } = BackupMessage.decode(datagram.subarray(1));
		return { isMaster: flag, priority };
	} catch (error) {
		if (error instanceof DecodeError) return undefined;
		throw error;
	}
}
