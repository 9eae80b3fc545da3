/** The page: routes of the address bar's fragment to views, the search field, and the head that goes on. */

import { isJson, type Json, textOf } from "../answer.js";
import { blockFacts } from "../block-facts.js";
import { age, grouped } from "../format.js";
import { NodeClient, NodeError } from "../node-client.js";
import { append, link, make } from "./elements.js";
import type { Site, View, ViewContext, ViewMaker } from "./view.js";
import { accountView } from "./views/account.js";
import { blockView } from "./views/block.js";
import { chartsView } from "./views/charts.js";
import { developmentView } from "./views/development.js";
import { parametersView, peersView, proposalsView, witnessesView } from "./views/governance.js";
import { homeView, pendingView } from "./views/home.js";
import { searchView } from "./views/search.js";
import { tokensView, tokenView } from "./views/tokens.js";
import { transactionView } from "./views/transaction.js";

const VIEWS: ReadonlyMap<string, ViewMaker> = new Map<string, ViewMaker>([
	["", homeView],
	["block", blockView],
	["tx", transactionView],
	["account", accountView],
	["search", searchView],
	["pending", pendingView],
	["tokens", tokensView],
	["token", tokenView],
	["witnesses", witnessesView],
	["proposals", proposalsView],
	["parameters", parametersView],
	["peers", peersView],
	["charts", chartsView],
	["development", developmentView],
]);

const NAVIGATION: readonly (readonly [path: string, name: string])[] = [
	["", "Blocks"],
	["pending", "Pending"],
	["tokens", "Tokens"],
	["witnesses", "Witnesses"],
	["proposals", "Proposals"],
	["parameters", "Parameters"],
	["peers", "Peers"],
	["charts", "Charts"],
];

/** How often the head is asked for; blocks of a network come every three seconds. */
const HEAD_MS = 3_000;
const DEVELOPMENT_HEAD_MS = 1_000;

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
		// What isn't encoded is taken as it is.
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
	const context: ViewContext = {
		client,
		site,
		signal: mine.signal,
		onHead: (listener) => void (mine.signal.aborted || listeners.add(listener)),
		nowMs: () => Date.now(),
		again: () => void show(false),
	};
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

async function watchHead(): Promise<void> {
	try {
		const block = await client.call("getnowblock");
		const { number, id, timeMs } = blockFacts(block);
		element("head").replaceChildren(
			document.createTextNode(`block ${grouped(number)}, ${age(timeMs, Date.now())}`),
		);
		if (id !== lastHead) {
			lastHead = id;
			for (const listener of listeners) listener(block);
		}
	} catch (error) {
		element("head").replaceChildren(
			document.createTextNode(error instanceof NodeError ? error.message : "no head"),
		);
	}
	window.setTimeout(() => void watchHead(), site.development ? DEVELOPMENT_HEAD_MS : HEAD_MS);
}

async function readSite(): Promise<Site> {
	try {
		const answer: unknown = await (await window.fetch("site.json")).json();
		return { development: isJson(answer) && textOf(answer, "kind") === "development" };
	} catch {
		return { development: false };
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
	void show(false);
	void watchHead();
});
