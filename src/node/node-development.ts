/** What a development chain runs beside the servers of every node: sealing, the gateway, the console of contracts. */

import type { InternalTransaction } from "../protocol/messages.js";
import type { ApiNode } from "./api/context.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { Development } from "./development/development.js";
import type { NodeLog, NodePorts } from "./node.js";
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
): Promise<Sealer> {
	const { schedule, producer } = development;
	const { loadState: given, saveState } = development.options;
	if (given) {
		const { loadState } = await import("./development/state-file.js");
		await loadState(open, given);
		await open.persist();
	}
	const sealer = new Sealer({
		chain: open.chain,
		producer,
		conditions: schedule,
		onSealed: ({ block, infos }) => {
			log.info(
				{ number: Number(block.number), id: block.idHex, transactions: block.transactions.length },
				"block sealed",
			);
			const calls = infos.flatMap((info) => info.internal_transactions);
			void writeConsole(development, calls, log).catch((error: unknown) => report(error, "console"));
		},
		onFailure: (error) => report(error, "sealing"),
	});
	// The chain's clock never stands before its head: it may have been moved before the last stop, or in the state loaded.
	if (open.chain.head.timestampMs > schedule.now()) schedule.setTime(open.chain.head.timestampMs);
	// Block 1 gives clients a head with a number; a restart seals what had been waiting.
	if (open.chain.head.number === 0n || (schedule.sealMode === "instant" && open.chain.pool.size > 0)) {
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

/** Logs what contracts wrote to their console. */
async function writeConsole(
	{ console, options }: Development,
	calls: readonly Readonly<InternalTransaction>[],
	log: NodeLog,
): Promise<void> {
	if (console.isSilent || options.consoleLog === false) return;
	for (const { contract, text } of await console.lines(calls)) log.info({ contract, text }, "console.log");
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
			void writeConsole(development, result.internalTransactions, log).catch((error: unknown) =>
				report(error, "console"),
			);
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

/** The one port for everything that tools of a development chain ask (sheet 11 §9). */
export async function startGateway(gateway: {
	readonly api: ApiNode;
	readonly open: OpenChain;
	readonly development: Development;
	readonly sealer: Sealer;
	readonly machine: ContractMachine;
	readonly log: NodeLog;
	readonly host: string | undefined;
	readonly stops: Stops;
	readonly ports: () => NodePorts;
}): Promise<NodePorts> {
	const { api, open, development, sealer, machine, log, host, stops, ports } = gateway;
	const port = development.options.ports.gateway ?? 0;
	if (port === 0) return {};
	const [{ startGateway: start }, { DevelopmentControl }] = await Promise.all([
		import("./api/development/gateway.js"),
		import("./development/control.js"),
	]);
	const { schedule: conditions, book, producer } = development;
	const setLogging = (on: boolean): void => {
		if (log instanceof SwitchedLog) log.isOn = on;
	};
	const control = new DevelopmentControl({ open, sealer, conditions, book, machine, setLogging });
	const running = await start({ api, control, development, producer, host, port, ports });
	stops.push(() => running.close());
	return { gateway: running.port };
}
