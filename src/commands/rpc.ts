import { readFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import type { Endpoint } from "../node/api/endpoint.js";
import { endpoints, FOLDERS } from "../node/api/endpoint-table.js";
import type { RpcMethod } from "../node/api/jsonrpc/method.js";
import { spell, toNeutral } from "../protocol/dialect.js";
import { CoinCommand } from "../terminal/base/coin-command.js";
import { givenStdin, readStdin } from "../terminal/input/stdin.js";
import {
	printAnswer,
	printBytes,
	printCells,
	printLine,
	printNote,
	tableLines,
} from "../terminal/output/output.js";
import { GRPC_NAME, type RpcWords, readRpcWords } from "../terminal/rpc/rpc-words.js";
import type { Settings } from "../wallet/configuration/settings.js";
import { Failure } from "../wallet/failure.js";
import { isRecord, member, readJson } from "../wallet/json.js";
import type { RawAnswer } from "../wallet/node/http-request.js";
import { developmentUrl, jsonRpcUrl } from "../wallet/node/json-rpc.js";
import { NodeClient, type NodeRequest } from "../wallet/node/node-client.js";
import { isRefusal, jsonRpcRequest, RequestBody } from "../wallet/node/raw-call.js";
import { nearest as nearestWords } from "../wallet/values/suggestion.js";

type Server = keyof typeof FOLDERS;

/** Maximum response size in bytes; responses are printed as received, even lists of a hundred full blocks. */
const MAX_RAW_ANSWER = 512 << 20;

export class Rpc extends CoinCommand {
	static override summary = "Call an endpoint of a node and print its answer untouched";
	static override description =
		"<name> is an endpoint of the HTTP API, a JSON-RPC method (eth_…, coin_…, debug_…), a gRPC method (GetAccount, " +
		"WalletSolidity/GetAccount), or a path that begins with /. gRPC answers are printed as the HTTP API writes them. " +
		"Every field of the request is a flag of its wire name; a body can be given instead, and is then sent as it is. " +
		"The exit code is 1 if the answer reports an error.";
	static override usage = "rpc <name> [<json body> | <parameter>...] [--<field> <value>]...";
	static override examples = [
		"<%= config.bin %> rpc getaccount --address TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
		"<%= config.bin %> rpc getblockbynum '{\"num\":812}'",
		"<%= config.bin %> rpc getaccount --table",
		"<%= config.bin %> rpc eth_getBalance TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC latest",
		"<%= config.bin %> rpc GetAccount --address TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --visible",
	];
	static override strict = false;
	static override flags = {
		data: Flags.string({ description: "body: JSON, @file, or - for standard input", helpValue: "<json>" }),
		field: Flags.string({
			char: "F",
			description: "any member; the value is JSON if it parses as such",
			helpValue: "<name>=<value>",
		}),
		visible: Flags.boolean({
			description: "member visible: addresses in Base58 and texts as text",
			allowNo: true,
		}),
		exact: Flags.boolean({ description: "send values as typed, addresses too" }),
		get: Flags.boolean({ description: "use GET; fields become parameters" }),
		post: Flags.boolean({ description: "use POST" }),
		solidity: Flags.boolean({ description: "ask the solidity API" }),
		pbft: Flags.boolean({ description: "ask the PBFT API; --node names it" }),
		node: Flags.string({
			char: "n",
			description: "address of the API",
			helpValue: "<url>",
			env: "COIN_NODE",
		}),
		profile: Flags.string({ description: "network profile of the configuration", env: "COIN_PROFILE" }),
		timeout: Flags.string({
			description: "time for the request",
			helpValue: "<duration>",
			env: "COIN_TIMEOUT",
		}),
		header: Flags.string({ description: "request header", helpValue: "<name>=<value>" }),
		include: Flags.boolean({ description: "print status and headers on standard error" }),
		result: Flags.boolean({ description: "JSON-RPC: print the member result alone" }),
		raw: Flags.boolean({ description: "JSON-RPC: standard input is the whole request" }),
		binary: Flags.boolean({ description: "gRPC: print the bytes of the message" }),
		"no-fail": Flags.boolean({ description: "exit code 0 for every answer" }),
		force: Flags.boolean({ description: "ask a server that is not known to serve the endpoint" }),
		table: Flags.boolean({ description: "print the endpoint's fields and send nothing" }),
		list: Flags.boolean({ description: "list the endpoints and methods" }),
		grpc: Flags.boolean({ description: "list the gRPC methods only" }),
		jsonrpc: Flags.boolean({ description: "list the JSON-RPC methods only" }),
	};

	async run(): Promise<void> {
		this.parsed = true;
		const grpc = this.argv.some((word) => GRPC_NAME.test(word))
			? await import("../wallet/node/grpc-call.js")
			: undefined;
		const words = readRpcWords(this.argv, (name, field) => {
			const method = GRPC_NAME.test(name) ? grpc?.grpcMethodNamed(name) : undefined;
			const fields = method ? grpc?.requestFields(method) : endpointNamed(name)?.fields;
			return Boolean(fields?.some((row) => row.name === field && row.type === "bool"));
		});
		if (words.switches.has("list")) return this.printNames(words.switches);
		if (words.name === undefined && !words.switches.has("raw")) {
			throw new Failure("usage", "no endpoint is named", { hint: "coin rpc --list lists them" });
		}
		if (GRPC_NAME.test(words.name ?? "")) return this.runGrpc(words);
		const endpoint = endpointNamed(words.name ?? "");
		if (words.switches.has("table")) {
			return METHOD_NAME.test(words.name ?? "")
				? this.printMethod(words.name ?? "")
				: this.printFields(words.name ?? "", endpoint);
		}
		const settings = await this.settings(words.values);
		const client = new NodeClient(settings);
		const request = await this.request(words, endpoint, settings, client);
		const answer = await client.send({ ...request, maxBytes: MAX_RAW_ANSWER });
		if (words.switches.has("include")) this.printHead(answer);
		this.printBody(answer, words.switches.has("result"));
		const isBroadcast = /^(?:.*\/)?broadcast(transaction|hex)$/.test(words.name ?? "");
		if (isRefusal(answer, isBroadcast) && !words.switches.has("no-fail")) {
			if (answer.status === 404 || answer.status === 405) this.note(nearest(words.name ?? ""));
			const method = METHOD_NAME.test(words.name ?? "") ? (words.name ?? "") : undefined;
			if (method !== undefined && !(await isMethod(method))) this.note(await nearMethods(method));
			process.exitCode = 1;
		}
	}

	private async runGrpc(words: RpcWords): Promise<void> {
		const { methodOf, printGrpcMethod, sendGrpc } = await import("../terminal/rpc/grpc-request.js");
		if (words.switches.has("table")) return printGrpcMethod(methodOf(words));
		const settings = await this.settings(words.values);
		const data = words.values.data ?? words.rest[0];
		const body = data === undefined ? undefined : await dataText(data);
		const visible = visibleOf(words, settings) ?? (body !== undefined && saysVisible(body));
		const headers = Object.fromEntries(words.headers.map(headerOf));
		const { output, refused } = await sendGrpc(words, settings, body, visible, headers, (warning) =>
			this.warning(warning),
		);
		if (typeof output === "string") printAnswer(Buffer.from(output));
		else printBytes(output);
		if (refused && !words.switches.has("no-fail")) process.exitCode = 1;
	}

	private async request(
		words: RpcWords,
		endpoint: Endpoint | undefined,
		settings: Settings,
		client: NodeClient,
	): Promise<NodeRequest> {
		const headers = Object.fromEntries(words.headers.map(headerOf));
		const name = words.name ?? "";
		if (words.switches.has("raw")) {
			return { method: "POST", url: jsonRpcUrl(settings), body: await readStdin("the request"), headers };
		}
		if (METHOD_NAME.test(name)) {
			const url = DEVELOPMENT_NAME.test(name) ? developmentUrl(settings) : jsonRpcUrl(settings);
			return { method: "POST", url, body: jsonRpcRequest(name, words.rest), headers };
		}
		const visible = visibleOf(words, settings);
		const body = new RequestBody(endpoint?.fields ?? [], visible, words.switches.has("exact"));
		for (const { name: field, value, free } of words.fields) {
			if (free) body.addFree(field, value);
			else body.add(field, value);
		}
		const data = words.values.data ?? words.rest[0];
		const base = data === undefined ? undefined : await dataText(data);
		for (const warning of body.warnings(endpoint?.name ?? name, base)) this.warning(warning);
		if (visible !== undefined) body.addFree("visible", String(visible));
		const server: Server = words.switches.has("pbft")
			? "pbft"
			: words.switches.has("solidity")
				? "solidity"
				: "full";
		const url = urlOf(name, endpoint, server, client, words);
		const onlyGet = endpoint !== undefined && endpoint.post === "refused";
		if (words.switches.has("get") || (onlyGet && !words.switches.has("post"))) {
			const query = body.query();
			return { method: "GET", url: query === "" ? url : `${url}?${query}`, headers };
		}
		return { method: "POST", url, body: body.over(base), headers };
	}

	private printHead({ status, headers }: RawAnswer): void {
		printNote(`HTTP ${status}`);
		for (const [name, value] of Object.entries(headers)) {
			printNote(`${name}: ${Array.isArray(value) ? value.join(", ") : (value ?? "")}`);
		}
	}

	private printBody(answer: RawAnswer, onlyResult: boolean): void {
		const bytes = onlyResult ? resultBytes(answer.body) : answer.body;
		printAnswer(bytes);
	}

	private async printNames(only: ReadonlySet<string>): Promise<void> {
		const rows = endpoints.map(({ name, servers, fields, about }) => ({
			name,
			servers: servers.join(","),
			fields: fields.map((field) => field.name).join(","),
			about,
		}));
		const methodRows = (await rpcMethods()).map(({ name, parameters, about }) => ({
			name,
			servers: "jsonrpc",
			fields: parameters.map((parameter) => parameter.name).join(","),
			about,
		}));
		const { grpcRows } = await import("../terminal/rpc/grpc-request.js");
		const server = (["solidity", "pbft"] as const).find((kind) => only.has(kind));
		const http = server ? rows.filter(({ servers }) => servers.split(",").includes(server)) : rows;
		const all = only.has("grpc")
			? grpcRows()
			: only.has("jsonrpc")
				? methodRows
				: server
					? http
					: [...rows, ...methodRows, ...grpcRows()];
		const columns = ["name", "servers", "fields", "about"] as const;
		if (process.stdout.isTTY === true) {
			for (const line of tableLines(all, columns, "no endpoints")) printLine(line);
			return;
		}
		// Not aligned: every line of a file would be as wide as the longest field list.
		for (const row of [Object.fromEntries(columns.map((name) => [name, name])), ...all])
			printCells(columns.map((name) => (row as Record<string, string>)[name] ?? ""));
	}

	private async printMethod(name: string): Promise<void> {
		const methods = await rpcMethods();
		const method = methods.find((known) => known.name === name);
		if (!method) {
			throw new Failure("usage", `there is no method ${name} in the table`, {
				hint: await nearMethods(name),
			});
		}
		printLine(`${method.name}: ${method.about}`);
		printLine("served by JSON-RPC; parameters are given in this order");
		for (const line of tableLines(method.parameters, ["name", "type"], "no parameters")) printLine(line);
	}

	private printFields(name: string, endpoint: Endpoint | undefined): void {
		if (!endpoint)
			throw new Failure("usage", `there is no endpoint ${name} in the table`, { hint: nearest(name) });
		printLine(`${endpoint.name}: ${endpoint.about}`);
		printLine(`served under ${endpoint.servers.map((server) => `${FOLDERS[server]}/`).join(", ")}`);
		const visible = { name: "visible", type: "bool", meaning: "true: addresses in Base58, texts as text" };
		for (const line of tableLines([...endpoint.fields, visible], ["name", "type", "meaning"], "no fields"))
			printLine(line);
	}
}

/** Names of JSON-RPC methods. */
const METHOD_NAME = /^[a-z][a-z0-9]*_[A-Za-z0-9]+$|^rpc\.discover$|^buildTransaction$/;

/** Namespaces that only a development chain serves, or serves in full. */
const DEVELOPMENT_NAME = /^(dev|debug|anvil|hardhat|evm|tre)_/;

/** Address and text form by flag, else by profile; undefined if neither is set. */
function visibleOf({ switches }: RpcWords, settings: Settings): boolean | undefined {
	if (switches.has("visible")) return true;
	return switches.has("no-visible") ? false : settings.visible;
}

/** Whether a body sets `visible`, which HTTP endpoints obey. */
function saysVisible(body: string): boolean {
	try {
		const json = readJson(body);
		return isRecord(json) && member(json, "visible") === true;
	} catch {
		// Malformed JSON is reported where the message is parsed.
		return false;
	}
}

/** The method table imports all implementations, so it is loaded on demand. */
async function rpcMethods(): Promise<readonly RpcMethod[]> {
	const { methods } = await import("../node/api/jsonrpc/method-table.js");
	return methods;
}

async function isMethod(name: string): Promise<boolean> {
	return (await rpcMethods()).some((known) => known.name === name);
}

/** Suggests likely typos first, then names with a common prefix. */
async function nearMethods(name: string): Promise<string> {
	const names = (await rpcMethods()).map((known) => known.name);
	const alike = names
		.filter((known) => known.startsWith(name.slice(0, 7)))
		.sort((one, other) => sharedLetters(other, name) - sharedLetters(one, name));
	const near = [...new Set([...nearestWords(name, names), ...alike])].slice(0, 4);
	return near.length > 0 ? `near it: ${near.join(", ")}` : "coin rpc --list lists them";
}

/** Length of the common prefix of two names. */
function sharedLetters(one: string, other: string): number {
	let count = 0;
	while (count < one.length && one[count] === other[count]) count++;
	return count;
}

function endpointNamed(name: string): Endpoint | undefined {
	const neutral = toNeutral(name);
	return endpoints.find((endpoint) => endpoint.name === neutral);
}

function urlOf(
	name: string,
	endpoint: Endpoint | undefined,
	server: Server,
	client: NodeClient,
	words: RpcWords,
): string {
	const base = client.baseUrl(server === "solidity" && words.values.node === undefined ? "solidity" : "full");
	if (name.startsWith("/")) return base + name;
	if (/^(monitor|net)\//.test(name)) return `${base}/${name}`;
	if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
		const message = `"${name}" is neither an endpoint of the HTTP API nor a JSON-RPC or gRPC method`;
		throw new Failure("not_served", message, { hint: nearest(name) });
	}
	// Paths are case-sensitive: a wrong name gets an HTML page.
	const wanted = toNeutral(name).toLowerCase();
	const meant = endpoint ?? endpoints.find((known) => known.name.toLowerCase() === wanted);
	if (!endpoint && meant && !words.switches.has("force")) {
		throw new Failure("usage", `there is no endpoint ${name} in the table`, {
			hint: `did you mean ${meant.name}?`,
		});
	}
	if (endpoint && !endpoint.servers.includes(server) && !words.switches.has("force")) {
		const where = endpoint.servers.map((kind) => `${FOLDERS[kind]}/${endpoint.name}`).join(", ");
		throw new Failure("usage", `${endpoint.name} is not served there, but as ${where}`, {
			hint: "--force asks all the same",
		});
	}
	return `${base}${FOLDERS[server]}/${spell(toNeutral(name), client.settings.dialect)}`;
}

async function dataText(data: string): Promise<string> {
	if (data === "-") return givenStdin("the body");
	return data.startsWith("@") ? readFile(data.slice(1), "utf8") : data;
}

function headerOf(text: string): [string, string] {
	const at = text.search(/[=:]/);
	if (at <= 0) throw new Failure("usage", `--header "${text}": write name=value`);
	return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** The raw bytes of `result`: located by position, since parsing could change a number. */
function resultBytes(body: Uint8Array): Uint8Array {
	const text = Buffer.from(body).toString("utf8");
	const match = /"result"\s*:\s*/.exec(text);
	if (!match) return body;
	const start = match.index + match[0].length;
	let end = start;
	for (let depth = 0, quoted = false; end < text.length; end++) {
		const char = text[end] as string;
		if (quoted) {
			if (char === "\\") end++;
			else if (char === '"') quoted = false;
		} else if (char === '"') quoted = true;
		else if (char === "{" || char === "[") depth++;
		else if ((char === "}" || char === "]" || char === ",") && depth === 0) break;
		else if (char === "}" || char === "]") depth--;
	}
	return Buffer.from(text.slice(start, end).trim());
}

function nearest(name: string): string {
	const wanted = toNeutral(name).toLowerCase();
	const near = endpoints
		.map((endpoint) => endpoint.name)
		.filter(
			(known) =>
				known.toLowerCase().includes(wanted.slice(0, 8)) ||
				known.toLowerCase().startsWith(wanted.slice(0, 5)),
		)
		.slice(0, 4);
	return near.length > 0 ? `near it: ${near.join(", ")}` : "coin rpc --list lists the endpoints";
}
