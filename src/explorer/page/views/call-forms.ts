/** Forms for a contract's functions: view functions are called, others simulated first and then sent. */

import { type AbiItem, hashedSignature } from "../../../abi/parameter.js";
import { isKnown, reads, refusalOf, selectorOf } from "../../abi.js";
import { ArgumentError, encodeArguments, hintFor } from "../../abi-arguments.js";
import { decodeValues } from "../../abi-values.js";
import { objectOf, textOf, textsOf, wholeOf } from "../../answer.js";
import { failureText, grouped, textOfHex, wholeCoins } from "../../format.js";
import { NodeError } from "../../node-client.js";
import { developmentSenders, extensionSender, type Sender } from "../../senders.js";
import { refusalChild, valueInFull, valuesTable } from "../abi-elements.js";
import { button, type Child, field, lines, make, note, section, transactionLink } from "../elements.js";
import type { ViewContext } from "../view.js";

/** The most functions with a form. */
const MAX_FORMS = 200;
const DEFAULT_FEE_LIMIT = "100";

interface Called {
	readonly context: ViewContext;
	readonly contract: string;
	readonly items: readonly AbiItem[];
	readonly item: AbiItem;
}

/** Simulates a call and decodes its result. */
async function tried(
	{ context, contract, items, item }: Called,
	from: string,
	data: string,
	sun: bigint,
): Promise<Child> {
	const answer = await context.client.call("triggerconstantcontract", {
		owner_address: from,
		contract_address: contract,
		data,
		...(sun > 0n ? { call_value: Number(sun) } : {}),
	});
	const result = objectOf(answer, "result");
	const message = failureText(textOfHex(textOf(result, "message")));
	const [hex = ""] = textsOf(answer, "constant_result");
	const energy = note(`${grouped(wholeOf(answer, "energy_used"))} energy`);
	if (message !== "") {
		const refusal = refusalOf(items, hex);
		return [make("p", { class: "bad" }, refusal ? ["refused: ", refusalChild(refusal)] : message), energy];
	}
	const outputs = item.outputs ?? [];
	const found = decodeValues(outputs, hex);
	if (!found) return [lines(hex), energy];
	const values = await context.contracts.units.countedResult(contract, item, found);
	const [only] = values;
	if (!only) return [make("p", { class: "good" }, "it would succeed"), energy];
	return [
		values.length === 1 ? make("div", {}, valueInFull(only)) : valuesTable(`Result of ${item.name}`, values),
		energy,
	];
}

/** Shows the result or failure of asynchronous work in an element. */
function runner(place: HTMLElement): (work: () => Promise<Child>) => void {
	return (work) => {
		place.setAttribute("aria-busy", "true");
		// Reports input errors before any request is made.
		void Promise.resolve()
			.then(work)
			.catch((error: unknown): Child => {
				if (!(error instanceof ArgumentError) && !(error instanceof NodeError)) throw error;
				return make("p", { class: "bad" }, error.message);
			})
			.then((child) => place.replaceChildren(make("div", {}, child)))
			.finally(() => place.removeAttribute("aria-busy"));
	};
}

interface Form {
	readonly form: HTMLFormElement;
	/** Encoded selector and typed arguments. @throws {ArgumentError} */
	readonly data: () => string;
	readonly run: (work: () => Promise<Child>) => void;
}

function argumentForm({ item }: Called, id: string): Form {
	const fields = item.inputs.map((parameter, at) =>
		field(`${parameter.name || `#${at}`} (${parameter.type})`, `${id}-${at}`, "", hintFor(parameter)),
	);
	const out = make("output", { "aria-live": "polite" });
	const form = make(
		"form",
		{},
		fields.map(({ row }) => row),
	);
	const data = (): string =>
		selectorOf(item) +
		encodeArguments(
			item.inputs,
			fields.map(({ input }) => input.value),
		);
	form.append(out);
	return { form, data, run: runner(out) };
}

function reader(called: Called, index: number): HTMLElement {
	const { item, contract } = called;
	const { form, data, run } = argumentForm(called, `r${index}`);
	form.lastChild?.before(make("button", { type: "submit" }, `Read ${item.name}`));
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		run(() => tried(called, contract, data(), 0n));
	});
	return make("details", {}, make("summary", {}, hashedSignature(item)), form);
}

function writer(called: Called, index: number, senderOf: () => Sender | undefined): HTMLElement {
	const { item, contract } = called;
	const { form, data, run } = argumentForm(called, `w${index}`);
	const isPayable = item.mutability === "payable";
	const coins = field("Coins to send with it", `w${index}-coins`, "0");
	const limit = field("Most coins to burn for energy", `w${index}-limit`, DEFAULT_FEE_LIMIT);
	const amounts = () => ({
		sun: isPayable ? sunOf(coins.input.value) : 0n,
		feeLimitSun: sunOf(limit.input.value),
	});
	const sender = (): Sender => {
		const found = senderOf();
		if (!found) throw new ArgumentError("nobody is here who could send it");
		return found;
	};
	const tryIt = button(`Try ${item.name}`, () =>
		run(async () => {
			const from = await (senderOf()?.address() ?? Promise.resolve(contract));
			return tried(called, from, data(), amounts().sun);
		}),
	);
	const send = make("button", { type: "submit" }, `Send ${item.name}`);
	form.lastChild?.before(
		...(isPayable ? [coins.row] : []),
		limit.row,
		make("div", { class: "row" }, tryIt, send),
	);
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		run(async () => {
			const id = await sender().send({ contract, data: data(), ...amounts() });
			return make("p", { class: "good" }, "sent: ", transactionLink(id));
		});
	});
	return make("details", {}, make("summary", {}, hashedSignature(item)), form);
}

function sunOf(typed: string): bigint {
	const sun = wholeCoins(typed);
	if (sun === undefined) throw new ArgumentError(`"${typed}" is not an amount of coins`);
	return sun;
}

/** A select of the available senders; a note if there are none. */
async function senderChoice({
	client,
	site,
}: ViewContext): Promise<{ row: HTMLElement; sender: () => Sender | undefined }> {
	const extension = extensionSender(client, window);
	const senders = [
		...(extension ? [extension] : []),
		...(site.development ? await developmentSenders(client) : []),
	];
	if (senders.length === 0) {
		const none = note(
			"To send, open this page in a browser with a wallet extension of the network, or on a development chain's gateway. Trying a call needs neither.",
		);
		return { row: none, sender: () => undefined };
	}
	const select = make(
		"select",
		{ id: "f-sender", name: "sender" },
		senders.map(({ name }, index) => make("option", { value: String(index) }, name)),
	);
	const row = make("div", { class: "field" }, make("label", { for: "f-sender" }, "Send as"), select);
	return { row, sender: () => senders[Number(select.value)] };
}

export async function callForms(
	context: ViewContext,
	contract: string,
	items: readonly AbiItem[],
): Promise<readonly [read: HTMLElement, write: HTMLElement]> {
	const functions = items.filter((item) => item.kind === "function" && isKnown(item)).slice(0, MAX_FORMS);
	const called = (item: AbiItem): Called => ({ context, contract, items, item });
	const readers = functions.filter(reads).map((item, index) => reader(called(item), index));
	const writes = functions.filter((item) => !reads(item));
	const { row, sender } = await senderChoice(context);
	const writers = writes.map((item, index) => writer(called(item), index, sender));
	return [
		section(
			"Read",
			...(readers.length > 0 ? readers : [note("No known interface of it has anything to read.")]),
		),
		section(
			"Write",
			...(writers.length > 0 ? [row, ...writers] : [note("No known interface of it has anything to call.")]),
		),
	];
}
