/** What a development chain runs beside the servers of every node: sealing, the gateway, the console of contracts. */

import { toHex } from "../protocol/bytes.js";
import type { InternalTransaction } from "../protocol/messages.js";
import type { Broadcaster } from "./api/broadcast.js";
import type { ApiNode } from "./api/context.js";
import type { Dispatcher } from "./api/jsonrpc/dispatcher.js";
import type { TextAnswerer } from "./api/jsonrpc/server.js";
import type { ExecutedBlock } from "./chain/observers.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { DevelopmentControl } from "./development/control.js";
import type { Development } from "./development/development.js";
import type { ContractSources } from "./history/contract-sources.js";
import type { NodePorts } from "./node.js";
import type { NodeLog } from "./node-log.js";
import { Sealer } from "./production/sealer.js";
import type { ContractMachine } from "./vm/contract-machine.js";

type Stops = (() => Promise<void> | void)[];
type Report = (error: unknown, where: string) => void;

/** Seals the blocks, after the state that was asked for is loaded. */
export async function startSealer(
	open: OpenChain,
	development: Development,
	log: NodeLog,
	report: Report,
	stops: Stops,
	sources: ContractSources,
): Promise<Sealer> {
	const { schedule, producer } = development;
	const { loadState: given, saveState, fork } = development.options;
	const firstHead = BigInt(fork?.number ?? 0);
	if (given) {
		const { loadState } = await import("./development/state-file.js");
		await loadState(open, given);
		await open.persist();
	}
	let writing: Promise<void> = Promise.resolve();
	const sealer = new Sealer({
		chain: open.chain,
		producer,
		conditions: schedule,
		onSealed: ({ block, infos }) => {
			log.info(
				{ number: Number(block.number), id: block.idHex, transactions: block.transactions.length },
				"block sealed",
			);
			// What was sealed while the log was off isn't told when it is on again.
			if (infos.length === 0 || (log instanceof SwitchedLog && !log.isOn)) return;
			const write = async (): Promise<void> => {
				await writeTransactions(open, { block, infos }, sources, log);
				for (const { id, internal_transactions: calls } of infos) {
					await writeConsole(development, calls, log, { transaction: toHex(id) });
				}
			};
			// In the order of the blocks.
			writing = writing.then(write).catch((error: unknown) => report(error, "the log of a block"));
		},
		onFailure: (error) => report(error, "sealing"),
	});
	// The chain's clock never stands before its head: it may have been moved before the last stop, or in the state loaded.
	if (open.chain.head.timestampMs > schedule.now()) schedule.setTime(open.chain.head.timestampMs);
	// Block 1 gives clients a head with a number, and a fork what every block reads; a restart seals what had been waiting.
	if (open.chain.head.number === firstHead || (schedule.sealMode === "instant" && open.chain.pool.size > 0)) {
		sealer.seal({ byHand: true });
	}
	sealer.start();
	if (saveState) {
		stops.push(async () => {
			const { dumpState } = await import("./development/state-file.js");
			await saveState(await sealer.exclusive(() => dumpState(open)));
		});
	}
	stops.push(() => sealer.stop());
	return sealer;
}

/** Logs what the transactions of a block did. */
async function writeTransactions(
	{ chain }: OpenChain,
	applied: ExecutedBlock,
	sources: ContractSources,
	log: NodeLog,
): Promise<void> {
	const { blockReport } = await import("./api/development/block-report.js");
	const { lines, more } = blockReport(chain.state, applied, (contract) => sources.interfaceOf(contract));
	for (const line of lines) log.info(line, "transaction");
	if (more > 0) log.info({ transactions: more }, "more of this block");
}

/** Logs what contracts wrote to their console. @param where the transaction that wrote, or that it was none */
async function writeConsole(
	{ console, options }: Development,
	calls: readonly Readonly<InternalTransaction>[],
	log: NodeLog,
	where: { readonly transaction: string } | { readonly call: "constant" },
): Promise<void> {
	if (console.isSilent || options.consoleLog === false) return;
	for (const { contract, text } of await console.lines(calls)) {
		log.info({ contract, text, ...where }, "console.log");
	}
}

/** A machine whose calls without effect log what contracts wrote. */
export function writingMachine(
	machine: ContractMachine,
	development: Development,
	log: NodeLog,
	report: Report,
): ApiNode["machine"] {
	return {
		call: (...call) => {
			const result = machine.call(...call);
			// An estimate writes what the transaction will write as well.
			const written = writeConsole(development, result.internalTransactions, log, { call: "constant" });
			void written.catch((error: unknown) => report(error, "console"));
			return result;
		},
	};
}

/** The log of a development chain: its owner may switch off what is no warning. */
export class SwitchedLog implements NodeLog {
	isOn = true;

	constructor(private readonly log: NodeLog) {}

	info(fields: object, message: string): void {
		if (this.isOn) this.log.info(fields, message);
	}

	warn(fields: object, message: string): void {
		this.log.warn(fields, message);
	}

	error(fields: object, message: string): void {
		this.log.error(fields, message);
	}
}

/** What the owner of a development chain can do to it. */
export async function developmentControl(chain: {
	readonly open: OpenChain;
	readonly development: Development;
	readonly sealer: Sealer;
	readonly machine: ContractMachine;
	readonly log: NodeLog;
}): Promise<DevelopmentControl> {
	const { open, development, sealer, machine, log } = chain;
	const { DevelopmentControl } = await import("./development/control.js");
	const { schedule: conditions, book } = development;
	const setLogging = (on: boolean): void => {
		if (log instanceof SwitchedLog) log.isOn = on;
	};
	return new DevelopmentControl({ open, sealer, conditions, book, machine, setLogging });
}

/** The servers of a development chain beside those of every node. */
export interface DevelopmentServers {
	readonly api: ApiNode;
	readonly broadcaster: Broadcaster;
	readonly development: Development;
	readonly control: DevelopmentControl;
	readonly host: string | undefined;
	/** Ports of all servers, once they are known. */
	readonly ports: () => NodePorts;
}

/** The one port for everything that tools of a development chain ask (protocol/development-chain §4). */
export async function startGateway(servers: DevelopmentServers, stops: Stops): Promise<NodePorts> {
	const { api, development, control, host, ports } = servers;
	const port = development.options.ports.gateway ?? 0;
	if (port === 0) return {};
	const { startGateway: start } = await import("./api/development/gateway.js");
	const { producer } = development;
	const running = await start({ api, control, development, producer, host, port, ports });
	stops.push(() => running.close());
	return { gateway: running.port };
}

/** The methods of a development chain on a JSON-RPC server, beside those of every node. */
export async function developmentMethodsBeside(
	servers: DevelopmentServers,
): Promise<(ordinary: Dispatcher) => TextAnswerer> {
	const [{ DevelopmentRpc }, { accessOf }] = await Promise.all([
		import("./api/development/rpc.js"),
		import("./api/development/web-origin.js"),
	]);
	const { api: node, broadcaster, control, development, host, ports } = servers;
	const origins = { allowed: new Set(development.options.allowedOrigins ?? []), host };
	return (ordinary) => {
		const rpc = new DevelopmentRpc({
			ordinary,
			context: () => ({ control, node, broadcaster, ports: ports() }),
		});
		return (text, caller, headers) => rpc.answerLine(text, true, accessOf(headers, origins), caller);
	};
}
