/** Entry point of the page: routes the URL's fragment to views, handles search, and follows the head. */

import { isJson, type Json, textOf, wholeOf } from "../answer.js";
import { blockFacts } from "../block-facts.js";
import { Contracts } from "../contracts.js";
import { chainTime, grouped, headAge } from "../format.js";
import { Live, type LiveKind } from "../live.js";
import { type NetworkFacts, networkFacts } from "../network-facts.js";
import { NodeClient, NodeError } from "../node-client.js";
import { append, link, make, nameContacts } from "./elements.js";
import type { Site, View, ViewContext, ViewMaker } from "./view.js";
import { accountView } from "./views/account.js";
import { blockView } from "./views/block.js";
import { chartsView } from "./views/charts.js";
import { developmentView } from "./views/development.js";
import { parametersView, proposalsView, proposalView } from "./views/governance.js";
import { blocksView, homeView, pendingView } from "./views/home.js";
import { peersView } from "./views/peers.js";
import { keptContacts, searchView } from "./views/search.js";
import { tokensView, tokenView } from "./views/tokens.js";
import { transactionView } from "./views/transaction.js";
import { witnessesView, witnessView } from "./views/witnesses.js";

const VIEWS: ReadonlyMap<string, ViewMaker> = new Map<string, ViewMaker>([
	["", homeView],
	["block", blockView],
	["blocks", blocksView],
	["tx", transactionView],
	["account", accountView],
	["search", searchView],
	["pending", pendingView],
	["tokens", tokensView],
	["token", tokenView],
	["witnesses", witnessesView],
	["witness", witnessView],
	["proposals", proposalsView],
	["proposal", proposalView],
	["parameters", parametersView],
	["peers", peersView],
	["charts", chartsView],
	["development", developmentView],
]);

const NAVIGATION: readonly (readonly [path: string, name: string])[] = [
	["", "Overview"],
	["pending", "Pending"],
	["tokens", "Tokens"],
	["witnesses", "Witnesses"],
	["proposals", "Proposals"],
	["parameters", "Parameters"],
	["peers", "Peers"],
	["charts", "Charts"],
];

/** Polling interval of the head; a network has a block every three seconds. */
const HEAD_MS = 3_000;
const DEVELOPMENT_HEAD_MS = 1_000;
const SECOND_MS = 1_000;

const element = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const client = new NodeClient((path, options) =>
	window.fetch(path, { ...options, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" }),
);

let site: Site = { development: false };
let shown = new AbortController();
let lastHead = "";
const listeners = new Set<(head: Json) => void>();

function parts(): { readonly name: string; readonly argument: string } {
	const [, name = "", ...rest] = window.location.hash.split("/");
	let argument = rest.join("/");
	try {
		argument = decodeURIComponent(argument);
	} catch {
		// An argument with invalid percent-encoding is used unchanged.
	}
	return { name, argument };
}

function failure(error: unknown): View {
	const text = error instanceof NodeError ? error.message : `this page failed: ${String(error)}`;
	return { title: "Not shown", body: make("p", { class: "bad", role: "alert" }, text) };
}

async function show(focus: boolean): Promise<void> {
	shown.abort();
	const mine = new AbortController();
	shown = mine;
	listeners.clear();
	const { name, argument } = parts();
	const main = element("main");
	main.setAttribute("aria-busy", "true");
	navigation(name);
	nameContacts(keptContacts());
	const context: ViewContext = {
		client,
		site,
		contracts: new Contracts(client),
		facts: () => {
			facts ??= readFacts();
			return facts;
		},
		signal: mine.signal,
		onHead: (listener) => void (mine.signal.aborted || listeners.add(listener)),
		nowMs,
		again: () => void show(false),
	};
	// On development chains, ages need the chain's clock, which is read with the first head.
	if (site.development) await firstHead;
	const make_ = VIEWS.get(name);
	const view = make_
		? await make_(context, argument).catch(failure)
		: failure(new NodeError("there is no such view", 404));
	if (mine.signal.aborted) return;
	document.title = `${view.title} – explorer`;
	main.replaceChildren(make("h1", {}, view.title));
	append(main, [view.body as readonly HTMLElement[] | HTMLElement]);
	main.removeAttribute("aria-busy");
	if (focus) main.focus({ preventScroll: true });
	if (focus) window.scrollTo(0, 0);
}

function navigation(current: string): void {
	const entries = site.development ? [...NAVIGATION, ["development", "Development"] as const] : NAVIGATION;
	const items = entries.map(([path, name]) => {
		const anchor = link(path, name);
		if (path === current) anchor.setAttribute("aria-current", "page");
		return make("li", {}, anchor);
	});
	element("navigation").replaceChildren(make("ul", {}, items));
}

/** The last known head, and how it was received. */
let head: { readonly answer: Json | NodeError; readonly kind: LiveKind } | undefined;

/** How far the clock of a development chain was advanced. */
let aheadMs = 0;

const headMs = (): number => (!head || head.answer instanceof NodeError ? 0 : blockFacts(head.answer).timeMs);
const nowMs = (): number => chainTime(Date.now(), headMs(), aheadMs);

async function readClock(): Promise<void> {
	const info = site.development ? await client.rpc("dev_info").catch(() => undefined) : undefined;
	if (isJson(info)) aheadMs = Number(wholeOf(info, "clockOffsetMs"));
}

function headText(): string {
	if (!head) return "";
	const { answer, kind } = head;
	if (answer instanceof NodeError) return answer.message;
	const { number, timeMs } = blockFacts(answer);
	const when = headAge(timeMs, Date.now(), aheadMs);
	const every = site.development ? DEVELOPMENT_HEAD_MS : HEAD_MS;
	const how = kind === "told" ? "live" : `asked every ${every / 1_000} s`;
	return `block ${grouped(number)}, ${when}, ${how}`;
}

function showHead(): void {
	const text = headText();
	const place = element("head");
	if (place.textContent !== text) place.textContent = text;
}

let headIsKnown = (): void => undefined;
const firstHead = new Promise<void>((resolve) => {
	headIsKnown = resolve;
});

function headChanged(answer: Json | NodeError, kind: LiveKind): void {
	head = { answer, kind };
	showHead();
	if (answer instanceof NodeError) {
		headIsKnown();
		return;
	}
	const { id } = blockFacts(answer);
	if (id === lastHead) return;
	// The first head counts as known only once the clock is read, so that ages are right from the start.
	void readClock().then(() => {
		headIsKnown();
		showHead();
	});
	const isFirst = lastHead === "";
	lastHead = id;
	// The current view has already fetched the first head itself.
	if (!isFirst) for (const listener of listeners) listener(answer);
}

function watchHead(): void {
	const live = new Live({
		dial: () => {
			const address = new URL("live", window.location.href);
			address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
			address.hash = "";
			return new WebSocket(address);
		},
		head: () => client.call("getnowblock"),
		changed: headChanged,
		later: (work, ms) => void window.setTimeout(work, ms),
		askMs: site.development ? DEVELOPMENT_HEAD_MS : HEAD_MS,
	});
	client.carryBy((method, params) => live.call(method, params));
	live.start();
	window.setInterval(showHead, SECOND_MS);
}

async function readSite(): Promise<Site> {
	try {
		const answer: unknown = await (await window.fetch("site.json")).json();
		return { development: isJson(answer) && textOf(answer, "kind") === "development" };
	} catch {
		return { development: false };
	}
}

let facts: Promise<NetworkFacts> | undefined;

async function readFacts(): Promise<NetworkFacts> {
	try {
		return networkFacts(await (await window.fetch("facts.json")).json());
	} catch {
		facts = undefined;
		return networkFacts({});
	}
}

element("search").addEventListener("submit", (event) => {
	event.preventDefault();
	const { value } = element("query") as HTMLInputElement;
	window.location.hash = `#/search/${encodeURIComponent(value.trim())}`;
});
window.addEventListener("hashchange", () => {
	if (window.location.hash.startsWith("#/") || window.location.hash === "") void show(true);
});
void readSite().then((found) => {
	site = found;
	watchHead();
	void show(false);
});
