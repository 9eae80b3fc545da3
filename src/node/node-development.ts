/** Services of a development chain besides the usual servers: sealing, gateway, contract console. */

import { toHex } from "../protocol/bytes.js";
import type { InternalTransaction } from "../protocol/messages.js";
import type { SignedTransaction } from "../protocol/transaction.js";
import type { ApiNode } from "./api/context.js";
import type { Dispatcher } from "./api/jsonrpc/dispatcher.js";
import type { TextAnswerer } from "./api/jsonrpc/server.js";
import type { InterfaceNode } from "./api/queries/stored-events.js";
import type { ExecutedBlock } from "./chain/observers.js";
import type { Development } from "./development/development.js";
import type { NodeCore, Service } from "./node-core.js";
import type { NodeLog } from "./node-log.js";
import { Sealer } from "./production/sealer.js";
import type { ConstantResult } from "./vm/contract-machine.js";
import { VmError } from "./vm/vm-error.js";

/** Seals blocks, after loading the requested state. */
export const sealing: Service = {
	start: async (core) => {
		const { development } = core.options;
		if (!development) return {};
		const sealer = await startSealer(core, development);
		core.parts.sealer = sealer;
		const { saveState } = development.options;
		return {
			stop: async () => {
				sealer.close();
				if (!saveState) return;
				const { dumpState } = await import("./development/state-file.js");
				await saveState(await sealer.exclusive(() => dumpState(core.open)));
			},
		};
	},
};

async function startSealer(core: NodeCore, development: Development): Promise<Sealer> {
	const { open, log, report } = core;
	const { schedule, producer } = development;
	const { loadState: given, fork } = development.options;
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
			// Blocks sealed while the log was off aren't logged later.
			if (infos.length === 0 || (log instanceof SwitchableLog && !log.isOn)) return;
			const write = async (): Promise<void> => {
				await writeTransactions(core, { block, infos });
				for (const { id, internal_transactions: calls } of infos) {
					await writeConsole(development, calls, log, { transaction: toHex(id) });
				}
			};
			// In block order.
			writing = writing.then(write).catch((error: unknown) => report(error, "the log of a block"));
		},
		onFailure: (error) => report(error, "sealing"),
	});
	// The chain's clock must not be behind its head, which may come from a moved clock or a loaded state.
	if (open.chain.head.timestampMs > schedule.now()) schedule.setTime(open.chain.head.timestampMs);
	// Block 1 gives clients a head with a number, and a fork what every block reads; a restart seals what had been waiting.
	if (open.chain.head.number === firstHead || (schedule.sealMode === "instant" && open.chain.pool.size > 0)) {
		sealer.seal({ byHand: true });
	}
	sealer.start();
	return sealer;
}

/** Logs the effects of a block's transactions. */
async function writeTransactions(core: NodeCore, applied: ExecutedBlock): Promise<void> {
	const { open, log } = core;
	const { blockReport } = await import("./api/development/block-report.js");
	const { lines, more } = blockReport(open.chain.state, applied, interfaceNode(core));
	for (const line of lines) log.info(line, "transaction");
	if (more > 0) log.info({ transactions: more }, "more of this block");
}

/** Reads interfaces for the log itself: what it asks of contracts is no call that is logged. */
const interfaceNode = ({ machine, sources, open }: NodeCore): InterfaceNode => ({
	config: { vm: { supportConstant: true } },
	machine,
	sources,
	// What called through a proxy has fetched what its beacon reads.
	isFork: false,
	rules: open.rules,
	forks: () => open.forks,
});

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

/** A machine whose calls without effect log the contracts' console output and how they fail. */
export function writingMachine(core: NodeCore, development: Development): ApiNode["machine"] {
	const { machine, log, report, open } = core;
	const known = interfaceNode(core);
	const write = async (
		transaction: SignedTransaction,
		result: ConstantResult | VmError,
		isTrial: boolean,
	): Promise<void> => {
		const isError = result instanceof VmError;
		// What tries a transaction writes what that will write itself, unless it is refused and none will come.
		if (!isError && !development.console.isSilent) {
			const { triesTransaction } = await import("./api/development/block-report.js");
			if (result.reverted || !triesTransaction(open.chain.state, transaction, isTrial, known))
				await writeConsole(development, result.internalTransactions, log, { call: "constant" });
		}
		if (!(isError || result.reverted) || (log instanceof SwitchableLog && !log.isOn)) return;
		const { refusedCall } = await import("./api/development/block-report.js");
		const line = refusedCall(open.chain.state, transaction, result, known);
		if (line) log.info(line, "refused call");
	};
	return {
		call: (environment, transaction, options, isTrial = false) => {
			const tell = (ended: ConstantResult | VmError): void =>
				void write(transaction, ended, isTrial).catch((error) => report(error, "the log of a call"));
			try {
				const result = machine.call(environment, transaction, options);
				tell(result);
				return result;
			} catch (error) {
				if (error instanceof VmError) tell(error);
				throw error;
			}
		},
	};
}

/** The log of a development chain: the owner may turn off everything except warnings. */
export class SwitchableLog implements NodeLog {
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

/** The control methods of a development chain. */
export const developmentMethods: Service = {
	start: async ({ open, options, log, parts }) => {
		const { development } = options;
		const { sealer } = parts;
		if (!development || !sealer) return {};
		const { DevelopmentControl } = await import("./development/control.js");
		const { schedule: conditions, book } = development;
		const setLogging = (on: boolean): void => {
			if (log instanceof SwitchableLog) log.isOn = on;
		};
		parts.control = new DevelopmentControl({ open, sealer, conditions, book, setLogging });
		return {};
	},
};

/** The single port for all tools of a development chain (protocol/development-chain §4). */
export const gateway: Service = {
	start: async (core) => {
		const { development, host } = core.options;
		const { api, control } = core.parts;
		const port = development?.options.ports.gateway;
		if (!development || !api || !control || port === undefined) return {};
		const { startGateway } = await import("./api/development/gateway.js");
		const { producer } = development;
		const { node } = api;
		const running = await startGateway({
			api: node,
			control,
			development,
			producer,
			host,
			port,
			bound: core,
		});
		return { ports: { gateway: running.port }, stop: () => running.close() };
	},
};

/** The methods of a development chain on a JSON-RPC server, beside those of every node; undefined: it is none. */
export async function developmentMethodsBeside(
	core: NodeCore,
): Promise<((ordinary: Dispatcher) => TextAnswerer) | undefined> {
	const { development, host } = core.options;
	const { api, control } = core.parts;
	if (!development || !api || !control) return undefined;
	const [{ DevelopmentRpc }, { accessOf }] = await Promise.all([
		import("./api/development/rpc.js"),
		import("./api/development/web-origin.js"),
	]);
	const { node, broadcaster } = api;
	const origins = { allowed: new Set(development.options.allowedOrigins ?? []), host };
	return (ordinary) => {
		const rpc = new DevelopmentRpc({
			ordinary,
			context: () => ({ control, node, broadcaster, ports: core.ports }),
		});
		return (text, caller, headers) =>
			rpc.answerLine(text, true, accessOf(headers, origins), { ...caller, agent: headers["user-agent"] });
	};
}
