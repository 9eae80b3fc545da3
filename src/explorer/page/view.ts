/** The context passed to views, and what they return. */

import type { Json } from "../answer.js";
import type { Contracts } from "../contracts.js";
import type { NetworkFacts } from "../network-facts.js";
import type { NodeClient } from "../node-client.js";

/** Facts of the server that serves the page. */
export interface Site {
	readonly development: boolean;
}

export interface ViewContext {
	readonly client: NodeClient;
	readonly site: Site;
	/** Contracts and names of accounts, fetched once per view. */
	readonly contracts: Contracts;
	/** Facts about networks from the page's server; fetched once. */
	readonly facts: () => Promise<NetworkFacts>;
	/** Ends when another view is shown. */
	readonly signal: AbortSignal;
	/** Runs with each new head, until another view is shown. */
	readonly onHead: (listener: (head: Json) => void) => void;
	readonly nowMs: () => number;
	/** Renders this view again. */
	readonly again: () => void;
}

export interface View {
	readonly title: string;
	readonly body: HTMLElement | readonly HTMLElement[];
}

export type ViewMaker = (context: ViewContext, argument: string) => Promise<View>;
