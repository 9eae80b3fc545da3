/** Creates elements. Texts always become text nodes; nothing here parses HTML. */

import { addressText } from "../address-text.js";
import { age, coins, grouped, moment, plain, plainBlock, plainLines, shortened } from "../format.js";

export type Child = Node | string | number | bigint | undefined | readonly Child[];

/** Attributes in use here. `href` only links to views of this page. */
interface Attributes {
	readonly class?: string;
	readonly href?: `#/${string}`;
	readonly title?: string;
	readonly id?: string;
	readonly role?: string;
	readonly scope?: string;
	readonly type?: string;
	readonly accept?: string;
	readonly name?: string;
	readonly for?: string;
	readonly placeholder?: string;
	readonly autocomplete?: string;
	readonly tabindex?: string;
	readonly "aria-label"?: string;
	readonly "aria-live"?: string;
	readonly "aria-current"?: string;
	readonly "aria-hidden"?: string;
	readonly "aria-selected"?: string;
	readonly "aria-controls"?: string;
	readonly "aria-labelledby"?: string;
	readonly "data-head"?: string;
	readonly value?: string;
}

export function make<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	attributes: Attributes = {},
	...children: Child[]
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
	append(element, children);
	return element;
}

export function append(parent: Node, children: readonly Child[]): void {
	for (const child of children) {
		if (child === undefined) continue;
		if (Array.isArray(child)) append(parent, child as readonly Child[]);
		else if (child instanceof Node) parent.appendChild(child);
		else parent.appendChild(document.createTextNode(plain(String(child))));
	}
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function drawn(
	tag: string,
	attributes: Readonly<Record<string, string | number>>,
	...children: Child[]
): SVGElement {
	const element = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
	append(element, children);
	return element;
}

export function link(path: string, ...children: Child[]): HTMLElement {
	return make("a", { href: `#/${path}` }, ...children);
}

export function blockLink(number: bigint | string): HTMLElement {
	return link(`block/${number}`, grouped(BigInt(number)));
}

/** @param whole shows the full id with a copy button */
export function transactionLink(id: string, whole = false): HTMLElement {
	if (!/^[\da-f]{64}$/i.test(id)) return make("span", {}, id);
	const shown = make("a", { href: `#/tx/${id}`, class: "mono", title: id }, whole ? id : shortened(id));
	return whole ? copyable(id, shown) : shown;
}

let contacts: ReadonlyMap<string, string> = new Map();

/** Has all links to accounts name the reader's contacts. @param labels by address */
export function nameContacts(labels: ReadonlyMap<string, string>): void {
	contacts = labels;
}

/** An address in any form as a link, with the reader's label for it; other text unchanged. @param whole with a copy button */
export function addressLink(text: string, whole = true): HTMLElement {
	const address = addressText(text);
	if (address === undefined)
		return make("span", { class: "mono", title: text }, whole ? text : shortened(text));
	const text_ = whole ? address : shortened(address);
	const shown = make("a", { href: `#/account/${address}`, class: "mono", title: address }, text_);
	const linked = whole ? copyable(address, shown) : shown;
	const label = contacts.get(address);
	// A badge, which no account can imitate by its own name.
	return label === undefined ? linked : make("span", {}, badge(label), " ", linked);
}

export function amount(sun: bigint): HTMLElement {
	return make("span", { class: "amount" }, coins(sun));
}

export function time(ms: number): HTMLElement {
	const element = make("time", {}, moment(ms));
	const date = new Date(ms);
	if (!Number.isNaN(date.getTime())) element.setAttribute("datetime", date.toISOString());
	return element;
}

/** The age of a moment, with the moment as title. */
export function ago(ms: number, nowMs: number): HTMLElement {
	const element = time(ms);
	element.title = element.textContent ?? "";
	// The genesis block of a development chain has no time.
	if (ms > 0) element.textContent = age(ms, nowMs);
	return element;
}

/**
 * A link to an account, with the reader's label for it, or its own name once that is known.
 * @param whole as in {@link addressLink}
 */
export function party(
	text: string,
	names: { labelOf(account: string): Promise<string> },
	whole = false,
): HTMLElement {
	if (contacts.has(addressText(text) ?? "")) return addressLink(text, whole);
	const label = make("span", { class: "note" });
	void names.labelOf(text).then((name) => append(label, name === "" ? [] : [name.slice(0, 24), " "]));
	return make("span", {}, label, addressLink(text, whole));
}

export function badge(text: string, kind: "good" | "bad" | "plain" = "plain"): HTMLElement {
	return make("span", { class: `badge ${kind}` }, text);
}

/** A definition list. */
export function facts(...rows: (readonly [name: string, value: Child] | undefined)[]): HTMLElement {
	const shown = rows.filter((row) => row !== undefined);
	return make(
		"dl",
		{ class: "facts" },
		shown.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
	);
}

/** A horizontally scrollable table; without rows, the text `none`. */
export function table(
	caption: string,
	heads: readonly string[],
	rows: readonly (readonly Child[])[],
	none = "None.",
): HTMLElement {
	if (rows.length === 0) return make("p", { class: "note" }, none);
	// Columns that contain only numbers are right-aligned.
	const numbers = heads.map((_, column) => rows.every((row) => isNumber(row[column])));
	const kind = (column: number): Attributes => (numbers[column] ? { class: "number" } : {});
	const head = make(
		"tr",
		{ role: "row" },
		heads.map((text, column) =>
			text === ""
				? make("td", { role: "cell" })
				: make("th", { scope: "col", role: "columnheader", ...kind(column) }, text),
		),
	);
	const body = rows.map((row) =>
		make(
			"tr",
			{ role: "row" },
			row.map((cell, column) =>
				make("td", { role: "cell", "data-head": heads[column] ?? "", ...kind(column) }, cell),
			),
		),
	);
	// On phones CSS shows rows as cards, which drops table semantics: the roles restore them.
	return make(
		"div",
		{ class: "scroll cards", role: "region", "aria-label": `Table: ${caption}`, tabindex: "0" },
		make(
			"table",
			{ role: "table" },
			make("caption", { class: "unseen" }, caption),
			make("thead", { role: "rowgroup" }, head),
			make("tbody", { role: "rowgroup" }, body),
		),
	);
}

function isNumber(cell: Child): boolean {
	if (cell instanceof HTMLElement) return cell.classList.contains("amount");
	return typeof cell === "number" || typeof cell === "bigint" || /^-?\d[\d,.]*$/.test(String(cell ?? ""));
}

/** How long a button confirms the copy. */
const COPIED_MS = 1_500;

/** A text with a copy button, if the clipboard is available. @param shown displayed instead of it */
export function copyable(
	text: string,
	shown: HTMLElement = make("span", { class: "mono" }, text),
): HTMLElement {
	// Browsers provide the clipboard only in secure contexts: localhost and HTTPS.
	const { clipboard } = navigator as { readonly clipboard?: Clipboard };
	if (!clipboard) return shown;
	const copy = button("", () => {
		clipboard.writeText(text).then(
			() => {
				copy.textContent = "Copied";
				window.setTimeout(() => copy.replaceChildren(sheets()), COPIED_MS);
			},
			() => {
				copy.textContent = "Not copied";
			},
		);
	});
	copy.append(sheets());
	copy.className = "copy";
	copy.title = "Copy";
	copy.setAttribute("aria-label", `Copy ${plain(text.slice(0, 12))}`);
	return make("span", { class: "copied" }, shown, copy);
}

/** The copy icon. */
const sheets = (): SVGElement =>
	drawn(
		"svg",
		{ viewBox: "0 0 16 16", "aria-hidden": "true" },
		drawn("path", { d: "M10.5 5.5v-4h-9v9h4M5.5 5.5h9v9h-9z" }),
	);

/** The most characters of data shown unfolded. */
const LONGEST_DATA = 160;

/** Raw data with a copy button; long data is truncated, with all of it in a collapsed section. */
export function data(text: string): HTMLElement {
	// Multi-line data is previewed on one line.
	const begin = text.slice(0, LONGEST_DATA).replace(/\n\s*/g, " ");
	if (text.length <= LONGEST_DATA)
		return text === "" ? make("span") : copyable(text, make("span", { class: "mono" }, begin));
	const whole = make("pre", { tabindex: "0", "aria-label": "All of it" });
	const all = folded(`All ${grouped(text.length)} characters`, whole);
	// Rendered only when opened: data may have megabytes.
	all.addEventListener("toggle", () => {
		whole.textContent = plainLines(text);
	});
	return make("div", {}, copyable(text, make("span", { class: "mono" }, `${begin}…`)), all);
}

/** A collapsible section. */
export function folded(title: string, ...children: Child[]): HTMLDetailsElement {
	return make("details", {}, make("summary", {}, title), ...children);
}

/** Tabs, operable by keyboard or pointer. */
export function tabs(
	label: string,
	parts: readonly { readonly name: string; readonly parts: readonly HTMLElement[] }[],
): readonly HTMLElement[] {
	const filled = parts.filter((part) => part.parts.length > 0);
	const panels = filled.map(({ parts: shown }, index) =>
		make("div", { role: "tabpanel", id: `panel-${index}`, "aria-labelledby": `tab-${index}` }, ...shown),
	);
	const buttons = filled.map(({ name }, index) => {
		const tab = button(name, () => choose(index));
		tab.id = `tab-${index}`;
		tab.setAttribute("role", "tab");
		tab.setAttribute("aria-controls", `panel-${index}`);
		return tab;
	});
	const choose = (chosen: number): void => {
		for (const [index, tab] of buttons.entries()) {
			tab.setAttribute("aria-selected", String(index === chosen));
			tab.tabIndex = index === chosen ? 0 : -1;
			(panels[index] as HTMLElement).hidden = index !== chosen;
		}
	};
	const list = make("div", { role: "tablist", "aria-label": label }, ...buttons);
	const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
	list.addEventListener("keydown", (event) => {
		const step = steps[event.key];
		if (step === undefined) return;
		const at = buttons.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
		const next = (at + step + buttons.length) % buttons.length;
		choose(next);
		buttons[next]?.focus();
		event.preventDefault();
	});
	choose(0);
	return [list, ...panels];
}

export function section(title: string, ...children: Child[]): HTMLElement {
	const id = `s-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
	const element = make("section", {}, make("h2", { id }, title), ...children);
	element.setAttribute("aria-labelledby", id);
	return element;
}

/** A figure with title and details. */
export function tile(title: string, figure: Child, more: Child): HTMLElement {
	return make(
		"div",
		{ class: "tile" },
		make("h2", {}, title),
		make("p", { class: "figure" }, figure),
		note(more),
	);
}

/** A progress bar. */
export function bar(label: string, part: number, whole: number): HTMLElement {
	const meter = make("progress", { "aria-label": label });
	meter.max = whole > 0 ? whole : 1;
	meter.value = whole > 0 ? Math.min(part, whole) : 0;
	return meter;
}

export function note(...children: Child[]): HTMLElement {
	return make("p", { class: "note" }, ...children);
}

export function button(label: string, act: () => void): HTMLButtonElement {
	const element = make("button", { type: "button" }, label);
	element.addEventListener("click", act);
	return element;
}

/** Preformatted text of many lines. */
export function lines(text: string): HTMLPreElement {
	const element = make("pre", { tabindex: "0" });
	element.textContent = plainBlock(text);
	return element;
}

/** An input with its label. */
export function field(
	label: string,
	name: string,
	value = "",
	hint = "",
): { readonly row: HTMLElement; readonly input: HTMLInputElement } {
	const id = `f-${name}`;
	const input = make("input", { id, name, type: "text", autocomplete: "off", placeholder: hint });
	input.value = value;
	return { row: make("div", { class: "field" }, make("label", { for: id }, label), input), input };
}
