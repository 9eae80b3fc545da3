/** What the tests with real brokers and databases know of one, and the processes that they are. */

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A message or row that a broker holds, as the JSON of its trigger. */
export type Held = Readonly<Record<string, unknown>>;

/** A running broker of its own, on loopback. */
export interface Broker {
	/** Where clients find it. */
	readonly url: string;
	/** The settings below `event.subscribe` that make a node tell it what the topics say. @param version of the event service */
	settings(version: number): string;
	/** SIGKILL; resolves once it is gone. */
	kill(): Promise<void>;
	/** After a kill, on the same port and folder; resolves once it answers. */
	restart(): Promise<void>;
	stop(): Promise<void>;
	/** Everything that it holds, in an order of its own. */
	read(): Promise<readonly Held[]>;
}

/** A kind of broker; what `find` finds is what `start` needs. */
export interface BrokerKind<Found = unknown> {
	readonly name: string;
	/** What has to be installed, for the sentence that says why it is skipped. */
	readonly needs: string;
	/** Brings the broker's program from its registry where that is needed; undefined: it can't be had here. */
	find(): Promise<Found | undefined>;
	/** @param folder an empty one of its own */
	start(found: Found, folder: string): Promise<Broker>;
	/** What else is tried with it before nodes and brokers are killed; throws what is wrong. */
	check?(broker: Broker, folder: string): Promise<void>;
}

/** Hides what a kind finds from whoever only starts it. */
export const kindOf = <Found>(kind: BrokerKind<Found>): BrokerKind => kind as BrokerKind;

/** Where programs of brokers are kept from run to run. */
export function cacheFolder(name: string): string {
	const folder = join(process.env["COIN_BROKERS_FOLDER"] ?? join(homedir(), ".cache", "coin-brokers"), name);
	mkdirSync(folder, { recursive: true });
	return folder;
}

/** Runs a command to its end; false: it failed, or isn't there. */
export function run(
	command: string,
	args: readonly string[],
	cwd: string,
	env: NodeJS.ProcessEnv = {},
): boolean {
	const { status } = spawnSync(command, args, {
		cwd,
		env: { ...process.env, ...env },
		stdio: "ignore",
		timeout: 600_000,
	});
	return status === 0;
}

const children = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.once("exit", () => {
	for (const child of children) child.kill("SIGKILL");
});

/** A process that does not outlive this one. */
export function spawnChild(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
	const child = spawn(command, args, options);
	children.add(child);
	child.once("exit", () => children.delete(child));
	return child;
}

/** A program that is killed and started again on the same port. */
export class Daemon {
	private child: ChildProcess | undefined;

	/** @param log file to which everything it prints is added */
	constructor(
		private readonly command: string,
		private readonly args: readonly string[],
		private readonly options: { readonly port: number; readonly log: string },
	) {}

	/** Resolves once the port is open. */
	async start(): Promise<void> {
		const { port, log } = this.options;
		const output = openSync(log, "a");
		const child = spawnChild(this.command, this.args, {
			stdio: ["ignore", output, output],
		});
		this.child = child;
		const end = Date.now() + 60_000;
		while (!(await isOpen(port))) {
			if (child.exitCode !== null || Date.now() > end) {
				throw new Error(`${this.command} does not start: see ${log}`);
			}
			await sleep(50);
		}
	}

	async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
		const { child } = this;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, "exit");
		child.kill(signal);
		await ended;
	}
}

async function isOpen(port: number): Promise<boolean> {
	const socket = connect({ port, host: "127.0.0.1" });
	try {
		await once(socket, "connect");
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}

/** Asks again and again until it doesn't throw: a port is open before what is behind it answers. */
export async function whenReady<T>(ask: () => Promise<T>, limitMs = 60_000): Promise<T> {
	for (const end = Date.now() + limitMs; ; ) {
		try {
			return await ask();
		} catch (error) {
			if (Date.now() > end) throw error;
			await sleep(100);
		}
	}
}
