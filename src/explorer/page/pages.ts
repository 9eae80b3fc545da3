/** Lists of the history interface, page by page, newest first. */

import { type Json, objectOf, objectsOf, textOf } from "../answer.js";
import { isMissing, type NodeClient, NodeError } from "../node-client.js";
import { button, type Child, make, note, table } from "./elements.js";

interface Pages {
	readonly client: NodeClient;
	readonly caption: string;
	readonly heads: readonly string[];
	/** Path and query without fingerprint. */
	readonly path: () => string;
	readonly row: (row: Json) => readonly Child[];
	readonly none: string;
	/** What is said where the node has no index. */
	readonly missing: string;
	/** Called with all rows so far. */
	readonly loaded?: (rows: readonly Json[]) => void;
}

export const NO_INDEX =
	"This node keeps no index of history. node.history.index = on of its configuration makes one, in the background for old blocks.";

export function pages({ client, caption, heads, path, row, none, missing, loaded }: Pages): HTMLElement {
	const place = make("div");
	const rows: Json[] = [];
	const load = async (fingerprint: string): Promise<void> => {
		try {
			const asked = path();
			const more =
				fingerprint === ""
					? ""
					: `${asked.includes("?") ? "&" : "?"}fingerprint=${encodeURIComponent(fingerprint)}`;
			const page = await client.history(asked + more);
			rows.push(...objectsOf(page, "data"));
			const meta = objectOf(page, "meta");
			const next = textOf(meta, "fingerprint");
			const left = textOf(objectOf(meta, "backfill"), "missing");
			place.replaceChildren(
				table(caption, heads, rows.map(row), none),
				...(left === "" || left === "0"
					? []
					: [note(`Old blocks are still being indexed: ${left} are missing.`)]),
				...(next === "" ? [] : [button("Older", () => void load(next))]),
			);
			loaded?.(rows);
		} catch (error) {
			if (!(error instanceof NodeError)) throw error;
			place.replaceChildren(note(isMissing(error) ? missing : error.message));
		}
	};
	void load("");
	return place;
}
