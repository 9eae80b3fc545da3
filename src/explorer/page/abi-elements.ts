/** Renders decoded contract data. */

import { hashedSignature } from "../../abi/parameter.js";
import type { Reading, Refusal } from "../abi.js";
import type { Decoded, Value } from "../abi-values.js";
import { addressLink, type Child, make, table } from "./elements.js";

function valueChild(type: string, value: Value): Child {
	if (value.kind === "text") {
		if (value.amount !== undefined)
			return make("span", { title: `${value.text} smallest units` }, value.amount);
		return type === "address" ? addressLink(value.text) : make("span", { class: "mono" }, value.text);
	}
	if (value.kind === "list") {
		if (value.items.length === 0) return make("span", { class: "note" }, "an empty list");
		const element = type.replace(/\[\d*\]$/, "");
		return make(
			"ol",
			{ class: "values" },
			value.items.map((item) => make("li", {}, valueChild(element, item))),
		);
	}
	return make(
		"ul",
		{ class: "values" },
		value.members.map((member, index) =>
			make("li", {}, `${member.name || `#${index}`}: `, valueChild(member.type, member.value)),
		),
	);
}

/** A value; amounts also in smallest units. */
export function valueInFull({ type, value }: Pick<Decoded, "type" | "value">): Child {
	const shown = valueChild(type, value);
	return value.kind === "text" && value.amount !== undefined ? [shown, ` = ${value.text}`] : shown;
}

export function valuesTable(caption: string, values: readonly Decoded[]): HTMLElement {
	const rows = values.map(({ name, type, value }, index) => [
		name === "" ? `#${index}` : name,
		make("span", { class: "mono" }, type),
		valueInFull({ type, value }),
	]);
	return table(caption, ["Name", "Type", "Value"], rows, "Without values.");
}

/** A call, event or error with its values on one line. */
export function readingLine({ item, values }: Reading): Child {
	const parts = values.map(({ name, type, value }, index) => [
		index > 0 ? ", " : "",
		name === "" ? "" : `${name}: `,
		valueChild(type, value),
	]);
	return make("span", { title: hashedSignature(item) }, make("strong", {}, item.name), "(", parts, ")");
}

export function refusalChild(refusal: Refusal): Child {
	switch (refusal.kind) {
		case "reason":
		case "panic":
			return refusal.text === "" ? "the contract gives an empty reason" : refusal.text;
		case "error":
			return readingLine(refusal);
		case "unknown":
			return [
				"an error that no stored interface names: ",
				make("span", { class: "mono" }, `0x${refusal.data}`),
			];
	}
}
