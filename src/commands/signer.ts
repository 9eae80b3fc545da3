import { once } from "node:events";
import { join } from "node:path";
import { Flags } from "@oclif/core";
import { type KeystoreEntry, unlockAnyKey } from "../keystore/keystore.js";
import { forgetKey, type HeldKey, isHeldElsewhere } from "../keystore/private-key.js";
import type { AwaitingTransaction, SignerFiles } from "../keystore/signer/client.js";
import { checkLog } from "../keystore/signer/decision-log.js";
import { SigningMarks } from "../keystore/signer/marks.js";
import type { Policies } from "../keystore/signer/policies.js";
import type { PolicyDesk } from "../keystore/signer/policy-desk.js";
import { MAX_CONFIRM_MS } from "../keystore/signer/requests.js";
import { LOG_NAME, MARKS_NAME, Signer } from "../keystore/signer/server.js";
import { notifyReady } from "../launch/service-manager.js";
import { command } from "../terminal/base/command-row.js";
import { yesFlag } from "../terminal/flags/acting-flags.js";
import {
	keystoreFlags,
	passwordFlags,
	required,
	signerFileFlags,
	signerFilesOf,
	signerPlaceOf,
} from "../terminal/flags/flags.js";
import { lentByAgent } from "../terminal/keys/agent-signature.js";
import { Devices, oneByOne, type ServedDevice, servedDevice } from "../terminal/keys/devices.js";
import { openedKey } from "../terminal/keys/secrets.js";
import { printLine } from "../terminal/output/output.js";
import { agree } from "../terminal/prompt/confirmation.js";
import { canAsk, openTerminal } from "../terminal/prompt/controlling-terminal.js";
import { endInterrupted, interruption, watchBusy } from "../terminal/prompt/interrupt.js";
import type { Settings } from "../wallet/configuration/settings.js";
import { Failure } from "../wallet/failure.js";
import { signerFailure } from "../wallet/signers/remote.js";
import { namesDevice } from "../wallet/signers/signer.js";
import { openableKey } from "../wallet/transaction/signing.js";
import { parseDuration, utcTime } from "../wallet/values/moment.js";

const directory = Flags.string({
	description: "of the marks and the log; one signer at a time uses it",
	helpValue: "<directory>",
	required: true,
});

export const SignerServe = command({
	summary: "Hold keys for nodes and wallets, until interrupted",
	description:
		"Signs blocks, greetings and votes of nodes that have localwitness.signer = <socket>, and with --policies the transactions that " +
		"a rule allows to a client (coin keystore import signer); nothing else. The time of a " +
		"key's blocks only rises and their height doesn't fall: the mark is on the disk before a signature leaves, so a witness " +
		"never signs twice for a slot, whatever becomes of nodes and their clocks. The user and group of the socket reach it; keep it in " +
		"a directory that no one else enters. Each decision is a line of <directory>/decisions.log, with the hash of the one before. " +
		"A key that an agent holds (coin keystore unlock) stays there, as does one of a device (ledger), where somebody confirms each " +
		"transaction and text that the policies allow. SIGHUP has it read the policies again: a file with a fault changes nothing.",
	usage:
		"signer serve <key>... [--socket <path>] [--policies <file> [--listen <address>]] --directory <directory>",
	examples: [
		"<%= config.bin %> signer serve witness --socket /run/coin-signer/socket --directory /var/lib/coin-signer/state",
		"<%= config.bin %> signer serve treasury --policies /etc/coin-treasury/policies.conf --directory /var/lib/coin-treasury/state",
	],
	strict: false,
	args: {
		key: required("key of the keystore, or ledger[:<index or path>]; several can follow"),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		socket: Flags.string({ description: "where nodes reach it", helpValue: "<path>" }),
		policies: Flags.string({
			description: "who may have which transactions signed; each client has its socket there",
			helpValue: "<file>",
		}),
		listen: Flags.string({
			description: "where clients on other machines reach it, by mutual TLS: host:port",
			helpValue: "<address>",
			dependsOn: ["policies", "certificate", "certificate-key", "ca"],
		}),
		...signerFileFlags,
		directory,
		"confirm-timeout": Flags.string({
			description: "how long a request waits for somebody to confirm it on the device",
			helpValue: "<duration>",
			default: "60s",
		}),
		moved: Flags.boolean({
			description: "the directory is a copy, and the signer with the original won't sign again",
		}),
	},
	run: async ({ argv, flags, settings: load, chatty, note, warning, passwordSource }) => {
		if (process.platform === "win32") throw new Failure("not_served", "signers don't exist on this system");
		if (flags.socket === undefined && flags.policies === undefined)
			throw new Failure("usage", "nobody could reach it: --socket or --policies is needed");
		// Installed at startup: without a handler the signal would end the process.
		const reloading = new Reloading(warning);
		const settings = await load();
		const entries = await namedKeys(settings, argv, flags, note);
		const desk = flags.policies === undefined ? undefined : await deskOf(flags.policies, entries);
		const refuseNodes = (clients: Policies["clients"]): void => {
			if (clients.some(({ isNode }) => isNode) && argv.some(namesDevice)) throw withNodes();
		};
		refuseNodes(desk?.clients ?? []);
		const source = passwordSource(settings);
		const keys: HeldKey[] = [];
		try {
			for (const entry of entries)
				keys.push(
					"confirm" in entry
						? entry
						: ((await lent(entry, note)) ?? (await openedKey(source, chatty, entry, unlockAnyKey))),
				);
			const signer = await Signer.start({
				keys,
				directory: flags.directory,
				isMoved: flags.moved,
				socketPath: flags.socket,
				desk,
				now: Date.now,
				onDecision: chatty ? note : undefined,
				warn: warning,
			});
			const files = signerFilesOf(flags);
			const listener =
				flags.listen !== undefined && desk && files
					? await listenAt(flags.listen, files, desk, signer)
					: undefined;
			const sockets = [flags.socket, ...(desk?.clients ?? []).map(({ socket }) => socket)];
			for (const socket of sockets) if (socket !== undefined) printLine(socket);
			if (listener) printLine(listener.at);
			const ended = interruption();
			const untold = await notifyReady(`${keys.length} keys`, process.env);
			if (untold !== undefined) warning(`systemd waits to be told that the signer is ready: ${untold}`);
			const { policies } = flags;
			if (policies !== undefined)
				reloading.begin(async () => {
					const { readPoliciesAside } = await import("../keystore/signer/policies.js");
					const read = await readPoliciesAside(policies, labelsOf(entries));
					refuseNodes(read.clients);
					const isOther = await signer.adopt(read);
					note(
						`${policies}: ${isOther ? "its policies hold now" : "nothing has changed"}, SHA-256 ${read.sha256}`,
					);
				});
			if (!ended.aborted) await once(ended, "abort");
			await reloading.end();
			await listener?.close();
			if (await signer.close()) {
				// The open question at the device would keep the process alive.
				watchBusy(() => true);
				endInterrupted();
			}
		} finally {
			for (const key of keys) if (!isHeldElsewhere(key)) forgetKey(key);
		}
	},
});

/** A device that is locked or away keeps the whole signer from starting. */
const withNodes = (): Failure =>
	new Failure("usage", "a device needs a signer of its own: nodes would have to wait for it");

type ServedKey = KeystoreEntry | ServedDevice;

/** The keys to serve; devices are opened to learn their addresses. @throws {Failure | KeystoreError} */
async function namedKeys(
	settings: Settings,
	names: readonly string[],
	flags: Readonly<Record<"policies" | "socket", string | undefined>> & { readonly "confirm-timeout": string },
	note: (line: string) => void,
): Promise<ServedKey[]> {
	const confirmMs = parseDuration(flags["confirm-timeout"]);
	if (confirmMs === 0 || confirmMs > MAX_CONFIRM_MS)
		throw new Failure("bad_value", "--confirm-timeout is above 0, and at most 10m");
	if (flags.policies === undefined && names.some(namesDevice))
		throw new Failure("usage", "a device signs nothing but what policies allow: --policies is needed");
	if (flags.socket !== undefined && names.some(namesDevice)) throw withNodes();
	return oneByOne(names, async (name) => {
		if (!namesDevice(name)) return openableKey(settings, name);
		const device = await servedDevice(() => new Devices().open(settings, name), confirmMs);
		note(`${name} is ${device.base58}: somebody has to confirm each signature on the device`);
		return device;
	});
}

/** The key from the agent, if one holds it. */
async function lent(entry: KeystoreEntry, note: (line: string) => void): Promise<HeldKey | undefined> {
	const key = await lentByAgent(entry);
	if (key) note(`${entry.name} is the agent's: it signs as long as the agent lives`);
	return key;
}

/** Decides on transactions; loaded only if there are policies. @throws {ConfigError} */
async function deskOf(path: string, entries: readonly ServedKey[]): Promise<PolicyDesk> {
	const [{ readPolicies }, { PolicyDesk, SIGNATURE_BYTES }] = await Promise.all([
		import("../keystore/signer/policies.js"),
		import("../keystore/signer/policy-desk.js"),
	]);
	const lengths = entries.map(({ scheme }) => scheme?.entryBytes ?? SIGNATURE_BYTES);
	return new PolicyDesk(readPolicies(path, labelsOf(entries)), Math.max(...lengths));
}

const labelsOf = (entries: readonly ServedKey[]): ReadonlyMap<string, string> =>
	new Map(entries.map(({ name, base58 }) => [name, base58]));

/** Handles SIGHUP: reloads policies one at a time; signals during a reload trigger one more. */
class Reloading {
	private isWanted = false;
	private read: (() => Promise<void>) | undefined;
	private running: Promise<void> | undefined;
	private readonly hadTerminal = canAsk();

	constructor(private readonly warning: (message: string) => void) {
		process.on("SIGHUP", this.onSignal);
	}

	private readonly onSignal = (): void => {
		// If the terminal was closed, exit, as without a handler.
		if (this.hadTerminal && !isTerminalThere()) process.kill(process.pid, "SIGTERM");
		this.isWanted = true;
		if (this.read) this.running ??= this.run();
	};

	/** @param read loads and applies the policies; its errors are reported and change nothing */
	begin(read: () => Promise<void>): void {
		this.read = read;
		if (this.isWanted) this.running ??= this.run();
	}

	private async run(): Promise<void> {
		while (this.isWanted && this.read) {
			this.isWanted = false;
			await this.read().catch((error: unknown) =>
				this.warning(
					`${error instanceof Error ? error.message : String(error)}; the policies that were read before still hold`,
				),
			);
		}
		this.running = undefined;
	}

	async end(): Promise<void> {
		this.read = undefined;
		await this.running;
		process.off("SIGHUP", this.onSignal);
	}
}

function isTerminalThere(): boolean {
	const terminal = openTerminal();
	terminal?.close();
	return terminal !== undefined;
}

/** Listens for remote clients. Errors are reported after the signer has ended. @throws {OperatorError} */
async function listenAt(
	address: string,
	files: SignerFiles,
	desk: PolicyDesk,
	signer: Signer,
): ReturnType<typeof import("../keystore/signer/tls-listener.js").listenTls> {
	const { listenTls } = await import("../keystore/signer/tls-listener.js");
	try {
		return await listenTls(
			address,
			files,
			() => desk.clients,
			(socket, client) => signer.serve(socket, client),
		);
	} catch (error) {
		await signer.close();
		throw error;
	}
}

const placeFlags = {
	signer: Flags.string({
		description: "its socket of this client, or tls://host:port",
		helpValue: "<place>",
		required: true,
	}),
	...signerFileFlags,
};

/** @throws {Failure} `signer_unavailable`, `signer_refused` */
async function asked<T>(
	work: (client: typeof import("../keystore/signer/client.js")) => Promise<T>,
): Promise<T> {
	const client = await import("../keystore/signer/client.js");
	return work(client).catch((error: unknown) => {
		throw signerFailure(error);
	});
}

/** For people, the time until which it can be signed and sent is in UTC. */
const withTime = (each: AwaitingTransaction): AwaitingTransaction => ({
	...each,
	expires: /^\d+$/.test(each.expires) ? utcTime(BigInt(each.expires)) : each.expires,
});

export const SignerPending = command({
	summary: "List the transactions that wait for an approval at a signer",
	description: "Those that this client can approve, and those that it asked for itself.",
	examples: ["<%= config.bin %> signer pending --signer /run/coin-treasury/ops/socket"],
	flags: placeFlags,
	run: async ({ flags, print }) => {
		const place = signerPlaceOf(flags.signer, flags);
		const pending = await asked((client) => client.pendingAt(place));
		const columns = ["id", "client", "type", "sum", "to", "fees", "rule", "key", "awaits", "expires"];
		print.list(pending, columns, "nothing waits for an approval", pending.map(withTime));
	},
});

export const SignerApprove = command({
	takesIds: true,
	summary: "Approve a transaction that waits at a signer",
	description:
		"Shows what the bytes do and asks. The client that wants the signature gets it when it asks again; one that asked can't approve.",
	examples: [
		"<%= config.bin %> signer approve 2f5c97ca3b4bc1b95dcfa0e2b6e0c9d3d1f1c6b34cbbdb7e4a0d8f4f4c0b6a11 --signer /run/coin-treasury/ops/socket",
	],
	args: { id: required("id of the transaction") },
	flags: { ...placeFlags, ...yesFlag },
	run: async ({ args, flags, settings: load, print }) => {
		const id = args.id.toLowerCase();
		if (!/^[0-9a-f]{64}$/.test(id))
			throw new Failure("bad_value", `"${args.id}" is not the id of a transaction`);
		const place = signerPlaceOf(flags.signer, flags);
		const raw = await asked((client) => client.pendingBytes(place, id));
		if (!raw) throw new Failure("not_found", `nothing with the id ${id} waits for this client`);
		const waiting = await asked((client) => client.pendingAt(place));
		const { contactsFile } = await load();
		const { approvalLines } = await import("../wallet/signers/approval-lines.js");
		await agree(2, await approvalLines(raw, waiting, contactsFile), flags.yes, "Approve?");
		await asked((client) => client.approveAt(place, id));
		print.outcome(true, `approved ${id}: its client can ask for the signature now`);
	},
});

export const SignerLog = command({
	summary: "Check and print the decisions of a signer",
	description:
		"Ends with an error at the first line that isn't what was written, and where the last decision of the marks isn't in it. " +
		"Without the marks beside it its end isn't checked.",
	examples: ["<%= config.bin %> signer log --directory /var/lib/coin-signer/state | tail -3"],
	flags: { directory },
	run: async ({ flags, note }) => {
		// Checked before reading the log: a running signer appends to it.
		const known = await SigningMarks.logEndIn(join(flags.directory, MARKS_NAME));
		const count = await checkLog(join(flags.directory, LOG_NAME), known, printLine);
		const end = known ? "" : "; whether some are missing at its end isn't known without marks";
		note(`${count} decisions, each as it was written${end}`);
	},
});
