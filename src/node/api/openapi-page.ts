/** The HTTP API as a document for tools, and as a single self-contained page. */

import type { Dialect } from "../../protocol/dialect.js";
import type { ServerKind } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { endpointGroups, FOLDERS } from "./endpoint-table.js";
import type { ServerAddresses } from "./openapi.js";

const KINDS: readonly ServerKind[] = ["full", "solidity", "pbft"];

/** Documents by dialect and by which servers share an address. */
const made = new Map<string, Promise<string>>();

const placeOf = (kind: ServerKind): string => `http://address-of-${kind}.invalid`;

async function makeText(dialect: Dialect, places: ServerAddresses): Promise<string> {
	const { openApiDocument } = await import("./openapi.js");
	return `${JSON.stringify(openApiDocument(dialect, places))}\n`;
}

/**
 * The document as text, with real addresses filled in. Generating it takes many milliseconds, and clients choose how often
 * and under which host name they request it, so it is cached with placeholders for addresses.
 */
export async function openApiText(dialect: Dialect, addresses: ServerAddresses): Promise<string> {
	const firstWith = (kind: ServerKind): ServerKind =>
		KINDS.find((other) => addresses[other] === addresses[kind]) ?? kind;
	const places = {
		full: placeOf("full"),
		solidity: placeOf(firstWith("solidity")),
		pbft: placeOf(firstWith("pbft")),
	};
	const key = [dialect, ...Object.values(places)].join(" ");
	let text = made.get(key);
	if (!text) {
		text = makeText(dialect, places);
		made.set(key, text);
	}
	return KINDS.reduce((filled, kind) => filled.replaceAll(placeOf(kind), addresses[kind]), await text);
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-size:13px}h3{margin:1.5rem 0 0}table{border-collapse:collapse;font-size:14px}
td{padding:0 1rem 0 0;vertical-align:top}.where{color:#666;font-size:13px}
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8af}.where{color:#999}}`;

const PREFACE = `<p>Every answer of an endpoint has status 200, errors too: <code>{"Error": "…"}</code>. Amounts are in
sun, times in milliseconds. Where <code>visible</code> is true, addresses are Base58Check and names plain text; else
both are hexadecimal. The same as a document for tools: <a href="openapi.json">openapi.json</a>.</p>`;

let page: string | undefined;

/** The HTML page; names are neutral, the deployed spelling is accepted too. Generated once. */
export function openApiPage(): string {
	page ??= makePage();
	return page;
}

function makePage(): string {
	const contents = endpointGroups.map(({ title }) => `<a href="#${anchor(title)}">${escapeHtml(title)}</a>`);
	const sections = endpointGroups.map(
		({ title, endpoints }) =>
			`<h2 id="${anchor(title)}">${escapeHtml(title)}</h2>\n${endpoints.map(section).join("\n")}`,
	);
	return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>coin node HTTP API</title>
<style>${STYLE}</style></head>
<body><h1>coin node HTTP API</h1>
${PREFACE}
<p>${contents.join(" · ")}</p>
${sections.join("\n")}
</body>
</html>
`;
}

function section({ name, about, get, post, servers, fields, answers }: Endpoint): string {
	const methods = Object.entries({ GET: get, POST: post })
		.filter(([, mode]) => mode !== "refused" && mode !== "empty")
		.map(([method]) => method);
	const folders = servers.length > 0 ? servers.map((server) => `${FOLDERS[server]}/`) : ["/monitor/"];
	const rows = fields.map(
		(field) => `<tr><td><code>${escapeHtml(field.name)}</code></td><td>${escapeHtml(field.type)}</td></tr>`,
	);
	return `<h3 id="${name}"><code>${methods.join(" ")} ${escapeHtml(name)}</code></h3>
<div>${escapeHtml(about)}</div>
<div class="where">${folders.join(", ")} → ${escapeHtml(answers)}</div>
${rows.length > 0 ? `<table>${rows.join("")}</table>` : ""}`;
}

function anchor(title: string): string {
	return title.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}

function escapeHtml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
