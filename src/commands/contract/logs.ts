import { Flags } from "@oclif/core";
import { viewAddress } from "../../abi/coder.js";
import { type DecodedEvent, decodeEvent, decodeLog } from "../../abi/log.js";
import type { AbiItem, ContractInterface } from "../../abi/parameter.js";
import { topicOf } from "../../abi/selector.js";
import { toHex } from "../../protocol/bytes.js";
import { query } from "../../terminal/base/command-row.js";
import { fetchBlockNamed } from "../../terminal/base/node-questions.js";
import { abiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { keystoreFlags, nodeFlags, optional } from "../../terminal/flags/flags.js";
import { printJson, printLine } from "../../terminal/output/output.js";
import { readTopic } from "../../wallet/abi/argument.js";
import { findItem } from "../../wallet/abi/interface.js";
import { joinedInterfaces } from "../../wallet/abi/signature-list.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure, onRefusal } from "../../wallet/failure.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { NamedAmounts } from "../../wallet/token/named-amount.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseCount } from "../../wallet/values/integer-text.js";
import {
	type ContractLog,
	fetchHeadNumber,
	followLogs,
	pastLogs,
	USUAL_RANGE,
} from "../../wallet/view/contract-logs.js";
import { logInterfaces, logText } from "../../wallet/view/contract-outcome.js";
import { interfaceThroughProxy } from "../../wallet/view/contract-record.js";
import { type PastEvent, pastEvents } from "../../wallet/view/past-event.js";

export const ContractLogs = query({
	outputKind: "stream",
	summary: "Print logs of contracts, decoded where their interface is known",
	description:
		`Without --from-block the newest ${USUAL_RANGE} blocks are looked through; with --follow only new ones. The node ` +
		"must serve JSON-RPC.",
	examples: [
		"<%= config.bin %> contract logs --address store --event Changed --from-block 100",
		"<%= config.bin %> contract logs --address store --event 'Changed(address indexed by,uint256 value,string note)' --follow",
		"<%= config.bin %> contract logs --address store --event Changed --history --limit 50",
	],
	args: {
		contract: optional("contract; the same as --address"),
	},
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...abiFlag,
		address: Flags.string({
			description: "contract; repeatable",
			helpValue: "<account>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		event: Flags.string({ description: "signature, or name in the interface", helpValue: "<signature>" }),
		topic: Flags.string({
			description: "value of an indexed parameter, in order: number, address, text, bytes, or - for any",
			helpValue: "<value>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		"from-block": Flags.string({ description: "first block: number, head, solid or earliest" }),
		"to-block": Flags.string({ description: "last block", exclusive: ["follow"] }),
		follow: Flags.boolean({ description: "go on with new blocks until interrupted", exclusive: ["history"] }),
		history: Flags.boolean({
			description: "from the node's index, over all blocks",
			exclusive: ["topic", "from-block", "to-block"],
		}),
		limit: Flags.string({
			description: "with --history: at most so many, the newest",
			helpValue: "<n>",
			dependsOn: ["history"],
		}),
	},
	run: async ({ args, flags, settings, client, json }) => {
		const named = [...(args.contract === undefined ? [] : [args.contract]), ...(flags.address ?? [])];
		const addresses = await Promise.all(named.map((text) => contractNamed(settings, text)));
		const given = await interfaceFlag(flags.abi, settings, client);
		if (flags.history) return printHistory(client, addresses, given, flags, json);
		const event =
			flags.event === undefined
				? undefined
				: findItem(given ?? (await interfaceOfAll(client, addresses)), flags.event, "event");
		const interfaceOf = logInterfaces(client, given);
		const print = async (log: ContractLog): Promise<void> => {
			const named = event && decodeEvent(event, log);
			printLog(log, named ?? decodeLog(await interfaceOf(log.address, log), log), json);
		};
		const values = await topicsOf(client, event, flags.topic ?? []);
		const wanted = {
			addresses,
			topics: [...(event && !event.anonymous ? [topicOf(event)] : []), ...values],
		};
		const from = flags["from-block"];
		const start = from === undefined ? undefined : (await fetchBlockNamed(client, from, "full")).number;
		if (flags.follow) {
			for await (const log of followLogs(client, wanted, start)) await print(log);
			return;
		}
		const head = await fetchHeadNumber(client);
		const to = flags["to-block"];
		const end = to === undefined ? head : (await fetchBlockNamed(client, to, "full")).number;
		const newest = end > USUAL_RANGE ? end - USUAL_RANGE + 1n : 0n;
		for await (const log of pastLogs(client, wanted, start ?? newest, end)) await print(log);
	},
});

/** @throws {Failure} for comma-separated names, with a hint on how to pass several */
async function contractNamed(settings: Settings, text: string): Promise<Uint8Array> {
	try {
		return await accountNamed(settings, text);
	} catch (error) {
		// A contact's label may contain a comma.
		if (!(error instanceof Failure) || !text.includes(",")) throw error;
		const flags = text.split(",").map((name) => `--address ${name.trim()}`);
		throw error.with({ hint: `repeat --address: ${flags.join(" ")}` });
	}
}

/** In chain order, like other logs; with a limit, only the newest ones. */
async function printHistory(
	client: NodeClient,
	addresses: readonly Uint8Array[],
	given: ContractInterface | undefined,
	{ event: named, limit }: { readonly event?: string | undefined; readonly limit?: string | undefined },
	json: boolean,
): Promise<void> {
	const [contract] = addresses;
	if (!contract || addresses.length > 1)
		throw new Failure("usage", "--history lists the events of one contract: name it with --address");
	const stored = await interfaceOrNone(client, contract);
	const event = named?.includes("(") ? findItem(given ?? stored, named, "event") : undefined;
	const items = [...(event ? [event] : []), ...(given ?? []), ...stored];
	const name = event?.name ?? named;
	if (limit === undefined) {
		for await (const found of pastEvents(client, contract, items, { name, isOldestFirst: true }))
			printPast(found, json);
		return;
	}
	const newest: PastEvent[] = [];
	const most = Number(parseCount(limit));
	for await (const found of pastEvents(client, contract, items, { name, isOldestFirst: false, most }))
		newest.push(found);
	for (const found of newest.reverse()) printPast(found, json);
}

function printPast(found: PastEvent, json: boolean): void {
	if (json) {
		printJson(found);
		return;
	}
	const { block, txID, contract } = found;
	printLine(`${block}  ${txID}  ${contract}  ${logText(found)}`);
}

function printLog(log: ContractLog, decoded: DecodedEvent | undefined, json: boolean): void {
	const { block, txID, logIndex } = log;
	const contract = viewAddress(log.address);
	const shown = decoded ?? {
		topics: log.topics.map((topic) => `0x${toHex(topic)}`),
		data: `0x${toHex(log.data)}`,
	};
	if (json)
		printJson({ block, txID, logIndex, contract, ...shown, ...(log.removed ? { removed: true } : {}) });
	else printLine(`${block}  ${txID}  ${contract}  ${logText(shown)}${log.removed ? "  (removed)" : ""}`);
}

/** Interfaces of all contracts, to resolve an event name that only some declare. */
async function interfaceOfAll(
	client: NodeClient,
	addresses: readonly Uint8Array[],
): Promise<ContractInterface> {
	const lists = await Promise.all(addresses.map((address) => interfaceOrNone(client, address)));
	return joinedInterfaces(...lists);
}

/** An address without a contract has no logs and no interface. */
const interfaceOrNone = (client: NodeClient, address: Uint8Array): Promise<ContractInterface> =>
	interfaceThroughProxy(client, address).catch(onRefusal([], "not_found"));

/** @param event whose indexed parameters the texts are values of; undefined if it isn't known */
async function topicsOf(
	client: NodeClient,
	event: AbiItem | undefined,
	texts: readonly string[],
): Promise<readonly (Uint8Array | null)[]> {
	const indexed = event?.inputs.filter((parameter) => parameter.indexed);
	if (event && indexed && texts.length > indexed.length)
		throw new Failure(
			"bad_value",
			`${event.name} has ${indexed.length} indexed parameters, not ${texts.length}`,
		);
	const account = (text: string): Promise<Uint8Array> => accountNamed(client.settings, text);
	const amounts = new NamedAmounts(client, false);
	return Promise.all(
		texts.map((text, index) => (text === "-" ? null : readTopic(indexed?.[index], text, account, amounts))),
	);
}
