/** Paginated lists of the history interface, newest first, with CSV export. */

import { type Json, objectOf, objectsOf, textOf } from "../answer.js";
import { csvText } from "../csv.js";
import { grouped } from "../format.js";
import { isMissing, NodeError } from "../node-client.js";
import { button, type Child, make, note, table } from "./elements.js";
import type { ViewContext } from "./view.js";

interface Pages {
	readonly context: ViewContext;
	readonly caption: string;
	readonly heads: readonly string[];
	/** Path and query without fingerprint. */
	readonly path: string;
	readonly row: (row: Json) => readonly Child[];
	/** Called with all rows so far. */
	readonly loaded?: (rows: readonly Json[]) => void;
	/** Enables CSV export. */
	readonly file?: ListFile;
}

interface ListFile {
	readonly name: string;
	readonly heads: readonly string[];
	readonly path: string;
	readonly row: (row: Json) => readonly string[];
}

/** Rows per request, for display and for export. */
export const PAGE = 25;
export const CSV_PAGE = 200;
/** The most rows of an export. */
const MAX_CSV = 10_000;

export const NO_INDEX =
	"This node keeps no index of history. node.history.index = on of its configuration makes one, in the background for old blocks.";

const nextPage = (path: string, fingerprint: string): string =>
	fingerprint === "" ? path : `${path}&fingerprint=${encodeURIComponent(fingerprint)}`;

/** All rows of a list, up to the export's limit. */
async function allRows({ client, signal }: ViewContext, path: string): Promise<readonly Json[]> {
	const rows: Json[] = [];
	let fingerprint = "";
	do {
		const page = await client.history(nextPage(path, fingerprint));
		rows.push(...objectsOf(page, "data"));
		fingerprint = textOf(objectOf(page, "meta"), "fingerprint");
	} while (fingerprint !== "" && rows.length < MAX_CSV && !signal.aborted);
	return rows.slice(0, MAX_CSV);
}

function save(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
	const anchor = make("a");
	anchor.href = url;
	anchor.download = name;
	anchor.click();
	window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A button that exports the whole list, and its status. */
function saving(context: ViewContext, { name, heads, path, row }: ListFile): HTMLElement {
	const said = make("span", { role: "status" });
	const act = async (): Promise<void> => {
		said.className = "";
		said.replaceChildren("The rows are being read…");
		try {
			const rows = await allRows(context, path);
			save(`${name}.csv`, csvText(heads, rows.map(row)));
			const more = rows.length === MAX_CSV ? ", of more" : "";
			said.replaceChildren(`${grouped(rows.length)} rows${more}`);
		} catch (error) {
			if (!(error instanceof NodeError)) throw error;
			said.className = "bad";
			said.replaceChildren(error.message);
		}
	};
	return make(
		"p",
		{ class: "row tight" },
		button("Save as CSV", () => void act()),
		said,
	);
}

export function pages({ context, caption, heads, path, row, loaded, file }: Pages): HTMLElement {
	const place = make("div");
	const below = make("div");
	const rows: Json[] = [];
	const load = async (fingerprint: string): Promise<void> => {
		try {
			const page = await context.client.history(nextPage(path, fingerprint));
			rows.push(...objectsOf(page, "data"));
			const meta = objectOf(page, "meta");
			const next = textOf(meta, "fingerprint");
			const left = textOf(objectOf(meta, "backfill"), "missing");
			place.replaceChildren(
				table(caption, heads, rows.map(row), "None that this node has indexed."),
				...(left === "" || left === "0"
					? []
					: [note(`Old blocks are still being indexed: ${left} are missing.`)]),
				...(next === "" ? [] : [button("Older", () => void load(next))]),
			);
			if (file && fingerprint === "" && rows.length > 0) below.append(saving(context, file));
			loaded?.(rows);
		} catch (error) {
			if (!(error instanceof NodeError)) throw error;
			place.replaceChildren(note(isMissing(error) ? NO_INDEX : error.message));
		}
	};
	void load("");
	return make("div", {}, place, below);
}
