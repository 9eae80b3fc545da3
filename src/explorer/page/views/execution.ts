/** A transaction's trace: its calls with the energy of each, why it reverted, and what it changed. */

import type { AbiItem } from "../../../abi/parameter.js";
import { isAddressType, type Variable, valueIn, variablesAt, wordOf } from "../../../abi/storage-layout.js";
import { decodeCall, decodeEvent, type Refusal, refusalOf } from "../../abi.js";
import { ADDRESS_FORMS, addressText } from "../../address-text.js";
import { textOf } from "../../answer.js";
import type { Contracts } from "../../contracts.js";
import { coins, failureText, grouped, share, shortened, wordText } from "../../format.js";
import { isMissing, NodeError } from "../../node-client.js";
import { type TokenUnit, type TokenUnits, unitText } from "../../tokens.js";
import { type Frame, failedFrame, framesOf, number, type StateChange, stateChanges } from "../../trace.js";
import { readingLine, refusalChild } from "../abi-elements.js";
import {
	addressLink,
	amount,
	badge,
	bar,
	button,
	type Child,
	link,
	make,
	note,
	party,
	section,
	table,
} from "../elements.js";
import type { ViewContext } from "../view.js";

async function frame(call: Frame, whole: bigint, contracts: Contracts): Promise<HTMLElement> {
	const items = await contracts.itemsOf(call.to);
	const found = decodeCall(items, call.input);
	const reading = found && (await contracts.units.counted(call.to, found));
	const refusal = call.error === "" ? undefined : refusalOf(items, call.output);
	const events = await Promise.all(call.logs.map((log) => eventLine(log, call.to, contracts)));
	const inner = await Promise.all(call.calls.map((each) => frame(each, whole, contracts)));
	const what = reading
		? readingLine(reading)
		: call.input === ""
			? "no data"
			: `${call.input.slice(0, 8)}… (${grouped(call.input.length / 2)} bytes)`;
	const own = `own part of the energy in ${call.type}`;
	return make(
		"li",
		{ class: "frame" },
		make(
			"div",
			{},
			make("strong", {}, call.type),
			" ",
			party(call.to, contracts),
			" ",
			what,
			await moves(call, contracts.units),
			call.error === "" ? undefined : [" ", badge(call.error, "bad")],
		),
		make(
			"div",
			{ class: "row tight" },
			bar(own, Number(call.own), Number(whole)),
			`${grouped(call.own)} energy of its own (${share(call.own, whole)})`,
			call.calls.length > 0 ? `, ${grouped(call.energy)} with what it calls` : "",
			call.penalty > 0n ? `, ${grouped(call.penalty)} of it penalty` : "",
		),
		refusal ? make("div", { class: "bad" }, "reverts with ", refusalChild(refusal)) : undefined,
		events.map((line) => make("div", {}, "event ", line)),
		call.operations.map((operation) => make("div", {}, operationLine(operation))),
		inner.length > 0 ? make("ul", { class: "frames" }, inner) : undefined,
	);
}

async function moves({ sun, tokenId, tokenValue }: Frame, units: TokenUnits): Promise<Child> {
	if (tokenValue > 0n)
		return [" with ", link(`token/${tokenId}`, unitText(await units.unitOf(String(tokenId)), tokenValue))];
	return sun > 0n ? [" with ", amount(sun)] : undefined;
}

function operationLine(operation: Parameters<typeof textOf>[0]): Child {
	const sun = number(operation["value"]);
	return [
		textOf(operation, "note"),
		" ",
		addressLink(textOf(operation, "to"), false),
		sun > 0n ? [" ", amount(sun)] : "",
	];
}

async function eventLine(log: Frame["logs"][number], frame: string, contracts: Contracts): Promise<Child> {
	const reading = decodeEvent(await contracts.itemsOf(log.address), log.topics, log.data);
	const what = reading
		? readingLine(await contracts.units.counted(log.address, reading))
		: make("span", { class: "mono" }, log.topics.map((topic) => `${topic.slice(0, 8)}…`).join(" "));
	// A library's code logs with its caller's address.
	return log.address === frame ? what : [what, " of ", party(log.address, contracts)];
}

const KINDS: Readonly<Record<StateChange["kind"], string>> = {
	balance: "balance",
	token: "token",
	stake: "staked for",
	votes: "votes",
	storage: "storage slot",
	code: "code",
	other: "",
};

function changed({ kind }: StateChange, text: string | undefined, unit: TokenUnit | undefined): Child {
	if (text === undefined) return kind === "balance" || kind === "stake" ? coins(0n) : "–";
	if (kind === "balance" || kind === "stake") return coins(number(text));
	if (kind === "token") return unitText(unit, number(text));
	if (kind === "storage") return word(text);
	return make("span", { class: "mono" }, text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/** A slot or its value, shortened, with the full word as the title. */
function word(text: string): HTMLElement {
	return make("span", { class: "mono", title: text }, shortened(wordText(text), 10));
}

function difference({ kind, before, after }: StateChange, unit: TokenUnit | undefined): Child {
	if (kind !== "balance" && kind !== "stake" && kind !== "token") return "";
	const change = number(after ?? "0") - number(before ?? "0");
	const text = kind === "token" ? unitText(unit, change) : coins(change);
	return make("span", { class: change < 0n ? "amount bad" : "amount good" }, change > 0n ? `+${text}` : text);
}

/** The most storage words tried as keys of mappings. */
const MAX_COUNTERS = 60;

/** A stored value as 64 hexadecimal digits. */
const storedWord = (text: string | undefined): string => wordOf(number(text ?? "0"));

/** The variables of the changed slots, by contract. */
async function namedSlots(
	changes: readonly StateChange[],
	contracts: Contracts,
	words: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<bigint, readonly Variable[]>>> {
	const slots = new Map<string, bigint[]>();
	// A counter in storage is often the key of what it counts.
	const counters = new Set<string>();
	for (const { kind, address, name, before, after } of changes) {
		if (kind !== "storage") continue;
		slots.set(address, [...(slots.get(address) ?? []), number(name)]);
		for (const text of [before, after]) if (counters.size < MAX_COUNTERS) counters.add(storedWord(text));
	}
	const keys = [...words, ...counters];
	const named = [...slots].map(async ([address, list]) => {
		const { layout } = await contracts.factsOf(address);
		return [address, layout ? variablesAt(layout, list, keys, ADDRESS_FORMS) : new Map()] as const;
	});
	return new Map(await Promise.all(named));
}

/** One row per changed variable; empty if no stored source names them. */
function variableRows(change: StateChange, variables: readonly Variable[]): Child[][] {
	const [before, after] = [storedWord(change.before), storedWord(change.after)];
	const shown = (variable: Variable, digits: string): Child => {
		const text = valueIn(variable, digits, ADDRESS_FORMS);
		if (!isAddressType(variable.type)) return make("span", { class: "mono" }, shortened(text, 20));
		return addressLink(text, false);
	};
	return variables
		.filter((each) => valueIn(each, before, ADDRESS_FORMS) !== valueIn(each, after, ADDRESS_FORMS))
		.map((variable) => [
			addressLink(change.address, false),
			make("span", { class: "mono", title: change.name }, variable.name),
			shown(variable, before),
			shown(variable, after),
			"",
		]);
}

const changeRow = (change: StateChange, unit: TokenUnit | undefined): Child[] => [
	addressLink(change.address, false),
	[KINDS[change.kind], " ", change.kind === "storage" ? word(change.name) : change.name],
	changed(change, change.before, unit),
	changed(change, change.after, unit),
	difference(change, unit),
];

async function changesTable(
	changes: readonly StateChange[],
	contracts: Contracts,
	words: readonly string[],
): Promise<HTMLElement> {
	const names = await namedSlots(changes, contracts, words);
	const rows = changes.map(async (change) => {
		const variables = change.kind === "storage" ? names.get(change.address)?.get(number(change.name)) : [];
		const own = variableRows(change, variables ?? []);
		const unit = change.kind === "token" ? await contracts.units.unitOf(change.name) : undefined;
		return own.length > 0 ? own : [changeRow(change, unit)];
	});
	return table(
		"State changes",
		["Account", "What", "Before", "After", "Change"],
		(await Promise.all(rows)).flat(),
		"It changed nothing.",
	);
}

/** Why there is no trace. */
function whyNot(error: NodeError): string {
	const isUnknown = isMissing(error);
	return isUnknown
		? "This node doesn't execute transactions again for this page: that needs node.jsonrpc { httpFullNodeEnable = true, debug = true } of its configuration."
		: error.message;
}

/** Parts of the trace, placed by the transaction's view. */
interface Execution {
	readonly frames: HTMLElement;
	readonly changes: HTMLElement;
	/** Shows the revert reason once the trace is known. */
	readonly reason: HTMLElement;
}

/**
 * Traces a transaction: immediately on a development chain, otherwise on request, as it costs the node much.
 * @param isContract whether it calls or creates a contract
 * @param words possible keys of the mappings that it changed
 */
export function execution(
	context: ViewContext,
	id: string,
	isContract: boolean,
	contracts: Contracts,
	words: readonly string[],
): Execution {
	const { client, site } = context;
	const frames = make("div", { "aria-live": "polite" });
	const changes = make("div", { "aria-live": "polite" });
	const reason = make("span");
	const guarded = async (place: HTMLElement, work: () => Promise<Child[]>): Promise<void> => {
		place.replaceChildren(note("The node executes it again…"));
		try {
			place.replaceChildren(make("div", {}, await work()));
		} catch (error) {
			if (!(error instanceof NodeError)) throw error;
			place.replaceChildren(note(whyNot(error)));
		}
	};
	const trace = (options: object) => client.rpc("debug_traceTransaction", [`0x${id}`, options]);
	const askFrames = () =>
		guarded(frames, async () => {
			const found = framesOf(await trace({ tracer: "callTracer", tracerConfig: { withLog: true } }));
			if (!found) return [note("No trace.")];
			const { root, isWhole } = found;
			await tellReason(reason, root, contracts);
			const tree = make("ul", { class: "frames" }, await frame(root, root.energy, contracts));
			return [tree, isWhole ? undefined : note("There are more calls than are shown.")];
		});
	const askChanges = () =>
		guarded(changes, async () => [
			await changesTable(
				stateChanges(await trace({ tracer: "prestateTracer", tracerConfig: { diffMode: true } })),
				contracts,
				words,
			),
		]);
	if (site.development) {
		if (isContract) void askFrames();
		void askChanges();
	} else {
		frames.append(button("Execute again and show the calls", () => void askFrames()));
		changes.append(button("Execute again and show the changes", () => void askChanges()));
	}
	return {
		frames: section("Energy by frame", frames),
		changes: section("State changes", changes),
		reason,
	};
}

/** The reason of a failed call without data; failures other than a revert are reasons themselves. */
function reasonless({ error }: Frame): string {
	return error === "execution reverted" ? "the contract refused without giving a reason" : failureText(error);
}

async function tellReason(place: HTMLElement, root: Frame, contracts: Contracts): Promise<void> {
	const failed = failedFrame(root);
	if (!failed) return;
	const items: readonly AbiItem[] = await contracts.itemsOf(failed.to);
	const refusal: Refusal | undefined = refusalOf(items, failed.output);
	const where = failed === root ? [] : [" in ", addressLink(addressText(failed.to) ?? failed.to, false)];
	place.replaceChildren(make("span", {}, refusal ? refusalChild(refusal) : reasonless(failed), where));
}
